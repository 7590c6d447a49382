#include "format/lines/searching/line_sieve.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/error.hpp>

namespace fonds::lines {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> picked(const query::NeededTexts& needed, std::string_view text,
                                bool learn) {
  LineSieve sieve(needed);
  if (learn) {
    sieve.learn(text);
  }
  std::vector<std::string> lines;
  const Status status = sieve.for_each(text, [&](std::size_t begin, std::size_t end) -> Status {
    lines.emplace_back(text.substr(begin, end - begin));
    return {};
  });
  EXPECT_TRUE(status.has_value());
  return lines;
}

TEST(LineSieve, WithoutClausesGivesEveryLine) {
  EXPECT_THAT(picked({}, "a\n\nb", true), ElementsAre("a", "", "b"));
  EXPECT_THAT(picked({}, "", true), IsEmpty());
}

TEST(LineSieve, GivesLinesWithAllClausesAndThoseThatMayHideThem) {
  const query::NeededTexts needed = {.clauses = {{"one", "two"}, {"key"}}};
  EXPECT_THAT(picked(needed, "one\nkey one\ntwo key two\n\\u0041\n\\\\u\nkey\none", true),
              ElementsAre("key one", "two key two", "\\u0041"));
}

TEST(LineSieve, AnErrorEndsIt) {
  LineSieve sieve({});
  int calls = 0;
  const Status status = sieve.for_each(std::string_view("a\nb\n"), [&](std::size_t, std::size_t) {
    ++calls;
    return Status(fail(ErrorCode::Cancelled, "enough"));
  });
  EXPECT_FALSE(status.has_value());
  EXPECT_EQ(calls, 1);
}

TEST(LineSieve, PicksTheSameAsLookingAtEachLine) {
  std::mt19937 random(3);  // NOLINT(bugprone-random-generator-seed,cert-msc32-c,cert-msc51-cpp)
  const auto text_of = [&](std::size_t length, std::string_view letters) {
    std::string text;
    while (text.size() < length) {
      text += letters[random() % letters.size()];
    }
    return text;
  };
  for (int round = 0; round < 300; ++round) {
    const std::string text = text_of(random() % 300, "abc\\u/\n");
    const query::NeededTexts needed = {
        .clauses = {{text_of(1 + random() % 3, "abc"), text_of(1 + random() % 3, "abc")},
                    {text_of(1, "abc")}}};
    std::vector<std::string> wanted;
    for (const std::string& line : picked({}, text, false)) {
      const auto holds = [&](const std::string& needle) {
        return line.find(needle) != std::string::npos;
      };
      const bool all = (holds(needed.clauses[0][0]) || holds(needed.clauses[0][1])) &&
                       holds(needed.clauses[1][0]);
      if (all || query::may_hide(line)) {
        wanted.push_back(line);
      }
    }
    EXPECT_EQ(picked(needed, text, false), wanted) << text;
    EXPECT_EQ(picked(needed, text, true), wanted) << text;
  }
}

}  // namespace
}  // namespace fonds::lines
