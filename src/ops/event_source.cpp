#include "ops/event_source.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/remote.hpp>

#include "io/remote/url.hpp"
#include "io/replayed_source.hpp"

namespace fonds::ops {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHead = std::size_t{64} << 10;

Status add_directory(const std::string& path, std::vector<std::string>& files) {
  std::error_code error;
  std::vector<std::string> found;
  auto entry = fs::recursive_directory_iterator(path, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    std::string name = entry->path().string();
    if (entry->is_directory(ignored)) {
      if (is_archive_directory(name)) {
        found.push_back(std::move(name));
        entry.disable_recursion_pending();
      }
    } else if (entry->is_regular_file(ignored)) {
      found.push_back(std::move(name));
    }
  }
  if (error) {
    return fail(ErrorCode::Io, "cannot be listed: " + error.message(), {.source = path});
  }
  std::sort(found.begin(), found.end());
  std::move(found.begin(), found.end(), std::back_inserter(files));
  return {};
}

// Without `.` and repeated slashes.
fs::path components(std::string_view path) {
  fs::path clean;
  for (const fs::path& part : fs::path(path)) {
    if (part != "." && !part.empty()) {
      clean /= part;
    }
  }
  return clean;
}

// Nothing if `path` does not begin with the components of `prefix`.
std::optional<std::string> without_prefix(const fs::path& path, const fs::path& prefix) {
  auto part = path.begin();
  for (const fs::path& wanted : prefix) {
    if (part == path.end() || *part != wanted) {
      return std::nullopt;
    }
    ++part;
  }
  std::string rest;
  for (; part != path.end(); ++part) {
    rest += '/';
    rest += part->string();
  }
  return rest;
}

// The first bytes; of a pipe they are put in front of what is left of it.
Result<std::vector<std::byte>> read_head(std::shared_ptr<ByteSource>& source) {
  std::vector<std::byte> head(kHead);
  std::size_t have = 0;
  while (have < head.size()) {
    const MutableByteView room = MutableByteView(head).subspan(have);
    FONDS_TRY(const std::size_t n,
              source->random_access() ? source->read_at(have, room) : source->read_next(room));
    if (n == 0) {
      break;
    }
    have += n;
  }
  head.resize(have);
  if (!source->random_access()) {
    source = std::make_shared<ReplayedSource>(head, std::move(source));
  }
  return head;
}

// Whether an object begins here, behind blanks; or nothing but blanks shows, which are no archive.
bool begins_object(ByteView head) {
  const std::size_t at = as_text(head).find_first_not_of(" \t\r\n");
  return at == std::string_view::npos || as_text(head)[at] == '{';
}

bool has_record(const Archive& archive) {
  const auto reader = archive.format->open(archive, {.skim = true});
  return reader && (*reader)->next().value_or(nullptr) != nullptr;
}

// Compressed bytes of which nothing decodes, or nothing is there, are no web archive yet. Damage
// may be longer than the copy.
bool is_crawl(const Archive& copy, const std::shared_ptr<ByteSource>& source) {
  return has_record(copy) ||
         (source->random_access() && has_record({source, copy.format, copy.codecs}));
}

}  // namespace

Result<std::vector<std::string>> files_below(std::span<const std::string> paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (is_remote_directory(path)) {
      FONDS_TRY(const auto found, list_remote(path, true));
      files.insert(files.end(), found.begin(), found.end());
      continue;
    }
    if (is_remote(path)) {
      files.push_back(path);
      continue;
    }
    std::error_code error;
    const fs::file_status there = path == "-" ? fs::file_status() : fs::status(path, error);
    if (path != "-" && !fs::exists(there)) {
      const bool missing = there.type() == fs::file_type::not_found;
      return fail(missing ? ErrorCode::NotFound : ErrorCode::Io,
                  missing ? "there is no such file" : "cannot be read: " + error.message(),
                  {.source = path});
    }
    if (fs::is_directory(there) && !is_archive_directory(path)) {
      FONDS_CHECK(add_directory(path, files));
    } else {
      files.push_back(path);
    }
  }
  return files;
}

Result<std::string> name_of_source(std::string_view path, const SourceNaming& naming) {
  if (path == "-") {
    return std::string(path);
  }
  std::string name(path);
  if (is_remote(path)) {
    FONDS_TRY(const auto url, remote::parse_url(path));
    name = remote::shown(url);  // without what lets others in
  } else if (naming.normalize) {
    std::error_code error;
    name = fs::absolute(fs::path(path), error).lexically_normal().string();
    if (error) {
      return fail(ErrorCode::Io, "has no absolute path: " + error.message(),
                  {.source = std::string(path)});
    }
  }
  if (!naming.remove_prefix.empty()) {
    auto rest = without_prefix(components(name), components(naming.remove_prefix));
    if (!rest) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("{} does not begin with the path {}, so that cannot be removed", name,
                              naming.remove_prefix));
    }
    name = std::move(*rest);
  }
  if (naming.remove_slash && name.starts_with('/')) {
    name.erase(0, name.find_first_not_of('/'));
  }
  if (name.empty()) {
    return fail(ErrorCode::BadArgument, fmt::format("nothing is left of the name {}", path));
  }
  return name;
}

Result<EventSource> open_event_source(std::string_view path) {
  EventSource opened;
  FONDS_TRY(opened.source, open_archive_source(path));
  FONDS_TRY(auto head, read_head(opened.source));
  if (begins_object(head)) {
    return opened;
  }
  // Recognized by a copy of its beginning: what is no archive is not looked through.
  auto recognized = open_archive(memory_source(std::move(head), opened.source->name()));
  if (recognized && recognized->format->traits().captures &&
      !is_crawl(*recognized, opened.source)) {
    return opened;
  }
  if (recognized && !recognized->format->traits().text) {
    opened.format = recognized->format;
    opened.codecs = std::move(recognized->codecs);
  } else if (!recognized && recognized.error().code() != ErrorCode::Unsupported) {
    return tl::unexpected(std::move(recognized.error()));
  }
  return opened;
}

}  // namespace fonds::ops
