// The law of servers: a URL gives what the file gives.
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"

namespace fonds::laws {
namespace {

std::string url_is_file(const Row& row) {
  Opened file([&row] { return open_archive(path_of(row), {.format = row.format}); });
  Opened there = open(row);
  if (there.has_value() != file.has_value()) {
    return there ? "an archive, other than the file" : there.error().to_string();
  }
  if (!there) {
    return {};
  }
  const Said given = said(there, row.read);
  Said expected = said(file, row.read);
  if (!there.can_go_back()) {
    expected.info.clear();
    expected.by_key = {};
  }
  return difference("served", given, expected);
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
       .asked = Asked::AtServers},
  };
}

}  // namespace fonds::laws
