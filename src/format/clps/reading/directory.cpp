#include "format/clps/reading/directory.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fonds::clps {
namespace {

// clp-s.md, 2. In the order of a single file.
constexpr std::array<std::string_view, 8> kFiles = {
    "header",   "schema_tree", "schema_ids", "table_metadata",
    "var.dict", "log.dict",    "array.dict", "0"};
// Of archives before `header` was there.
constexpr std::array<std::string_view, 2> kFormerFiles = {"timestamp.dict", "timestamp.range"};

bool is_number(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool contains(std::span<const std::string> entries, std::string_view name) {
  return std::find(entries.begin(), entries.end(), name) != entries.end();
}

}  // namespace

Result<std::vector<std::string>> directory_files(std::span<const std::string> entries) {
  std::vector<std::string> files;
  const bool all_known = std::all_of(entries.begin(), entries.end(), [](const std::string& name) {
    return is_one_of(kFiles, name) || is_one_of(kFormerFiles, name) || is_number(name);
  });
  // Names like `0` are found in other directories too.
  if (!all_known || !(contains(entries, "schema_tree") || contains(entries, "header"))) {
    return files;
  }
  if (!contains(entries, "header")) {
    return fail(ErrorCode::Unsupported,
                "is a clp-s archive without a file `header`: it is damaged, or older than the "
                "versions that can be read, 0.2.0 to 0.5.1");
  }
  for (const std::string_view name : kFiles) {
    if (contains(entries, name)) {
      files.emplace_back(name);
    }
  }
  return files;
}

}  // namespace fonds::clps
