#include "format/recordio/format.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "codec/decoded_source.hpp"
#include "format/common/block_fields.hpp"
#include "format/recordio/reading/feed.hpp"
#include "format/recordio/reading/record_reader.hpp"
#include "format/recordio/reading/trailer.hpp"
#include "format/recordio/reading/walk.hpp"
#include "format/recordio/rewriting/offsets_index.hpp"
#include "format/recordio/writing/writing.hpp"
#include "io/window.hpp"

namespace fonds::recordio {
namespace {

void describe_header(const HeaderList& header, AttributeSink& out) {
  out.begin_list("header");
  for (const HeaderEntry& entry : header.entries) {
    out.begin_list({});
    out.text({}, shown(entry.key));
    out.text({}, type_name(entry.value));
    out.text({}, value_text(entry.value));
    out.end_list();
  }
  out.end_list();
  out.begin_list("transformers");
  for (const std::string& entry : header.transformers) {
    out.text({}, shown(entry));
  }
  out.end_list();
}

// The blocks of a v2 file behind its header, by their first chunks.
Result<std::uint64_t> count_blocks(Window window, std::uint64_t from) {
  FONDS_TRY(const std::uint64_t size, window.size());
  std::uint64_t blocks = 0;
  for (std::uint64_t at = from; at + kChunkSize <= size;) {
    window.release(at);
    FONDS_TRY(const ByteView bytes, window.at(at, kChunkHeaderSize));
    const ChunkHeader header = parse_chunk_header(bytes);
    const bool begins = header.magic == Magic::Packed && header.index == 0 && header.total > 0;
    blocks += begins ? 1U : 0U;
    const std::uint64_t length = begins ? std::uint64_t{header.total} * kChunkSize : kChunkSize;
    at += std::min(length, size - at);
  }
  return blocks;
}

constexpr BlockField kBlockField = {
    {"block", "number", FieldStage::Header, "stored offset of the block that holds the item"},
    [](const Record& r, const FieldTeller& out) { out.number(r.place.unit); },
    true};
constexpr BlockField kItemField = {
    {"item", "number", FieldStage::Header, "number of the item in its block, from 0"},
    [](const Record& r, const FieldTeller& out) { out.number(r.place.inner); },
    true};
constexpr std::array<BlockField, 8> kFields = {kPayloadField, kBodyField,  kLengthField,
                                               kBlockField,   kItemField,  kFormatField,
                                               kIndexField,   kOffsetField};

class RecordIoFormat final : public Format {
 public:
  std::string_view name() const override { return "recordio"; }

  int probe(ByteView head, bool /*whole*/) const override {
    if (probe_kind(head) != Kind::None) {
      return 100;
    }
    // A damaged beginning: the next good block or record tells. Records of other formats may lie in
    // it, but not before a magic.
    const int score = parse_magic(head) != Magic::None ? 60 : 40;
    Window window(head);
    return recognize_kind(window, head.size()).value_or(Kind::None) != Kind::None ? score : 0;
  }

  RecordProbe record_probe() const override { return {}; }
  FormatTraits traits() const override {
    return {.item_blocks = true, .extras = true, .file_ending = ".rio"};
  }

  Result<Extras> extras(const Archive& archive, const ReadOptions& options,
                        const std::function<void(const Finding&)>& finding) const override {
    if (archive.codec().name() != "none") {
      return fail(
          ErrorCode::Unsupported,
          "a RecordIO file that is compressed as a whole has no trailer that can be reached",
          {.source = archive.source->name()});
    }
    ReaderOptions reading = reader_options(options);
    reading.on_finding = finding;
    FONDS_TRY(auto reader, Reader::open(archive.source, std::move(reading)));
    Extras found;
    for (const HeaderEntry& entry : free_entries(reader.header())) {
      const std::string* const text = std::get_if<std::string>(&entry.value);
      found.header.push_back({entry.key, std::string(type_name(entry.value)),
                              text != nullptr ? *text : value_text(entry.value)});
    }
    auto trailer = reader.trailer();
    if (!trailer && !options.search_damaged) {
      return fail(trailer.error().code(), trailer.error().message(), trailer.error().where());
    }
    if (trailer && *trailer) {
      found.trailer.emplace(as_text(**trailer));
    }
    return found;
  }

  std::span<const std::string_view> columns() const override {
    static constexpr std::array<std::string_view, 4> kColumns = {"index", "block", "item",
                                                                 "length"};
    return kColumns;
  }

  Result<std::unique_ptr<RecordReader>> open(const Archive& archive,
                                             const ReadOptions& options) const override {
    FeedOptions feed_options;
    feed_options.read = reader_options(options);
    feed_options.start = options.start;
    feed_options.stop_at = options.stop_at;
    feed_options.state = options.state;
    FONDS_TRY(const auto decoded, decoded_source(archive, options));
    FONDS_TRY(auto feed, Feed::open(decoded ? decoded : archive.source, feed_options));
    return std::unique_ptr<RecordReader>(
        std::make_unique<ItemReader>(std::move(feed), decoded, options));
  }

  std::uint64_t find_start(const Archive& archive, std::uint64_t from,
                           std::uint64_t to) const override {
    Window window(archive.source);
    const std::uint64_t most = ReaderOptions().max_block;
    const bool legacy = recognize_kind(window, most).value_or(Kind::None) == Kind::Legacy;
    return find_block(window, legacy, from, to, most).value_or(to);
  }

  Result<std::vector<Place>> locate(const Archive& archive,
                                    std::span<const std::uint64_t> ordinals) const override {
    std::vector<Place> places;
    if (!archive.source->random_access()) {
      return places;
    }
    FONDS_TRY(const std::uint64_t size, archive.source->size());
    const auto index = OffsetsIndex::open_beside(archive.source->name(), size);
    for (std::size_t i = 0; index && i < ordinals.size(); ++i) {
      const auto found = index->locate(ordinals[i]);
      if (!found) {
        return std::vector<Place>();
      }
      places.push_back({found->block, found->item});
    }
    return places;
  }

  Status describe(const Archive& archive, const ReadOptions& options, const Totals* totals,
                  AttributeSink& out,
                  const std::function<void(const Finding&)>& finding) const override {
    FeedOptions feed_options;
    feed_options.read = reader_options(options);
    FONDS_TRY(const auto decoded, decoded_source(archive, options));
    const std::shared_ptr<ByteSource> source = decoded ? decoded : archive.source;
    if (!source->random_access()) {
      return {};  // a pipe is read only once
    }
    FONDS_TRY(const auto feed, Feed::open(source, feed_options));
    FONDS_CHECK(feed->meet_header());
    if (totals == nullptr) {  // else they have been told
      for (const Finding& found : feed->header_findings()) {
        finding(found);
      }
    }
    FONDS_TRY(const std::uint64_t size, source->size());
    const bool legacy = feed->kind() == Kind::Legacy;
    const bool headless = !legacy && feed->first_block() == 0;
    out.text("layout", size == 0  ? "empty"
                       : legacy   ? "legacy"
                       : headless ? "v2 without header block"
                                  : "v2");
    if (!legacy && size > 0) {
      describe_header(feed->header(), out);
      FONDS_CHECK(describe_trailer(source, *feed, feed_options.read, out));
    }
    if (totals != nullptr) {
      describe_totals(*totals, size, out);
    } else if (!legacy) {
      FONDS_TRY(const std::uint64_t blocks, count_blocks(Window(source), feed->first_block()));
      out.number("blocks", blocks);
    }
    return {};
  }

  std::span<const FieldInfo> fields() const override {
    static const std::vector<FieldInfo> infos = infos_of(kFields);
    return infos;
  }
  std::unique_ptr<FieldReader> read_fields(std::span<const query::Path> wanted) const override {
    return make_block_field_reader(kFields, wanted);
  }

  const FormatWriting* writing() const override {
    static const RecordIoWriting writing;
    return &writing;
  }

 private:
  static void describe_totals(const Totals& totals, std::uint64_t size, AttributeSink& out) {
    out.number("blocks", totals.units);
    out.number("items", totals.records);
    out.number("item_bytes", totals.bytes);
    if (size > 0) {
      out.text("ratio", fmt::format("{:.2f}",
                                    static_cast<double>(totals.bytes) / static_cast<double>(size)));
    }
  }

  static Status describe_trailer(const std::shared_ptr<ByteSource>& source, const Feed& feed,
                                 const ReaderOptions& options, AttributeSink& out) {
    Buffer trailer;
    const auto there =
        read_trailer(source, feed.transformation(), feed.header().trailer, options, trailer);
    if (!there && there.error().code() == ErrorCode::Io) {
      return fail(there.error().code(), there.error().message(), there.error().where());
    }
    // A damaged trailer is a finding of whoever reads the file.
    if (!there.value_or(false)) {
      return {};
    }
    Hasher hasher(DigestAlgorithm::Sha256);
    hasher.update(trailer.view());
    const DigestValue digest = hasher.finish();
    out.begin_object("trailer");
    out.number("length", trailer.size());
    out.text("sha256", to_hex(ByteView(digest.bytes).first(digest.size)));
    out.end_object();
    return {};
  }
};

}  // namespace

const Format& recordio_format() {
  static const RecordIoFormat format;
  return format;
}

}  // namespace fonds::recordio
