#include "write_flags.hpp"

#include <array>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "flags.hpp"
#include "inputs.hpp"
#include "ops/convert.hpp"
#include "outputs.hpp"

namespace fonds::cli {
namespace {

std::string read_file(const std::string& path, std::string_view what) {
  std::ifstream file(path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    throw UsageError{fmt::format("{}: cannot be read as {}", path, what)};
  }
  return content;
}

}  // namespace

bool add_write_options(const Arguments& arguments, WriteOptions& write) {
  write.compression = arguments.all("--compression");
  write.level = compression_level(arguments);
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
  write.raw_dictionary = arguments.has("--raw-dictionary");
  write.extension = arguments.get("--extension");
  if (arguments.has("--frame-size")) {
    write.frame_bytes = parse_size(arguments.get("--frame-size"));
  }
  const std::string dictionary = arguments.get("--dictionary", "none");
  if (dictionary != "none" && dictionary != "train") {
    write.dictionary = read_file(dictionary, "dictionary");
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
  return dictionary == "train";
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
