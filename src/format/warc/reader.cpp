#include "format/warc/reader.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kFirstLook = 1024;  // octets that hold nearly every header
constexpr std::size_t kFirstLine = std::size_t{64}
                                   << 10;  // how far a record's first line may reach
constexpr std::size_t kLargestHttpHead = std::size_t{64} << 10;
constexpr std::uint64_t kLargestLook = std::uint64_t{16} << 20;  // blocks that are looked into
constexpr std::size_t kMostClosing = std::size_t{64} << 10;
constexpr std::uint64_t kShortGap = 64;  // octets; longer gaps are errors

bool is_line_end(std::byte b) { return b == std::byte{'\r'} || b == std::byte{'\n'}; }

// Counts CR and LF octets at the start of `octets`, and the line ends they make.
struct LineEnds {
  std::size_t octets = 0;
  std::size_t ends = 0;
};
LineEnds count_line_ends(ByteView octets) {
  LineEnds found;
  while (found.octets < octets.size() && is_line_end(octets[found.octets])) {
    const bool pair = octets[found.octets] == std::byte{'\r'} && found.octets + 1 < octets.size() &&
                      octets[found.octets + 1] == std::byte{'\n'};
    found.octets += pair ? 2 : 1;
    ++found.ends;
  }
  return found;
}

}  // namespace

WarcReader::WarcReader(std::unique_ptr<Decoder> decoder, std::string source, std::string_view codec,
                       const ReadOptions& options)
    : decoder_(std::move(decoder)), source_(std::move(source)), codec_(codec), options_(options) {}

std::string WarcReader::state() const {
  return fmt::format("{} {} {} {} {}", arc_.major, arc_.minor, arc_.have_filedesc ? 1 : 0,
                     arc_.columns, decoder_->state(end_place_));
}

void WarcReader::set_state(const std::string& state) {
  int have_filedesc = 0;
  std::istringstream(state) >> arc_.major >> arc_.minor >> have_filedesc >> arc_.columns;
  arc_.have_filedesc = have_filedesc != 0;
}

std::vector<Finding> WarcReader::take_loose_findings() { return std::exchange(loose_, {}); }

void WarcReader::add(std::string_view code, std::string message) {
  findings_.push_back(
      make_finding(code, std::move(message), {.stored_offset = record_.place.unit}));
}

Result<Record*> WarcReader::next() {
  if (error_) {
    return fail(error_->code(), error_->message(), error_->where());
  }
  auto record = advance();
  if (!record) {
    keep_error(record.error());
    return fail(error_->code(), error_->message(), error_->where());
  }
  return record;
}

void WarcReader::keep_error(const Error& error) {
  Location where = error.where();
  where.source = source_;
  if (!where.ordinal) {
    where.ordinal = ordinal_;
  }
  error_.emplace(error.code(), error.message(), std::move(where));
}

Result<Record*> WarcReader::advance() {
  if (in_record_) {
    FONDS_CHECK(finish());
  }
  if (!started_) {
    if (options_.start_inner > 0) {
      FONDS_CHECK(decoder_->skip(options_.start_inner));
    }
    boundary_ = {};
    FONDS_CHECK(locate_next(false));
    started_ = true;
  }
  while (true) {
    if (options_.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    if (next_.start == Start::None) {
      return nullptr;
    }
    if (options_.stop_at && next_.place.unit >= *options_.stop_at) {
      end_place_ = next_.place;
      return nullptr;
    }
    FONDS_TRY(const bool good, read_header());
    if (good) {
      break;
    }
  }
  record_.ordinal = ordinal_++;
  in_record_ = true;
  for (Issue& issue : record_.header.issues) {
    add(issue.code, std::move(issue.message));
  }
  record_.header.issues.clear();
  FONDS_CHECK(settle_length());
  FONDS_CHECK(parse_http());
  return &record_;
}

// Reads the header at next_. False if it is no record after all: then next_ tells of the one
// behind.
Result<bool> WarcReader::read_header() {
  record_.place = next_.place;
  findings_.clear();
  boundary_ = {};
  consumed_ = remaining_ = 0;
  Header& header = record_.header;
  std::size_t wanted = next_.start == Start::ArcVersion ? 8192 : 1;
  while (true) {
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    const std::size_t n = std::min(shown.size(), std::max(wanted, kFirstLook));
    const bool whole = shown.size() < wanted;
    record_.raw.assign(as_text(shown.first(n)));
    const std::size_t in_unit = codec_ == "none" ? n : std::min(n, decoder_->shown_of_unit());
    const ArcContext arc = arc_;
    const bool parsed =
        parse_header(as_bytes(record_.raw), next_.start, whole && n == shown.size(), arc_, header);
    if ((!parsed || header.length > in_unit) && in_unit < n &&
        starts_record(shown.subspan(in_unit))) {
      // A damaged header has lost its end; it does not go on where the next unit begins a record.
      record_.raw.resize(in_unit);
      arc_ = arc;
      parse_header(as_bytes(record_.raw), next_.start, true, arc_, header);
      break;
    }
    if (parsed) {
      break;
    }
    if (n >= largest_header()) {
      return header_too_long();
    }
    wanted = n * 2;
  }
  if (next_.start == Start::OldDraft) {
    findings_.clear();
    loose_.push_back(make_finding(
        "old-draft", fmt::format("a record of the draft {} is not read", header.version),
        {.source = source_, .stored_offset = next_.place.unit}));
    decoder_->consume(1);
    FONDS_CHECK(locate_next(false));
    return false;
  }
  decoder_->consume(header.length);
  if (record_.place.inner > 0 && codec_ != "none") {
    add(codec_ == "zstd" ? "zr-one" : "not-per-record",
        fmt::format("the record begins {} bytes inside a {} unit; it cannot be read alone",
                    record_.place.inner, codec_));
  }
  return true;
}

std::uint64_t WarcReader::largest_header() const {
  return std::min(options_.max_header, options_.memory_budget / 8);
}

Result<bool> WarcReader::header_too_long() {
  loose_.push_back(
      make_finding("header-too-long",
                   fmt::format("record header does not end within {} bytes", largest_header()),
                   {.source = source_, .stored_offset = next_.place.unit, .ordinal = ordinal_}));
  findings_.clear();
  decoder_->consume(record_.raw.size());
  boundary_ = {};
  FONDS_CHECK(locate_next(false));
  return false;
}

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
  std::size_t from = 0;
  for (std::size_t wanted = kFirstLine;; wanted *= 4) {
    FONDS_TRY(const ByteView shown, decoder_->peek(wanted));
    const std::size_t in_unit = decoder_->shown_of_unit();
    const bool whole = shown.size() < wanted;
    std::size_t incomplete = 0;
    const std::size_t found = find_record_start(shown, from, true, false, whole, incomplete);
    if (codec_ != "none" && record_.place.inner == 0 && in_unit < shown.size() &&
        in_unit <= found) {
      return in_unit;
    }
    if (found != npos) {
      std::size_t end = found;
      while (end > 0 && is_line_end(shown[end - 1])) {
        --end;
      }
      return end;
    }
    if (whole || wanted > options_.memory_budget / 16) {
      return shown.size();
    }
    from = incomplete;
  }
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
  const ByteView behind = shown.subspan(static_cast<std::size_t>(n));
  const LineEnds ends = count_line_ends(behind);
  two_line_ends = ends.ends >= 2;
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
  if (record_.header.length_state == Header::LengthState::Good) {
    bool two_line_ends = false;
    FONDS_TRY(const auto good, lands(remaining_, two_line_ends));
    if (good.value_or(false) || two_line_ends) {
      return {};
    }
  }
  std::uint64_t ends_before = 0;
  FONDS_TRY(const auto found, search_next_record(ends_before));
  if (found && ends_before != remaining_) {
    add("length-suspect",
        fmt::format("the header says {} octets, the next record shows that the block has {}",
                    remaining_, ends_before));
    remaining_ = ends_before;
  }
  return {};
}

// The next record inside or behind the suspect block: it follows two line ends, and its own length
// lands on a record or the end. `ends_before` is set to where those line ends begin.
Result<std::optional<std::uint64_t>> WarcReader::search_next_record(std::uint64_t& ends_before) {
  const std::size_t most = static_cast<std::size_t>(options_.memory_budget / 8);
  const bool arc = record_.header.dialect == Dialect::Arc;
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
    const std::size_t line_ends = before.empty() || before.ends_with("\r\n\r\n") ? 4
                                  : before.ends_with("\n\n")                     ? 2
                                                                                 : 0;
    if (line_ends == 0) {
      if (at >= remaining_ && record_.header.length_state == Header::LengthState::Good) {
        return std::optional<std::uint64_t>();  // the record behind a block whose closing line ends
                                                // are damaged
      }
      continue;
    }
    ArcContext context = arc_;
    const ByteView there = shown.subspan(at);
    if (!parse_header(there, classify_start(there), whole, context, candidate) ||
        candidate.length_state != Header::LengthState::Good || candidate.block_length > most) {
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
    bool unused = false;
    FONDS_TRY(const auto good, lands(end, unused));
    if (good.value_or(false)) {
      ends_before = at - std::min(at, line_ends);
      return std::optional<std::uint64_t>(at);
    }
  }
}

Status WarcReader::parse_http() {
  record_.has_http = false;
  const bool wanted_here = record_.header.type == "request" ? options_.http_requests : options_.http;
  if (!wanted_here || remaining_ == 0 || !is_http(record_.header)) {
    return {};
  }
  const auto expect =
      record_.header.type == "request" ? http::Expect::Request : http::Expect::Response;
  std::size_t wanted = 1;
  while (true) {
    FONDS_TRY(const ByteView shown, peek_block(wanted));
    const std::size_t n = std::min(shown.size(), std::max(wanted, kFirstLook));
    const bool whole = n == remaining_ || shown.size() < wanted;
    record_.http_head.assign(as_text(shown.first(n)));
    http::parse_head(as_bytes(record_.http_head), expect, whole, record_.http);
    if (record_.http.complete || whole || n >= kLargestHttpHead) {
      break;
    }
    wanted = n * 2;
  }
  record_.has_http = record_.http.kind != http::Head::Kind::None;
  return {};
}

Result<ByteView> WarcReader::peek_block(std::size_t at_least) {
  if (remaining_ == 0 || !in_record_) {
    return ByteView{};
  }
  FONDS_TRY(
      const ByteView shown,
      decoder_->peek(static_cast<std::size_t>(std::min<std::uint64_t>(at_least, remaining_))));
  return shown.first(static_cast<std::size_t>(std::min<std::uint64_t>(shown.size(), remaining_)));
}

void WarcReader::consume_block(std::size_t n) {
  decoder_->consume(n);
  remaining_ -= n;
  consumed_ += n;
}

// Passes over the rest of the block and what ends the record without decoding it, if the codec can.
Result<bool> WarcReader::skim_rest() {
  const Header& header = record_.header;
  if (!options_.skim || boundary_.missing_length || !header.complete ||
      header.length_state != Header::LengthState::Good || !header.other_lengths.empty()) {
    return false;
  }
  const bool arc = header.dialect == Dialect::Arc;
  if (arc != arc_usual_) {
    arc_usual_ = arc;
    usual_trailing_ = arc ? 1 : 4;
  }
  const std::uint64_t block = consumed_ + remaining_;
  if (block > (std::uint64_t{1} << 62)) {
    return false;
  }
  return decoder_->skim_unit(record_.place.inner + header.length + block + usual_trailing_);
}

Result<RecordEnd> WarcReader::finish() {
  auto end = pass_over();
  if (!end) {
    keep_error(end.error());
  }
  return end;
}

Result<RecordEnd> WarcReader::pass_over() {
  in_record_ = false;
  RecordEnd end;
  FONDS_TRY(const bool skimmed, skim_rest());
  if (skimmed) {
    consumed_ += std::exchange(remaining_, 0);
    boundary_.trailing = usual_trailing_;
    boundary_.line_ends = 2;
  } else {
    if (options_.skim && remaining_ > 0 && record_.header.complete) {
      FONDS_CHECK(look_at_block_end());
    }
    const std::uint64_t declared = consumed_ + remaining_;
    FONDS_TRY(const std::uint64_t skipped, decoder_->skip(remaining_));
    consumed_ += skipped;
    if (skipped < remaining_) {
      boundary_.cut = true;
      add("truncated-block",
          fmt::format("the header says {} octets, the data ends after {}", declared, consumed_));
    }
    remaining_ = 0;
  }
  const std::uint64_t last_unit = decoder_->place().unit;
  FONDS_CHECK(locate_next(true));
  collect(last_unit);
  if (record_.header.complete) {
    judge_boundary();
    end.length = consumed_;
  }
  end.stored_length = stored_length();
  end.trailing = boundary_.trailing;
  end.closing = std::move(boundary_.closing);
  if (!skimmed && boundary_.skipped == 0 && !boundary_.gap && boundary_.trailing <= 64) {
    usual_trailing_ = boundary_.trailing;
  }
  for (Finding& finding : findings_) {
    finding.where.source = source_;
    finding.where.ordinal = record_.ordinal;
    finding.where.record_id = record_.header.id;
  }
  end.findings = std::exchange(findings_, {});
  return end;
}

std::optional<std::uint64_t> WarcReader::stored_length() const {
  const bool last = next_.start == Start::None;
  const std::uint64_t until = last ? end_place_.unit : next_.place.unit;
  if (record_.place.inner > 0 || until <= record_.place.unit || (!last && next_.place.inner > 0)) {
    return std::nullopt;
  }
  return until - record_.place.unit;
}

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
  return started_ && codec_ != "none" && boundary_.trailing == 0 && !boundary_.gap &&
         boundary_.skipped == 0 && decoder_->place().unit > record_.place.unit && ordinal_ > 0;
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
  const bool arc = !after_record || record_.header.dialect == Dialect::Arc;
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
    line_start =
        (unit_ends && passed == in_unit) || (passed > 0 && shown[passed - 1] == std::byte{'\n'});
    boundary_.skipped += passed;
    decoder_->consume(passed);
    wanted = kFirstLine;
    if (found != npos) {
      return {};
    }
  }
}

}  // namespace fonds::warc
