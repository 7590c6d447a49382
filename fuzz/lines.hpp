// Lines as fuzz targets of indexes compare them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "index/line_file.hpp"
#include "require.hpp"

namespace fonds::fuzz {

// The lines of a text that have a key, without CR, in the order of their keys.
inline std::vector<std::string> sorted_lines(std::string_view text, char delimiter) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.emplace_back(text.substr(at, end - at));
    std::erase(lines.back(), '\r');
    at = end + 1;
  }
  std::erase_if(lines,
                [](const auto& line) { return line.empty() || index::is_header_line(line); });
  std::stable_sort(lines.begin(), lines.end(), [&](const auto& a, const auto& b) {
    return index::key_of_line(a, delimiter) < index::key_of_line(b, delimiter);
  });
  return lines;
}

// The cursor gives these lines and no others.
inline void expect_lines(index::LineCursor& cursor, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    require(cursor.next().value_or(false) && cursor.line() == line);
  }
  require(!cursor.next().value_or(true));
}

}  // namespace fonds::fuzz
