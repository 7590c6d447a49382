// One zstd frame in memory, filled piece by piece.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

namespace fonds::clps::writing {

class Frame {
 public:
  // Appends to `out`. `plain`: how many octets will come, if that is known.
  static Result<Frame> begin(std::vector<std::byte>& out, int level,
                             std::optional<std::uint64_t> plain);
  Status add(std::string_view octets);
  Status add_u64(std::uint64_t value) {
    put(value);
    return full() ? flush() : Status();
  }
  // Little-endian. Must be followed by flush() if full().
  template <typename T>
  void put(T value) {
    if constexpr (std::endian::native == std::endian::big) {
      for (std::size_t i = 0; i < sizeof value; ++i) {
        pending_[used_ + i] = static_cast<char>(value >> (8 * i) & 0xFF);
      }
    } else {
      std::memcpy(pending_.get() + used_, &value, sizeof value);
    }
    used_ += sizeof value;
  }
  bool full() const { return used_ >= kPending; }
  Status flush();
  // Ends the frame; nothing may be added behind it.
  Status end();

 private:
  static constexpr std::size_t kPending = std::size_t{128} << 10, kSlack = 64;
  struct Context;
  struct Free {
    void operator()(Context* context) const;
  };
  Frame(std::vector<std::byte>& out, std::unique_ptr<Context, Free> context)
      : out_(&out),
        context_(std::move(context)),
        pending_(std::make_unique_for_overwrite<char[]>(kPending + kSlack)) {}
  Status compress(std::string_view octets, bool end);

  std::vector<std::byte>* out_;
  std::unique_ptr<Context, Free> context_;
  std::unique_ptr<char[]> pending_;
  std::size_t used_ = 0;
};

}  // namespace fonds::clps::writing
