// The archives that the laws are checked on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <fonds/bytes.hpp>

#include "test_paths.hpp"

namespace fonds::test {

inline std::filesystem::path fixtures() {
  const char* given = std::getenv("FONDS_FIXTURES");
  return given != nullptr ? given : FONDS_TEST_DATA;
}

inline std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

// Every WARC and ARC file of the fixtures, in the order of their names.
inline std::vector<std::string> archives() {
  std::vector<std::string> found;
  for (const char* folder : {"warc/0011", "warc/own", "warc/third-party", "warc-zst"}) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(fixtures() / folder, ignored)) {
      const std::string name = entry.path().filename().string();
      const bool archive =
          name.find(".warc") != std::string::npos || name.find(".arc") != std::string::npos;
      if (archive && !name.ends_with(".json") && !name.ends_with(".cdx")) {
        found.push_back(std::filesystem::relative(entry.path(), fixtures()).string());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// A name that GoogleTest accepts.
inline std::string test_name(std::string path) {
  for (char& c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    c = plain ? c : '_';
  }
  return path;
}

}  // namespace fonds::test
