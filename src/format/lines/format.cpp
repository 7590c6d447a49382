#include "format/lines/format.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "format/lines/reader.hpp"
#include "format/lines/writer.hpp"

namespace fonds::lines {
namespace {

bool is_plain(const Archive& archive) {
  return archive.codecs.size() == 1 && archive.codec().name() == "none";
}

template <typename Reader>
class TextFormat final : public Format {
 public:
  TextFormat(std::string_view name, const FormatWriting& writing)
      : name_(name), writing_(writing) {}

  std::string_view name() const override { return name_; }
  int probe(ByteView, bool) const override { return 0; }
  RecordProbe record_probe() const override { return {}; }
  // Text is made into the format that holds any bytes.
  FormatTraits traits() const override { return {.converts_to = "recordio"}; }
  std::span<const std::string_view> columns() const override {
    static constexpr std::array<std::string_view, 3> kColumns = {"index", "offset", "length"};
    return kColumns;
  }

  // Behind each LF of plain text a line begins.
  std::uint64_t find_start(const Archive& archive, std::uint64_t from,
                           std::uint64_t to) const override {
    const auto stored = archive.source->view();
    if (!is_plain(archive) || !stored) {
      return to;
    }
    to = std::min<std::uint64_t>(to, stored->size());
    if (from == 0 || from >= to) {
      return from == 0 ? 0 : to;
    }
    const ByteView before = stored->subspan(from - 1, to - from);
    const void* const found = std::memchr(before.data(), '\n', before.size());
    return found == nullptr ? to
                            : from + static_cast<std::uint64_t>(
                                         static_cast<const std::byte*>(found) - before.data());
  }

  const FormatWriting* writing() const override { return &writing_; }

  Result<std::unique_ptr<RecordReader>> open(const Archive& archive,
                                             const ReadOptions& options) const override {
    DecodeOptions decode = decode_options(options);
    decode.start = options.start;
    decode.state = options.state;
    FONDS_TRY(auto decoder, open_decoder(archive, decode));
    return std::unique_ptr<RecordReader>(std::make_unique<Reader>(
        name_, std::move(decoder), archive.source->name(), is_plain(archive), options));
  }

 private:
  std::string_view name_;
  const FormatWriting& writing_;
};

}  // namespace

const Format& lines_format() {
  static const TextFormat<LinesReader> format("lines", lines_writing());
  return format;
}
const Format& jsonl_format() {
  static const TextFormat<JsonlReader> format("jsonl", jsonl_writing());
  return format;
}

}  // namespace fonds::lines
