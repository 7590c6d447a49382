#include "base/time_pattern.hpp"

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

#include <fonds/error.hpp>

#include "test_paths.hpp"

namespace fonds {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::vector<nlohmann::json> rows_of(const std::string& name) {
  std::ifstream file(FONDS_TEST_DATA "/clps/values/" + name);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(nlohmann::json::parse(line));
  }
  return rows;
}

// What a stored pattern prints; "refused" if it does not.
std::string printed(std::string_view stored, std::int64_t ns) {
  const Result<TimePattern> pattern = TimePattern::parse(stored);
  if (!pattern) {
    return "invalid pattern";
  }
  std::string text = "before ";
  const Status status = pattern->print(ns, text);
  EXPECT_TRUE(text.starts_with("before "));
  return status ? text.substr(7) : "refused" + text.substr(7);
}

struct TimePatternPrintCase {
  const char* pattern;
  std::int64_t ns;
  const char* text;
};

class TimePatternPrint : public testing::TestWithParam<TimePatternPrintCase> {};

TEST_P(TimePatternPrint, GivesThisText) {
  EXPECT_EQ(printed(GetParam().pattern, GetParam().ns), GetParam().text);
}

constexpr std::int64_t kMoment = 1704164645123456789;  // 2024-01-02T03:04:05.123456789Z, a Tuesday

INSTANTIATE_TEST_SUITE_P(
    AsClpSDoes, TimePatternPrint,
    testing::Values(
        TimePatternPrintCase{R"("\Y-\m-\dT\H:\M:\S.\TZ")", 1704164645120000000,
                             R"("2024-01-02T03:04:05.12Z")"},
        TimePatternPrintCase{R"("\Y-\m-\d \H \k \I \l \p \e \M:\S.\9 \y")", kMoment,
                             R"("2024-01-02 03  3 03  3 AM  2 04:05.123456789 24")"},
        TimePatternPrintCase{R"("\S.\3 \S")", 0, "invalid pattern"},
        TimePatternPrintCase{R"("\S.\3|\6|\9")", kMoment, R"("05.123|123456|123456789")"},
        TimePatternPrintCase{R"("\J")", kMoment, R"("60")"},
        TimePatternPrintCase{R"("\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat} \\")", kMoment, R"("Tue \\")"},
        TimePatternPrintCase{R"("\B{a,b,c,d,e,f,g,h,i,j,k,l}")", -1, R"("l")"},
        TimePatternPrintCase{R"("\H:\M\z{+05:30}")", kMoment, R"("08:34+05:30")"},
        TimePatternPrintCase{R"("\d \H:\M\z{-0405}")", kMoment, R"("01 22:59-0405")"},
        TimePatternPrintCase{"\"\\H\\z{\xE2\x88\x92"
                             "01}\"",
                             kMoment,
                             "\"02\xE2\x88\x92"
                             "01\""},
        TimePatternPrintCase{R"("\H:\M \o{EST,-0500}")", kMoment, R"("22:04 EST")"},
        TimePatternPrintCase{R"("\I \p")", 0, R"("12 AM")"},
        TimePatternPrintCase{R"("\l \p")", 13 * 3600 * std::int64_t{1000000000}, R"(" 1 PM")"},
        TimePatternPrintCase{R"(\E.\3)", -1500000000, "-1.500"},
        TimePatternPrintCase{R"(\E.\3)", -500000000, "0.500"},
        TimePatternPrintCase{R"(\L)", -1500001, "-1"},
        TimePatternPrintCase{R"("\E|\L|\C|\N")", kMoment,
                             R"("1704164645|1704164645123|1704164645123456|1704164645123456789")"},
        TimePatternPrintCase{R"(\N)", kMin, "-9223372036854775808"},
        TimePatternPrintCase{R"("\Y-\m-\d \H:\M:\S.\9\z{-23:59}")", kMin,
                             R"("1677-09-20 00:13:43.145224192-23:59")"},
        TimePatternPrintCase{R"("\Y-\m-\d \H:\M:\S.\9\z{+23:59}")", kMax,
                             R"("2262-04-12 23:46:16.854775807+23:59")"},
        TimePatternPrintCase{R"("")", kMoment, R"("")"},
        TimePatternPrintCase{R"("no specifier")", kMoment, R"("no specifier")"}));

INSTANTIATE_TEST_SUITE_P(RefusesWhatHasNoText, TimePatternPrint,
                         testing::Values(TimePatternPrintCase{R"("\S.\T")", 1000000000, "refused"},
                                         TimePatternPrintCase{R"("\y")", -2240524800000000000,
                                                              "refused"}));

TEST(TimePattern, PrintsWhatTheToolPrints) {
  const auto rows = rows_of("times-printed.jsonl");
  ASSERT_GT(rows.size(), 200U);
  for (const auto& row : rows) {
    EXPECT_EQ(printed(row[0].get<std::string>(), row[1].get<std::int64_t>()),
              row[2].is_null() ? "refused" : row[2].get<std::string>())
        << row;
  }
}

TEST(TimePattern, TellsWhetherItsTextIsAString) {
  EXPECT_TRUE(TimePattern::parse(R"("\E")")->quoted());
  EXPECT_FALSE(TimePattern::parse(R"(\E)")->quoted());
}

class TimePatternInvalid : public testing::TestWithParam<const char*> {};

TEST_P(TimePatternInvalid, IsCorrupt) {
  const Result<TimePattern> pattern = TimePattern::parse(GetParam());
  ASSERT_FALSE(pattern.has_value());
  EXPECT_EQ(pattern.error().code(), ErrorCode::Corrupt);
  EXPECT_THAT(pattern.error().message(), testing::StartsWith("timestamp pattern '"));
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, TimePatternInvalid,
    testing::Values("\"\\q\"", "\"\\", "\"\\\"", R"("\Y\Y")", R"("\I")", R"("\p")", R"("\H \p")",
                    R"("\Y \E")", R"("\E\z{+01}")", R"("\z{}")", R"("\z{+5}")", R"("\z{+24}")",
                    R"("\z{+05:60}")", R"("\z{+01Z}")", R"("\z+01")", R"("\z{+01")", R"("\B{a,b}")",
                    R"("\B{a,b,c,d,e,f,g,h,i,j,k,l,m}")", R"("\B{a,b,c,d,e,f,g,h,i,j,k,}")",
                    R"("\B{,,,,,,,,,,,}")", R"("\A{a,b,c,d,e,f,\\}")", R"("\o{,-0500}")",
                    R"("\o{EST}")", R"("\o{EST,0500}")", R"("a"b")", "\"a\tb\"", "\"\xE9\"",
                    // Only while parsing.
                    R"("\Z")", R"("\?")", R"("\P")", R"("\O{ab}")", R"("\s")"));

INSTANTIATE_TEST_SUITE_P(NoJsonNumber, TimePatternInvalid,
                         testing::Values("", "abc", R"(\E,"x":1)", R"(\d)", R"(\Y-\m)", R"(\E.)",
                                         R"(.\3)", R"(1\E)", R"(\E.\3.\6)", R"(\E })", "\"",
                                         R"(\E")", R"(\k)"));

TEST(TimePattern, CountsAsANumberIfItPrintsOne) {
  EXPECT_EQ(printed(R"(\Y\m\d)", kMoment), "20240102");
}

struct TimePatternMatchCase {
  const char* pattern;
  const char* text;
  std::int64_t ns;
  const char* stored;
};

class TimePatternMatch : public testing::TestWithParam<TimePatternMatchCase> {};

TEST_P(TimePatternMatch, UnderstandsTheWholeText) {
  const auto result = match_time(GetParam().pattern, GetParam().text, TimeSyntax::V050);
  ASSERT_TRUE(result.has_value());
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->ns, GetParam().ns);
  EXPECT_EQ((*result)->pattern, GetParam().stored);
  EXPECT_FALSE((*result)->saturated);
}

constexpr std::int64_t kSecond = 1000000000;

INSTANTIATE_TEST_SUITE_P(
    Choices, TimePatternMatch,
    testing::Values(TimePatternMatchCase{R"(\O{-/}\O{T })", "/T", 0, "/T"},
                    TimePatternMatchCase{R"(\s)", "60", 59 * kSecond, R"(\J)"},
                    TimePatternMatchCase{R"(\s)", "07", 7 * kSecond, R"(\S)"},
                    TimePatternMatchCase{R"(\?)", "1", kSecond / 10, R"(\T)"},
                    TimePatternMatchCase{R"(\?)", "100", kSecond / 10, R"(\3)"},
                    TimePatternMatchCase{R"(\?)", "000001", 1000, R"(\6)"},
                    TimePatternMatchCase{R"(\?)", "123456789", 123456789, R"(\9)"},
                    TimePatternMatchCase{R"(\Z)", "Z", 0, "Z"},
                    TimePatternMatchCase{R"(\Z)", " UTCZ", 0, " UTCZ"},
                    TimePatternMatchCase{R"(\Z)", "+05:30Z", -19800 * kSecond, R"(\z{+05:30}Z)"},
                    TimePatternMatchCase{R"(\Z)", " UTC-01", 3600 * kSecond, R"( UTC\z{-01})"},
                    TimePatternMatchCase{R"(\Z5)", "+015", -3600 * kSecond, R"(\z{+01}5)"},
                    TimePatternMatchCase{R"(\P)", "-5", -5 * kSecond, R"(\E)"}));

INSTANTIATE_TEST_SUITE_P(
    Fields, TimePatternMatch,
    testing::Values(TimePatternMatchCase{R"(\d/\m/\Y \H:\M:\S)", "01/03/2024 00:00:01",
                                         1709251201 * kSecond, R"(\d/\m/\Y \H:\M:\S)"},
                    TimePatternMatchCase{R"(\y)", "69", -31536000 * kSecond, R"(\y)"},
                    TimePatternMatchCase{R"(\y)", "68", 3092601600 * kSecond, R"(\y)"},
                    TimePatternMatchCase{R"(\k)", " 9", 9 * 3600 * kSecond, R"(\k)"},
                    TimePatternMatchCase{R"(\k)", "10", 10 * 3600 * kSecond, R"(\k)"},
                    TimePatternMatchCase{R"(\l \p)", "12 AM", 0, R"(\l \p)"},
                    TimePatternMatchCase{R"(\I \p)", "12 PM", 12 * 3600 * kSecond, R"(\I \p)"},
                    TimePatternMatchCase{R"(\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat})", "Thu", 0,
                                         R"(\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat})"},
                    TimePatternMatchCase{R"(\E.\3)", "-1.500", -1500000000, R"(\E.\3)"},
                    TimePatternMatchCase{R"(\Y\\)", "1970\\", 0, R"(\Y\\)"},
                    TimePatternMatchCase{"", "", 0, ""}));

struct TimePatternNoMatchCase {
  const char* pattern;
  const char* text;
};

class TimePatternNoMatch : public testing::TestWithParam<TimePatternNoMatchCase> {};

TEST_P(TimePatternNoMatch, IsNoTime) {
  const auto result = match_time(GetParam().pattern, GetParam().text, TimeSyntax::V050);
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(result->has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Texts, TimePatternNoMatch,
    testing::Values(
        TimePatternNoMatchCase{R"(\Y)", "20240"}, TimePatternNoMatchCase{R"(\Y)", "024"},
        TimePatternNoMatchCase{R"(\Y)", ""}, TimePatternNoMatchCase{R"(\?)", "10"},
        TimePatternNoMatchCase{R"(\?)", "0"}, TimePatternNoMatchCase{R"(\?)", "1234567890"},
        TimePatternNoMatchCase{R"(\?)", ""}, TimePatternNoMatchCase{R"(\T)", "120"},
        TimePatternNoMatchCase{R"(\T)", ""}, TimePatternNoMatchCase{R"(\Z)", ""},
        TimePatternNoMatchCase{R"(\Z)", "UTC"}, TimePatternNoMatchCase{R"(\Z)", "GMT"},
        TimePatternNoMatchCase{R"(\Z)", "EST"}, TimePatternNoMatchCase{R"(\Z)", "UTC +01"},
        TimePatternNoMatchCase{R"(\N)", "-0"}, TimePatternNoMatchCase{R"(\N)", "01"},
        TimePatternNoMatchCase{R"(\N)", "-"}, TimePatternNoMatchCase{R"(\N)", ""},
        TimePatternNoMatchCase{R"(\3)", "-123"}, TimePatternNoMatchCase{R"(\k)", "00"},
        TimePatternNoMatchCase{R"(\k)", "9"}, TimePatternNoMatchCase{R"(\k)", "24"},
        TimePatternNoMatchCase{R"(\e)", " 0"}, TimePatternNoMatchCase{R"(\l \p)", " 0 AM"},
        TimePatternNoMatchCase{R"(\l \p)", "13 AM"}, TimePatternNoMatchCase{R"(\S)", "60"},
        TimePatternNoMatchCase{R"(\H)", "-0"}, TimePatternNoMatchCase{R"(\s)", "61"},
        TimePatternNoMatchCase{R"(\Y-\m-\d)", "2023-02-29"},
        TimePatternNoMatchCase{R"(\m-\d)", "02-29"}, TimePatternNoMatchCase{R"(\d)", "00"},
        TimePatternNoMatchCase{R"(\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat})", "Fri"},
        TimePatternNoMatchCase{R"(\O{ab})", "c"}, TimePatternNoMatchCase{R"(\O{ab})", ""}));

TEST(TimePatternMatch, RefusesAPatternWithoutMeaning) {
  const auto result = match_time(R"(\q)", "q");
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), ErrorCode::BadArgument);
}

TEST(TimePatternMatch, SaturatesBeyond64Bits) {
  const auto late = match_default_time("9999-12-31 23:59:59.5");
  ASSERT_TRUE(late.has_value());
  EXPECT_TRUE(late->saturated);
  EXPECT_EQ(late->ns, kMax);
  const auto early = match_default_time("0000-01-01 00:00:00");
  ASSERT_TRUE(early.has_value());
  EXPECT_TRUE(early->saturated);
  EXPECT_EQ(early->ns, kMin);
  const auto number = match_default_time("-99999999999999999999999");
  ASSERT_TRUE(number.has_value());
  EXPECT_TRUE(number->saturated);
  EXPECT_EQ(number->ns, kMin);
  EXPECT_EQ(number->pattern, R"(\N)");
}

TEST(TimePatternMatch, ReachesBothEndsOf64Bits) {
  const auto first = match_default_time("1677-09-21T00:12:43.145224192Z");
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(first->saturated);
  EXPECT_EQ(first->ns, kMin);
  const auto last = match_default_time("2262-04-11T23:47:16.854775807Z");
  ASSERT_TRUE(last.has_value());
  EXPECT_FALSE(last->saturated);
  EXPECT_EQ(last->ns, kMax);
}

TEST(TimePatternDefault, GoesOnBehindAPattern) {
  std::size_t from = 0;
  const auto saturated = match_default_time("9999-12-31 23:59:59", TimeSyntax::V050, from);
  ASSERT_TRUE(saturated.has_value());
  EXPECT_TRUE(saturated->saturated);
  EXPECT_EQ(from, 4U);
  EXPECT_FALSE(match_default_time("9999-12-31 23:59:59", TimeSyntax::V050, from).has_value());
  EXPECT_FALSE(match_default_time("9999-12-31 23:59:59", TimeSyntax::V050, from).has_value());
}

// What match_exactly() stands for.
std::optional<std::int64_t> matched_and_printed(const TimePattern& pattern,
                                                const std::string& text) {
  const std::optional<TimeText> time = pattern.match(text);
  std::string again;
  if (!time || time->saturated || !pattern.print(time->ns, again) || again != '"' + text + '"') {
    return std::nullopt;
  }
  return time->ns;
}

class TimePatternExactly : public testing::TestWithParam<const char*> {};

TEST_P(TimePatternExactly, IsToMatchAndToPrintAgain) {
  const auto pattern = TimePattern::parse('"' + std::string(GetParam()) + '"');
  ASSERT_TRUE(pattern.has_value());
  std::mt19937_64 random(8);
  constexpr std::string_view kBytes = "0123456789 -:.TZAPM/\\\xE2\xFF";
  int exact = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    const auto ns = static_cast<std::int64_t>(random()) >> (random() % 3 * 16);
    if (!pattern->print(i % 3 == 0 ? ns / 1000000000 * 1000000000 : ns, text)) {
      continue;
    }
    text = text.substr(1, text.size() - 2);
    if (i % 2 == 1 && !text.empty()) {
      const std::size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text.erase(at, 1);
          break;
        case 1:
          text.insert(at, 1, kBytes[random() % kBytes.size()]);
          break;
        default:
          text[at] = kBytes[random() % kBytes.size()];
      }
    }
    const std::optional<std::int64_t> found = pattern->match_exactly(text);
    ASSERT_EQ(found, matched_and_printed(*pattern, text)) << text;
    exact += found ? 1 : 0;
  }
  EXPECT_GT(exact, 300);
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, TimePatternExactly,
    testing::Values(
        R"(\Y-\m-\dT\H:\M:\S.\3Z)", R"(\Y-\m-\d \H:\M:\S.\9\z{+05:30})", R"(\Y/\m/\d \H:\M:\S,\6)",
        R"(\Y-\m-\dT\H:\M:\S.\TZ)", R"(<<<\Y-\m-\d \H:\M:\J:\T)", R"([\Y\m\d-\H:\M:\S])",
        R"(\Y--\m-\d \H:\M:\S)",
        "\\H:\\M\\z{\xE2\x88\x92"
        "01}",
        R"(\y-\m-\d \H:\M:\S)", R"(\y\m\d \k:\M:\S)",
        R"(\B{Jan,Feb,Mar,Apr,May,Jun,Jul,Aug,Sep,Oct,Nov,Dec} \d, \Y \l:\M:\S \p)",
        R"(\d \B{January,February,March,April,May,June,July,August,September,October,November,)"
        R"(December} \Y \I:\M:\S \p)",
        R"(\A{Sun,Mon,Tue,Wed,Thu,Fri,Sat} \B{a,b,c,d,e,f,g,h,i,j,k,ab} \e \H:\M:\S \Y)",
        R"(\m-\d \H:\M:\S.\3)", R"(\E)", R"(\L)", R"(\C)", R"(\N)", R"(\E.\3)", R"(\E.\T)",
        R"(\H \o{EST,-0500})", R"(\J)", R"(\9)", R"(\T)", R"(\9|\6|\3|\T)"));

TEST(TimePatternExactly, TakesNothingBeyond64Bits) {
  const auto pattern = TimePattern::parse(R"("\Y-\m-\d \H:\M:\S.\9")");
  EXPECT_EQ(pattern->match_exactly("1677-09-21 00:12:43.145224192"), kMin);
  EXPECT_EQ(pattern->match_exactly("1677-09-21 00:12:43.145224191"), std::nullopt);
  EXPECT_EQ(pattern->match_exactly("2262-04-11 23:47:16.854775807"), kMax);
  EXPECT_EQ(pattern->match_exactly("2262-04-11 23:47:16.854775808"), std::nullopt);
}

TEST(TimePatternExactly, TakesLongPatterns) {
  const std::string filler(1000, 'x');
  const auto pattern = TimePattern::parse('"' + filler + "\\S\"");
  EXPECT_EQ(pattern->match_exactly(filler + "07"), 7 * kSecond);
  EXPECT_EQ(pattern->match_exactly(filler + "7"), std::nullopt);
  EXPECT_EQ(pattern->match_exactly("y" + filler.substr(1) + "07"), std::nullopt);
}

TEST(TimePatternExactly, TakesNoBackslash) {
  EXPECT_EQ(TimePattern::parse(R"("\\\\\S")")->match_exactly(R"(\07)"), std::nullopt);
}

TEST(TimePatternExactly, TakesTheTextOfAPatternWithoutFields) {
  EXPECT_EQ(TimePattern::parse(R"("")")->match_exactly(""), 0);
  EXPECT_EQ(TimePattern::parse(R"("")")->match_exactly("x"), std::nullopt);
}

TEST(TimePatternDefault, IsWhatTheToolStores) {
  const auto rows = rows_of("times-matched.jsonl");
  ASSERT_GT(rows.size(), 300U);
  for (const auto& row : rows) {
    const auto text = row[0].get<std::string>();
    const std::optional<TimeText> time = match_default_time(text, TimeSyntax::V050);
    ASSERT_EQ(time.has_value(), row.size() == 3) << row;
    if (time) {
      EXPECT_EQ(time->ns, row[1].get<std::int64_t>()) << row;
      EXPECT_EQ(time->pattern, row[2].get<std::string>()) << row;
    }
  }
}

TEST(TimePatternDefault, IsAlwaysPrintedAgain) {
  for (const auto& row : rows_of("times-matched.jsonl")) {
    const auto text = row[0].get<std::string>();
    if (const std::optional<TimeText> time = match_default_time(text)) {
      EXPECT_EQ(printed('"' + time->pattern + '"', time->ns), '"' + text + '"');
      EXPECT_EQ(TimePattern::parse('"' + time->pattern + '"')->match(text)->ns, time->ns);
    }
  }
}

struct TimePatternRfc822Case {
  const char* text;
  std::int64_t seconds;
  const char* end_of_pattern;
};

class TimePatternRfc822 : public testing::TestWithParam<TimePatternRfc822Case> {};

TEST_P(TimePatternRfc822, IsUnderstoodSinceThen) {
  EXPECT_FALSE(match_default_time(GetParam().text, TimeSyntax::V050).has_value());
  const std::optional<TimeText> time = match_default_time(GetParam().text);
  ASSERT_TRUE(time.has_value());
  EXPECT_EQ(time->ns, GetParam().seconds * kSecond);
  EXPECT_THAT(time->pattern, testing::EndsWith(GetParam().end_of_pattern));
  EXPECT_EQ(printed('"' + time->pattern + '"', time->ns), '"' + std::string(GetParam().text) + '"');
}

INSTANTIATE_TEST_SUITE_P(
    Rfc822, TimePatternRfc822,
    testing::Values(
        TimePatternRfc822Case{"Tue, 19 Sep 2006 17:20:14 GMT", 1158686414, " GMT"},
        TimePatternRfc822Case{"Tue, 19 Sep 2006 17:20:14 UT", 1158686414, " UT"},
        TimePatternRfc822Case{"19 Sep 2006 17:20:14 +0100", 1158682814, R"( \z{+0100})"},
        TimePatternRfc822Case{"Fri,  1 Sep 2006 17:20:14 UTC", 1157131214, R"(\S UTC)"},
        TimePatternRfc822Case{" 1 Sep 06 17:20:14 Z", 1157131214, R"(\y \H:\M:\S Z)"},
        TimePatternRfc822Case{"19 Sep 2006 17:20 EST", 1158704400, R"(\M \o{EST,-0500})"},
        TimePatternRfc822Case{"Tue, 19 Sep 06 17:20 PDT", 1158711600, R"( \o{PDT,-0700})"},
        TimePatternRfc822Case{"2006-09-19 17:20:14 EDT", 1158700814, R"(\S \o{EDT,-0400})"}));

TEST(TimePatternNumber, TakesTheUnitFromTheSize) {
  EXPECT_EQ(instant_of_number(std::int64_t{1706980946}), 1706980946000000000);
  EXPECT_EQ(instant_of_number(std::int64_t{1706980946603}), 1706980946603000000);
  EXPECT_EQ(instant_of_number(std::int64_t{1706980946603123}), 1706980946603123000);
  EXPECT_EQ(instant_of_number(std::int64_t{1706980946603123456}), 1706980946603123456);
  EXPECT_EQ(instant_of_number(std::int64_t{-5}), -5000000000);
  EXPECT_EQ(instant_of_number(std::int64_t{0}), 0);
}

TEST(TimePatternNumber, ChangesTheUnitBehindAThousandYears) {
  EXPECT_EQ(instant_of_number(std::int64_t{31536000000}), kMax);
  EXPECT_EQ(instant_of_number(std::int64_t{-31536000000}), kMin);
  EXPECT_EQ(instant_of_number(std::int64_t{31536000001}), 31536000001000000);
  EXPECT_EQ(instant_of_number(std::int64_t{31536000000000}), kMax);
  EXPECT_EQ(instant_of_number(std::int64_t{31536000000001}), 31536000000001000);
  EXPECT_EQ(instant_of_number(std::int64_t{31536000000000001}), 31536000000000001);
}

TEST(TimePatternNumber, ReadsADoubleAsItsShortestDecimals) {
  EXPECT_EQ(instant_of_number(1706980946.603), 1706980946603000000);
  EXPECT_EQ(instant_of_number(1706980946603.5), 1706980946603500000);
  EXPECT_EQ(instant_of_number(1706980946.6031234), 1706980946603123400);
  EXPECT_EQ(instant_of_number(-1.5), -1500000000);
  EXPECT_EQ(instant_of_number(0.1234567899), 123456789);
  EXPECT_EQ(instant_of_number(5e-324), 0);
  EXPECT_EQ(instant_of_number(-0.0), 0);
}

TEST(TimePatternNumber, SaturatesADouble) {
  EXPECT_EQ(instant_of_number(1e300), kMax);
  EXPECT_EQ(instant_of_number(-std::numeric_limits<double>::infinity()), kMin);
  EXPECT_EQ(instant_of_number(2e10), kMax);
  EXPECT_EQ(instant_of_number(std::numeric_limits<double>::quiet_NaN()), 0);
}

}  // namespace
}  // namespace fonds
