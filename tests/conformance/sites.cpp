#include "conformance/sites.hpp"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/remote.hpp>

#include "archives/beside.hpp"
#include "archives/memory.hpp"
#include "io/remote/url.hpp"

namespace fonds::laws {
namespace {

namespace fs = std::filesystem;

struct Served {
  fs::path folder;
  std::vector<Site> sites;
};

Site site_of(const std::string& word) {
  static const std::regex form("(\\w+)(?::(\\d+)/(\\d+))?=(.*)");
  std::smatch parts;
  require(std::regex_match(word, parts, form), "a word of FONDS_SERVED: " + word);
  Site site{.name = parts[1], .url = parts[4], .lists = is_remote_directory(parts[4].str())};
  if (parts[2].matched) {
    site.turn = std::stoul(parts[2]);
    site.turns = std::stoul(parts[3]);
  }
  return site;
}

const Served& served() {
  static const Served known = [] {
    const char* const told = std::getenv("FONDS_SERVED");  // NOLINT(concurrency-mt-unsafe)
    std::istringstream words(told == nullptr ? "" : told);
    Served found;
    words >> found.folder;
    for (std::string word; words >> word;) {
      found.sites.push_back(site_of(word));
    }
    return found;
  }();
  return known;
}

// Of a Zstandard file the name is looked at.
std::string file_name(const Row& row) {
  const bool zstd = row.format.empty() && row.name.find("/zstd") != row.name.npos;
  return row.name + (zstd ? ".warc.zst" : "");
}

std::string url_of(const Site& site, const std::string& name) {
  return site.url + (site.lists ? name : remote::percent_encoded(name, true));
}

}  // namespace

const std::vector<Site>& servers() { return served().sites; }

std::string path_of(const Row& row) {
  const fs::path path = served().folder / file_name(row);
  if (!fs::exists(path)) {
    fs::create_directories(path.parent_path());
    if (row.directory) {
      fs::copy(row.directory(), path, fs::copy_options::recursive);
    } else {
      testing_archives::write_file(path.string(), row.bytes());
    }
  }
  return path.string() + (row.directory ? "/" : "");
}

Laid::Laid(const Row& row, std::string_view bytes)
    : directory_(row.site == nullptr ? fs::temp_directory_path() : served().folder),
      path_(directory_.path("archive.warc.gz")),
      name_(row.site == nullptr
                ? path_
                : url_of(*row.site, fs::relative(path_, served().folder).string())) {
  testing_archives::write_file(path_, bytes);
}

Opened::Opened(std::function<Result<Archive>()> open) : open_(std::move(open)), archive_(open_()) {}

const Archive& Opened::operator*() {
  if (given_ && !can_go_back()) {
    archive_ = open_();
    require(archive_.has_value(), "it is opened once more");
  }
  given_ = true;
  return *archive_;
}

Opened open(const Row& row) {
  if (row.site == nullptr) {
    return Opened([&row] { return open_here(row); });
  }
  path_of(row);
  return Opened([url = url_of(*row.site, file_name(row)) + (row.directory ? "/" : ""), &row] {
    return open_archive(url, {.format = row.format});
  });
}

Opened open(const Row& row, std::string_view bytes) {
  if (row.site == nullptr) {
    return Opened([&row, bytes] { return in_memory(row, bytes); });
  }
  return Opened([file = std::make_shared<Laid>(row, bytes), &row] {
    return open_archive(file->name(), {.format = row.format});
  });
}

Result<Archive> open_here(const Row& row) {
  return row.directory ? open_archive(row.directory().string(), {.format = row.format})
                       : in_memory(row, row.bytes());
}

Result<Archive> in_memory(const Row& row, std::string_view bytes) {
  return open_archive(testing_archives::memory_of(bytes), {.format = row.format});
}

}  // namespace fonds::laws
