#include "ops/field_tree.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::ops {
namespace {

using testing::HasSubstr;

std::string json_of(const FieldTree& tree) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  tree.append_to(json);
  json.end_object();
  return text;
}

TEST(FieldTree, KeysAreIndentedBelowWhatEnclosesThem) {
  FieldTree tree;
  tree.take({.path = "ctx", .key = "ctx", .type = "object", .depth = 0, .events = 3});
  tree.take(
      {.path = "ctx.id", .key = "id", .type = "integer", .depth = 1, .leaf = true, .events = 2});
  EXPECT_EQ(tree.text(),
            "    ctx                                  object                 3\n"
            "      id                                 integer                2\n");
  EXPECT_EQ(json_of(tree), R"({"fields":[{"field":"ctx.id","type":"integer","records":2}]})");
}

TEST(FieldTree, ElementsOfArraysAndEmptyKeysAreTold) {
  FieldTree tree;
  tree.take({.path = "a", .key = "a", .type = "array", .depth = 0, .events = 1});
  tree.take({.path = "a", .key = "", .type = "string", .depth = 1, .leaf = true, .events = 1});
  tree.take({.path = R"("")", .key = "", .type = "null", .depth = 0, .leaf = true, .events = 1});
  EXPECT_THAT(tree.text(), HasSubstr("\n      [] "));
  EXPECT_THAT(tree.text(), HasSubstr("\n    \"\" "));
}

TEST(FieldTree, ControlCharactersAreEscaped) {
  FieldTree tree;
  tree.take({.path = "a\x1b", .key = "a\x1b", .type = "string", .leaf = true, .events = 1});
  EXPECT_THAT(tree.text(), HasSubstr("a\\x1b"));
}

TEST(FieldTree, OfMoreKeysThanAnybodyReadsTheFirstAreShown) {
  FieldTree tree;
  for (int i = 0; i < 10'003; ++i) {
    tree.take({.path = "a", .key = "a", .type = "string", .leaf = true, .events = 1});
  }
  EXPECT_EQ(tree.left_out(), 3U);
  EXPECT_THAT(json_of(tree), HasSubstr("\"fields_left_out\":3"));
}

TEST(FieldTree, DepthIsBounded) {
  FieldTree tree;
  const std::string long_path(1000, 'x');
  for (std::size_t depth = 0; depth < 100'000; ++depth) {
    tree.take({.path = long_path, .key = "k", .type = "object", .depth = depth, .events = 1});
  }
  EXPECT_EQ(tree.left_out(), 100'000U - 64U);
}

}  // namespace
}  // namespace fonds::ops
