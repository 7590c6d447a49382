// ZipNum: of sorted lines in blocks all are given, and a search finds every one of its key; in any
// bytes as an index nothing breaks.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"
#include "index/line_file.hpp"
#include "index/zipnum.hpp"
#include "lines.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::expect_lines;
using fonds::fuzz::require;
using fonds::index::key_of_line;
using fonds::testing_codec::mapped;

// The blocks of every file that `secondary` names are in `blocks`.
std::unique_ptr<fonds::index::ZipNum> zipnum(std::string_view secondary,
                                             const std::string& blocks) {
  static_cast<void>(fonds::index::ZipNum::recognize(secondary));
  return *fonds::index::ZipNum::open(
      mapped(secondary),
      [&blocks](const std::string&) -> fonds::Result<std::shared_ptr<fonds::ByteSource>> {
        return mapped(blocks);
      });
}

// A line whose key would be no key, or two columns, in a secondary index.
bool is_odd(const std::string& line) {
  const auto key = key_of_line(line, ' ');
  return key == "CDX" || key.find('\t') != std::string_view::npos;
}

// Two lines to a block.
void check_blocks(const std::vector<std::string>& lines, const std::string& key) {
  if (std::any_of(lines.begin(), lines.end(), is_odd)) {
    return;
  }
  std::string secondary, blocks;
  for (std::size_t i = 0; i < lines.size(); i += 2) {
    const std::string stored = fonds::testing_gzip::member(
        lines[i] + "\n" + (i + 1 < lines.size() ? lines[i + 1] : std::string()), 1);
    secondary += std::string(key_of_line(lines[i], ' ')) + " 2020\tfile\t" +
                 std::to_string(blocks.size()) + "\t" + std::to_string(stored.size()) + "\n";
    blocks += stored;
  }
  const auto file = zipnum(secondary, blocks);
  expect_lines(*file->lines(), lines);
  const auto start = std::move(*file->lines_from(key));
  const bool found = std::any_of(lines.begin(), lines.end(),
                                 [&](const auto& line) { return key_of_line(line, ' ') == key; });
  bool seen = false;
  while (start.cursor->next().value_or(false)) {
    seen = seen || key_of_line(start.cursor->line(), ' ') == key;
  }
  require(start.in_order && seen == found);
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
  check_blocks(fonds::fuzz::sorted_lines(text, ' '), key);
  const auto file = zipnum(text, text);
  const auto start = std::move(*file->lines_from(key));
  for (int i = 0; i < 100 && start.cursor->next().value_or(true); ++i) {
  }
  return 0;
}
