#include "index/zipnum.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <libdeflate.h>
#include <nlohmann/json.hpp>
#include <nlohmann/json_fwd.hpp>

#include <fonds/bytes.hpp>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "base/text.hpp"
#include "index/line_file.hpp"
#include "io/will_read.hpp"

namespace fonds::index {
namespace {

constexpr std::uint64_t kLargestBlock = std::uint64_t{64} << 20;  // of text
constexpr std::size_t kSmallestMember = 18;                       // an empty gzip member has more
constexpr std::string_view kMagic = "\x1f\x8b";
constexpr std::string_view kMeta = "!meta ";

using Json = nlohmann::json;

// The object that `text` is, and nothing else; discarded if it is none.
Json parse_object(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_object() ? json : Json(Json::value_t::discarded);
}

std::string text_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

// Numbers, and numbers in quotes.
std::optional<std::uint64_t> number_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end()) {
    return std::nullopt;
  }
  if (member->is_number_unsigned()) {
    return member->get<std::uint64_t>();
  }
  return member->is_string() ? parse_number(member->get<std::string>()) : std::nullopt;
}

// "key timestamp TAB file TAB offset TAB length TAB number".
Result<ZipNumBlock> parse_classic(std::string_view line) {
  std::array<std::string_view, 4> columns;
  std::size_t n = 0;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos && n < columns.size();) {
    const std::size_t next = line.find('\t', tab + 1);
    columns[n++] = line.substr(tab + 1, next == std::string_view::npos ? next : next - tab - 1);
    tab = next;
  }
  const auto offset = parse_number(columns[1]);
  const auto length = parse_number(columns[2]);
  if (n < 3 || columns[0].empty() || !offset || !length) {
    return fail(ErrorCode::Corrupt,
                "a line of a secondary index has no file name, offset and length between tabs");
  }
  return ZipNumBlock{std::string(columns[0]), *offset, *length, {}};
}

// "key timestamp {…}".
Result<ZipNumBlock> parse_json(std::string_view line, std::size_t brace) {
  const Json object = parse_object(line.substr(brace));
  if (object.is_discarded()) {
    return fail(ErrorCode::Corrupt, "a line of a secondary index does not end with a JSON object");
  }
  const auto offset = number_member(object, "offset");
  const auto length = number_member(object, "length");
  if (!offset || !length) {
    return fail(ErrorCode::Corrupt, "a line of a secondary index has no offset and length");
  }
  return ZipNumBlock{text_member(object, "filename"), *offset, *length,
                     text_member(object, "digest")};
}

struct FreeDecompressor {
  void operator()(libdeflate_decompressor* decompressor) const {
    libdeflate_free_decompressor(decompressor);
  }
};

// Decodes blocks, one after the other.
class BlockDecoder {
 public:
  // The text lives until the next call. `stored` is exactly the block.
  Result<std::string_view> decode(ByteView stored) {
    const auto none = [&] {
      return fail(ErrorCode::Corrupt,
                  fmt::format("no gzip member of {} bytes lies here", stored.size()));
    };
    if (stored.size() < kSmallestMember || !as_text(stored).starts_with(kMagic)) {
      return none();
    }
    const std::uint32_t size = load_le32(stored.last(4));
    if (size > kLargestBlock) {
      return fail(
          ErrorCode::LimitExceeded,
          fmt::format("a block of {} bytes of text is larger than {}", size, kLargestBlock));
    }
    if (decompressor_ == nullptr) {
      decompressor_.reset(libdeflate_alloc_decompressor());
      if (decompressor_ == nullptr) {
        return fail(ErrorCode::LimitExceeded, "there is no memory for decoding a block");
      }
    }
    text_.resize(size);
    std::size_t used = 0;
    std::size_t decoded = 0;
    const libdeflate_result result =
        libdeflate_gzip_decompress_ex(decompressor_.get(), stored.data(), stored.size(),
                                      text_.data(), text_.size(), &used, &decoded);
    if (result != LIBDEFLATE_SUCCESS || used != stored.size()) {
      return none();
    }
    return std::string_view(text_).substr(0, decoded);
  }

 private:
  std::unique_ptr<libdeflate_decompressor, FreeDecompressor> decompressor_;
  std::string text_;
};

class ZipNumCursor final : public LineCursor {
 public:
  ZipNumCursor(const LineFile& secondary, const OpenBlocks& open_blocks,
               const std::string& default_file, std::uint64_t begin)
      : entries_(secondary.lines_at(begin)),
        open_blocks_(open_blocks),
        default_file_(default_file) {}

  Result<bool> next() override {
    while (true) {
      while (!text_.empty()) {
        const std::size_t end = text_.find('\n');
        line_ = text_.substr(0, end);
        text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
        line_ = line_.ends_with('\r') ? line_.substr(0, line_.size() - 1) : line_;
        ++number_;
        if (!line_.empty() && !is_header_line(line_)) {
          return true;
        }
      }
      FONDS_TRY(const bool more, next_block());
      if (!more) {
        return false;
      }
    }
  }
  Location where() const override {
    return {.source = source_ != nullptr ? source_->name() : file_,
            .stored_offset = stored_offset_};
  }
  Position position() const override { return {entries_->position().outer, number_}; }

 private:
  // False at the end.
  Result<bool> next_block() {
    number_ = 0;
    FONDS_TRY(const bool more, entries_->next());
    if (!more) {
      return false;
    }
    const std::string_view line = entries_->line();
    auto block = parse_zipnum_line(line);
    if (!block) {
      return tl::unexpected(std::move(block.error()).with(entries_->where()));
    }
    FONDS_CHECK(open_file(block->file.empty() ? default_file_ : block->file));
    stored_offset_ = block->stored_offset;
    auto text = read(*block, key_of_line(line, ' '));
    if (!text) {
      return tl::unexpected(std::move(text.error()).with(where()));
    }
    text_ = *text;
    return true;
  }

  // Keeps the last file open.
  Status open_file(const std::string& name) {
    if (source_ == nullptr || name != file_) {
      source_ = nullptr;
      file_ = name;
      FONDS_TRY(source_, open_blocks_(name));
    }
    return {};
  }

  Result<std::string_view> read(const ZipNumBlock& block, std::string_view key) {
    FONDS_TRY(const std::uint64_t size, source_->size());
    if (block.stored_offset > size || block.stored_length > size - block.stored_offset) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("a block of {} bytes reaches past the end of the file, which has {}",
                              block.stored_length, size));
    }
    ByteView stored;
    if (const auto view = source_->view()) {
      stored = view->subspan(static_cast<std::size_t>(block.stored_offset),
                             static_cast<std::size_t>(block.stored_length));
    } else {
      if (block.stored_length > kLargestBlock) {
        return fail(ErrorCode::LimitExceeded,
                    fmt::format("a block has {} stored bytes", block.stored_length));
      }
      fonds::will_read(*source_, {block.stored_offset, block.stored_length});
      stored_.resize(static_cast<std::size_t>(block.stored_length));
      FONDS_TRY(const std::size_t got, source_->read_at(block.stored_offset, stored_));
      stored = ByteView(stored_).first(got);
    }
    FONDS_CHECK(check_digest(block.digest, stored));
    FONDS_TRY(const std::string_view text, decoder_.decode(stored));
    // An offset can lead to another block.
    for (std::string_view rest = text; !rest.empty();) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      if (!is_header_line(line)) {
        if (key_of_line(line, ' ') != key) {
          return fail(ErrorCode::Corrupt,
                      "a block begins with another key than the secondary index says");
        }
        break;
      }
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    }
    return text;
  }

  static Status check_digest(const std::string& text, ByteView stored) {
    const LabelledDigest expected = parse_digest(text);
    if (text.empty() || expected.state == LabelledDigest::State::Unsupported) {
      return {};
    }
    Hasher hasher(expected.algorithm);
    hasher.update(stored);
    const DigestValue actual = hasher.finish();
    if (expected.state == LabelledDigest::State::Malformed ||
        (actual.size != 0 && !(actual == expected.value))) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("a block has another digest than the secondary index says, {}",
                              escape_for_terminal(text)));
    }
    return {};
  }

  std::unique_ptr<LineCursor> entries_;  // at the secondary line of the block
  const OpenBlocks& open_blocks_;
  const std::string& default_file_;
  std::string file_;
  std::shared_ptr<ByteSource> source_;
  std::uint64_t stored_offset_ = 0;
  std::vector<std::byte> stored_;  // a block of a source without a view
  BlockDecoder decoder_;
  std::string_view text_;  // what is left of the block
  std::uint64_t number_ = 0;
};

// The name that the header of the JSON flavour gives, or the usual one.
std::string default_file(std::string_view head, const std::string& secondary_name) {
  const std::string_view line = head.substr(0, head.find('\n'));
  if (const std::size_t brace = line.find('{');
      line.starts_with(kMeta) && brace != std::string_view::npos) {
    if (std::string name = text_member(parse_object(line.substr(brace)), "filename");
        !name.empty()) {
      return name;
    }
  }
  const std::size_t slash = secondary_name.rfind('/') + 1;  // 0 if there is none
  const std::string base = secondary_name.substr(slash);
  return base.substr(0, base.rfind('.')) + ".cdx.gz";
}

}  // namespace

Result<ZipNumBlock> parse_zipnum_line(std::string_view line) {
  // Keys hold no blanks; the object is the second column or the third.
  for (std::size_t blank = line.find(' '), column = 1;
       blank != std::string_view::npos && column < 3; blank = line.find(' ', blank + 1), ++column) {
    if (line.substr(blank + 1).starts_with('{')) {
      return parse_json(line, blank + 1);
    }
  }
  return parse_classic(line);
}

bool ZipNum::recognize(std::string_view head) {
  while (!head.empty()) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (line.starts_with(kMeta) && line.find("cdxj-gzip") != std::string_view::npos) {
      return true;
    }
    if (!line.empty() && !is_header_line(line)) {
      const auto block = parse_zipnum_line(line);
      // Captures have an offset and a length, too, but name what they are in.
      return block && (line.find('\t') != std::string_view::npos ||
                       (block->file.empty() && line.find("\"url\"") == std::string_view::npos));
    }
    head.remove_prefix(std::min(line.size() + 1, head.size()));
  }
  return false;
}

Result<std::unique_ptr<ZipNum>> ZipNum::open(std::shared_ptr<ByteSource> secondary,
                                             OpenBlocks open_blocks) {
  FONDS_TRY(LineFile lines, LineFile::open(std::move(secondary)));
  return std::unique_ptr<ZipNum>(new ZipNum(std::move(lines), std::move(open_blocks)));
}

ZipNum::ZipNum(LineFile secondary, OpenBlocks open_blocks)
    : secondary_(std::move(secondary)),
      open_blocks_(std::move(open_blocks)),
      default_file_(default_file(secondary_.head(), secondary_.name())) {}

std::unique_ptr<LineCursor> ZipNum::lines() const {
  return std::make_unique<ZipNumCursor>(secondary_, open_blocks_, default_file_,
                                        secondary_.begin());
}

Result<SortedLines::Start> ZipNum::lines_from(std::string_view key) const {
  FONDS_TRY(const LineFile::Bound bound, secondary_.lower_bound(key));
  // The key may begin inside the block before the first one that begins with it.
  return Start{
      std::make_unique<ZipNumCursor>(secondary_, open_blocks_, default_file_, bound.before),
      bound.in_order};
}

}  // namespace fonds::index
