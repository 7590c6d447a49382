#include "format/lines/format.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "format/common/block_fields.hpp"
#include "format/lines/reading/json_line.hpp"
#include "format/lines/reading/reader.hpp"
#include "format/lines/searching/search.hpp"
#include "format/lines/writing/writer.hpp"

namespace fonds::lines {
namespace {

constexpr std::array<BlockField, 6> kFields = {kPayloadField, kBodyField,  kLengthField,
                                               kFormatField,  kIndexField, kOffsetField};

bool is_plain(const Archive& archive) {
  return archive.codecs.size() == 1 && archive.codec().name() == "none";
}

template <typename Reader>
class TextFormat : public Format {
 public:
  TextFormat(std::string_view name, const FormatWriting& writing)
      : name_(name), writing_(writing) {}

  std::string_view name() const override { return name_; }
  int probe(ByteView, bool) const override { return 0; }
  RecordProbe record_probe() const override { return {}; }
  // Text is made into the format that holds any bytes.
  FormatTraits traits() const override {
    return {.text = true, .only_named = true, .converts_to = "recordio"};
  }
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

  std::span<const FieldInfo> fields() const override {
    static const std::vector<FieldInfo> infos = infos_of(kFields);
    return infos;
  }
  std::unique_ptr<FieldReader> read_fields(std::span<const query::Path> wanted) const override {
    return make_block_field_reader(kFields, wanted);
  }

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

class ItemsFormat final : public TextFormat<JsonlReader> {
 public:
  using TextFormat::TextFormat;
  int probe(ByteView head, bool whole) const override { return probe_items(as_text(head), whole); }
};

class EventsFormat final : public TextFormat<EventsReader> {
 public:
  using TextFormat::TextFormat;
  int probe(ByteView head, bool whole) const override { return probe_events(as_text(head), whole); }
  FormatTraits traits() const override {
    return {.search = true, .events = true, .text = true, .file_ending = ".jsonl"};
  }

  // Queries are asked of the events themselves.
  std::span<const FieldInfo> fields() const override { return {}; }
  std::unique_ptr<FieldReader> read_fields(std::span<const query::Path> /*wanted*/) const override {
    return nullptr;
  }

  Result<std::unique_ptr<RecordReader>> open(const Archive& archive,
                                             const ReadOptions& options) const override {
    if (!options.input.empty()) {
      return fail(ErrorCode::Unsupported, "JSON Lines do not tell what inputs they were made of",
                  {.source = archive.source->name()});
    }
    return TextFormat::open(archive, options);
  }

  Result<SearchReport> search(const Archive& archive, const query::Query& query,
                              const SearchOptions& options, const SearchSink& sink) const override {
    return search_events(archive, query, options, sink);
  }

  Status event_fields(const Archive& archive, const ReadOptions& options,
                      const std::function<Status(const EventField&)>& out,
                      const std::function<void(const Finding&)>& finding) const override {
    return list_event_fields(archive, options, out, finding);
  }
};

}  // namespace

const Format& lines_format() {
  static const TextFormat<LinesReader> format("lines", lines_writing());
  return format;
}
const Format& jsonl_format() {
  static const ItemsFormat format("jsonl", jsonl_writing());
  return format;
}
const Format& events_format() {
  static const EventsFormat format("jsonl", jsonl_writing());
  return format;
}

}  // namespace fonds::lines
