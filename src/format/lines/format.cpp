#include "format/lines/format.hpp"

#include <algorithm>
#include <array>
#include <bit>
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

constexpr std::size_t kPiece = std::size_t{64} << 10;

bool is_plain(const Archive& archive) {
  return archive.codecs.size() == 1 && archive.codec().name() == "none";
}

// Everything that is wrong with a line is found by reading it.
class TextVerifyPart final : public VerifyPart {
 public:
  Status check(RecordReader&, const Record&, std::vector<Finding>&) override { return {}; }
};
class TextVerifyWhole final : public VerifyWhole {
 public:
  void begin(const Archive&) override {}
  void add(VerifyPart&, std::uint64_t) override {}
  void end(std::uint64_t, bool, const std::function<void(Finding)>&) override {}
  void finish(const std::function<void(Finding)>&) override {}
};

template <typename Reader>
class TextFormat final : public Format {
 public:
  TextFormat(std::string_view name, const FormatWriting& writing)
      : name_(name), writing_(writing) {}

  std::string_view name() const override { return name_; }
  int probe(ByteView, bool) const override { return 0; }
  RecordProbe record_probe() const override { return {}; }
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
    DecodeOptions decode;
    decode.start = options.start;
    decode.state = options.state;
    decode.max_buffer = options.memory_budget / 3;
    decode.max_window_log = static_cast<unsigned>(
        std::bit_width(std::max<std::uint64_t>(options.max_window, 1024)) - 1);
    decode.max_whole_unit = static_cast<std::size_t>(std::clamp<std::uint64_t>(
        options.memory_budget / 8, std::uint64_t{64} << 10, std::uint64_t{16} << 20));
    FONDS_TRY(auto decoder, open_decoder(archive, decode));
    return std::unique_ptr<RecordReader>(std::make_unique<Reader>(
        name_, std::move(decoder), archive.source->name(), is_plain(archive), options));
  }

  Status write_part(RecordReader& reader, const Record&, RecordPart part, std::uint64_t,
                    const ByteOutput& out, std::vector<Finding>&) const override {
    if (part == RecordPart::Header || part == RecordPart::Http) {
      return {};
    }
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(kPiece));
      if (piece.empty()) {
        return {};
      }
      FONDS_CHECK(out(piece));
      reader.consume_block(piece.size());
    }
  }

  std::unique_ptr<VerifyPart> verify_part(const Archive&, const VerifyOptions&) const override {
    return std::make_unique<TextVerifyPart>();
  }
  std::unique_ptr<VerifyWhole> verify_whole(const VerifyOptions&) const override {
    return std::make_unique<TextVerifyWhole>();
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
