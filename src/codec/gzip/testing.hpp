// Gzip members for tests, made with zlib.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include <zlib.h>

namespace fonds::testing_gzip {

inline std::string le32(std::uint64_t value) {
  std::string bytes;
  for (int shift = 0; shift < 32; shift += 8) {
    bytes += static_cast<char>((value >> shift) & 0xff);
  }
  return bytes;
}

// Raw DEFLATE data; level 0 makes stored blocks.
inline std::string deflated(std::string_view text, int level = 6) {
  z_stream stream = {};
  if (deflateInit2(&stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::runtime_error("deflateInit2");
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int verdict = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (verdict != Z_STREAM_END) {
    throw std::runtime_error("deflate");
  }
  return out;
}

inline std::string header(char flags = 0) {
  return std::string("\x1f\x8b\x08", 3) + flags + std::string("\0\0\0\0\0\xff", 6);
}

inline std::uint32_t crc_of(std::string_view text) {
  return static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
}
inline std::string trailer(std::string_view text) { return le32(crc_of(text)) + le32(text.size()); }

inline std::string member(std::string_view text, int level = 6) {
  return header() + deflated(text, level) + trailer(text);
}

// A member with an "sl" extra field that says what is given, true or not.
inline std::string member_with_sl(std::string_view text, std::uint64_t stored,
                                  std::uint64_t decoded) {
  const std::string extra = std::string("sl\x08\0", 4) + le32(stored) + le32(decoded);
  return header(4) + std::string("\x0c\0", 2) + extra + deflated(text) + trailer(text);
}

}  // namespace fonds::testing_gzip
