#include "conformance/rows.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

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

std::string test_name(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    c = plain ? c : '_';
  }
  return name;
}

}  // namespace fonds::laws
