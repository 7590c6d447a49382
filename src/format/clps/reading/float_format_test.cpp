#include "format/clps/reading/float_format.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_paths.hpp"

namespace fonds::clps {
namespace {

std::vector<nlohmann::json> rows_of(const std::string& name) {
  std::ifstream file(FONDS_TEST_DATA "/clps/values/" + name);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(nlohmann::json::parse(line));
  }
  return rows;
}

std::string formatted(double value, std::uint16_t word) {
  std::string text;
  print_formatted_float(value, word, text);
  return text;
}

std::string plain(double value) {
  std::string text;
  print_plain_float(value, text);
  return text;
}

TEST(ClpsFloatFormat, PrintsWhatTheToolPrints) {
  const auto rows = rows_of("floats-printed.jsonl");
  ASSERT_GT(rows.size(), 200U);
  for (const auto& row : rows) {
    const auto value =
        std::bit_cast<double>(std::uint64_t{std::stoull(row[0].get<std::string>(), nullptr, 16)});
    const auto word = row[1].get<std::uint16_t>();
    EXPECT_TRUE(valid_float_format(word)) << row;
    EXPECT_EQ(formatted(value, word), row[2].get<std::string>()) << row;
    EXPECT_EQ(plain(value), row[3].get<std::string>()) << row;
  }
}

TEST(ClpsFloatFormat, IsTheWordThatTheToolStores) {
  const auto rows = rows_of("float-formats.jsonl");
  ASSERT_GT(rows.size(), 300U);
  for (const auto& row : rows) {
    const std::optional<std::uint16_t> expected =
        row.size() == 2 ? std::optional(row[1].get<std::uint16_t>()) : std::nullopt;
    EXPECT_EQ(float_format_of(row[0].get<std::string>()), expected) << row;
  }
}

TEST(ClpsFloatFormat, KnowsTheExamplesOfTheDescription) {
  EXPECT_EQ(float_format_of("1.5"), 0x0020);
  EXPECT_EQ(float_format_of("100.0"), 0x0060);
  EXPECT_EQ(float_format_of("1E5"), 0xC000);
  EXPECT_EQ(float_format_of("1.0e+5"), 0x5020);
  EXPECT_EQ(float_format_of("-2.5E-03"), 0xE420);
}

class ClpsFloatWithoutFormat : public testing::TestWithParam<const char*> {};

TEST_P(ClpsFloatWithoutFormat, HasNone) { EXPECT_EQ(float_format_of(GetParam()), std::nullopt); }

INSTANTIATE_TEST_SUITE_P(NumbersThatComeBackOtherwise, ClpsFloatWithoutFormat,
                         testing::Values("0.0e5", "12.5e3", "0.1e1", "1.00000000000000000",
                                         "0.123456789012345678", "1e00005", "1e400", "1e-400",
                                         "9007199254740993.0"));
INSTANTIATE_TEST_SUITE_P(NoFloats, ClpsFloatWithoutFormat,
                         testing::Values("", "-", "1", "-0", "1.", ".5", "1e", "1e+", "01.5",
                                         "+1.5", "1.5 ", " 1.5", "1.5x", "nan", "inf", "0x1p3",
                                         "1.5e5e5", "--1.5"));

class ClpsFloatInvalidWord : public testing::TestWithParam<std::uint16_t> {};

TEST_P(ClpsFloatInvalidWord, IsRefused) { EXPECT_FALSE(valid_float_format(GetParam())); }

INSTANTIATE_TEST_SUITE_P(Words, ClpsFloatInvalidWord,
                         testing::Values(0x8000,    // E without an exponent
                                         0x7000,    // no such sign
                                         17U << 5,  // 18 digits
                                         31U << 5,  // 32 digits
                                         0x0001, 0x0010, 0xFFFF));

TEST(ClpsFloatFormat, PrintsWhateverAWordSays) {
  std::mt19937_64 random(1);
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    const auto word = static_cast<std::uint16_t>(random());
    if (valid_float_format(word)) {
      text.clear();
      print_formatted_float(std::bit_cast<double>(std::uint64_t{random()}), word, text);
      EXPECT_FALSE(text.empty());
    }
  }
}

TEST(ClpsFloatFormat, PrintsWhatIsNoNumberAsCDoes) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(plain(infinity), "inf");
  EXPECT_EQ(plain(-infinity), "-inf");
  EXPECT_EQ(plain(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(formatted(-infinity, 0x5020), "-inf");
}

TEST(ClpsFloatFormat, PrintsPlainFloatsWithSixDecimals) {
  EXPECT_EQ(plain(1e-7), "0.000000");
  EXPECT_EQ(plain(-0.0), "-0.000000");
  EXPECT_EQ(plain(1e22), "10000000000000000000000.000000");
  EXPECT_EQ(plain(-std::numeric_limits<double>::max()).size(), 1 + 309 + 1 + 6U);
}

}  // namespace
}  // namespace fonds::clps
