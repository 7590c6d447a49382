// Every law on every row. A row's declared exception has to be one.
#include "conformance/laws.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/rows.hpp"
#include "conformance/sites.hpp"

namespace fonds::laws {
namespace {

struct Case {
  const Law* law;
  const Row* row;
};
void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.law->title << " of " << tested.row->name;
  if (tested.row->site != nullptr) {
    *out << " at " << tested.row->site->url;
  }
}

// Laws and rows by their numbers in the table, so that processes agree.
bool takes_its_turn(const Law& law, const Row& row) {
  if (row.site == nullptr || law.asked == Asked::AtServers) {
    return true;
  }
  const auto all = std::span(rows());
  const auto same = std::ranges::find(all, row.name, &Row::name);
  const auto number = (same - all.begin()) + (&law - all_laws().data());
  return static_cast<std::size_t>(number) % row.site->turns == row.site->turn;
}

std::vector<Case> cases(const std::vector<Row>& rows) {
  std::vector<Case> all;
  for (const Law& law : all_laws()) {
    for (const Row& row : rows) {
      if (!takes_its_turn(law, row)) {
        continue;
      }
      const Exception* const exception = exception_of(law, row);
      const bool checked = exception == nullptr || exception->kind != Exception::Kind::Pointless;
      if (checked && is_about(law, row)) {
        all.push_back({&law, &row});
      }
    }
  }
  return all;
}

// The rows as they lie at servers.
const std::vector<Row>& served_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> made;
    for (const Site& site : servers()) {
      for (Row row : rows()) {
        row.site = &site;
        made.push_back(std::move(row));
      }
    }
    return made;
  }();
  return all;
}

class Laws : public testing::TestWithParam<Case> {};

// As the library says it of a source without random access.
bool is_refusal(std::string_view complaint) {
  return complaint.find("a pipe") != complaint.npos ||
         complaint.find("gives no ranges") != complaint.npos;
}

TEST_P(Laws, Hold) {
  const auto& [law, row] = GetParam();
  const std::string complaint = law->complaint(*row);
  if (const Exception* const exception = exception_of(*law, *row)) {
    if (exception->kind == Exception::Kind::Refused) {
      EXPECT_TRUE(complaint.empty() || is_refusal(complaint)) << complaint;
    } else {
      EXPECT_NE(complaint, "") << "is an exception no more: " << exception->reason;
    }
  } else {
    EXPECT_EQ(complaint, "");
  }
}

std::string name_of(const testing::TestParamInfo<Case>& tested) {
  const auto& [law, row] = tested.param;
  return (row->site == nullptr ? "" : row->site->name + "_") + law->name + "_" +
         test_name(row->name);
}

INSTANTIATE_TEST_SUITE_P(Conformance, Laws, testing::ValuesIn(cases(rows())), name_of);
INSTANTIATE_TEST_SUITE_P(Servers, Laws, testing::ValuesIn(cases(served_rows())), name_of);

}  // namespace
}  // namespace fonds::laws
