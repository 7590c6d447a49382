#include "ops/directory.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <utility>

#include <fonds/format.hpp>
#include <fonds/remote.hpp>

#include "index/companion_names.hpp"

namespace fonds::ops {
namespace {

void add_archives(std::vector<std::string> found, std::vector<std::string>& files) {
  index::drop_companions(found);
  std::ranges::move(found, std::back_inserter(files));
}

}  // namespace

Status add_directory(const std::string& path, bool deep, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::string> found;
  auto entry = std::filesystem::recursive_directory_iterator(path, error);
  for (; !error && entry != std::filesystem::recursive_directory_iterator();
       entry.increment(error)) {
    std::error_code ignored;
    std::string name = entry->path().string();
    if (entry->is_regular_file(ignored)) {
      found.push_back(std::move(name));
    } else if (entry->is_directory(ignored)) {
      const bool archive = is_archive_directory(name);
      if (archive) {
        found.push_back(std::move(name));
      }
      if (archive || !deep) {
        entry.disable_recursion_pending();
      }
    }
  }
  std::ranges::sort(found);
  add_archives(std::move(found), files);
  if (error) {
    return fail(ErrorCode::Io, "cannot be listed: " + error.message(), {.source = path});
  }
  return {};
}

Status add_remote_directory(const std::string& url, bool deep, std::vector<std::string>& files) {
  FONDS_TRY(auto found, list_remote(url, deep));
  if (found.empty()) {
    return fail(ErrorCode::NotFound, "has no objects", {.source = url});
  }
  add_archives(std::move(found), files);
  return {};
}

}  // namespace fonds::ops
