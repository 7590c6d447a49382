// One zstd frame in memory, filled piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>
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
    put(value, 8);
    return full() ? flush() : Status();
  }
  // Little-endian.
  void put(std::uint64_t value, std::size_t octets) {
    for (std::size_t i = 0; i < octets; ++i) {
      pending_ += static_cast<char>(value >> (8 * i) & 0xFF);
    }
  }
  bool full() const { return pending_.size() >= kPending; }
  Status flush();
  // Ends the frame; nothing may be added behind it.
  Status end();

 private:
  static constexpr std::size_t kPending = std::size_t{128} << 10;
  struct Context;
  struct Free {
    void operator()(Context* context) const;
  };
  Frame(std::vector<std::byte>& out, std::unique_ptr<Context, Free> context)
      : out_(&out), context_(std::move(context)) {
    pending_.reserve(kPending + 64);
  }
  Status compress(std::string_view octets, bool end);

  std::vector<std::byte>* out_;
  std::unique_ptr<Context, Free> context_;
  std::string pending_;
};

}  // namespace fonds::clps::writing
