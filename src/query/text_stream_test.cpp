#include "query/text_stream.hpp"

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

using State = TextStream::State;

Filter filter_of(const std::string& query) { return parse("k" + query)->root.filter; }

// Asks one filter, which a text of these pieces decides.
State state_of(const std::string& query, const std::vector<std::string>& pieces,
               bool ignore_case = false) {
  const Filter filter = filter_of(query);
  TextStream stream({&filter}, {.ignore_case = ignore_case});
  stream.start();
  for (const std::string& piece : pieces) {
    stream.feed(piece);
  }
  stream.finish();
  return stream.state(0);
}

TEST(TextStream, FindsWhatPiecesShare) {
  EXPECT_EQ(state_of(": *needle*", {"a nee", "dle b"}), State::Matched);
  EXPECT_EQ(state_of(": *needle*", {"a n", "e", "e", "d", "", "le"}), State::Matched);
  EXPECT_EQ(state_of(": *needle*", {"a nee", "d b le"}), State::Failed);
  EXPECT_EQ(state_of(": *nnee*", {"nn", "n", "ee"}), State::Matched);
  EXPECT_EQ(state_of(": *ab*ab*", {"a", "bab"}), State::Matched);
  EXPECT_EQ(state_of(": *ab*ba*", {"ab", "a"}), State::Failed);
  EXPECT_EQ(state_of(": a*b*c", {"a", "bb", "c"}), State::Matched);
  EXPECT_EQ(state_of(": *ab*ba", {"a", "b", "a"}), State::Failed);
}

TEST(TextStream, WithoutWildcardsTheWholeTextIsCompared) {
  EXPECT_EQ(state_of(": word", {"wo", "rd"}), State::Matched);
  EXPECT_EQ(state_of(": word", {"wo", "rd", "s"}), State::Failed);
  EXPECT_EQ(state_of(": word", {"wo"}), State::Failed);
  EXPECT_EQ(state_of(": \"\"", {}), State::Matched);
  EXPECT_EQ(state_of(": \"\"", {"", " "}), State::Failed);
  EXPECT_EQ(state_of(": 42", {"4", "2"}), State::Matched);
  EXPECT_EQ(state_of(": 42", {"42.0"}), State::Failed);
}

TEST(TextStream, OneMarkTakesACharacterThatPiecesShare) {
  EXPECT_EQ(state_of(": a?b", {"a\xf0", "\x9f\x98", "\x80", "b"}), State::Matched);
  EXPECT_EQ(state_of(": a?b", {"a\xf0", "\x9f\x98", "b"}), State::Failed);
  EXPECT_EQ(state_of(": a???b", {"a\xf0", "\x9f\x98", "b"}), State::Matched);
  EXPECT_EQ(state_of(": *x?", {"x\xc3", "\xa9"}), State::Matched);
  EXPECT_EQ(state_of(": *x?", {"x\xc3"}), State::Matched);
  EXPECT_EQ(state_of(": *a?b*", {"aa", "xb", "q"}), State::Matched);
}

TEST(TextStream, FoldsCharactersThatPiecesShare) {
  EXPECT_EQ(state_of(": *caf\u00e9*", {"un CAF\xc3", "\x89 noir"}, true), State::Matched);
  EXPECT_EQ(state_of(": *kelvin*",
                     {"\xe2", "\x84",
                      "\xaa"
                      "elvin"},
                     true),
            State::Matched);
  EXPECT_EQ(state_of(": *caf\u00e9*", {"un CAF\xc3", "\x89 noir"}), State::Failed);
}

TEST(TextStream, IsDecidedAsSoonAsNothingCanChange) {
  const Filter exact = filter_of(": word");
  const Filter part = filter_of(": *word*");
  const Filter start = filter_of(": wo*");
  const Filter end = filter_of(": *rd");
  TextStream stream({&exact, &part, &start, &end}, {});
  stream.start();
  EXPECT_TRUE(stream.feed("wo"));
  EXPECT_EQ(stream.state(2), State::Matched);
  EXPECT_TRUE(stream.feed("rds"));
  EXPECT_EQ(stream.state(0), State::Failed);
  EXPECT_EQ(stream.state(1), State::Matched);
  EXPECT_EQ(stream.state(3), State::Undecided);
  EXPECT_FALSE(stream.decided());
  stream.finish();
  EXPECT_EQ(stream.state(3), State::Failed);
  EXPECT_TRUE(stream.decided());

  stream.start();
  EXPECT_TRUE(stream.feed("lord"));
  stream.finish();
  EXPECT_EQ(stream.state(0), State::Failed);
  EXPECT_EQ(stream.state(3), State::Matched);
}

TEST(TextStream, FiltersThatLookAtNoTextAreDecidedBeforeIt) {
  const Filter any = filter_of(": *");
  const Filter range = filter_of(" > 5");
  const Filter time = filter_of(": timestamp(\"2024-03-01T00:00:00Z\")");
  TextStream stream({&any, &range, &time}, {});
  stream.start();
  EXPECT_TRUE(stream.decided());
  EXPECT_EQ(stream.state(0), State::Matched);
  EXPECT_EQ(stream.state(1), State::Failed);
  EXPECT_EQ(stream.state(2), State::Failed);
}

std::string random_text(std::mt19937& random, const std::vector<std::string>& letters,
                        std::size_t most) {
  std::string text;
  for (std::size_t left = random() % (most + 1); left > 0; --left) {
    text += letters[random() % letters.size()];
  }
  return text;
}

// A pattern as a literal has it, without the parser.
Filter random_filter(std::mt19937& random) {
  Filter filter;
  filter.path.steps.push_back({.wildcard = false, .key = "k"});
  filter.literal.pattern =
      random_text(random, {"a", "b", "ab", "\u00e9", "K", "*", "*", "*", "?", "\\*", "\\\\"}, 9);
  return filter;
}

class TextStreamLaw : public testing::TestWithParam<bool> {};

TEST_P(TextStreamLaw, AnswersAsTheWholeTextWould) {
  const ParseOptions options{.ignore_case = GetParam()};
  std::mt19937 random(7);
  for (int i = 0; i < 6000; ++i) {
    const std::vector<Filter> filters = {random_filter(random), random_filter(random)};
    TextStream stream({&filters[0], &filters[1]}, options);
    const std::string text = random_text(random,
                                         {"a", "a", "b", "B", "ab", "\u00e9", "\u00c9", "\u212a",
                                          "k", "*", "\\", "\xc3", "\xa9", "\xf0\x9f", "\xe2\x84"},
                                         14);
    stream.start();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = random() % 5;
      stream.feed(std::string_view(text).substr(at, size));
      at += size;
    }
    stream.finish();
    for (std::size_t k = 0; k < filters.size(); ++k) {
      const bool whole = ValueMatch(filters[k], options).text(text);
      ASSERT_EQ(stream.state(k), whole ? State::Matched : State::Failed)
          << "pattern " << *filters[k].literal.pattern << " text " << testing::PrintToString(text);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, TextStreamLaw, testing::Bool(),
                         [](const auto& given) { return given.param ? "Folded" : "AsWritten"; });

// Blocks are cut for the cache; what stands across a cut is found all the same.
TEST(TextStream, FindsWhatLongPiecesHoldAnywhere) {
  for (const bool ignore_case : {false, true}) {
    for (const std::size_t before : {std::size_t{16376}, std::size_t{16383}, std::size_t{32763}}) {
      const std::string text =
          std::string(before, '.') + "\u00e9ne\u00e9dle" + std::string(20000, '.');
      EXPECT_EQ(state_of(": *\u00e9ne?dle*", {text}, ignore_case), State::Matched) << before;
      EXPECT_EQ(state_of(": *\u00e9needle*", {text}, ignore_case), State::Failed) << before;
    }
  }
}

}  // namespace
}  // namespace fonds::query
