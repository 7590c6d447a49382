#include "format/lines/reading/reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/lines/reading/json_line.hpp"

namespace fonds::lines {
namespace {

constexpr std::size_t kLook = std::size_t{64} << 10;  // bytes that are searched for an LF at a time

}  // namespace

Status LineStream::skip(std::uint64_t n) {
  FONDS_CHECK(decoder_->skip(n));
  return {};
}

Status LineStream::begin_line() {
  end_.reset();
  searched_ = 0;
  consumed_ = 0;
  FONDS_TRY(const ByteView shown, decoder_->peek(1));
  place_ = decoder_->place();
  if (shown.empty()) {
    end_ = 0;
    line_end_ = false;
  }
  return {};
}

Result<bool> LineStream::next_line() {
  torn_ = false;
  FONDS_CHECK(begin_line());
  while (end_) {
    FONDS_TRY(const bool more, decoder_->next_run());
    if (!more) {
      return false;
    }
    FONDS_CHECK(begin_line());
    if (offer_torn_) {
      torn_ = true;
      continue;
    }
    FONDS_TRY(const End passed, end_line());
    if (passed.line_end) {
      FONDS_CHECK(begin_line());
    } else {
      end_ = 0;
    }
  }
  return true;
}

Result<ByteView> LineStream::peek(std::size_t at_least) {
  if (end_ == std::size_t{0}) {
    return ByteView();
  }
  const std::size_t wanted = std::max<std::size_t>(at_least, 1);
  FONDS_TRY(const ByteView shown, decoder_->peek(end_ ? std::min(wanted, *end_) : wanted));
  if (!end_) {
    const std::size_t until = std::min(shown.size(), std::max(wanted, searched_ + kLook));
    const void* const found = until > searched_
                                  ? std::memchr(shown.data() + searched_, '\n', until - searched_)
                                  : nullptr;
    if (found != nullptr) {
      end_ = static_cast<std::size_t>(static_cast<const std::byte*>(found) - shown.data());
      line_end_ = true;
    } else if (shown.size() < wanted) {
      end_ = shown.size();
      line_end_ = false;
    } else {
      searched_ = until;
    }
  }
  return shown.first(std::min(shown.size(), end_.value_or(searched_)));
}

bool LineStream::leave_unit() {
  const std::size_t in_unit = decoder_->shown_of_unit();
  if (in_unit == 0 || in_unit >= end_.value_or(0)) {
    return false;
  }
  consume(in_unit);
  consumed_ = 0;
  torn_ = true;
  place_ = decoder_->place();
  return true;
}

void LineStream::consume(std::size_t n) {
  decoder_->consume(n);
  consumed_ += n;
  searched_ -= std::min(searched_, n);
  if (end_) {
    *end_ -= n;
  }
}

Result<LineStream::End> LineStream::end_line() {
  while (true) {
    FONDS_TRY(const ByteView shown, peek(1));
    if (shown.empty()) {
      break;
    }
    consume(shown.size());
  }
  const End end = {consumed_, line_end_};
  if (line_end_) {
    FONDS_CHECK(decoder_->peek(1));
    decoder_->consume(1);
  }
  return end;
}

void TextRecord::describe(AttributeSink& out, bool) const {
  if (item.block) {
    out.number("block", *item.block);
  }
  if (item.item) {
    out.number("item", *item.item);
  }
}

TextReader::TextReader(std::string_view format, std::unique_ptr<Decoder> decoder,
                       std::string source, bool plain, const ReadOptions& options, bool offer_torn)
    : lines_(std::move(decoder), offer_torn),
      source_(std::move(source)),
      options_(options),
      record_(format),
      plain_(plain) {}

Result<Record*> TextReader::next() {
  if (!error_) {
    auto record = advance();
    if (record) {
      return record;
    }
    keep_error(record.error());
  }
  return fail(error_->code(), error_->message(), error_->where());
}

void TextReader::keep_error(const Error& error) {
  Location where = error.where();
  where.source = source_;
  if (!where.ordinal) {
    where.ordinal = read_;
  }
  error_.emplace(error.code(), error.message(), std::move(where));
}

Result<Record*> TextReader::advance() {
  if (in_record_) {
    FONDS_CHECK(pass_over());
  }
  if (ended_) {
    return nullptr;
  }
  if (!std::exchange(started_, true) && options_.start_inner > 0) {
    FONDS_CHECK(lines_.skip(options_.start_inner));
  }
  while (true) {
    if (options_.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    FONDS_TRY(const bool more, lines_.next_line());
    take_findings(loose_);
    if (!more || (options_.stop_at && lines_.place().unit >= *options_.stop_at)) {
      ended_ = true;
      return nullptr;
    }
    FONDS_TRY(const bool is_record, begin_record());
    if (is_record) {
      break;
    }
    FONDS_CHECK(lines_.end_line());
    take_findings(loose_);
  }
  record_.place = lines_.place();
  record_.ordinal = read_++;
  in_record_ = true;
  return &record_;
}

Result<RecordEnd> TextReader::finish() {
  auto end = pass_over();
  if (!end) {
    keep_error(end.error());
  }
  return end;
}

Result<RecordEnd> TextReader::pass_over() {
  in_record_ = false;
  FONDS_TRY(const LineStream::End line, lines_.end_line());
  RecordEnd end;
  if (plain_) {
    end.stored_length = line.length + (line.line_end ? 1 : 0);
  }
  describe_end(line, end);
  end.findings = std::exchange(of_record_, {});
  take_findings(end.findings);
  for (Finding& finding : end.findings) {
    finding.where.ordinal = record_.ordinal;
  }
  return end;
}

void TextReader::take_findings(std::vector<Finding>& into) {
  if (!lines_.decoder().has_findings()) {
    return;
  }
  for (Finding& finding : lines_.decoder().take_findings()) {
    finding.where.source = source_;
    if (finding.severity == Severity::Error) {
      damaged_units_.erase(damaged_units_.begin(), damaged_units_.lower_bound(lines_.place().unit));
      damaged_units_.insert(finding.where.stored_offset.value_or(0));
    }
    into.push_back(std::move(finding));
  }
}

Result<bool> LinesReader::begin_record() {
  // Its length is known before it is read unless it is long.
  FONDS_TRY(ByteView shown, lines_.peek(1));
  while (!lines_.left() && shown.size() < kLook) {
    FONDS_TRY(shown, lines_.peek(shown.size() + 1));
  }
  record_.known_length = lines_.left();
  return true;
}

void LinesReader::describe_end(const LineStream::End& line, RecordEnd& end) const {
  end.length = line.length;
  if (line.line_end) {
    end.trailing = 1;
    end.closing = "\n";
  }
}

Finding TextReader::finding_here(std::string_view code, std::string message) const {
  return make_finding(code, std::move(message),
                      {.source = source_, .stored_offset = lines_.place().unit});
}

Result<std::optional<ByteView>> TextReader::whole_line() {
  const std::uint64_t most = options_.memory_budget / 4;
  std::size_t wanted = kLook;
  FONDS_TRY(ByteView line, lines_.peek(wanted));
  while (!lines_.left() && line.size() <= most) {
    wanted = static_cast<std::size_t>(std::min<std::uint64_t>(2 * line.size(), most + 1));
    FONDS_TRY(line, lines_.peek(wanted));
  }
  if (lines_.left().value_or(line.size()) > most) {
    loose_.push_back(finding_here(
        "limit-exceeded", fmt::format("the line has more than {} bytes; it is left out", most)));
    return std::optional<ByteView>();
  }
  FONDS_TRY(line, lines_.peek(static_cast<std::size_t>(*lines_.left())));
  return trim(as_text(line)).empty() ? std::optional<ByteView>() : line;
}

Result<bool> ObjectsReader::begin_record() {
  while (true) {
    fault_.clear();
    FONDS_TRY(const bool found, begin_object());
    if (found || fault_.empty()) {
      return found;
    }
    take_findings(loose_);
    if (damaged_units_.contains(lines_.place().unit) && lines_.leave_unit()) {
      continue;
    }
    if (!lines_.torn()) {
      loose_.push_back(finding_here("jsonl-line", std::move(fault_)));
    }
    return false;
  }
}

Result<bool> JsonlReader::begin_object() {
  FONDS_TRY(const auto line, whole_line());
  if (!line) {
    return false;
  }
  auto parsed = parse_item_line(as_text(*line));
  if (!parsed) {
    fault_ = "the line " + parsed.error().message();
    return false;
  }
  data_ = std::move(parsed->data);
  given_ = 0;
  record_.item = parsed->place;
  record_.known_length = data_.size();
  return true;
}

void JsonlReader::describe_end(const LineStream::End& /*line*/, RecordEnd& end) const {
  end.length = record_.known_length;
}

Result<bool> EventsReader::begin_object() {
  FONDS_TRY(const auto line, whole_line());
  if (!line) {
    return false;
  }
  std::string_view text = as_text(*line);
  if (lines_.place() == Place() && text.starts_with(kByteOrderMark)) {
    lines_.consume(kByteOrderMark.size());
    text.remove_prefix(kByteOrderMark.size());
    if (trim(text).empty()) {
      return false;
    }
  }
  carriage_return_ = text.ends_with('\r');
  if (carriage_return_) {
    text.remove_suffix(1);
  }
  if (const auto broken = find_fault(text)) {
    fault_ = not_an_object(*broken);
    return false;
  }
  const std::uint64_t number = events_++;
  if (options_.range && (number < options_.range->first || number >= options_.range->second)) {
    return false;
  }
  if (options_.check_all && !is_utf8(text)) {
    of_record_.push_back(finding_here("jsonl-utf8", "the line is not UTF-8"));
  }
  left_ = text.size();
  record_.is_event = true;
  record_.known_length = left_;
  return true;
}

Result<ByteView> EventsReader::peek_block(std::size_t at_least) {
  FONDS_TRY(const ByteView shown, lines_.peek(std::min(at_least, left_)));
  return shown.first(std::min(shown.size(), left_));
}

void EventsReader::consume_block(std::size_t n) {
  lines_.consume(n);
  left_ -= n;
}

void EventsReader::describe_end(const LineStream::End& line, RecordEnd& end) const {
  end.length = record_.known_length;
  end.closing = carriage_return_ ? "\r" : "";
  end.closing += line.line_end ? "\n" : "";
  end.trailing = end.closing.size();
}

}  // namespace fonds::lines
