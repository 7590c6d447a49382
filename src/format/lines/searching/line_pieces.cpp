#include "format/lines/searching/line_pieces.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "format/lines/reading/json_line.hpp"

namespace fonds::lines {
namespace {

// Bytes up to and with the last LF; 0 if there is none.
std::size_t end_of_lines(ByteView bytes) {
  const void* const last = ::memrchr(bytes.data(), '\n', bytes.size());
  return last == nullptr
             ? 0
             : static_cast<std::size_t>(static_cast<const std::byte*>(last) - bytes.data()) + 1;
}

}  // namespace

void LinePieces::consume(std::size_t n) {
  decoder_->consume(n);
  decoded_ += n;
}

// Goes behind the next LF, or to the end of the run.
Status LinePieces::pass_line() {
  while (true) {
    FONDS_TRY(const ByteView shown, decoder_->peek(1));
    const void* const found =
        shown.empty() ? nullptr : std::memchr(shown.data(), '\n', shown.size());
    if (found != nullptr) {
      consume(static_cast<std::size_t>(static_cast<const std::byte*>(found) - shown.data()) + 1);
      return {};
    }
    if (shown.empty()) {
      return {};
    }
    consume(shown.size());
  }
}

// Goes behind the next LF if what stands before it is no JSON object.
Status LinePieces::pass_torn_line() {
  for (std::uint64_t wanted = size_;; wanted *= 2) {
    wanted = std::min(wanted, most_ + 1);
    FONDS_TRY(const ByteView shown, decoder_->peek(static_cast<std::size_t>(wanted)));
    const std::string_view text = as_text(shown);
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && shown.size() >= wanted && wanted <= most_) {
      continue;
    }
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    return find_fault(line) ? pass_line() : Status();
  }
}

Result<bool> LinePieces::next(LinePiece& out) {
  while (true) {
    FONDS_TRY(const bool found, next_of_run(out));
    if (found) {
      return true;
    }
    FONDS_TRY(const bool more, decoder_->next_run());
    if (!more) {
      return false;
    }
    FONDS_CHECK(pass_torn_line());
  }
}

// False at the end of the run.
Result<bool> LinePieces::next_of_run(LinePiece& out) {
  consume(std::exchange(given_, 0));
  if (std::exchange(torn_, false)) {
    FONDS_CHECK(pass_torn_line());
  }
  std::size_t wanted = 1;
  while (true) {
    FONDS_TRY(ByteView shown, decoder_->peek(wanted));
    if (shown.empty()) {
      return false;
    }
    const Place place = decoder_->place();
    collect();
    const bool ends =
        damaged_units_.contains(place.unit) && decoder_->shown_of_unit() < shown.size();
    if (ends) {
      shown = shown.first(decoder_->shown_of_unit());
    }
    std::size_t length = end_of_lines(shown.first(std::min(shown.size(), size_)));
    if (length == 0 && shown.size() > size_) {  // a line that is longer than a piece
      const void* const found = std::memchr(shown.data() + size_, '\n', shown.size() - size_);
      length =
          found == nullptr
              ? 0
              : static_cast<std::size_t>(static_cast<const std::byte*>(found) - shown.data()) + 1;
    }
    if (length == 0 && (ends || shown.size() < wanted)) {
      length = shown.size();  // the last line of the run
      torn_ = ends;
    }
    if (std::max(length, length == 0 ? shown.size() : 0) > most_ + 1) {
      findings_.push_back(make_finding(
          "limit-exceeded", fmt::format("the line has more than {} bytes; it is left out", most_),
          {.source = source_, .stored_offset = place.unit}));
      FONDS_CHECK(pass_line());
      wanted = 1;
      continue;
    }
    if (length > 0) {
      out = {.text = as_text(shown.first(length)), .place = place, .decoded = decoded_};
      given_ = length;
      return true;
    }
    wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::uint64_t{2} * shown.size(), most_ + 2));
    wanted = std::max(wanted, shown.size() + 1);
  }
}

void LinePieces::collect() {
  if (!decoder_->has_findings()) {
    return;
  }
  for (Finding& finding : decoder_->take_findings()) {
    finding.where.source = source_;
    if (finding.severity == Severity::Error) {
      damaged_units_.erase(damaged_units_.begin(),
                           damaged_units_.lower_bound(decoder_->place().unit));
      damaged_units_.insert(finding.where.stored_offset.value_or(0));
    }
    findings_.push_back(std::move(finding));
  }
}

std::vector<Finding> LinePieces::take_findings() {
  collect();
  return std::exchange(findings_, {});
}

}  // namespace fonds::lines
