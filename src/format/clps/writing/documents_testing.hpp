// The rules of documents.hpp told once more, slowly, over a whole text: for tests and fuzzers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "format/clps/writing/documents.hpp"

namespace fonds::clps::testing_documents {

struct Found {
  std::uint64_t offset = 0;
  std::string text;
  bool left_out = false;
  friend bool operator==(const Found&, const Found&) = default;
};

inline constexpr std::string_view kBlanks = " \t\r\n";

class SlowDocuments {
 public:
  SlowDocuments(std::string_view text, const DocumentOptions& options)
      : text_(text), options_(options) {
    options_.long_line = static_cast<std::size_t>(
        std::min<std::uint64_t>(options.long_line, options.max_document_size));
  }

  std::vector<Found> all() {
    at_ = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    std::optional<bool> lines;
    while ((at_ = text_.find_first_not_of(kBlanks, at_)) != std::string_view::npos) {
      lines = lines.value_or(holds_lines());
      lines.value() ? line() : document();
    }
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kNone = std::string_view::npos;

  std::size_t line_end() const { return std::min(text_.find('\n', at_), text_.size()); }
  std::string_view trimmed(std::size_t end) const {
    const std::string_view item = text_.substr(at_, end - at_);
    return item.substr(0, item.find_last_not_of(kBlanks) + 1);
  }
  bool is_long() const { return line_end() - at_ > options_.long_line; }

  // Where the document that begins at `at` ends; kNone, and `open` its open brackets.
  static std::size_t scan(std::string_view text, std::size_t at, std::vector<std::size_t>& open) {
    char expect = 'v';
    for (; at < text.size(); ++at) {
      const char c = text[at];
      const bool object = !open.empty() && text[open.back()] == '{';
      if (kBlanks.find(c) != kNone) {
        continue;
      }
      if (c == '{' || c == '[') {
        if (expect != 'v' || open.size() == BracketScanner::kMaxDepth) {
          return kNone;
        }
        open.push_back(at);
        expect = c == '{' ? 'k' : 'v';
      } else if (c == '}' || c == ']') {
        if (object != (c == '}')) {
          return kNone;
        }
        open.pop_back();
        expect = 'a';
        if (open.empty()) {
          return at + 1;
        }
      } else if (c == ',') {
        expect = object ? 'k' : 'v';
      } else if (c == ':') {
        expect = 'v';
      } else {
        if (c == '"') {
          if (expect == 'a' || expect == 'c') {
            return kNone;
          }
          for (++at; at < text.size() && text[at] != '"'; ++at) {
            at += text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n' ? 1 : 0;
            if (at < text.size() && text[at] == '\n') {
              return kNone;
            }
          }
          if (at >= text.size()) {
            return kNone;
          }
        }
        expect = expect == 'k' ? 'c' : expect == 'v' ? 'a' : expect;
      }
    }
    return kNone;
  }

  bool holds_lines() const {
    if (text_[at_] != '{' && text_[at_] != '[') {
      return true;
    }
    if (is_long()) {
      return false;
    }
    const std::size_t end = line_end();
    for (std::size_t at = at_; at < end && (text_[at] == '{' || text_[at] == '[');) {
      std::vector<std::size_t> open;
      const std::string_view to_end = text_.substr(0, end);
      const std::size_t next = scan(to_end, at, open);
      if (next == kNone) {
        // It goes on if something could follow that closes all.
        std::string closing;
        std::for_each(open.rbegin(), open.rend(),
                      [&](std::size_t i) { closing += text_[i] == '{' ? '}' : ']'; });
        std::vector<std::size_t> again;
        const bool feed = end < text_.size();
        return scan(std::string(to_end) + (feed ? "\n" : "") + closing, at, again) == kNone && feed;
      }
      at = std::min(text_.find_first_not_of(kBlanks, next), end);
    }
    return true;
  }

  // The end of the document at at_.
  std::size_t balance() {
    if (unbalanced_.contains(at_)) {
      return kNone;
    }
    std::vector<std::size_t> open;
    const std::uint64_t most =
        std::min<std::uint64_t>(text_.size() - at_, options_.max_document_size);
    const std::size_t end = scan(text_.substr(0, at_ + static_cast<std::size_t>(most)), at_, open);
    if (end == kNone) {
      unbalanced_.insert(open.begin(), open.end());
    }
    return end;
  }

  void take(std::size_t end) {
    found_.push_back({at_, std::string(trimmed(end)), false});
    at_ = end;
  }
  void take_bad(std::size_t end) {
    if (end - at_ > options_.max_document_size) {
      found_.push_back({at_, std::string(text_.substr(at_, end - at_)), true});
      at_ = end;
    } else {
      take(end);
    }
  }

  void line() {
    const std::string_view whole = trimmed(line_end());
    const bool opens = text_[at_] == '{';
    const std::size_t end = opens ? balance() : kNone;
    if (end != kNone && end <= line_end() && whole.back() == '}' && !is_long()) {
      several(whole);
      at_ = line_end();
      return;
    }
    if (end != kNone) {
      take(end);
    } else if (line_end() - at_ > options_.max_document_size) {
      take_bad(line_end());
    } else {
      several(whole);
      at_ = line_end();
    }
  }

  void several(std::string_view line) {
    bool adjoin = false;
    for (std::size_t i = 1; line.front() == '{' && line.back() == '}' && i < line.size(); ++i) {
      const std::size_t before = line.find_last_not_of(kBlanks, i - 1);
      adjoin = adjoin || (line[i] == '{' && line[before] == '}');
    }
    while (!line.empty()) {
      std::vector<std::size_t> open;
      std::size_t end = adjoin && line.front() == '{' ? scan(line, 0, open) : kNone;
      end = std::min(end, line.size());
      found_.push_back({static_cast<std::uint64_t>(line.data() - text_.data()),
                        std::string(line.substr(0, end)), false});
      line.remove_prefix(std::min(line.find_first_not_of(kBlanks, end), line.size()));
    }
  }

  void document() {
    const std::size_t end = text_[at_] == '{' || text_[at_] == '[' ? balance() : kNone;
    if (end != kNone) {
      take(end);
      return;
    }
    take_bad(std::min(text_.find("\n{", at_), text_.size()));
  }

  std::string_view text_;
  DocumentOptions options_;
  std::size_t at_ = 0;
  std::set<std::size_t> unbalanced_;
  std::vector<Found> found_;
};

struct Documents {
  std::vector<Found> found;
  std::vector<std::uint64_t> pieces;  // sizes
  std::optional<Error> error;
  std::uint64_t decoded = 0;
  bool byte_order_mark = false;
};

// Reads all of a reader, and checks what holds for all pieces.
inline Documents read_all(DocumentReader& reader) {
  Documents documents;
  Piece piece;
  while (true) {
    auto more = reader.next(piece);
    if (!more) {
      documents.error = std::move(more.error());
    }
    if (!more || !*more) {
      break;
    }
    documents.pieces.push_back(piece.text().size());
    if (piece.left_out()) {
      if (piece.left_out()->first) {
        documents.found.push_back({piece.offset(), "", true});
      }
      documents.found.back().text += piece.text();
    }
    DocumentCutter cutter(piece);
    std::string_view text;
    while (cutter.next(text)) {
      const auto inside = static_cast<std::uint64_t>(text.data() - piece.text().data());
      documents.found.push_back({piece.offset() + inside, std::string(text), false});
    }
  }
  documents.decoded = reader.decoded_bytes();
  documents.byte_order_mark = reader.had_byte_order_mark();
  return documents;
}

inline Documents read_all(std::shared_ptr<ByteSource> source, const DocumentOptions& options) {
  auto reader = DocumentReader::open(std::move(source), options);
  if (!reader) {
    Documents documents;
    documents.error = std::move(reader.error());
    return documents;
  }
  return read_all(**reader);
}

// Whether the octets in no candidate and no stretch are blanks, but for a byte-order mark, and no
// octet is in two.
inline bool accounts_for_all(std::string_view text, const Documents& documents) {
  std::size_t at = documents.byte_order_mark ? 3 : 0;
  for (const Found& found : documents.found) {
    const auto offset = static_cast<std::size_t>(found.offset);
    if (offset < at || found.text.empty() || text.substr(offset, found.text.size()) != found.text ||
        text.substr(at, offset - at).find_first_not_of(kBlanks) != std::string_view::npos) {
      return false;
    }
    at = offset + found.text.size();
  }
  return documents.decoded == text.size() &&
         text.substr(std::min(at, text.size())).find_first_not_of(kBlanks) ==
             std::string_view::npos;
}

}  // namespace fonds::clps::testing_documents
