// Looking for a short text in many megabytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace fonds {

// A text that is looked for, prepared once. Const members are thread-safe.
class ByteFinder {
 public:
  static constexpr std::size_t npos = std::string_view::npos;

  // With `ignore_case` ASCII letters of `text` stand for both cases; `text` is in lower case then.
  explicit ByteFinder(std::string text, bool ignore_case = false);

  // The first place at or behind `from`, or npos. An empty text is nowhere.
  std::size_t find(std::string_view in, std::size_t from = 0) const;
  const std::string& text() const { return text_; }

 private:
  struct Wanted;

  Wanted wanted(std::size_t place) const;
  std::size_t find_sse2(std::string_view in, std::size_t& from) const;
  std::size_t find_avx2(std::string_view in, std::size_t& from) const;
  bool is_at(const char* at) const;
  std::size_t find_slowly(std::string_view in, std::size_t from) const;

  std::string text_;
  bool ignore_case_;
  std::size_t first_ = 0,
              second_ = 0;  // places in text_ of two octets that are looked for together
};

}  // namespace fonds
