// A fresh directory for one test.
#pragma once

#include <filesystem>
#include <string>

#include <stdlib.h>

namespace fonds::testing_io {

class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(
      const std::filesystem::path& in = std::filesystem::temp_directory_path()) {
    std::string name = (in / "fonds-test-XXXXXX").string();
    path_ =
        ::mkdtemp(name.data()) == nullptr ? std::filesystem::path() : std::filesystem::path(name);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::size_t files() const {
    std::size_t n = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      n += entry.exists() ? 1U : 0U;
    }
    return n;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace fonds::testing_io
