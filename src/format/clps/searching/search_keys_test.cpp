#include "format/clps/searching/search_keys.hpp"

#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "format/clps/testing.hpp"

namespace fonds::clps {
namespace {

using namespace testing_archive;  // NOLINT(google-build-using-namespace)

std::vector<query::PathStep> steps_of(const std::vector<std::string>& keys) {
  std::vector<query::PathStep> steps;
  for (const std::string& key : keys) {
    steps.push_back({.wildcard = key == "*", .key = key == "*" ? "" : key});
  }
  return steps;
}

bool accepts(const std::vector<std::string>& path, const std::vector<std::string>& keys) {
  const auto machine = KeyMachine::make(steps_of(path));
  KeyMachine::State state = KeyMachine::kStart;
  for (const std::string& key : keys) {
    state = machine->step(state, key);
  }
  return machine->accepts(state);
}

bool accepts_slowly(std::span<const std::string> path, std::span<const std::string> keys) {
  if (path.empty()) {
    return keys.empty();
  }
  if (path.front() == "*") {
    return accepts_slowly(path.subspan(1), keys) ||
           (!keys.empty() && accepts_slowly(path, keys.subspan(1)));
  }
  return !keys.empty() && keys.front() == path.front() &&
         accepts_slowly(path.subspan(1), keys.subspan(1));
}

TEST(ClpsKeyMachine, WildcardsTakeAnyNumberOfKeys) {
  EXPECT_TRUE(accepts({"a", "*", "c"}, {"a", "c"}));
  EXPECT_TRUE(accepts({"a", "*", "c"}, {"a", "x", "c", "c"}));
  EXPECT_FALSE(accepts({"a", "*", "c"}, {"b", "c"}));
  EXPECT_TRUE(accepts({"*"}, {}));
}

TEST(ClpsKeyMachine, AgreesWithTryingEveryWay) {
  std::mt19937 random(1);
  const auto pick = [&](std::size_t most, bool path) {
    std::vector<std::string> keys;
    for (std::size_t i = random() % (most + 1); i > 0; --i) {
      const std::string key(1, "abc*"[random() % (path ? 4 : 3)]);
      if (!path || key != "*" || keys.empty() || keys.back() != "*") {
        keys.push_back(key);
      }
    }
    return keys;
  };
  for (int round = 0; round < 20000; ++round) {
    const auto path = pick(6, true);
    const auto keys = pick(8, false);
    ASSERT_EQ(accepts(path, keys), accepts_slowly(path, keys))
        << testing::PrintToString(path) << testing::PrintToString(keys);
  }
}

TEST(ClpsKeyMachine, LongPathsAreRefused) {
  const std::vector<query::PathStep> steps(KeyMachine::kMostSteps + 1, {.key = "a"});
  EXPECT_EQ(KeyMachine::make(steps).error().code(), ErrorCode::BadArgument);
  EXPECT_TRUE(KeyMachine::make(std::span(steps).first(KeyMachine::kMostSteps)));
}

class ClpsFindKeys : public testing::Test {
 protected:
  // {"a":{"b":1,"":2},"list":[{"b":3}]} and @b.
  ClpsFindKeys() {
    made_.nodes = usual_roots();
    const auto add = [&](std::int32_t parent, NodeType type, std::string key) {
      made_.nodes.push_back({parent, type, std::move(key)});
      return static_cast<NodeId>(made_.nodes.size() - 1);
    };
    a_ = add(2, NodeType::Object, "a");
    b_ = add(a_, NodeType::Integer, "b");
    empty_ = add(a_, NodeType::Integer, "");
    list_ = add(2, NodeType::StructuredArray, "list");
    element_ = add(list_, NodeType::Object, "");
    list_b_ = add(element_, NodeType::Integer, "b");
    root_ = add(-1, NodeType::Object, "@");
    generated_ = add(root_, NodeType::Integer, "b");
    bytes_ = made_.build();
    archive_ = *Archive::open(as_source(bytes_));
  }
  std::vector<NodeId> reached(const std::string& key, bool arrays = true) {
    const auto path = query::parse_path(key);
    const auto machine = KeyMachine::make(path->steps);
    std::vector<NodeId> nodes;
    BudgetShare share;
    const auto hits = find_keys(*archive_, *machine, roots_of(*path), arrays, share);
    for (const KeyHit& hit : *hits) {
      if (hit.accepts) {
        nodes.push_back(hit.node);
      }
    }
    return nodes;
  }

  MadeArchive made_;
  NodeId a_, b_, empty_, list_, element_, list_b_, root_, generated_;
  std::string bytes_;
  std::shared_ptr<Archive> archive_;
};

using Nodes = std::vector<NodeId>;

TEST_F(ClpsFindKeys, ArrayLevelsAreNoKeysButEmptyKeysAre) {
  EXPECT_EQ(reached("a.b"), (Nodes{b_}));
  EXPECT_EQ(reached("a.\"\""), (Nodes{empty_}));
  EXPECT_EQ(reached("list.b"), (Nodes{list_b_}));
  EXPECT_EQ(reached("list"), (Nodes{list_, element_}));
  EXPECT_EQ(reached("list.\"\""), (Nodes{}));
}

TEST_F(ClpsFindKeys, ArraysAreEnteredOnlyIfAsked) {
  EXPECT_EQ(reached("list", false), (Nodes{list_}));
  EXPECT_EQ(reached("list.b", false), (Nodes{}));
}

TEST_F(ClpsFindKeys, NamespacesAreApart) {
  EXPECT_EQ(reached("@b"), (Nodes{generated_}));
  EXPECT_EQ(reached("@*"), (Nodes{generated_}));
  EXPECT_EQ(reached("*.b"), (Nodes{b_, list_b_}));
  EXPECT_EQ(reached("*"), (Nodes{a_, b_, empty_, list_, element_, list_b_, generated_}));
  EXPECT_EQ(reached("!b"), (Nodes{}));
}

}  // namespace
}  // namespace fonds::clps
