#include "format/warc/rewriting/merge.hpp"

#include <algorithm>
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

#include <fonds/encoder.hpp>

#include "format/common/judge.hpp"
#include "format/warc/reading/association.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/reader_detail.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/merge_join.hpp"
#include "format/warc/rewriting/merge_plan.hpp"
#include "format/warc/rewriting/merge_stored.hpp"
#include "format/warc/rewriting/pass.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "format/warc/writing/edits.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

// What is missing of the line ends that close a record.
std::string_view missing_closing(bool arc, std::string_view closing) {
  const std::size_t ends = detail::count_line_ends(as_bytes(closing)).ends;
  if (arc) {
    return ends == 0 ? "\n" : "";
  }
  return ends == 0 ? "\r\n\r\n" : ends == 1 ? "\r\n" : "";
}

// Octets behind the record; its own end is certain, or it would have other findings.
bool is_behind(const Finding& finding) {
  return finding.code == "resync" || finding.code == "trailing-garbage";
}

const Finding* first_damage(const std::vector<Finding>& findings, bool strict) {
  const auto found = std::find_if(findings.begin(), findings.end(), [strict](const Finding& f) {
    return is_damage(f, strict) && !is_behind(f);
  });
  return found == findings.end() ? nullptr : &*found;
}

class Merger {
 public:
  Merger(MergePlan plan, ByteSink& sink, const RewriteOptions& options)
      : plan_(std::move(plan)), sink_(sink), options_(options), joins_(plan_.archives, options_) {}

  Result<RewriteReport> run();

 private:
  // First reading: what is damaged, which segments there are, which records change.
  Status survey(std::size_t i);
  Status survey_record(std::size_t i, Pass& pass, const WarcRecord& record, std::uint64_t group);
  // Both fail with LimitExceeded if that is more than can be remembered.
  Status lose(Finding finding);
  Status make_anew(MergeInput& input, std::uint64_t group);
  Status remember(std::uint64_t bytes);

  Status take(std::size_t i);
  Status take_record(Pass& pass, const WarcRecord& record);
  Status begin_group(std::uint64_t unit, bool first);
  Status begin_archive(std::uint64_t unit, bool make);
  Status end_archive();
  Status put_record(Pass& pass, const WarcRecord& record, const HeaderChange& change,
                    const Joins::Whole* whole);
  Status pass_over(Pass& pass, bool arc);
  Status check_unchanged(const RecordEnd& end, bool left_out) const;
  Status tell(Finding finding);
  Status tell_unknown();

  MergePlan plan_;
  ByteSink& sink_;
  const RewriteOptions& options_;
  RewriteOptions reading_;  // of the pass in hand
  RewriteReport report_;
  Joins joins_;
  Association association_;
  std::unique_ptr<Encoder> encoder_;
  bool begun_ = false;            // the file has bytes
  std::string missing_;           // line ends behind the last record
  std::uint64_t before_ = 0;      // stored bytes of the archives that are done
  std::uint64_t remembered_ = 0;  // bytes of what the first reading has shown
  std::vector<Finding> seen_;     // by the pass in hand, and not yet looked at

  // Of the archive in hand.
  std::size_t number_ = 0;
  MergeInput* input_ = nullptr;
  std::optional<StoredCopy> copy_;
  bool making_ = false;           // the group in hand is made anew
  bool byte_order_mark_ = false;  // stands before its first record
  std::uint64_t unknown_ = 0;     // records whose warcinfo is another one now
};

Status Merger::tell(Finding finding) {
  if (options_.on_finding) {
    options_.on_finding(finding);
  }
  if (options_.strict && !options_.skip_damaged && is_damage(finding, true)) {
    return fail(
        ErrorCode::Corrupt,
        fmt::format("stopped at [{}] because of --strict: {}", finding.code, finding.message),
        finding.where);
  }
  return {};
}

Result<RewriteReport> Merger::run() {
  if (options_.skip_damaged || options_.join_segments) {
    for (std::size_t i = 0; i < plan_.archives.size(); ++i) {
      FONDS_CHECK(survey(i));
    }
    FONDS_CHECK(joins_.settle([this](Finding finding) { return tell(std::move(finding)); }));
    joins_.for_each_touched([this](std::size_t archive, std::uint64_t group) {
      plan_.inputs[archive].changed_groups.insert(group);
    });
    association_ = {};
  }
  for (std::size_t i = 0; i < plan_.archives.size(); ++i) {
    FONDS_CHECK(take(i));
  }
  if (encoder_ != nullptr) {
    FONDS_CHECK(encoder_->finish());
  }
  return std::move(report_);
}

// ---- the first reading ----

Status Merger::remember(std::uint64_t bytes) {
  remembered_ += bytes;
  if (remembered_ > options_.read.memory_budget) {
    return fail(ErrorCode::LimitExceeded,
                "there is more damage than can be listed; --memory allows more");
  }
  return {};
}

Status Merger::lose(Finding finding) {
  constexpr std::uint64_t kEach = 512;
  FONDS_CHECK(remember(kEach + finding.message.size() + finding.where.record_id.size()));
  report_.lost.push_back(std::move(finding));
  return {};
}

Status Merger::make_anew(MergeInput& input, std::uint64_t group) {
  constexpr std::uint64_t kEach = 64;
  return input.changed_groups.insert(group).second ? remember(kEach) : Status();
}

Status Merger::survey(std::size_t i) {
  MergeInput& input = plan_.inputs[i];
  reading_ = options_;
  reading_.read.skim = !options_.skip_damaged;
  reading_.progress = {};
  seen_.clear();
  reading_.on_finding = [this](const Finding& finding) { seen_.push_back(finding); };
  FONDS_TRY(Pass pass, Pass::open(plan_.archives[i], reading_));
  association_.begin_archive();
  std::optional<std::uint64_t> group;
  while (true) {
    seen_.clear();
    FONDS_TRY(const WarcRecord* const record, pass.next());
    // What belongs to no record lies behind the last one, or before the first.
    for (const Finding& finding : seen_) {
      if (is_damage(finding, options_.strict)) {
        FONDS_CHECK(lose(finding));
        if (group) {
          FONDS_CHECK(make_anew(input, *group));
        } else {
          input.head_damaged = true;
        }
      } else if (options_.skip_damaged && options_.on_finding) {
        options_.on_finding(finding);
      }
    }
    if (record == nullptr) {
      return {};
    }
    if (!group || record->place.inner == 0) {
      group = record->place.unit;
    }
    FONDS_CHECK(survey_record(i, pass, *record, *group));
  }
}

Status Merger::survey_record(std::size_t i, Pass& pass, const WarcRecord& record,
                             std::uint64_t group) {
  MergeInput& input = plan_.inputs[i];
  const RecordPlace place = place_of(record.place);
  const Tie tie(record.header);
  const std::uint64_t header = record.raw_header().size();
  std::optional<SegmentPart> part;
  if (options_.join_segments) {
    part = segment_part(record.header, record.block_length.value_or(0));
  }
  const std::uint64_t ordinal = record.ordinal;
  seen_.clear();
  FONDS_TRY(const RecordEnd end, pass.finish());
  const Finding* const damage = first_damage(end.findings, options_.strict);
  if (damage != nullptr) {
    const std::uint64_t octets = header + end.length.value_or(0) + end.trailing;
    Finding lost = *damage;
    lost.message += fmt::format("{}the record of {} octets is left out",
                                lost.message.empty() ? "" : "; ", octets);
    FONDS_CHECK(lose(std::move(lost)));
    report_.lost_bytes += octets;
    ++report_.records_lost;
    input.left_out.insert(place);
    FONDS_CHECK(make_anew(input, group));
  } else if (part) {
    FONDS_CHECK(joins_.add({std::move(*part), i, place, group, ordinal}));
  }
  for (const Finding& finding : seen_) {
    const bool damaged = is_damage(finding, options_.strict);
    if (is_of_framing(finding) || (damaged && is_behind(finding))) {
      FONDS_CHECK(make_anew(input, group));
    }
    if (damaged && damage == nullptr && is_behind(finding)) {
      FONDS_CHECK(lose(finding));
    } else if (options_.skip_damaged && options_.on_finding && !damaged) {
      options_.on_finding(finding);
    }
  }
  if (association_.next(tie, damage == nullptr) == Association::Verdict::Name) {
    FONDS_CHECK(make_anew(input, group));
  }
  return {};
}

// ---- the reading that writes ----

Status Merger::take(std::size_t i) {
  number_ = i;
  input_ = &plan_.inputs[i];
  unknown_ = 0;
  byte_order_mark_ = false;
  making_ = false;
  reading_ = options_;
  reading_.on_finding = [this](const Finding& finding) {
    byte_order_mark_ = byte_order_mark_ || finding.code == "byte-order-mark";
    if (!options_.skip_damaged && options_.on_finding) {
      options_.on_finding(finding);
    }
  };
  if (options_.progress) {
    reading_.progress = [this](std::uint64_t at) { options_.progress(before_ + at); };
  }
  StoredCopy::Target target{.sink = &sink_};
  target.frames = plan_.encode.codec == "zstd" && !plan_.raw;
  target.keep_tables = plan_.archives.size() == 1 && input_->changed_groups.empty();
  copy_.emplace(plan_.archives[i].source, input_->tee, target);
  FONDS_TRY(Pass pass, Pass::open(plan_.archives[i], reading_));
  association_.begin_archive();
  bool first = true;
  while (true) {
    FONDS_TRY(const WarcRecord* const record, pass.next());
    if (record == nullptr) {
      break;
    }
    if (first || record->place.inner == 0) {
      FONDS_CHECK(begin_group(record->place.unit, first));
      first = false;
    }
    FONDS_CHECK(take_record(pass, *record));
  }
  if (first && plan_.archives.size() == 1 && !input_->head_damaged) {
    FONDS_CHECK(copy_->head(input_->tee ? input_->tee->end() : *input_->size, sink_));
  }
  if (first) {
    return {};  // nothing but line ends and empty units
  }
  FONDS_CHECK(end_archive());
  before_ += pass.reader().stored_position();
  return {};
}

Status Merger::begin_group(std::uint64_t unit, bool first) {
  const bool bad_mark = first && begun_ && byte_order_mark_ && plan_.encode.codec != "none";
  const bool make =
      !plan_.raw && (input_->recompress || input_->changed_groups.contains(unit) || bad_mark);
  if (!plan_.encodable && input_->changed_groups.contains(unit)) {
    return fail(ErrorCode::Unsupported,
                fmt::format("records would have to be changed that are compressed as {}, which "
                            "cannot be written; fonds convert gives them another compression",
                            plan_.archives[number_].codecs.back()->name()),
                {.source = plan_.archives[number_].source->name(), .stored_offset = unit});
  }
  if (first) {
    FONDS_CHECK(begin_archive(unit, make));
    if (make && !input_->recompress && copy_->position() < unit) {
      copy_->drop_last_prefix();
      FONDS_CHECK(copy_->up_to(unit));
    }
  } else if (making_) {
    if (!make) {
      FONDS_TRY(const std::uint64_t from, copy_->with_prefix(unit));
      copy_->start(from);
    }
  } else if (unit > copy_->position() && (make || unit - copy_->position() >= kPiece)) {
    if (make) {
      copy_->drop_last_prefix();
    }
    FONDS_CHECK(copy_->up_to(unit));
  }
  if (make) {
    FONDS_CHECK(copy_->pause());
  } else {
    ++report_.blocks_kept;
  }
  making_ = make;
  return {};
}

// What stands before the first record, which begins at `unit`; `make`: it is made anew.
Status Merger::begin_archive(std::uint64_t unit, bool make) {
  if (plan_.raw) {
    copy_->start(0);
    begun_ = true;
    return {};
  }
  if (!begun_) {
    begun_ = true;
    copy_->start(0);
    if (input_->recompress) {
      FONDS_CHECK(sink_.write(plan_.dictionary_frame.view()));
    } else {
      FONDS_TRY(const std::uint64_t end, copy_->with_prefix(unit));
      FONDS_CHECK(copy_->head(input_->head_damaged ? input_->head : make ? end : unit, sink_));
    }
    FONDS_TRY(encoder_, make_encoder(sink_, plan_.encode));
    copy_->start(unit);
  } else {
    const bool frames = plan_.encode.codec == "zstd" && !input_->recompress;
    copy_->start(frames && !input_->head_damaged ? input_->head : unit);
    if (plan_.encode.codec == "none" && !missing_.empty()) {
      FONDS_CHECK(encoder_->put_stored(as_bytes(missing_)));
      ++report_.changes["records got the line ends that close them"];
    }
  }
  missing_.clear();
  copy_->use(*encoder_);
  return {};
}

Status Merger::end_archive() {
  if (!making_) {
    const std::uint64_t end = input_->tee ? input_->tee->end() : *input_->size;
    FONDS_CHECK(copy_->up_to(end));
    const bool closed = copy_->last().value_or(std::byte{'\n'}) == std::byte{'\n'};
    if (missing_.empty() && !closed) {
      missing_ = "\r\n\r\n";  // something else follows the last record
    }
  }
  FONDS_CHECK(copy_->pause());
  if (copy_->tables_left_out()) {
    ++report_.changes["seek tables of archives are left out"];
  }
  return tell_unknown();
}

Status Merger::tell_unknown() {
  if (unknown_ == 0) {
    return {};
  }
  report_.changes["records come behind a warcinfo that is not theirs"] += unknown_;
  return tell(make_finding(
      "warcinfo-changed",
      fmt::format("{} records belong to no warcinfo of this archive that could be named; in the "
                  "merged file they come behind that of another one",
                  unknown_),
      {.source = plan_.archives[number_].source->name(), .stored_offset = 0}));
}

Status Merger::take_record(Pass& pass, const WarcRecord& record) {
  const RecordPlace place = place_of(record.place);
  const bool left_out = input_->left_out.contains(place);
  const bool absorbed = joins_.absorbed(number_, place);
  const bool arc = record.header.dialect == Dialect::Arc;
  HeaderChange change;
  if (!absorbed) {
    const auto verdict = association_.next(Tie(record.header), !left_out);
    if (!left_out && verdict == Association::Verdict::Name) {
      change.warcinfo_id = association_.own_id();
      ++report_.changes["records got a WARC-Warcinfo-ID"];
    } else if (!left_out && verdict == Association::Verdict::Unknown) {
      ++unknown_;
    }
  }
  if (!making_) {
    ++report_.records_kept;
    return pass_over(pass, arc);
  }
  if (left_out || absorbed) {
    FONDS_TRY(const RecordEnd end, pass.finish());
    return check_unchanged(end, left_out);
  }
  ++report_.records_kept;
  const Joins::Whole* const whole = joins_.whole(number_, place);
  if (whole != nullptr) {
    FONDS_TRY(change.whole, joins_.change(*whole, record.header));
    ++report_.changes["records were put together from segments"];
  }
  return put_record(pass, record, change, whole);
}

// Damage that the first reading has not seen.
Status Merger::check_unchanged(const RecordEnd& end, bool left_out) const {
  const Finding* const damage = first_damage(end.findings, options_.strict);
  if (!options_.skip_damaged || left_out || damage == nullptr) {
    return {};
  }
  return fail(ErrorCode::Corrupt,
              fmt::format("the archive changed while it was read [{}]", damage->code),
              damage->where);
}

Status Merger::pass_over(Pass& pass, bool arc) {
  const std::uint64_t most = std::max<std::uint64_t>(kPiece, options_.write.memory_budget / 32);
  while (input_->tee != nullptr) {
    FONDS_CHECK(copy_->relieve(most));
    FONDS_TRY(const ByteView shown, pass.reader().peek_block(1));
    if (shown.empty()) {
      break;
    }
    pass.reader().consume_block(std::min(shown.size(), kPiece));
  }
  FONDS_TRY(const RecordEnd end, pass.finish());
  missing_ = missing_closing(arc, end.closing);
  return check_unchanged(end, false);
}

Status Merger::put_record(Pass& pass, const WarcRecord& record, const HeaderChange& change,
                          const Joins::Whole* whole) {
  const bool arc = record.header.dialect == Dialect::Arc;
  const bool changed = change.whole || !change.warcinfo_id.empty();
  const std::string header = changed ? changed_header(record.header, record.raw_header(), change)
                                     : std::string(as_text(record.raw_header()));
  FONDS_CHECK(encoder_->begin_unit());
  FONDS_CHECK(encoder_->write(as_bytes(header)));
  if (whole != nullptr) {
    FONDS_CHECK(
        joins_.write_blocks(*whole, [this](ByteView piece) { return encoder_->write(piece); }));
  }
  while (whole == nullptr) {
    FONDS_TRY(const ByteView shown, pass.reader().peek_block(1));
    if (shown.empty()) {
      break;
    }
    const ByteView piece = shown.first(std::min(shown.size(), kPiece));
    FONDS_CHECK(encoder_->write(piece));
    pass.reader().consume_block(piece.size());
    copy_->pass_over();
  }
  FONDS_TRY(RecordEnd end, pass.finish());
  copy_->pass_over();
  FONDS_CHECK(check_unchanged(end, false));
  if (end.closing.size() > kMostClosing) {
    end.closing.clear();
  }
  end.closing += missing_closing(arc, end.closing);
  FONDS_CHECK(encoder_->write(as_bytes(end.closing)));
  missing_.clear();
  return encoder_->end_unit();
}

}  // namespace

Result<RewriteReport> merge_archives(std::span<const Archive> archives, ByteSink& sink,
                                     const RewriteOptions& options) {
  FONDS_TRY(MergePlan plan, plan_merge(archives, options));
  return Merger(std::move(plan), sink, options).run();
}

}  // namespace fonds::warc
