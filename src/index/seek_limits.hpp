// What the indexes that lead into gzip streams have in common.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fonds::index {

// At least so many bytes lie in front of the first place that one can lead to: RFC 1952, 2.3.
inline constexpr std::uint64_t kGzipHeader = 10;
// A file with so many faults is no such index; to search behind each can cost as much as reading it
// all.
inline constexpr std::size_t kMostFaults = 100;

}  // namespace fonds::index
