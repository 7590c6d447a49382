#include "ops/describe.hpp"

#include <string>

#include <gtest/gtest.h>

#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

TEST(FlatAttributes, HaveDottedNamesInsideObjects) {
  FlatAttributes flat;
  flat.text("type", "response");
  flat.begin_object("http");
  flat.number("status", 404);
  flat.text("content_type", "text/html");
  flat.end_object();
  flat.number("size", 7);
  EXPECT_EQ(flat.get("type"), "response");
  EXPECT_EQ(flat.get("http.status"), "404");
  EXPECT_EQ(flat.get("http.content_type"), "text/html");
  EXPECT_EQ(flat.get("size"), "7");
  EXPECT_EQ(flat.get("status"), "");
}

TEST(FlatAttributes, JoinListsWithBlanks) {
  FlatAttributes flat;
  flat.begin_list("headers");
  for (const char* name : {"A", "B"}) {
    flat.begin_list({});
    flat.text({}, name);
    flat.number({}, 1);
    flat.end_list();
  }
  flat.end_list();
  flat.text("after", "x");
  EXPECT_EQ(flat.get("headers"), "A 1 B 1");
  EXPECT_EQ(flat.get("after"), "x");
}

TEST(FlatAttributes, FirstValueOfANameCountsAndClearForgets) {
  FlatAttributes flat;
  flat.text("id", "first");
  flat.text("id", "second");
  EXPECT_EQ(flat.get("id"), "first");
  flat.clear();
  EXPECT_EQ(flat.get("id"), "");
}

TEST(AppendJson, GivesOneObjectALineWithTheNumberFilledIn) {
  const std::string stored = testing_ops::plain(
      {{.type = "odd \"type\"", .id = "urn:1", .block = "one"}, {.id = "urn:2"}});
  testing_ops::Given given;
  ListOptions options;
  options.json = true;
  ASSERT_TRUE(list(*open_archive(testing_codec::mapped(stored)), options, testing_ops::into(given))
                  .has_value());
  EXPECT_TRUE(given.text.starts_with(R"({"archive":"<memory>","index":0,"offset":0,)"))
      << given.text;
  EXPECT_NE(given.text.find(R"("length":3,)"), std::string::npos);
  EXPECT_NE(given.text.find(R"("type":"odd \"type\"")"), std::string::npos);
  EXPECT_NE(given.text.find("}\n{\"archive\":\"<memory>\",\"index\":1,"), std::string::npos);
}

TEST(List, ShowsControlCharactersOfArchivesEscaped) {
  const std::string stored = testing_ops::plain({{.id = "urn:\x1b[31m", .uri = "http://a/\tb"}});
  testing_ops::Given given;
  ListOptions options;
  options.fields = {"index", "id", "uri", "nothing"};
  ASSERT_TRUE(list(*open_archive(testing_codec::mapped(stored)), options, testing_ops::into(given))
                  .has_value());
  EXPECT_EQ(given.text, "0\turn:\\x1b[31m\thttp://a/\\x09b\t-\n");
}

}  // namespace
}  // namespace fonds::ops
