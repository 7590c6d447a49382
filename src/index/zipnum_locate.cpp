// Where the blocks of a ZipNum lie.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "base/text.hpp"
#include "index/zipnum.hpp"
#include "io/remote/url.hpp"

namespace fonds::index {
namespace {

namespace fs = std::filesystem;

// A name from a file must not lead out of the directory.
bool stays_inside(const fs::path& path) {
  if (path.empty() || path.is_absolute()) {
    return false;
  }
  for (const fs::path& step : path) {
    if (step == "..") {
      return false;
    }
  }
  return path.native().find('\0') == std::string::npos;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// "name TAB path [TAB path…]": the first path that is a file here.
fs::path look_in_loc(const fs::path& loc, std::string_view name) {
  const auto source = is_file(loc) ? open_source(loc.native()) : fail(ErrorCode::NotFound, "");
  const auto bytes = source ? (*source)->view() : std::nullopt;
  std::string_view text = bytes ? as_text(*bytes) : std::string_view();
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = trim(line);
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with('\t')) {
      continue;
    }
    for (std::size_t tab = name.size(); tab != std::string_view::npos;) {
      const std::size_t next = line.find('\t', tab + 1);
      std::string_view path =
          line.substr(tab + 1, next == std::string_view::npos ? next : next - tab - 1);
      tab = next;
      constexpr std::string_view kFile = "file://";
      path.remove_prefix(path.starts_with(kFile) ? kFile.size() : 0);
      // An absolute path replaces the directory.
      if (const fs::path here = loc.parent_path() / fs::path(path);
          path.find('\0') == std::string_view::npos && is_file(here)) {
        return here;
      }
    }
  }
  return {};
}

fs::path locate(const fs::path& secondary, const std::string& name) {
  const fs::path directory = secondary.parent_path();
  for (const fs::path& loc :
       {fs::path(secondary).replace_extension(".loc"), directory / "cluster.loc"}) {
    if (fs::path found = look_in_loc(loc, name); !found.empty()) {
      return found;
    }
  }
  if (stays_inside(name)) {
    for (const char* const ending : {"", ".gz", ".cdx.gz", ".cdxj.gz"}) {
      if (fs::path path = directory / (name + ending); is_file(path)) {
        return path;
      }
    }
  }
  return {};
}

// Of an index at a URL only the names beside it are tried, each of which costs a request.
Result<std::shared_ptr<ByteSource>> open_beside(const std::string& secondary,
                                                const std::string& name) {
  FONDS_TRY(const remote::Url url, remote::parse_url(secondary));
  const bool plain = name.find('/') == std::string::npos && stays_inside(name);
  for (const char* const ending : {"", ".gz", ".cdx.gz", ".cdxj.gz"}) {
    if (!plain) {
      break;
    }
    FONDS_TRY(auto source, open_source(remote::beside(url, name + ending).text()));
    if (const auto size = source->size(); size) {
      return source;
    } else if (size.error().code() != ErrorCode::NotFound) {
      return fail(size.error().code(), size.error().message(), size.error().where());
    }
  }
  return fail(
      ErrorCode::NotFound,
      fmt::format("the file of its blocks, {}, is not beside it", escape_for_terminal(name)),
      {.source = secondary});
}

struct OpenFiles {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<ByteSource>> sources;  // under mutex
};

}  // namespace

OpenBlocks blocks_beside(const std::string& secondary_path) {
  if (remote::is_url(secondary_path)) {
    // A file that was found stays open: to find it again would cost requests.
    const auto open = std::make_shared<OpenFiles>();
    return [secondary_path, open](const std::string& name) -> Result<std::shared_ptr<ByteSource>> {
      const std::lock_guard lock(open->mutex);
      auto& source = open->sources[name];
      if (source == nullptr) {
        FONDS_TRY(source, open_beside(secondary_path, name));
      }
      return source;
    };
  }
  return [secondary_path](const std::string& name) -> Result<std::shared_ptr<ByteSource>> {
    const fs::path found = locate(secondary_path, name);
    if (found.empty()) {
      return fail(ErrorCode::NotFound,
                  fmt::format("the file of its blocks, {}, is not beside it and in no .loc",
                              escape_for_terminal(name)),
                  {.source = secondary_path});
    }
    return open_source(found.native());
  };
}

}  // namespace fonds::index
