#include "io/remote/request.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/text.hpp"
#include "io/remote/s3_error.hpp"

namespace fonds::remote {
namespace {

constexpr std::uint64_t kLongestWait = 30'000;  // ms

// Takes a decimal number from the front.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    return std::nullopt;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) {
    return false;
  }
  text.remove_prefix(prefix.size());
  return true;
}

double random_share() {
  thread_local std::minstd_rand engine(std::random_device{}());
  return std::uniform_real_distribution<double>(0.5, 1.0)(engine);
}

}  // namespace

std::string Validator::if_range() const {
  if (!etag.empty()) {
    return etag.starts_with("W/") ? std::string() : etag;  // a weak one names no octets
  }
  return modified;
}

bool Validator::agrees(const Validator& other) const {
  const auto same = [](const std::string& a, const std::string& b) {
    return a.empty() || b.empty() || a == b;
  };
  return size == other.size && same(etag, other.etag) && same(modified, other.modified);
}

std::optional<Piece> piece_of(const Reply::Head& head) {
  std::string_view text = head.get("content-range");
  if (!take(text, "bytes ")) {
    return std::nullopt;
  }
  const auto first = take_number(text);
  if (!first || !take(text, "-")) {
    return std::nullopt;
  }
  const auto last = take_number(text);
  if (!last || !take(text, "/")) {
    return std::nullopt;
  }
  const auto size = take_number(text);
  if (!size || !text.empty() || *last < *first || *last >= *size) {
    return std::nullopt;
  }
  return Piece{.range = {*first, *last - *first + 1},
               .validator = {.etag = std::string(head.get("etag")),
                             .modified = std::string(head.get("last-modified")),
                             .size = *size}};
}

std::string range_header(ByteRange range) {
  return fmt::format("Range: bytes={}-{}", range.offset, range.offset + range.length - 1);
}

Failure failure_of(const Outcome& outcome) {
  using Kind = Outcome::Kind;
  switch (outcome.kind) {
    case Kind::Done:
      return {.words = "the reply is cut short", .again = true};
    case Kind::Stopped:
      return {.words = "the reply is longer than its range", .again = true};
    case Kind::Name:
    case Kind::Certificate:
      return {.words = outcome.words};
    case Kind::Refused:
    case Kind::Timeout:
    case Kind::Broken:
      return {.words = outcome.words, .again = true};
    case Kind::Other:
      break;
  }
  return {.words = outcome.words};
}

Failure failure_of(const Reply::Head& head, std::string_view body) {
  const int status = head.status;
  const auto said = parse_s3_error(body);
  Failure failure = {.words = fmt::format("HTTP status {}{}", status,
                                          said ? ", " + said->words() : std::string())};
  // S3 says 403 of a missing key to whoever may not list its bucket.
  if (status == 403 || status == 404 || status == 410) {
    failure.code = ErrorCode::NotFound;
  }
  failure.again = status == 408 || status == 429 ||
                  (status >= 500 && status != 501 && status != 505) || (said && said->passes());
  std::string_view after = head.get("retry-after");
  if (const auto seconds = take_number(after); failure.again && seconds && after.empty()) {
    failure.after_ms = std::min(*seconds, kLongestWait / 1000) * 1000;
  }
  return failure;
}

Status Tries::next(const Failure& failure, const std::string& name, const std::string& what) {
  const RemoteOptions& options = session_.options();
  if (!failure.again || made_ >= options.tries) {
    return refuse(failure, name, what);
  }
  const std::uint64_t longest = std::min<std::uint64_t>(
      std::uint64_t{options.first_wait_ms} << std::min(made_ - 1, 16U), kLongestWait);
  const auto wait = static_cast<std::uint64_t>(static_cast<double>(longest) * random_share());
  ++made_;
  ++session_.tries;
  return session_.wait(std::max(wait, failure.after_ms));
}

tl::unexpected<Error> Tries::refuse(const Failure& failure, const std::string& name,
                                    const std::string& what) const {
  return fail(failure.code,
              fmt::format("{} cannot be {}: {} ({})", what, deed_, failure.words,
                          made_ == 1 ? "1 try" : fmt::format("{} tries", made_)),
              {.source = name});
}

}  // namespace fonds::remote
