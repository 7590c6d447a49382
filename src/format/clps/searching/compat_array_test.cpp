#include "format/clps/searching/compat_array.hpp"

#include <gtest/gtest.h>

namespace fonds::clps::compat {
namespace {

// Asks an array with the filter of a query and some keys within the array.
class ClpsCompatArray : public testing::Test {
 protected:
  Term term(std::string_view query) {
    auto parsed = query::parse(query, {.meaning = query::Meaning::ClpS});
    EXPECT_TRUE(parsed) << query;
    Term made;
    made.operand = &operands_.emplace_back(parsed->root.filter, parsed->options, false);
    return made;
  }
  bool holds(std::string_view json, std::string_view query,
             std::vector<query::PathStep> rest = {}) {
    return test_.holds(json, rest, term(query));
  }
  bool exists(std::string_view json, std::vector<query::PathStep> rest) {
    Term asked = term("k: *");
    asked.check = Term::Check::Exists;
    return test_.holds(json, rest, asked);
  }
  bool anywhere(std::string_view json, std::string_view query, bool numbers = true) {
    return test_.holds_anywhere(json, *term(query).operand, numbers);
  }

  std::deque<Operand> operands_;
  ArrayTest test_;
  const std::vector<query::PathStep> b_ = {{.key = "b"}};
  const std::vector<query::PathStep> bc_ = {{.key = "b"}, {.key = "c"}};
};

TEST_F(ClpsCompatArray, ComparesElementsAtAnyDepthOfArrays) {
  EXPECT_TRUE(holds("[1,[2,[\"x\"]]]", "k: x"));
  EXPECT_TRUE(holds("[1,[2,[\"x\"]]]", "k: 2"));
  EXPECT_TRUE(holds("[\"\\u0078 y\"]", "k: \"x *\""));
  EXPECT_TRUE(holds("[true]", "k: true"));
  EXPECT_FALSE(holds("[true]", "k: false"));
  EXPECT_FALSE(holds("[{\"b\":1}]", "k: 1"));
  EXPECT_FALSE(holds("[]", "k: 1"));
}

TEST_F(ClpsCompatArray, FollowsTheFirstMemberOfAName) {
  EXPECT_TRUE(holds("[{\"a\":1,\"b\":2}]", "k: 2", b_));
  EXPECT_FALSE(holds("[{\"b\":1,\"b\":2}]", "k: 2", b_));
  EXPECT_TRUE(holds("[{\"b\":1},{\"b\":2}]", "k: 2", b_));
  EXPECT_TRUE(holds("[{\"b\":[{\"c\":2}]}]", "k: 2", bc_));
  EXPECT_FALSE(holds("[{\"x\":{\"b\":{\"c\":2}}}]", "k: 2", bc_));
  EXPECT_FALSE(holds("[{\"b\":{\"c\":{\"d\":2}}}]", "k: 2", bc_));
}

TEST_F(ClpsCompatArray, TakesRangesForDifference) {
  EXPECT_TRUE(holds("[5]", "k > 1000"));
  EXPECT_FALSE(holds("[1000]", "k > 1000"));
  EXPECT_TRUE(holds("[5.5]", "k < 1"));
}

TEST_F(ClpsCompatArray, CutsFractionsBeforeIntegers) {
  EXPECT_TRUE(holds("[2]", "k: 2.5"));
  EXPECT_FALSE(holds("[2.0]", "k: 2.5"));
  EXPECT_TRUE(holds("[2.50]", "k: 2.5"));
}

TEST_F(ClpsCompatArray, FindsNullBeforeTheKeysEnd) {
  EXPECT_TRUE(holds("[null]", "k: null", b_));
  EXPECT_TRUE(holds("[{\"b\":null}]", "k: null", bc_));
  EXPECT_FALSE(holds("[{\"x\":null}]", "k: null", b_));
}

TEST_F(ClpsCompatArray, ExistsIfAnObjectHasTheLastKey) {
  EXPECT_TRUE(exists("[{\"b\":{}}]", b_));
  EXPECT_TRUE(exists("[[{\"b\":null}]]", b_));
  EXPECT_FALSE(exists("[{\"c\":1}]", b_));
  EXPECT_FALSE(exists("[{\"b\":1}]", bc_));
}

TEST_F(ClpsCompatArray, LooksEverywhereForAnyKey) {
  EXPECT_TRUE(anywhere("[{\"a\":{\"b\":[\"x\"]}}]", "x"));
  EXPECT_TRUE(anywhere("[{\"a\":7}]", "7"));
  EXPECT_FALSE(anywhere("[{\"a\":7}]", "7", false));
  EXPECT_FALSE(anywhere("[{\"x\":7}]", "x"));
}

TEST_F(ClpsCompatArray, StopsWhereTheTextIsNoJson) {
  EXPECT_TRUE(holds("[1,", "k: 1"));
  EXPECT_FALSE(holds("[1,", "k: 2"));
  EXPECT_FALSE(holds("", "k: 2"));
  EXPECT_FALSE(holds("[{\"b\"", "k: 2", b_));
  EXPECT_FALSE(anywhere("{]", "2"));
}

}  // namespace
}  // namespace fonds::clps::compat
