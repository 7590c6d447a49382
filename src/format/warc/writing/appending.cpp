// Adds records to an archive that is there.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/making.hpp>

#include "format/common/judge.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/stored_copy.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/making.hpp"
#include "format/warc/writing/writing.hpp"

namespace fonds::warc {
namespace {

// What is found by reading the archive from start to end.
class Survey {
 public:
  Survey(const Archive& archive, const MakeOptions& options)
      : archive_(archive), options_(options) {}

  Status run() {
    FONDS_TRY(size_, archive_.source->size());
    ReadOptions read = options_.rewrite.read;
    read.search_damaged = false;
    FONDS_TRY(const auto reader, archive_.format->open(archive_, read));
    while (true) {
      FONDS_TRY(const Record* const record, reader->next());
      auto loose = reader->take_loose_findings();
      if (record == nullptr && !cut_ && ends_badly(loose)) {
        cut_ = start_of(loose);
        unclear_ = !cut_;
        if (!options_.rewrite.skip_damaged) {
          FONDS_CHECK(judged(std::move(loose)));
          return refused({.source = archive_.source->name(), .stored_offset = cut_});
        }
      }
      FONDS_CHECK(judged(std::move(loose)));
      if (record == nullptr) {
        return check_last_unit();
      }
      FONDS_CHECK(take(*reader, static_cast<const WarcRecord&>(*record)));
    }
  }

  // Stored bytes that stay. Errors: Corrupt if damage at the end cannot be told from what is whole.
  Result<std::uint64_t> end() const {
    if (unclear_) {
      return fail(ErrorCode::Corrupt,
                  "the end is damaged and shares its unit with whole records; fonds repair makes "
                  "an archive that can be added to",
                  {.source = archive_.source->name()});
    }
    return cut_.value_or(size_);
  }
  std::uint64_t size() const { return size_; }
  Target target() const { return target_; }
  std::string_view missing_closing() const { return missing_closing_; }

  Before before;

 private:
  static bool ends_badly(const std::vector<Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const Finding& f) { return f.severity >= Severity::Warning; });
  }

  // Where what is wrong behind the last record begins; nothing if it may lie inside its unit.
  std::optional<std::uint64_t> start_of(const std::vector<Finding>& findings) const {
    if (before.records == 0) {
      return 0;
    }
    std::optional<std::uint64_t> start;
    for (const Finding& finding : findings) {
      if (finding.severity < Severity::Warning) {
        continue;
      }
      if (finding.where.stored_offset.value_or(0) <= last_unit_) {
        return std::nullopt;
      }
      start = std::min(start.value_or(size_), *finding.where.stored_offset);
    }
    return start;
  }

  Status judged(std::vector<Finding> findings) {
    Status status = judge(archive_, std::move(findings), options_.rewrite);
    return status ? Status() : refused(status.error().where());
  }

  static Status refused(Location where) {
    return fail(ErrorCode::Corrupt,
                "is damaged, nothing was added; fonds repair makes an archive that can be added "
                "to, --skip-damaged cuts off a damaged end",
                std::move(where));
  }

  // Plain records may follow gzip members; what would follow them in turn is not found.
  Status check_last_unit() const {
    if (before.records == 0 || archive_.codec().name() == "none") {
      return {};
    }
    std::array<std::byte, 64> head = {};
    FONDS_TRY(const std::size_t n, archive_.source->read_at(last_unit_, head));
    if (archive_.codec().probe(ByteView(head).first(n)) == 0) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("its last records are not compressed with {} as the first are; fonds "
                              "convert makes an archive that can be added to",
                              archive_.codec().name()),
                  {.source = archive_.source->name(), .stored_offset = last_unit_});
    }
    return {};
  }

  Status take(RecordReader& reader, const WarcRecord& record) {
    const Header& header = record.header;
    const Place place = record.place;
    ++before.records;
    last_unit_ = place.unit;
    for (const std::string& id : options_.originals) {
      if (!header.id.empty() && header.id == id) {
        before.originals.try_emplace(id, header.uri);
      }
    }
    const bool arc = header.dialect == Dialect::Arc;
    set_target(header);
    FONDS_TRY(RecordEnd end, reader.finish());
    const bool damaged = any_damage(end.findings, false);
    cut_.reset();
    if (const auto garbage = trailing_garbage(end.findings)) {
      return take_garbage(*garbage, place, std::move(end.findings));
    }
    unclear_ = damaged && place.inner > 0;
    if (damaged) {
      cut_ = place.unit;
    }
    missing_closing_ = {};
    if (archive_.codec().name() == "none" && !damaged) {
      const std::string_view closing = arc ? "\n" : "\r\n\r\n";
      missing_closing_ = closing.substr(
          std::min<std::size_t>(static_cast<std::size_t>(end.trailing), closing.size()));
    }
    return judged(std::move(end.findings));
  }

  // Octets behind the last record would lie between records then, where many readers stop.
  static std::optional<std::uint64_t> trailing_garbage(const std::vector<Finding>& findings) {
    const auto found = std::find_if(findings.begin(), findings.end(),
                                    [](const Finding& f) { return f.code == "trailing-garbage"; });
    return found == findings.end() ? std::nullopt : found->where.stored_offset;
  }

  Status take_garbage(std::uint64_t start, const Place& place, std::vector<Finding> findings) {
    unclear_ = start <= place.unit;
    if (!unclear_) {
      cut_ = start;
    }
    missing_closing_ = {};
    FONDS_CHECK(judged(std::move(findings)));
    return options_.rewrite.skip_damaged
               ? Status()
               : refused({.source = archive_.source->name(), .stored_offset = start});
  }

  // The nearest dialect that can be written.
  void set_target(const Header& header) {
    before.needs_version_block = header.dialect == Dialect::Arc && header.major > 1;
    switch (header.dialect) {
      case Dialect::Arc:
        target_ = Target::Arc11;
        break;
      case Dialect::Positional:
        target_ = Target::Warc0011;
        break;
      case Dialect::Modern:
        target_ = header.major == 0                        ? Target::Warc018
                  : header.major == 1 && header.minor == 0 ? Target::Warc10
                                                           : Target::Warc11;
        break;
    }
  }

  const Archive& archive_;
  const MakeOptions& options_;
  std::uint64_t size_ = 0, last_unit_ = 0;
  Target target_ = Target::Warc11;
  std::string_view missing_closing_;  // plain: line ends that the last record lacks
  std::optional<std::uint64_t> cut_;  // where a damaged end begins
  bool unclear_ = false;
};

Status check_can_be_added_to(const Archive& archive) {
  if (!archive.source->random_access()) {
    return fail(ErrorCode::Unsupported, "a pipe cannot be added to",
                {.source = archive.source->name()});
  }
  const std::string_view codec = archive.codec().name();
  if (archive.codecs.size() > 1 || (!level_range(codec) && codec != "none")) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{} archives cannot be added to; fonds convert makes one of gzip, zstd "
                            "or lz4",
                            archive.codecs.size() > 1 ? "doubly compressed" : codec),
                {.source = archive.source->name()});
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<ItemMaker>> WarcWriting::append_items(const Archive& archive, ByteSink& sink,
                                                             const MakeOptions& options) const {
  FONDS_CHECK(check_can_be_added_to(archive));
  const WriteOptions& write = options.rewrite.write;
  if (!write.layout.empty() || !write.compression.empty() || write.dictionary) {
    return fail(ErrorCode::BadArgument,
                "what is added has the dialect, the compression and the dictionary of the archive",
                {.source = archive.source->name()});
  }
  Survey survey(archive, options);
  FONDS_CHECK(survey.run());
  FONDS_TRY(const std::uint64_t end, survey.end());
  survey.before.there = true;
  survey.before.report.records_kept = survey.before.records;
  if (end < survey.size()) {
    survey.before.report.lost_bytes = survey.size() - end;
  }
  FONDS_CHECK(copy_stored(*archive.source, {0, end},
                          [&sink](ByteView piece) { return sink.write(piece); }));
  FONDS_CHECK(sink.write(as_bytes(survey.missing_closing())));
  WriteOptions same = write;
  same.compression = {std::string(archive.codec().name())};
  FONDS_TRY(EncodeOptions encode, encode_options(same));
  encode.continues = end > 0;
  FONDS_TRY(encode.dictionary, stored_dictionary(archive));
  FONDS_TRY(auto encoder, make_encoder(sink, encode));
  return std::unique_ptr<ItemMaker>(std::make_unique<Maker>(std::move(encoder), survey.target(),
                                                            options, std::move(survey.before)));
}

}  // namespace fonds::warc
