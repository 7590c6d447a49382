// Errors as values: what went wrong, where in which archive. Nothing in the library throws across
// its boundary, prints or exits.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>  // IWYU pragma: export

namespace fonds {

enum class ErrorCode : std::uint8_t {
  Io,             // the operating system said no; the message has its words
  NotFound,       // a file or a key that is not there
  Corrupt,        // the bytes contradict the format
  Truncated,      // the bytes end before the format says so
  Unsupported,    // understood, but this build or this format does not do it
  LimitExceeded,  // doing it would break a limit that the caller set
  BadArgument,    // the caller asked for something that has no meaning
  Cancelled,      // the caller's stop_token fired
  Internal,       // a defect of this library
};

// Where in which archive something is wrong. Every field but `source` may be unknown.
struct Location {
  std::string source = {};                           // path, URL, "-", or "<memory>"
  std::optional<std::uint64_t> stored_offset = {};   // bytes from the start of the stored file
  std::optional<std::uint64_t> decoded_offset = {};  // bytes from the start of what was decoded
  std::optional<std::uint64_t> ordinal = {};         // 0-based number of the record in the file
  std::string record_id = {};                        // as stored; empty when not parsed yet
};

// One pointer wide, so that a Result<T> stays cheap on the good path.
class [[nodiscard]] Error {
 public:
  Error(ErrorCode code, std::string message, Location where = {})
      : state_(std::make_unique<State>(State{code, std::move(message), std::move(where)})) {}

  ErrorCode code() const noexcept { return state_->code; }
  // Lower case, no full stop, what was found and what was expected.
  const std::string& message() const noexcept { return state_->message; }
  const Location& where() const noexcept { return state_->where; }

  // The code of the finding (<fonds/finding.hpp>) that says the same of an archive; empty if none
  // does. Static storage.
  std::string_view rule() const noexcept { return state_->rule; }

  // Adds what an outer layer knows: fills only the fields of the location that are still unknown.
  Error&& with(Location outer) &&;
  // Gives it a rule, unless it has one.
  Error&& as(std::string_view rule) &&;

  // "crawl.warc.gz: offset 8398850 (record 2047): gzip member is cut short", on one line.
  std::string to_string() const;

 private:
  struct State {
    ErrorCode code;
    std::string message;
    Location where;
    std::string_view rule = {};
  };
  std::unique_ptr<State> state_;
};

// "crawl.warc.gz: offset 8398850 (record 2047): " with only the parts that are known.
std::string describe(const Location& where);

// The derivation makes dropping a result a warning; tl::expected 1.0.0 alone may be dropped.
template <typename T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Base&& base) : Base(std::move(base)) {}  // NOLINT(google-explicit-constructor)
};
using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorCode code, std::string message, Location where = {}) {
  return tl::unexpected<Error>(Error(code, std::move(message), std::move(where)));
}

}  // namespace fonds

// FONDS_TRY(auto n, source->size());  FONDS_CHECK(stream.skip(n));  return the error if there is
// one.
#define FONDS_TRY(decl, expr) FONDS_TRY_I(FONDS_CAT(fonds_result_, __COUNTER__), decl, expr)
#define FONDS_TRY_I(result, decl, expr)                            \
  auto result = (expr);                                            \
  if (!result) return ::tl::unexpected(std::move(result.error())); \
  decl = std::move(*result)
#define FONDS_CHECK(expr)                                       \
  do {                                                          \
    if (auto fonds_status = (expr); !fonds_status) {            \
      return ::tl::unexpected(std::move(fonds_status.error())); \
    }                                                           \
  } while (false)
#define FONDS_CAT(a, b) FONDS_CAT_I(a, b)
#define FONDS_CAT_I(a, b) a##b
