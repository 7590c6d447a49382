// Where a block ends: by its header, or by evidence where the header is wrong.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/warc/reading/reader.hpp"
#include "format/warc/reading/reader_detail.hpp"

namespace fonds::warc {
using detail::count_line_ends;
using detail::is_line_end;
using detail::kFirstLine;
using detail::LineEnds;

namespace {

constexpr std::uint64_t kLargestLook = std::uint64_t{16} << 20;  // blocks that are looked into

// Whether offset `n` lies inside the line of an ARC record, whose rest reads like one, too:
// "ttp://…". A line that only ends a block is none: no LF has to stand between ARC records.
bool hits_inside_line(ByteView octets, std::uint64_t n) {
  constexpr std::uint64_t kMostBack = 64;
  const auto text = as_text(octets).substr(0, static_cast<std::size_t>(n));
  const std::size_t end = text.rfind('\n');
  if (text.empty() || end == npos || end + 1 == text.size() || text.size() - end > kMostBack) {
    return false;
  }
  if (text.size() < octets.size() && is_line_end(octets[text.size()])) {
    return false;  // the block ends with that line
  }
  static constexpr std::array<std::string_view, 5> kSchemes = {
      "http:", "https:", "dns:", "ftp:", "filedesc:"};
  const auto line = as_text(octets).substr(end + 1);
  return std::any_of(
             kSchemes.begin(), kSchemes.end(),
             [line](std::string_view scheme) { return starts_with_ignoring_case(line, scheme); }) &&
         classify_start(as_bytes(line)) != Start::None;
}

}  // namespace

// Decides where the block ends.
Status WarcReader::settle_length() {
  Header& header = record_.header;
  record_.block_length.reset();
  if (!header.complete) {
    add("truncated-header",
        fmt::format("the data ends inside the record header, after {} octets", header.length));
    return {};
  }
  switch (header.length_state) {
    case Header::LengthState::Missing: {
      boundary_.missing_length = true;
      FONDS_TRY(remaining_, search_block_end());
      record_.block_length = remaining_;
      return {};
    }
    case Header::LengthState::Bad:
      remaining_ = 0;
      break;
    case Header::LengthState::Good:
      remaining_ = header.block_length;
      break;
  }
  if (!header.other_lengths.empty()) {
    FONDS_TRY(int best, evidence_for(remaining_));
    for (const std::uint64_t other : header.other_lengths) {
      FONDS_TRY(const int evidence, evidence_for(other));
      if (evidence > best) {
        best = evidence;
        remaining_ = other;
      }
    }
  }
  if (options_.search_damaged) {
    FONDS_CHECK(search_damaged_block());
  }
  record_.block_length = remaining_;
  if (!options_.skim) {
    FONDS_CHECK(look_at_block_end());
  }
  return {};
}

// Sees whether a block that does not end as it should has swallowed a record. Blocks that are not
// held whole are not looked at: they count as having.
Status WarcReader::look_at_block_end() {
  const std::uint64_t most = std::min(kLargestLook, options_.memory_budget / 8);
  const auto length = static_cast<std::size_t>(std::min(remaining_, most));
  FONDS_TRY(ByteView shown, decoder_->peek(length + 4));
  // A length that reaches over the end of the unit to where a record begins in the next one is
  // wrong.
  const std::size_t in_unit = codec_ == "none" ? shown.size() : decoder_->shown_of_unit();
  if (in_unit < length && starts_record(shown.subspan(in_unit))) {
    add("truncated-block", fmt::format("the header says {} octets, its {} unit ends after {}",
                                       consumed_ + remaining_, codec_, consumed_ + in_unit));
    boundary_.cut = true;
    remaining_ = in_unit;
    return {};
  }
  if (remaining_ > most) {
    boundary_.swallowed = true;
    return {};
  }
  const bool cut = shown.size() < length;
  const std::string_view behind = as_text(shown.subspan(std::min(length, shown.size())));
  const bool arc = record_.header.dialect == Dialect::Arc;
  if (cut || behind.starts_with("\r\n\r\n") || behind.starts_with("\n\n") ||
      (arc && behind.starts_with('\n')) || behind.empty()) {
    return {};
  }
  std::size_t incomplete = 0;
  boundary_.swallowed =
      find_record_start(shown.first(length), 0, true, arc, true, incomplete) != npos;
  return {};
}

// The length of a block without a length field: up to the line ends in front of the next record, or
// the rest of its unit.
Result<std::uint64_t> WarcReader::search_block_end() {
  FONDS_TRY(const BlockEnd end, search_any_end(false));
  return end.octets;
}

Result<WarcReader::BlockEnd> WarcReader::search_any_end(bool arc) {
  std::size_t from = 0;
  for (std::size_t wanted = kFirstLine;; wanted *= 4) {
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    const std::size_t in_unit = decoder_->shown_of_unit();
    const bool whole = shown.size() < wanted;
    std::size_t incomplete = 0;
    const std::size_t found = find_record_start(shown, from, true, arc, whole, incomplete);
    if (codec_ != "none" && record_.place.inner == 0 && in_unit < shown.size() &&
        in_unit <= found) {
      return BlockEnd{in_unit, BlockEnd::At::Unit, shown.first(in_unit)};
    }
    if (found != npos) {
      std::size_t end = found;
      while (end > 0 && is_line_end(shown[end - 1])) {
        --end;
      }
      return BlockEnd{end, BlockEnd::At::Record, shown.first(end)};
    }
    if (whole || wanted > options_.memory_budget / 16) {
      return BlockEnd{shown.size(), whole ? BlockEnd::At::Unit : BlockEnd::At::Limit, shown};
    }
    from = incomplete;
  }
}

// The length of a block whose header says nothing of use, or too little, where no record behind it
// is proof of another one. Nothing if there is no single answer.
Result<std::optional<std::uint64_t>> WarcReader::search_last_end() {
  const bool arc = record_.header.dialect == Dialect::Arc;
  const bool bad = record_.header.length_state == Header::LengthState::Bad;
  if (record_.header.arc_header || (arc && !bad)) {
    return std::optional<std::uint64_t>();
  }
  FONDS_TRY(const BlockEnd end, search_any_end(arc));
  if (end.at == BlockEnd::At::Record) {
    return bad ? std::optional(end.octets) : std::nullopt;
  }
  const std::string_view text = as_text(end.shown);
  const std::size_t closing = arc                          ? (text.ends_with('\n') ? 1 : 0)
                              : text.ends_with("\r\n\r\n") ? 4
                              : text.ends_with("\n\n")     ? 2
                                                           : 0;
  if (end.at == BlockEnd::At::Limit || (!bad && closing == 0) ||
      (!bad && end.octets - closing < remaining_)) {
    return std::optional<std::uint64_t>();
  }
  return std::optional(end.octets - closing);
}

// How much speaks for a block of `n` octets: 2 for two line ends and a record behind it, 1 for a
// record.
Result<int> WarcReader::evidence_for(std::uint64_t n) {
  bool two_line_ends = false;
  FONDS_TRY(const auto good, lands(n, two_line_ends));
  return good.value_or(false) ? (two_line_ends ? 2 : 1) : 0;
}

Result<std::optional<bool>> WarcReader::lands(std::uint64_t n, bool& two_line_ends) {
  two_line_ends = false;
  if (n > options_.memory_budget / 8) {
    return std::optional<bool>();
  }
  const std::size_t wanted = static_cast<std::size_t>(n) + kFirstLine;
  FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
  if (shown.size() < n) {
    return std::optional<bool>(false);
  }
  if (record_.header.dialect == Dialect::Arc && hits_inside_line(shown, n)) {
    return std::optional<bool>(false);
  }
  const ByteView behind = shown.subspan(static_cast<std::size_t>(n));
  const LineEnds ends = count_line_ends(behind);
  // ARC closes records with one.
  two_line_ends = ends.ends >= (record_.header.dialect == Dialect::Arc ? 1U : 2U);
  const bool at_end = ends.octets == behind.size() && shown.size() < wanted;
  // The end of a unit is as good a proof as a record behind it, which may be damaged.
  const std::size_t in_unit = codec_ == "none" ? shown.size() : decoder_->shown_of_unit();
  if (in_unit < shown.size() && in_unit >= n) {
    const ByteView rest = behind.first(in_unit - static_cast<std::size_t>(n));
    if (count_line_ends(rest).octets == rest.size()) {
      return std::optional<bool>(true);
    }
  }
  return std::optional<bool>(at_end || classify_start(behind.subspan(ends.octets)) != Start::None);
}

// Ruling R16: a suspect block ends where a record begins for which there is evidence.
Status WarcReader::search_damaged_block() {
  // Line ends close a record, but blocks hold many of them: behind such a block proof is needed
  // that it has swallowed a record.
  bool closed = false;
  if (record_.header.length_state == Header::LengthState::Good) {
    FONDS_TRY(const auto good, lands(remaining_, closed));
    if (good.value_or(false)) {
      return {};
    }
  }
  std::uint64_t ends_before = 0;
  FONDS_TRY(const auto found, search_next_record(closed, ends_before));
  if (closed && (!found || ends_before > remaining_)) {
    return {};
  }
  if (!found) {
    FONDS_TRY(const auto last, search_last_end());
    if (last && *last != remaining_) {
      add("length-suspect",
          fmt::format("the header says {} octets, the block ends after {}", remaining_, *last));
      remaining_ = *last;
    }
    return {};
  }
  if (ends_before != remaining_) {
    add("length-suspect",
        fmt::format("the header says {} octets, the next record shows that the block has {}",
                    remaining_, ends_before));
    remaining_ = ends_before;
  }
  return {};
}

// Whether records that lie one behind the other from `reached` on, the end of one inside of the
// block, reach over the block's end. `reached` is set to where this is decided. The last one must
// end as a record does, unless ARC says less of the block: one line end closes it, which any line
// of text has, and one record that ends just where another begins is no chance.
Result<bool> WarcReader::passes_block_end(std::uint64_t& reached) {
  const std::uint64_t most = options_.memory_budget / 8;
  const bool arc = record_.header.dialect == Dialect::Arc;
  bool chained = false;
  ArcContext context = arc_;
  Header next;
  while (reached <= remaining_) {
    const std::size_t wanted = static_cast<std::size_t>(reached) + kFirstLine;
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    if (shown.size() <= reached) {
      return false;
    }
    ByteView there = shown.subspan(static_cast<std::size_t>(reached));
    there = there.subspan(count_line_ends(there).octets);
    const Start start = classify_start(there);
    if (start == Start::None || !parse_header(there, start, shown.size() < wanted, context, next) ||
        next.length_state != Header::LengthState::Good || next.block_length > most) {
      return false;
    }
    reached = shown.size() - there.size() + next.length + next.block_length;
    if (reached > most) {
      return false;
    }
    chained = true;
  }
  bool line_ends_behind = false;
  FONDS_TRY(const auto good, lands(reached, line_ends_behind));
  return good.value_or(false) || line_ends_behind || (arc && chained);
}

// The next record inside or behind the suspect block: its own length lands on a record, on two line
// ends or on the end. `ends_before` is set to where the line ends in front of it begin, which
// damage may have taken. Of a `closed` block the records found in it must reach over its end: it
// may hold records, and what follows it may be damaged.
Result<std::optional<std::uint64_t>> WarcReader::search_next_record(bool closed,
                                                                    std::uint64_t& ends_before) {
  const std::size_t most = static_cast<std::size_t>(options_.memory_budget / 8);
  // In a file that begins as ARC another dialect may be what damage has made up.
  const bool arc = record_.header.dialect == Dialect::Arc || arc_.have_filedesc;
  std::size_t from = 0;
  std::size_t wanted = kFirstLine;
  Header candidate;
  while (true) {
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    const bool whole = shown.size() < wanted;
    std::size_t incomplete = 0;
    const std::size_t at = find_record_start(shown, from, true, arc, whole, incomplete);
    if (at == npos) {
      if (whole || wanted >= most) {
        return std::optional<std::uint64_t>();
      }
      from = incomplete;
      wanted = std::min(most, wanted * 4);
      continue;
    }
    from = at + 1;
    const std::string_view before = as_text(shown.first(at));
    // ARC records are parted by one LF, and their blocks may end in others.
    const std::size_t line_ends = before.empty()                     ? 4
                                  : arc && before.ends_with('\n')    ? 1
                                  : before.ends_with("\r\n\r\n")     ? 4
                                  : !arc && before.ends_with("\n\n") ? 2
                                                                     : 0;
    if (line_ends == 0 && record_.header.length_state == Header::LengthState::Good &&
        at >= remaining_) {
      return std::optional<std::uint64_t>();  // the record behind a block whose closing line ends
                                              // are damaged
    }
    ArcContext context = arc_;
    const ByteView there = shown.subspan(at);
    if (!parse_header(there, classify_start(there), whole, context, candidate)) {
      continue;
    }
    const auto bad = Header::LengthState::Bad;
    if (record_.header.length_state == bad && candidate.length_state == bad) {
      // Neither can prove anything; the earlier one must not swallow the later one.
      ends_before = at - std::min(at, line_ends);
      return std::optional<std::uint64_t>(at);
    }
    if (candidate.length_state != Header::LengthState::Good || candidate.block_length > most) {
      continue;
    }
    const std::size_t end =
        at + candidate.length + static_cast<std::size_t>(candidate.block_length);
    if (end + kFirstLine > shown.size() && !whole) {
      if (end + kFirstLine > most) {
        continue;
      }
      wanted = std::max(wanted, end + kFirstLine);
      from = at;
      continue;
    }
    bool line_ends_behind = false;
    FONDS_TRY(const auto good, lands(end, line_ends_behind));
    if (!good.value_or(false) && !line_ends_behind) {
      continue;
    }
    std::uint64_t reached = end;
    if (closed && at < remaining_) {
      FONDS_TRY(const bool passes, passes_block_end(reached));
      if (!passes) {
        // Nor do the records that were passed.
        from = std::max(from, static_cast<std::size_t>(reached));
        wanted = std::min(most, std::max(wanted, from + kFirstLine));
        if (from >= wanted) {
          return std::optional<std::uint64_t>();
        }
        continue;
      }
    }
    ends_before = at - std::min(at, line_ends);
    return std::optional<std::uint64_t>(at);
  }
}

}  // namespace fonds::warc
