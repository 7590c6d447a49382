#include "write_flags.hpp"

#include <array>
#include <charconv>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/convert.hpp"

namespace fonds::cli {
namespace {

int parse_level(const std::string& text) {
  int level = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, level);
  if (result.ec != std::errc() || result.ptr != end) {
    throw UsageError{fmt::format("--level takes a whole number, not '{}'", text)};
  }
  return level;
}

std::string read_file(const std::string& path, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    throw UsageError{fmt::format("{}: cannot be read as {}", path, what)};
  }
  return content;
}

}  // namespace

void add_write_options(const Arguments& arguments, WriteOptions& write) {
  write.compression = arguments.all("--compression");
  if (arguments.has("--level")) {
    write.level = parse_level(arguments.get("--level"));
  }
  if (arguments.has("--block-size")) {
    write.block_bytes = parse_size(arguments.get("--block-size"));
  }
  if (arguments.has("--block-items")) {
    write.block_items = parse_count(arguments, "--block-items", 0);
  }
  write.one_unit = arguments.has("--one-member");
  write.skip_lengths = arguments.has("--skip-lengths");
  write.original_header = !arguments.has("--no-original-header");
  write.legal_ids = arguments.has("--legal-ids");
  write.describe = !arguments.has("--no-warcinfo");
  if (arguments.has("--per-record") && write.one_unit) {
    throw UsageError{"--per-record and --one-member exclude each other"};
  }
  if (const std::string name = arguments.get("--dictionary", "none"); name != "none") {
    write.dictionary = read_file(name, "dictionary");
  }
  for (const std::string& given : arguments.all("--header")) {
    auto entry = ops::parse_header_entry(given);
    if (!entry) {
      throw UsageError{entry.error().message()};
    }
    write.header.push_back(std::move(*entry));
  }
  if (arguments.has("--trailer")) {
    write.trailer = read_file(arguments.get("--trailer"), "trailer");
  }
}

std::vector<std::string> compression_of_name(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEndings = {
      {{".gz", "gzip"}, {".zst", "zstd"}, {".lz4", "lz4"}, {".warc", "none"}, {".arc", "none"}}};
  for (const auto& [ending, compression] : kEndings) {
    if (name.ends_with(ending)) {
      return {std::string(compression)};
    }
  }
  return {};
}

}  // namespace fonds::cli
