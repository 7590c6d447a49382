#include "format/warc/reading/reader.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/core.h>

namespace fonds::warc {
namespace {

constexpr std::size_t kFirstLook = 1024;  // octets that hold nearly every header
constexpr std::size_t kLargestHttpHead = std::size_t{64} << 10;

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
  record_.has_http = http_read_ = false;
  if (record_.header.type == "request" ? options_.http_requests : options_.http) {
    FONDS_CHECK(read_http());
  }
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
    if (parsed && options_.search_damaged) {
      cut_torn_header();
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

// A header that has lost its end does not go on where another one begins.
void WarcReader::cut_torn_header() {
  if (next_.start != Start::Modern && next_.start != Start::Positional) {
    return;
  }
  const std::size_t at =
      find_torn_header(as_bytes(record_.raw), record_.header, arc_.have_filedesc);
  if (at != npos) {
    record_.raw.resize(at);
    parse_header(as_bytes(record_.raw), next_.start, true, arc_, record_.header);
  }
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

Status WarcReader::read_http() {
  if (http_read_ || consumed_ > 0 || remaining_ == 0 || !is_http(record_.header)) {
    return {};
  }
  http_read_ = true;
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

}  // namespace fonds::warc
