// How often operations tell how far they are.
#pragma once

#include <cstdint>

namespace fonds {

inline constexpr std::uint64_t kProgressStep = std::uint64_t{1} << 20;  // stored bytes

}  // namespace fonds
