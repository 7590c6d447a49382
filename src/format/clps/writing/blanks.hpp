// Blanks and line ends of JSON texts.
#pragma once

#include <cstddef>
#include <cstring>

namespace fonds::clps {

inline bool is_blank(char c) { return c == '\n' || c == ' ' || c == '\r' || c == '\t'; }
inline const char* skip_blanks(const char* at, const char* end) {
  while (at < end && is_blank(*at)) {
    ++at;
  }
  return at;
}
// The end of [begin, end) without blanks.
inline const char* trim(const char* begin, const char* end) {
  while (end > begin && is_blank(end[-1])) {
    --end;
  }
  return end;
}
inline const char* find_line_feed(const char* at, const char* end) {
  const void* const found =
      at < end ? std::memchr(at, '\n', static_cast<std::size_t>(end - at)) : nullptr;
  return found != nullptr ? static_cast<const char*>(found) : end;
}

}  // namespace fonds::clps
