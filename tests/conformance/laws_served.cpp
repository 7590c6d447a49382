// The law of servers: a URL gives what the file gives. tests/test_served.py starts the servers and
// tells of them by FONDS_SERVED: a folder, and the URLs under which they give its files, each in a
// word of its own.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/remote.hpp>

#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "io/remote/url.hpp"

namespace fonds::laws {
namespace {

namespace fs = std::filesystem;

struct Served {
  std::string folder;
  std::vector<std::string> at;  // URLs with a slash at the end
};

const Served& served() {
  static const Served known = [] {
    const char* const told = std::getenv("FONDS_SERVED");  // NOLINT(concurrency-mt-unsafe)
    std::istringstream words(told == nullptr ? "" : told);
    Served found;
    words >> found.folder;
    for (std::string url; words >> url;) {
      found.at.push_back(url);
    }
    return found;
  }();
  return known;
}

std::string placed_in_folder(const Row& row) {
  const fs::path path = fs::path(served().folder) / row.name;
  fs::create_directories(path.parent_path());
  if (row.directory) {
    fs::copy(row.directory(), path, fs::copy_options::recursive);
  } else {
    std::ofstream(path, std::ios::binary) << row.bytes();
  }
  return path.string() + (row.directory ? "/" : "");
}

std::string url_of(const Row& row, const std::string& server) {
  const bool s3 = is_remote_directory(server);
  return server + (s3 ? row.name : remote::percent_encoded(row.name, true)) +
         (row.directory ? "/" : "");
}

std::string url_is_file(const Row& row) {
  const auto file = open_archive(placed_in_folder(row), {.format = row.format});
  const Said expected = file ? said(*file, row.read) : Said();
  for (const std::string& server : served().at) {
    if (row.directory && !is_remote_directory(server)) {
      continue;  // no server of files lists one in a way that all agree on
    }
    const auto opened = [&] { return open_archive(url_of(row, server), {.format = row.format}); };
    const auto there = opened();
    if (there.has_value() != file.has_value()) {
      return fmt::format("{}: {}", server,
                         there ? "an archive, other than the file" : there.error().to_string());
    }
    if (!there) {
      continue;
    }
    const bool once = !there->source->random_access();
    Said given = once ? said(*there, row.read, opened) : said(*there, row.read);
    if (once) {
      given.info = expected.info;  // needs to go back, as keys do
      given.by_key = expected.by_key;
    }
    if (auto complaint = difference(server, given, expected); !complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

}  // namespace

std::vector<Law> served_laws() {
  return {
      {.name = "ServedIsMapped",
       .title = "served = mapped",
       .meaning =
           "A URL (HTTP with and without ranges, S3) gives the records, places and findings of "
           "the file, and the same answers of `ls`, `verify`, `search`, `cat KEY` and `info`.",
       .of_damaged = true,
       .complaint = url_is_file,
       .can_be_asked = [] { return !served().at.empty(); }},
  };
}

}  // namespace fonds::laws
