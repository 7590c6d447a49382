// Where the bytes of an archive lie: in a file, a pipe, or a directory that is one archive.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/remote.hpp>

namespace fonds {
namespace {

std::vector<std::string> remote_entries(const std::string& path) {
  std::vector<std::string> names;
  if (is_remote_directory(path)) {
    for (const std::string& url : list_remote(path, false).value_or(std::vector<std::string>())) {
      names.push_back(url.substr(url.rfind('/') + 1));
    }
  }
  return names;
}

// Nothing if it is no directory, or cannot be listed.
std::vector<std::string> sorted_entries(const std::string& path) {
  std::vector<std::string> names;
  if (is_remote(path)) {
    return remote_entries(path);
  }
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    return names;
  }
  for (auto entry = std::filesystem::directory_iterator(path, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// The files of a directory that is an archive of any format; nothing if it is none.
Result<std::vector<std::string>> archive_files(const std::string& path) {
  if (const std::vector<std::string> names = sorted_entries(path); !names.empty()) {
    for (const Format* format : formats()) {
      FONDS_TRY(auto files, format->directory_files(names));
      if (!files.empty()) {
        return files;
      }
    }
  }
  return std::vector<std::string>();
}

}  // namespace

Result<std::shared_ptr<ByteSource>> open_archive_source(std::string_view path) {
  const std::string name(path);
  const auto files = archive_files(name);
  if (!files) {
    return fail(files.error().code(), files.error().message(), {.source = name});
  }
  return files->empty() ? open_source(path) : open_source(path, *files);
}

bool is_archive_directory(std::string_view path) {
  const auto files = archive_files(std::string(path));
  return !files || !files->empty();
}

}  // namespace fonds
