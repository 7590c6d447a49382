#include "format/clps/writing/string_table.hpp"

#include <string>

#include <gtest/gtest.h>

namespace fonds::clps::writing {
namespace {

TEST(StringTable, GivesEachStringOneId) {
  StringTable table;
  for (std::uint32_t id = 0; id < 1000; ++id) {
    EXPECT_EQ(table.add(std::to_string(id)), id);
  }
  EXPECT_EQ(table.add("17"), 17U);
  EXPECT_EQ(table.size(), 1000U);
  EXPECT_EQ(table[17], "17");
}

TEST(StringTable, AtRestTakesLessMemoryAndKeepsItsIds) {
  StringTable table;
  for (int id = 0; id < 1000; ++id) {
    table.add(std::to_string(id));
  }
  const std::uint64_t before = table.held();
  table.rest();
  EXPECT_LT(table.held(), before);
  EXPECT_EQ(table[999], "999");
  EXPECT_EQ(table.add("999"), 999U);
  EXPECT_EQ(table.add("new"), 1000U);
}

}  // namespace
}  // namespace fonds::clps::writing
