#include "format/clps/searching/compat_text.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/clps/reading/log_type.hpp"
#include "format/clps/searching/search_testing.hpp"

namespace fonds::clps::compat {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace testing_archive;  // NOLINT(google-build-using-namespace)

// Texts in a column, split as a writer does.
class ClpsCompatText : public testing::Test {
 protected:
  void hold(const std::vector<std::string>& texts) {
    made_ = MadeArchive();
    made_.nodes = usual_roots();
    made_.nodes.push_back({2, NodeType::ClpString, "s"});
    made_.schemas = {{{1, 3}, {}}};
    std::vector<std::uint64_t> order, cells, variables;
    for (const std::string& text : texts) {
      std::string log_type;
      std::vector<SplitVariable> split;
      split_text(text, Generation::New, log_type, split);
      order.push_back(order.size());
      cells.push_back(place_of(made_.log_types, log_type) | variables.size() << 24);
      for (const SplitVariable& variable : split) {
        variables.push_back(variable.placeholder == Placeholder::Dictionary
                                ? place_of(made_.variables, std::string(variable.text))
                                : variable.word);
      }
    }
    made_.tables = {
        {0, texts.size(),
         differences(order) + words(cells) + word(variables.size()) + words(variables)}};
  }

  // The places of the texts that are found.
  std::vector<std::size_t> found(std::string_view value, bool ignore_case = false) {
    query::ParseOptions options{.meaning = query::Meaning::ClpS, .ignore_case = ignore_case};
    const Searched matches = search_in(made_.build(), "s: " + std::string(value), {}, options);
    EXPECT_EQ(matches.error, "");
    const std::string all = read_all(made_.build()).text;
    std::vector<std::size_t> places;
    std::size_t place = 0;
    for (std::size_t at = 0; at < all.size(); at = all.find('\n', at) + 1, ++place) {
      const std::string line = all.substr(at, all.find('\n', at) + 1 - at);
      if (matches.text.find(line) != std::string::npos) {
        places.push_back(place);
      }
    }
    return places;
  }

 private:
  static std::uint64_t place_of(std::vector<std::string>& entries, const std::string& entry) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (entries[i] == entry) {
        return i;
      }
    }
    entries.push_back(entry);
    return entries.size() - 1;
  }

  MadeArchive made_;
};

TEST_F(ClpsCompatText, FindsWholeTextsWithTheirVariables) {
  hold({"took 125 ms", "took 12.5 ms", "took 1x5 ms", "took ms", "ms 125 took"});
  EXPECT_THAT(found("\"took 125 ms\""), ElementsAre(0));
  EXPECT_THAT(found("\"took 12.5 ms\""), ElementsAre(1));
  EXPECT_THAT(found("\"took 1x5 ms\""), ElementsAre(2));
  EXPECT_THAT(found("\"took 1x6 ms\""), IsEmpty());
  EXPECT_THAT(found("\"took ms\""), ElementsAre(3));
  EXPECT_THAT(found("\"took *\""), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(found("\"*125*\""), ElementsAre(0, 4));
  EXPECT_THAT(found("\"TOOK 1X5 ms\"", true), ElementsAre(2));
}

TEST_F(ClpsCompatText, MissesNumbersOfWhichAWildcardTakesTheInside) {
  hold({"took 125 ms", "took 1x5 ms", "at 1.25 s"});
  EXPECT_THAT(found("\"took 1?5 ms\""), ElementsAre(1));
  EXPECT_THAT(found("\"took 1*5 ms\""), ElementsAre(1));
  EXPECT_THAT(found("\"at 1*2* s\""), IsEmpty());
  EXPECT_THAT(found("\"took ?25 ms\""), ElementsAre(0));
}

TEST_F(ClpsCompatText, TakesMarksAtTheEdgeOfConstantTokensForAnything) {
  hold({"yz w", "xyz w", "xxyz w", "took 125 ms", "took 1.5 ms", "took x ms"});
  EXPECT_THAT(found("\"?yz w\""), ElementsAre(0, 1, 2));
  EXPECT_THAT(found("\"yz?? w\""), ElementsAre(0));
  EXPECT_THAT(found("\"took ??? ms\""), ElementsAre(3, 4, 5));
  EXPECT_THAT(found("\"took 12? ms\""), ElementsAre(3));
}

TEST_F(ClpsCompatText, TakesLettersBehindAnEqualsSignForAVariable) {
  hold({"user=bob x", "user=bobby x", "user= bob x"});
  EXPECT_THAT(found("\"user=bob x\""), ElementsAre(0));
  EXPECT_THAT(found("\"user=bob* x\""), ElementsAre(0, 1));
  EXPECT_THAT(found("\"user=* x\""), ElementsAre(0, 1, 2));
}

TEST_F(ClpsCompatText, LosesBackslashesBeforeWildcards) {
  hold({"x\\y z", "x\\ z", "\x11 7", "a \x11"});
  EXPECT_THAT(found("\"x\\\\y z\""), ElementsAre(0));
  EXPECT_THAT(found("\"x\\\\* z\""), IsEmpty());
  EXPECT_THAT(found("\"\\u0011 7\""), IsEmpty());
  EXPECT_THAT(found("\"a \\u0011\""), ElementsAre(3));
}

TEST_F(ClpsCompatText, LooksAtEveryTextForTooManyReadings) {
  hold({"a b", "xax xbx"});
  std::string pattern = "\"";
  for (int i = 0; i < 30; ++i) {
    pattern += "*a* *b* ";
  }
  EXPECT_THAT(found(pattern + "*\""), IsEmpty());
  EXPECT_THAT(found("\"*a* *b*\""), ElementsAre(0, 1));
}

}  // namespace
}  // namespace fonds::clps::compat
