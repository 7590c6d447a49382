// The archives that the laws are checked on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>

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

// Gives its bytes only one after the other, like a pipe, `step` at a time.
class PipedBytes final : public ByteSource {
 public:
  PipedBytes(std::vector<std::byte> bytes, std::size_t step)
      : bytes_(std::move(bytes)), step_(step) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a pipe has no size");
  }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a pipe cannot be read at positions");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    const std::size_t n = std::min({step_, out.size(), bytes_.size() - given_});
    if (n > 0) {
      std::memcpy(out.data(), bytes_.data() + given_, n);
    }
    given_ += n;
    return n;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t step_;
  std::size_t given_ = 0;
  std::string name_ = "<memory>";
};

// A name that GoogleTest accepts.
inline std::string test_name(std::string path) {
  for (char& c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    c = plain ? c : '_';
  }
  return path;
}

}  // namespace fonds::test
