// Every law on every row. A row's declared exception has to be one.
#include "conformance/laws.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "conformance/rows.hpp"

namespace fonds::laws {
namespace {

struct Case {
  const Law* law;
  const Row* row;
};
void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.law->title << " of " << tested.row->name;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Law& law : all_laws()) {
    if (law.can_be_asked != nullptr && !law.can_be_asked()) {
      continue;
    }
    for (const Row& row : rows()) {
      const Exception* const exception = exception_of(law, row);
      const bool checked = exception == nullptr || exception->kind == Exception::Kind::Fails;
      if (checked && is_about(law, row)) {
        all.push_back({&law, &row});
      }
    }
  }
  return all;
}

class Laws : public testing::TestWithParam<Case> {};

TEST_P(Laws, Hold) {
  const auto& [law, row] = GetParam();
  const std::string complaint = law->complaint(*row);
  if (const Exception* const exception = exception_of(*law, *row)) {
    EXPECT_NE(complaint, "") << "is an exception no more: " << exception->reason;
  } else {
    EXPECT_EQ(complaint, "");
  }
}

INSTANTIATE_TEST_SUITE_P(Conformance, Laws, testing::ValuesIn(cases()), [](const auto& tested) {
  return tested.param.law->name + "_" + test_name(tested.param.row->name);
});

}  // namespace
}  // namespace fonds::laws
