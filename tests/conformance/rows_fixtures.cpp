// Rows of the fixtures: every archive that lies there, those of them named that are damaged.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/rows.hpp"
#include "test_paths.hpp"

namespace fonds::laws {
namespace {

namespace fs = std::filesystem;

fs::path fixtures() {
  const char* given = std::getenv("FONDS_FIXTURES");  // NOLINT(concurrency-mt-unsafe)
  return given != nullptr ? given : FONDS_TEST_DATA;
}

constexpr std::uintmax_t kLarge = std::uintmax_t{200} << 10;
constexpr std::uintmax_t kMostBytes = std::uintmax_t{kSanitized ? 200 : 2048} << 10;

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(fs::file_size(path), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

struct Folder {
  const char* path;
  const char* format;              // as OpenOptions::format
  std::vector<std::string> holds;  // parts of the names of archives
};

std::vector<Row> rows_of(const Folder& folder) {
  std::vector<Row> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(fixtures() / folder.path, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto has = [&name](std::string_view part) { return name.find(part) != name.npos; };
    const bool companion = name.ends_with(".json") || name.ends_with(".cdx") ||
                           name.ends_with(".jsonl") || (name.ends_with(".lz4") && has(".chk"));
    if (companion || std::ranges::none_of(folder.holds, has)) {
      continue;
    }
    if (!entry.is_directory() && entry.file_size() > kMostBytes) {
      continue;
    }
    Row& row = found.emplace_back();
    row.name = std::string(folder.path) + "/" + name;
    row.format = folder.format;
    row.large = !entry.is_directory() && entry.file_size() > kLarge;
    row.damaged = damaged_fixtures().contains(row.name);
    if (entry.is_directory()) {
      row.directory = [path = entry.path()] { return path; };
    } else {
      row.bytes = [path = entry.path()] { return read_file(path); };
    }
  }
  std::ranges::sort(found, {}, &Row::name);
  return found;
}

}  // namespace

std::vector<Row> fixture_rows() {
  const std::array<Folder, 8> folders = {{{"warc/0011", "", {".warc"}},
                                          {"warc/own", "", {".warc", ".arc"}},
                                          {"warc/third-party", "", {".warc", ".arc"}},
                                          {"warc-zst", "", {".warc.zst"}},
                                          {"checkpoint", "", {".warc"}},
                                          {"recordio", "recordio", {".rio", ".grail-"}},
                                          {"clp-s", "clp-s", {".clps", ".dir"}},
                                          {"clp-s", "kv-ir", {"in-kvir"}}}};
  std::vector<Row> all;
  for (const Folder& folder : folders) {
    std::ranges::move(rows_of(folder), std::back_inserter(all));
  }
  return all;
}

}  // namespace fonds::laws
