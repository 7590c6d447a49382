// Reads little-endian numbers and texts off bytes; what is not there is not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include <fonds/bytes.hpp>

#include "base/bytes.hpp"

namespace fonds::clps {

class Cursor {
 public:
  explicit Cursor(ByteView bytes) : bytes_(bytes) {}

  std::uint64_t position() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }

  std::optional<std::uint8_t> u8() {
    const auto bytes = take(1);
    return bytes ? std::optional(std::to_integer<std::uint8_t>((*bytes)[0])) : std::nullopt;
  }
  std::optional<std::uint32_t> u32() {
    const auto bytes = take(4);
    return bytes ? std::optional(load_le32(*bytes)) : std::nullopt;
  }
  std::optional<std::int32_t> i32() {
    const auto value = u32();
    return value ? std::optional(static_cast<std::int32_t>(*value)) : std::nullopt;
  }
  std::optional<std::uint64_t> u64() {
    const auto bytes = take(8);
    return bytes ? std::optional(load_le64(*bytes)) : std::nullopt;
  }
  std::optional<ByteView> take(std::uint64_t n) {
    if (n > left()) {
      return std::nullopt;
    }
    const ByteView bytes =
        bytes_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(n));
    at_ += n;
    return bytes;
  }
  std::optional<std::string_view> text(std::uint64_t n) {
    const auto bytes = take(n);
    return bytes ? std::optional(as_text(*bytes)) : std::nullopt;
  }

 private:
  ByteView bytes_;
  std::uint64_t at_ = 0;
};

}  // namespace fonds::clps
