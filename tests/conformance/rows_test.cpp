// What the table of rows promises to those who use it.
#include "conformance/rows.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace fonds::laws {
namespace {

TEST(Rows, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Row& row : rows()) {
    EXPECT_TRUE(names.insert(test_name(row.name)).second) << row.name;
  }
}

}  // namespace
}  // namespace fonds::laws
