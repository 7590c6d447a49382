#include "base/byte_finder.hpp"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/text.hpp"

namespace fonds {
namespace {

TEST(ByteFinder, FindsWhatStandsAtEitherEnd) {
  const ByteFinder finder("needle");
  EXPECT_EQ(finder.find("needle"), 0U);
  EXPECT_EQ(finder.find(std::string(100, 'n') + "needle"), 100U);
  EXPECT_EQ(finder.find("needl"), ByteFinder::npos);
  EXPECT_EQ(finder.find("needle needle", 1), 7U);
  EXPECT_EQ(finder.find("needle", 7), ByteFinder::npos);
}

TEST(ByteFinder, AnEmptyTextIsNowhere) { EXPECT_EQ(ByteFinder("").find("abc"), ByteFinder::npos); }

TEST(ByteFinder, IgnoresTheCaseOfLettersOnly) {
  const ByteFinder finder("a@[k", true);
  EXPECT_EQ(finder.find("xxA@[Kxx"), 2U);
  EXPECT_EQ(finder.find(std::string(40, '`') + "A`{K"), ByteFinder::npos);
}

TEST(ByteFinder, AgreesWithALoopOnRandomTexts) {
  std::mt19937 random(1);
  const auto text_of = [&](std::size_t length, bool lower) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) {
      const char c = "abAB0\xC3 "[random() % 7];
      text += lower ? to_lower(c) : c;
    }
    return text;
  };
  for (int round = 0; round < 8000; ++round) {
    const bool ignore_case = random() % 2 == 0;
    const std::string in = text_of(random() % 300, false);
    const std::string wanted = text_of(1 + random() % 5, ignore_case);
    const std::size_t from = random() % 10;
    const std::string searched = ignore_case ? to_lower(in) : in;
    ASSERT_EQ(ByteFinder(wanted, ignore_case).find(in, from), searched.find(wanted, from))
        << in << " for " << wanted;
  }
}

}  // namespace
}  // namespace fonds
