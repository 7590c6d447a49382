#include "query/path_text.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

class PathText : public testing::TestWithParam<std::string> {};

// As the path of a query, alone, behind a key and before one.
TEST_P(PathText, IsReadAsTheKeysItWasMadeOf) {
  const std::string_view key = GetParam();
  const std::vector<std::vector<std::string_view>> paths = {{key}, {"a", key}, {key, "b"}};
  for (const std::vector<std::string_view>& keys : paths) {
    const std::string text = path_text("", keys);
    const auto query = parse(text + ": 1");
    ASSERT_TRUE(query.has_value()) << text;
    ASSERT_EQ(query->root.kind, Node::Kind::Filter) << text;
    const Path& path = query->root.filter.path;
    EXPECT_EQ(path.space, Namespace::User) << text;
    ASSERT_EQ(path.steps.size(), keys.size()) << text;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      EXPECT_EQ(path.steps[i].key, keys[i]) << text;
      EXPECT_FALSE(path.steps[i].wildcard) << text;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, PathText,
                         testing::Values("", "*", "a b", "a:b", "@at", "$d", "!b", "#h", "not",
                                         "OR", "And", "nothing", "a.b", "\"", "\\", "{}", "(x)",
                                         "<>", "a\tb", "a\nb", "?", "a*", "ü", "1", "true",
                                         "null"));

}  // namespace
}  // namespace fonds::query
