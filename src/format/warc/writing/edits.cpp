#include "format/warc/writing/edits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {
namespace {

std::string changed_modern(ByteView raw, const HeaderChange& change) {
  std::vector<FieldEdit> edits;
  if (change.whole) {
    const HeaderChange::Whole& whole = *change.whole;
    edits.push_back({"Content-Length", std::to_string(whole.block_length)});
    edits.push_back({"WARC-Segment-Number", std::nullopt});
    edits.push_back({"WARC-Segment-Total-Length", std::nullopt});
    edits.push_back({"WARC-Truncated", whole.truncated.empty()
                                           ? std::nullopt
                                           : std::optional<std::string>(whole.truncated)});
    if (whole.block_digest) {
      edits.push_back({"WARC-Block-Digest", whole.block_digest});
    }
  }
  if (!change.warcinfo_id.empty()) {
    edits.push_back({"WARC-Warcinfo-ID", "<" + change.warcinfo_id + ">"});
  }
  return edit_header(raw, {}, edits);
}

// Ruling R7: lines end as the header-line does, and in nothing else.
std::vector<std::string_view> lines_of(std::string_view text, std::string_view line_end) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find(line_end);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + line_end.size());
  }
  return lines;
}

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  while (true) {
    const std::size_t from = line.find_first_not_of(" \t\r");
    if (from == std::string_view::npos) {
      return tokens;
    }
    line.remove_prefix(from);
    const std::size_t to = std::min(line.find_first_of(" \t\r"), line.size());
    tokens.push_back(line.substr(0, to));
    line.remove_prefix(to);
  }
}

// 00.11 knows two reasons for a cut (2.7).
char status_code(std::string_view truncated) {
  return truncated.empty() ? 'w' : truncated == "time" ? 't' : 'z';
}

class PositionalEdit {
 public:
  PositionalEdit(const Header& header, ByteView raw)
      : line_end_(header.lf_only ? "\n" : "\r\n"), lines_(lines_of(as_text(raw), line_end_)) {}

  void replace(std::string_view name, std::string value) {
    edits_.push_back({name, std::move(value), false});
  }
  void add(std::string_view name, std::string value) {
    edits_.push_back({name, std::move(value), true});
  }

  std::string run(std::string_view status, std::uint64_t block_length) const {
    std::vector<std::string_view> tokens = tokens_of(lines_.front());
    tokens.resize(std::max<std::size_t>(tokens.size(), 5));
    tokens[4] = status.empty() ? tokens[4] : status;
    std::string rest;
    for (std::size_t i = 2; i < tokens.size(); ++i) {
      rest += " ";
      rest += tokens[i];
    }
    rest += line_end_;
    append_fields(rest);
    rest += line_end_;
    // The length counts its own digits.
    std::string digits = "1";
    while (true) {
      const std::uint64_t all = tokens[0].size() + 1 + digits.size() + rest.size() + block_length;
      if (std::to_string(all).size() <= digits.size()) {
        return fmt::format("{} {:0{}}{}", tokens[0], all, digits.size(), rest);
      }
      digits += "1";
    }
  }

 private:
  void append_fields(std::string& out) const {
    bool removing = false;
    for (const std::string_view line : std::span(lines_).subspan(1)) {
      if (line.empty()) {
        continue;
      }
      if (line.front() != ' ' && line.front() != '\t') {
        std::string_view name = line.substr(0, line.find(':'));
        name = name.substr(0, name.find_last_not_of(" \t") + 1);
        removing = std::any_of(edits_.begin(), edits_.end(), [name](const FieldEdit& edit) {
          return !edit.keep_others && equals_ignoring_case(edit.name, name);
        });
      }
      if (!removing) {
        out += line;
        out += line_end_;
      }
    }
    for (const FieldEdit& edit : edits_) {
      out += fmt::format("{}: {}{}", edit.name, edit.value.value_or(""), line_end_);
    }
  }

  std::string_view line_end_;
  std::vector<std::string_view> lines_;
  std::vector<FieldEdit> edits_;
};

std::string changed_positional(const Header& header, ByteView raw, const HeaderChange& change) {
  PositionalEdit edit(header, raw);
  std::string status;
  std::uint64_t block_length = header.block_length;
  if (change.whole) {
    const HeaderChange::Whole& whole = *change.whole;
    status = fmt::format("{}1", status_code(whole.truncated));
    block_length = whole.block_length;
    if (whole.block_digest) {
      edit.replace("Checksum", *whole.block_digest);
    }
    if (status == "z1" && whole.truncated != "length") {
      edit.add("note", "truncated: " + whole.truncated);
    }
  }
  if (!change.warcinfo_id.empty()) {
    edit.replace("Warcinfo-ID", change.warcinfo_id);
  }
  return edit.run(status, block_length);
}

}  // namespace

std::string changed_header(const Header& header, ByteView raw, const HeaderChange& change) {
  return header.dialect == Dialect::Positional ? changed_positional(header, raw, change)
                                               : changed_modern(raw, change);
}

}  // namespace fonds::warc
