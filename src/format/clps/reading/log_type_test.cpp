#include "format/clps/reading/log_type.hpp"

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_paths.hpp"

namespace fonds::clps {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// The log type with its placeholders as <i>, <d>, <f> and <?>, and "!" behind it if malformed.
std::string shown(std::string_view stored, Generation generation) {
  bool malformed = false;
  const LogType type = LogType::parse(stored, generation, malformed);
  EXPECT_EQ(type.variables(), count_placeholders(stored, generation));
  std::string text;
  for (const Segment& segment : type.segments()) {
    text += type.literal(segment);
    switch (segment.placeholder) {
      case Placeholder::Integer:
        text += "<i>";
        break;
      case Placeholder::Dictionary:
        text += "<d>";
        break;
      case Placeholder::Float:
        text += "<f>";
        break;
      case Placeholder::IntegerOrDictionary:
        text += "<?>";
        break;
    }
  }
  text += type.tail();
  return malformed ? text + "!" : text;
}

std::string float_text(std::uint64_t word, Generation generation) {
  std::string text = "x";
  return append_float(word, generation, text) ? text.substr(1) : "invalid" + text.substr(1);
}

TEST(ClpsLogType, FindsPlaceholders) {
  EXPECT_EQ(shown("took \x13 ms \x12 x", Generation::New), "took <f> ms <d> x");
  EXPECT_EQ(shown("\x11", Generation::New), "<i>");
  EXPECT_EQ(shown("\x11\x11", Generation::New), "<i><i>");
  EXPECT_EQ(shown("", Generation::New), "");
  EXPECT_EQ(shown("no variable", Generation::New), "no variable");
}

TEST(ClpsLogType, HadOtherPlaceholdersBefore040) {
  EXPECT_EQ(shown("a \x11 b \x12 c \x13", Generation::Old), "a <?> b <f> c \x13");
}

TEST(ClpsLogType, TakesEscapedBytesLiterally) {
  EXPECT_EQ(shown("\\\x11 \\\x12 \\\x13 \\\\ \x11", Generation::New), "\x11 \x12 \x13 \\ <i>");
  EXPECT_EQ(shown("\\\\\x11", Generation::New), "\\<i>");
  EXPECT_EQ(shown("\\x", Generation::New), "x");
  EXPECT_EQ(shown("\\\x13", Generation::Old), "\x13");
}

TEST(ClpsLogType, IsMalformedIfItEndsInAnEscape) {
  EXPECT_EQ(shown("a \x11\\", Generation::New), "a <i>!");
  EXPECT_EQ(shown("\\", Generation::Old), "!");
  EXPECT_EQ(shown("a\\\\", Generation::New), "a\\");
}

struct ClpsFloatWordCase {
  const char* text;
  std::uint64_t word;
};

class ClpsFloatWord : public testing::TestWithParam<ClpsFloatWordCase> {};

TEST_P(ClpsFloatWord, IsItsText) {
  EXPECT_EQ(float_text(GetParam().word, Generation::New), GetParam().text);
  const SplitVariable variable = encode_variable(GetParam().text, Generation::New);
  EXPECT_EQ(variable.placeholder, Placeholder::Float);
  EXPECT_EQ(variable.word, GetParam().word);
}

INSTANTIATE_TEST_SUITE_P(
    AsTheToolWroteThem, ClpsFloatWord,
    testing::Values(ClpsFloatWordCase{"2.50", 0xFA21},
                    ClpsFloatWordCase{"-0.5", 0x8000000000000510}, ClpsFloatWordCase{".5", 0x500},
                    ClpsFloatWordCase{"0.0", 0x10}, ClpsFloatWordCase{"00.10", 0xA31},
                    ClpsFloatWordCase{"-12.345", 0x8000000000303942},
                    ClpsFloatWordCase{"9999999999.999999", 0x2386F26FC0FFFFF5}));

TEST(ClpsFloatWord, HadOtherBitsBefore040) {
  EXPECT_EQ(float_text(0x10800000000000FA, Generation::Old), "2.50");
  EXPECT_EQ(encode_variable("2.50", Generation::Old).word, 0x10800000000000FAU);
  EXPECT_EQ(encode_variable("-0.5", Generation::Old).word, 0x8800000000000005U);
}

TEST(ClpsFloatWord, IsInvalidWithMoreDecimalsThanDigits) {
  EXPECT_EQ(float_text(0x0129, Generation::New), "invalid");
  EXPECT_EQ(float_text(0x0080000000000001, Generation::Old), "invalid");
}

TEST(ClpsFloatWord, IsInvalidWithMoreDigitsThanItSays) {
  EXPECT_EQ(float_text(std::uint64_t{99} << 8 | 0x10, Generation::New), "9.9");
  EXPECT_EQ(float_text(std::uint64_t{100} << 8 | 0x10, Generation::New), "invalid");
  EXPECT_EQ(float_text(std::uint64_t{10000000000000000} << 8 | 0xF0, Generation::New), "invalid");
}

TEST(ClpsFloatWord, ComesBackFromItsTextIfItIsValid) {
  std::mt19937_64 random(1);
  for (const Generation generation : {Generation::Old, Generation::New}) {
    const std::uint64_t unused = std::uint64_t{1} << (generation == Generation::Old ? 54 : 62);
    for (int i = 0; i < 20000; ++i) {
      const std::uint64_t word = random() >> (random() % 64) << (random() % 64) & ~unused;
      const std::string text = float_text(word, generation);
      if (text != "invalid") {
        const SplitVariable back = encode_variable(text, generation);
        EXPECT_EQ(back.placeholder, Placeholder::Float) << text;
        EXPECT_EQ(back.word, word) << text;
      }
    }
  }
}

TEST(ClpsVariable, IsAnIdFrom2To62OnBefore040) {
  const std::int64_t first = std::int64_t{1} << 62;
  EXPECT_EQ(dictionary_id(first), 0U);
  EXPECT_EQ(dictionary_id(first + 7), 7U);
  EXPECT_EQ(dictionary_id(first - 1), std::nullopt);
  EXPECT_EQ(dictionary_id(-1), std::nullopt);
  EXPECT_EQ(dictionary_id(kMin), std::nullopt);
  EXPECT_EQ(dictionary_id(kMax), std::nullopt);
  EXPECT_EQ(dictionary_id(kMax - 1), static_cast<std::uint64_t>(first) - 2);
  EXPECT_EQ(old_dictionary_variable(7), first + 7);
}

TEST(ClpsVariable, AppendsIntegers) {
  std::string text = "x";
  append_integer(kMin, text);
  append_integer(kMax, text);
  EXPECT_EQ(text, "x-92233720368547758089223372036854775807");
}

struct ClpsTokenCase {
  const char* token;
  Placeholder placeholder;
};

class ClpsToken : public testing::TestWithParam<ClpsTokenCase> {};

TEST_P(ClpsToken, IsThisKindOfVariable) {
  EXPECT_EQ(encode_variable(GetParam().token, Generation::New).placeholder, GetParam().placeholder);
}

INSTANTIATE_TEST_SUITE_P(Integers, ClpsToken,
                         testing::Values(ClpsTokenCase{"0", Placeholder::Integer},
                                         ClpsTokenCase{"-1", Placeholder::Integer},
                                         ClpsTokenCase{"9223372036854775807", Placeholder::Integer},
                                         ClpsTokenCase{"-9223372036854775808",
                                                       Placeholder::Integer}));
INSTANTIATE_TEST_SUITE_P(Floats, ClpsToken,
                         testing::Values(ClpsTokenCase{"-.5", Placeholder::Float},
                                         ClpsTokenCase{"1234567890.123456", Placeholder::Float}));
INSTANTIATE_TEST_SUITE_P(
    Others, ClpsToken,
    testing::Values(
        ClpsTokenCase{"-0", Placeholder::Dictionary}, ClpsTokenCase{"+1", Placeholder::Dictionary},
        ClpsTokenCase{"007", Placeholder::Dictionary},
        ClpsTokenCase{"9223372036854775808", Placeholder::Dictionary},
        ClpsTokenCase{"-9223372036854775809", Placeholder::Dictionary},
        ClpsTokenCase{"5.", Placeholder::Dictionary}, ClpsTokenCase{"1e5", Placeholder::Dictionary},
        ClpsTokenCase{"1.2.3", Placeholder::Dictionary},
        ClpsTokenCase{"-", Placeholder::Dictionary}, ClpsTokenCase{"", Placeholder::Dictionary},
        ClpsTokenCase{"--1", Placeholder::Dictionary}, ClpsTokenCase{".", Placeholder::Dictionary},
        ClpsTokenCase{"12345678901.234567", Placeholder::Dictionary}));

TEST(ClpsToken, IsNoIntegerFrom2To62OnBefore040) {
  EXPECT_EQ(encode_variable("4611686018427387903", Generation::Old).placeholder,
            Placeholder::Integer);
  EXPECT_EQ(encode_variable("4611686018427387904", Generation::Old).placeholder,
            Placeholder::Dictionary);
  EXPECT_EQ(encode_variable("4611686018427387904", Generation::New).placeholder,
            Placeholder::Integer);
}

// The log type and the variables' texts, all joined by "|".
std::string split(std::string_view text, Generation generation) {
  std::string joined;
  std::vector<SplitVariable> variables;
  split_text(text, generation, joined, variables);
  for (const SplitVariable& variable : variables) {
    joined += "|";
    joined += variable.text;
  }
  return joined;
}

TEST(ClpsSplit, EndsTokensAtEveryOtherByte) {
  EXPECT_EQ(split("a:1,b\xC3\xA9"
                  "2",
                  Generation::New),
            "a:\x11,b\xC3\xA9\x11|1|2");
  EXPECT_EQ(split("x1_+-.\\Z y", Generation::New), "\x12 y|x1_+-.\\Z");
}

TEST(ClpsSplit, HeldASlashForPartOfATokenBefore040) {
  EXPECT_EQ(split("a/b1/c d/e", Generation::Old), "\x11 d/e|a/b1/c");
  EXPECT_EQ(split("a/b1/c d/e", Generation::New), "a/\x12/c d/e|b1");
}

TEST(ClpsSplit, TakesLettersBehindAnEqualsSign) {
  EXPECT_EQ(split("a=b ==c =- =.x", Generation::New), "a=\x12 ==\x12 =- =\x12|b|c|.x");
}

TEST(ClpsSplit, TakesTwoHexadecimalDigits) {
  EXPECT_EQ(split("beef a be fg", Generation::New), "\x12 a \x12 fg|beef|be");
}

TEST(ClpsSplit, EscapesWhatLooksLikeAPlaceholder) {
  EXPECT_EQ(split("c:\\dir \x11\x12\x13", Generation::New), "c:\\\\dir \\\x11\\\x12\\\x13");
  EXPECT_EQ(split("\x11\x12\x13", Generation::Old), "\\\x11\\\x12\x13");
}

// The text of a string that was split: its log type and variables put together again.
std::string joined(const std::string& log_type, const std::vector<SplitVariable>& variables,
                   Generation generation) {
  bool malformed = false;
  const LogType type = LogType::parse(log_type, generation, malformed);
  EXPECT_FALSE(malformed);
  EXPECT_EQ(type.variables(), variables.size());
  std::string text;
  for (std::size_t i = 0; i < type.variables(); ++i) {
    text += type.literal(type.segments()[i]);
    if (variables[i].placeholder == Placeholder::Dictionary) {
      text += variables[i].text;
    } else if (variables[i].placeholder == Placeholder::Integer) {
      append_integer(static_cast<std::int64_t>(variables[i].word), text);
    } else {
      EXPECT_TRUE(append_float(variables[i].word, generation, text));
    }
  }
  text += type.tail();
  return text;
}

TEST(ClpsSplit, SplitsAsTheToolDoes) {
  std::ifstream file(FONDS_TEST_DATA "/clps/values/strings.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const auto row = nlohmann::json::parse(line);
    const auto text = row[0].get<std::string>();
    std::string log_type;
    std::vector<SplitVariable> variables;
    split_text(text, Generation::New, log_type, variables);
    EXPECT_EQ(log_type, row[1].get<std::string>()) << row;
    nlohmann::json encoded = nlohmann::json::array();
    for (const SplitVariable& variable : variables) {
      if (variable.placeholder == Placeholder::Dictionary) {
        encoded.push_back(variable.text);
      } else {
        encoded.push_back(variable.word);
      }
    }
    EXPECT_EQ(encoded, row[2]) << row;
  }
  EXPECT_GT(count, 200U);
}

TEST(ClpsSplit, KeepsEveryByte) {
  std::mt19937 random(1);
  const std::string_view alphabet = "0123456789.-+=abz/\\ \x11\x12\x13:\xC3\xA9";
  for (const Generation generation : {Generation::Old, Generation::New}) {
    for (int i = 0; i < 5000; ++i) {
      std::string text(random() % 40, ' ');
      for (char& c : text) {
        c = alphabet[random() % alphabet.size()];
      }
      std::string log_type;
      std::vector<SplitVariable> variables;
      split_text(text, generation, log_type, variables);
      EXPECT_EQ(joined(log_type, variables, generation), text);
    }
  }
}

}  // namespace
}  // namespace fonds::clps
