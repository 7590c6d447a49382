// Searching any bytes by key: in lines that are in order a search by halves finds what looking at
// all of them finds; in others nothing breaks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codec/testing.hpp"
#include "index/line_file.hpp"
#include "lines.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::expect_lines;
using fonds::fuzz::require;
using fonds::index::is_header_line;
using fonds::index::key_of_line;
using fonds::index::LineFile;
using fonds::testing_codec::mapped;

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

void check_file(std::string_view text, const std::string& key, char delimiter, bool in_order) {
  const auto file = LineFile::open(mapped(text), delimiter);
  const auto bound = std::move(*file->lower_bound(key));
  require(file->begin() <= file->end() && file->end() <= text.size());
  require(file->begin() <= bound.stored_offset && bound.stored_offset <= file->end());
  std::uint64_t first = file->end(), first_before = file->begin();
  std::vector<std::string> lines;
  auto all = file->text();
  for (std::uint64_t at = file->begin(), before = at; at < file->end();) {
    const auto end = std::min<std::size_t>(text.find('\n', at), file->end());
    std::string_view line = text.substr(at, end - at);
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    require(all.line_begin(file->begin(), at) == at);
    if (first == file->end() && key_of_line(line, delimiter) >= key) {
      first = at;
      first_before = before;
    }
    if (!line.empty() && !is_header_line(line)) {
      lines.emplace_back(line);
    }
    before = at;
    at = *all.line_after(at);
    require(at > before);
    first_before = first == file->end() ? before : first_before;
  }
  require(!in_order ||
          (bound.in_order && bound.stored_offset == first && bound.before == first_before));
  expect_lines(*file->lines(), lines);
}

}  // namespace

// The first octet says how long the key is that follows.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string octets(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string key = octets.substr(0, data[0] % 32);
  const std::string text = octets.substr(key.size());
  for (const char delimiter : {' ', '\t'}) {
    check_file(text, key, delimiter, false);
    check_file(joined(fonds::fuzz::sorted_lines(text, delimiter)), key, delimiter, true);
  }
  return 0;
}
