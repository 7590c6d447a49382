#include "format/warc/format.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/parts.hpp"
#include "format/warc/reading/reader.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/join.hpp"
#include "format/warc/searching/fields.hpp"
#include "format/warc/writing/writing.hpp"

namespace fonds::warc {
namespace {

std::uint64_t find_record(ByteView plain, std::uint64_t from, std::uint64_t to) {
  to = std::min<std::uint64_t>(to, plain.size());
  if (from >= to) {
    return to;
  }
  std::size_t incomplete = 0;
  // Records that begin before `to` may need some octets behind it to be recognized.
  const std::uint64_t end = std::min<std::uint64_t>(plain.size(), to + (std::uint64_t{64} << 10));
  const ByteView part = plain.subspan(from, end - from);
  const bool line_start = from == 0 || plain[from - 1] == std::byte{'\n'};
  const std::size_t found =
      find_record_start(part, 0, line_start, false, end == plain.size(), incomplete);
  return found == npos ? to : std::min<std::uint64_t>(to, from + found);
}

// Headers of records and of HTTP messages end with an empty line.
bool ends_head(ByteView decoded, std::size_t known) {
  const std::string_view text = as_text(decoded);
  for (std::size_t at = known; (at = text.find('\n', at)) != std::string_view::npos; ++at) {
    const bool after_line = at > 0 && (text[at - 1] == '\n' ||
                                       (at > 1 && text[at - 1] == '\r' && text[at - 2] == '\n'));
    if (after_line) {
      return true;
    }
  }
  return false;
}

class WarcFormat final : public Format {
 public:
  std::string_view name() const override { return "warc"; }

  int probe(ByteView head, bool whole) const override {
    const std::string_view text = as_text(head);
    if (text.find_first_not_of("\r\n") == std::string_view::npos) {
      return whole ? 1 : 0;  // nothing, or line ends only: an archive without records
    }
    if (starts_record(head)) {
      return 100;
    }
    std::size_t incomplete = 0;
    return find_record_start(head, 0, true, true, whole, incomplete) != npos ? 50 : 0;
  }

  RecordProbe record_probe() const override {
    return {.starts_record = starts_record, .ends_head = ends_head, .find_record = find_record};
  }

  FormatTraits traits() const override {
    return {.captures = true, .file_ending = ".warc", .other_name = "arc"};
  }

  std::span<const std::string_view> columns() const override {
    static constexpr std::array<std::string_view, 8> kColumns = {
        "index", "offset", "date", "type", "status", "media_type", "length", "target"};
    return kColumns;
  }

  Result<std::unique_ptr<RecordReader>> open(const Archive& archive,
                                             const ReadOptions& options) const override {
    DecodeOptions decode = decode_options(options);
    decode.start = options.start;
    decode.skim = options.skim;
    decode.state = options.state.substr(options.state.empty() ? 0 : options.state.rfind(' ') + 1);
    decode.probe = record_probe();
    decode.salvage = options.search_damaged;
    FONDS_TRY(auto decoder, open_decoder(archive, decode));
    auto reader = std::make_unique<WarcReader>(std::move(decoder), archive.source->name(),
                                               archive.codec().name(), options);
    if (archive.codecs.size() > 1) {
      reader->add_loose(make_finding("double-compression",
                                     fmt::format("{} inside {}; records cannot be read alone",
                                                 archive.codecs[1]->name(), archive.codec().name()),
                                     {.source = archive.source->name(), .stored_offset = 0}));
    }
    if (!options.state.empty()) {
      reader->set_state(options.state);
    }
    return std::unique_ptr<RecordReader>(std::move(reader));
  }

  Result<std::unique_ptr<SegmentJoiner>> join_segments(std::span<const Archive> archives,
                                                       const ReadOptions& options) const override {
    return make_segment_joiner(archives, options);
  }

  const FormatWriting* writing() const override {
    static const WarcWriting writing;
    return &writing;
  }

  Status write_part(RecordReader& reader, const Record& record, RecordPart part,
                    std::uint64_t max_payload, const ByteOutput& out,
                    std::vector<Finding>& findings) const override {
    return write_record_part(reader, static_cast<const WarcRecord&>(record), part, max_payload, out,
                             findings);
  }
  std::span<const FieldInfo> fields() const override { return field_table(); }
  std::unique_ptr<FieldReader> read_fields(std::span<const query::Path> wanted) const override {
    return make_field_reader(wanted);
  }
  std::unique_ptr<VerifyPart> verify_part(const Archive& archive,
                                          const VerifyOptions& options) const override {
    return make_verify_part(archive, options);
  }
  std::unique_ptr<VerifyWhole> verify_whole(const VerifyOptions& options) const override {
    return make_verify_whole(options);
  }
};

}  // namespace

const Format& warc_format() {
  static const WarcFormat format;
  return format;
}

}  // namespace fonds::warc
