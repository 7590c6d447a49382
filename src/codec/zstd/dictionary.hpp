// The dictionary that governs a WARC-Zstandard file, ready for decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/finding.hpp>

#include "codec/zstd/frame.hpp"

struct ZSTD_DDict_s;

namespace fonds::zstd {

// The ids of dictionaries for private use: what is below and above is reserved; RFC 8878, 5.
inline constexpr std::uint32_t kFirstFreeId = 32768, kLastFreeId = 0x7FFFFFFF;

struct Dictionary {
  DictionaryInfo info;
  std::shared_ptr<const ZSTD_DDict_s> digested;  // null if it is not usable; threads may share it
};

// Loads the dictionary out of the User_Data of a dictionary frame, with the findings of
// check_dictionary(). `content` is given its bytes, decoded, if it is compressed.
Dictionary load_dictionary(ByteView user_data, std::uint64_t stored_offset,
                           std::uint64_t max_dictionary, const std::function<void(Finding)>& report,
                           std::vector<std::byte>* content = nullptr);

}  // namespace fonds::zstd
