#include "conformance/rows.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/format.hpp>

#include "archives/memory.hpp"

namespace fonds::laws {

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

const std::vector<Row>& made_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> made;
    for (auto part : {web_rows(), recordio_rows(), event_rows(), text_rows()}) {
      std::ranges::move(part, std::back_inserter(made));
    }
    return made;
  }();
  return all;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> together = made_rows();
    std::ranges::move(fixture_rows(), std::back_inserter(together));
    return together;
  }();
  return all;
}

Result<Archive> open(const Row& row) {
  return !row.directory ? open(row, row.bytes())
                        : open_archive(row.directory().string(), {.format = row.format});
}

Result<Archive> open(const Row& row, std::string_view bytes) {
  return open(row, testing_archives::memory_of(bytes));
}

Result<Archive> open(const Row& row, std::shared_ptr<ByteSource> source) {
  return open_archive(std::move(source), {.format = row.format});
}

std::string test_name(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    c = plain ? c : '_';
  }
  return name;
}

}  // namespace fonds::laws
