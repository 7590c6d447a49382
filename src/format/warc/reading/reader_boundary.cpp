// What stands between a block and the next record: line ends, damage, the end of the data.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "format/warc/reading/reader.hpp"
#include "format/warc/reading/reader_detail.hpp"

namespace fonds::warc {
using detail::count_line_ends;
using detail::is_line_end;
using detail::kFirstLine;
using detail::LineEnds;

namespace {

constexpr std::size_t kMostClosing = std::size_t{64} << 10;
constexpr std::uint64_t kShortGap = 64;  // octets; longer gaps are errors

}  // namespace

// Says what is wrong between the block and what follows it.
void WarcReader::judge_boundary() {
  const bool arc = record_.header.dialect == Dialect::Arc;
  if (boundary_.cut) {
    return;
  }
  if (boundary_.skipped > 0) {
    if (boundary_.line_ends < (arc ? 1U : 2U)) {
      Finding finding = make_finding(
          "length-suspect",
          fmt::format("no record follows the block of {} octets; {} octets were skipped{}",
                      consumed_, boundary_.skipped,
                      boundary_.swallowed ? ", and a record may begin inside the block" : ""),
          {.stored_offset = record_.place.unit});
      if (boundary_.skipped <= kShortGap && !boundary_.swallowed) {
        finding.severity = Severity::Warning;
      }
      findings_.push_back(std::move(finding));
    }
  } else if (!arc && boundary_.line_ends < 2 && !boundary_.gap) {
    add("trailer-missing",
        fmt::format("{} of 2 line ends stand behind the block", boundary_.line_ends));
  } else if (arc && boundary_.line_ends == 0 && !boundary_.at_end && !boundary_.gap) {
    add("trailer-missing", "no line end stands between the document and the next record");
  }
}

// Gives what the decoder found to the record it belongs to. `last_unit` is the unit in which the
// block ended.
void WarcReader::collect(std::uint64_t last_unit) {
  take_decoder_findings();
  const bool more = next_.start != Start::None && next_.place.unit > record_.place.unit;
  std::vector<Finding> later;
  for (Finding& finding : ahead_) {
    const std::uint64_t offset = finding.where.stored_offset.value_or(0);
    if (more && offset >= next_.place.unit) {
      later.push_back(std::move(finding));
    } else if (offset <= last_unit || finding.severity != Severity::Error || boundary_.cut) {
      findings_.push_back(std::move(finding));
    } else {
      loose_.push_back(std::move(finding));
    }
  }
  ahead_ = std::move(later);
}

void WarcReader::take_decoder_findings() {
  if (!decoder_->has_findings()) {
    return;
  }
  for (Finding& finding : decoder_->take_findings()) {
    finding.where.source = source_;
    ahead_.push_back(std::move(finding));
  }
}

// Finds where the next record begins: behind line ends, or behind damage.
Status WarcReader::locate_next(bool after_record) {
  next_ = {};
  bool first = !after_record && !started_ && options_.start == 0;
  std::optional<std::uint64_t> skipped_at;
  while (true) {
    FONDS_TRY(const bool any, skip_line_ends(std::exchange(first, false)));
    if (!any) {
      FONDS_TRY(const bool more, decoder_->next_run());
      if (!more) {
        boundary_.at_end = true;
        end_place_ = {decoder_->stored_position(), 0};
        break;
      }
      boundary_.gap = true;
      continue;
    }
    FONDS_TRY(next_.start, classify());
    if (next_.start != Start::None) {
      next_.place = decoder_->place();
      break;
    }
    if (!skipped_at) {
      skipped_at = decoder_->place().unit;
    }
    FONDS_CHECK(skip_to_record(after_record));
  }
  if (boundary_.skipped > 0) {
    const bool rest = boundary_.at_end && after_record;
    Finding finding =
        make_finding(rest                            ? "trailing-garbage"
                     : boundary_.skipped > kShortGap ? "resync"
                                                     : "resync-short",
                     fmt::format("{} octets that are no record skipped", boundary_.skipped),
                     {.source = source_, .stored_offset = skipped_at});
    (after_record ? findings_ : loose_).push_back(std::move(finding));
  }
  if (!after_record) {
    take_decoder_findings();
    const auto of_next = [this](const Finding& finding) {
      return next_.start != Start::None && finding.where.stored_offset >= next_.place.unit;
    };
    const auto loose = std::stable_partition(ahead_.begin(), ahead_.end(), of_next);
    loose_.insert(loose_.end(), std::make_move_iterator(loose),
                  std::make_move_iterator(ahead_.end()));
    ahead_.erase(loose, ahead_.end());
  }
  return {};
}

// Steps over CR and LF, and over a byte order mark before the first record. False at the end of the
// run.
Result<bool> WarcReader::skip_line_ends(bool first) {
  while (true) {
    FONDS_TRY(ByteView shown, decoder_->peek(1));
    if (first) {
      first = false;
      FONDS_TRY(shown, decoder_->peek(3));
      if (as_text(shown).starts_with("\xef\xbb\xbf")) {
        loose_.push_back(
            make_finding("byte-order-mark", "", {.source = source_, .stored_offset = 0}));
        decoder_->consume(3);
        continue;
      }
    }
    if (shown.empty()) {
      return false;
    }
    if (!is_line_end(shown[0])) {
      return true;
    }
    // A pair must be seen whole to be counted as one.
    if (shown[0] == std::byte{'\r'} && shown.size() == 1) {
      FONDS_TRY(shown, decoder_->peek(2));
    }
    LineEnds ends = count_line_ends(shown);
    if (ends.octets == shown.size() && shown.back() == std::byte{'\r'} && ends.octets > 1) {
      --ends.octets;
      --ends.ends;
    }
    if (in_new_unit_of_record()) {
      add(codec_ == "zstd" ? "zr-split" : "not-per-record",
          fmt::format("the record is spread over several {} units", codec_));
    }
    if (boundary_.skipped == 0 && !boundary_.gap) {
      boundary_.trailing += ends.octets;
      boundary_.line_ends += ends.ends;
      if (boundary_.closing.size() < kMostClosing) {
        boundary_.closing +=
            as_text(shown.first(std::min(ends.octets, kMostClosing - boundary_.closing.size())));
      }
    }
    decoder_->consume(ends.octets);
  }
}

// Whether the line ends behind a block lie in another unit than the record's beginning.
bool WarcReader::in_new_unit_of_record() const {
  const bool later = started_ && codec_ != "none" && boundary_.trailing == 0 && !boundary_.gap &&
                     boundary_.skipped == 0 && decoder_->place().unit > record_.place.unit &&
                     ordinal_ > 0;
  // Records stored plain behind gzip members are in no unit.
  return later && !(codec_ == "gzip" && !decoder_->state(decoder_->place()).empty());
}

Result<Start> WarcReader::classify() {
  for (std::size_t wanted = 1;;) {
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    const ByteView head = shown.first(std::min(shown.size(), kFirstLine));
    const Start start = classify_start(head);
    // Before the line's end is seen, the columns that tell the dialects apart may be missing.
    const bool line_seen = as_text(head).find('\n') != std::string_view::npos;
    if (line_seen || head.size() >= kFirstLine || shown.size() < wanted) {
      return start;
    }
    wanted = std::max<std::size_t>(head.size() * 4, 256);
  }
}

// Steps over octets that are no record, up to the next record or the end of the run.
Status WarcReader::skip_to_record(bool after_record) {
  const bool arc = !after_record || record_.header.dialect == Dialect::Arc || arc_.have_filedesc;
  std::size_t from = 1;  // there is no record at 0
  bool line_start = true;
  std::size_t wanted = kFirstLine;
  while (true) {
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    if (shown.empty()) {
      return {};
    }
    // Each unit is searched by itself: its start is as good as the start of a line.
    const std::size_t in_unit = codec_ == "none" ? shown.size() : decoder_->shown_of_unit();
    const bool unit_ends = in_unit < shown.size();
    const bool whole = unit_ends || shown.size() < wanted;
    std::size_t incomplete = 0;
    const std::size_t found = find_record_start(shown.first(in_unit), std::min(from, in_unit),
                                                line_start, arc, whole, incomplete);
    std::size_t passed = found;
    if (found == npos) {
      passed = whole ? in_unit : incomplete;
      if (passed == 0) {
        // One candidate fills all that is shown: more of it, but not without end.
        if (wanted < 16 * kFirstLine) {
          wanted *= 2;
          continue;
        }
        passed = 1;
      }
    }
    from = 0;
    const std::byte before = passed > 0 ? shown[passed - 1] : std::byte{};
    line_start = (unit_ends && passed == in_unit) || before == std::byte{'\n'} ||
                 (passed > 0 && before == std::byte{0});
    boundary_.skipped += passed;
    decoder_->consume(passed);
    wanted = kFirstLine;
    if (found != npos) {
      return {};
    }
  }
}

}  // namespace fonds::warc
