// Reads one unit of a stream of which perhaps not all bytes are there yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds::kvir {

// The first thing that goes wrong stays, and from then on every call gives zeros or nothing, so
// that callers look at ok() only before they use what they have read, and in loops.
class Cursor {
 public:
  explicit Cursor(ByteView bytes) : bytes_(bytes) {}

  bool ok() const { return state_ == State::Good; }
  bool needs_more() const { return state_ == State::Short; }
  // Bytes from the beginning that have to be there at least, if it needs more.
  std::uint64_t wanted() const { return wanted_; }
  std::size_t at() const { return at_; }  // with a fault: where it stands
  ErrorCode code() const { return code_; }
  const std::string& fault() const { return fault_; }

  void refuse(std::string fault, std::size_t at, ErrorCode code = ErrorCode::Corrupt) {
    if (ok()) {
      state_ = State::Bad;
      fault_ = std::move(fault);
      at_ = at;
      code_ = code;
    }
  }

  ByteView take(std::uint64_t n) {
    if (!ok()) {
      return {};
    }
    if (n > bytes_.size() - at_) {
      state_ = State::Short;
      wanted_ = at_ + n;
      return {};
    }
    const ByteView taken = bytes_.subspan(at_, static_cast<std::size_t>(n));
    at_ += taken.size();
    return taken;
  }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  // A big-endian number of `n` bytes, at most 8.
  std::uint64_t number(unsigned n) {
    std::uint64_t value = 0;
    for (const std::byte b : take(n)) {
      value = value << 8 | std::to_integer<std::uint64_t>(b);
    }
    return value;
  }
  // The same with a sign.
  std::int64_t integer(unsigned n) {
    const std::uint64_t value = number(n);
    const std::uint64_t sign = std::uint64_t{1} << (8 * n - 1);
    return static_cast<std::int64_t>((value ^ sign) - sign);
  }
  // What was read between two places.
  ByteView between(std::size_t from, std::size_t to) const {
    return bytes_.subspan(from, to - from);
  }

 private:
  enum class State : std::uint8_t { Good, Short, Bad };
  ByteView bytes_;
  std::size_t at_ = 0;
  State state_ = State::Good;
  std::uint64_t wanted_ = 0;
  ErrorCode code_ = ErrorCode::Corrupt;
  std::string fault_;
};

}  // namespace fonds::kvir
