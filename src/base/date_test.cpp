#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <fonds/date.hpp>

namespace fonds {
namespace {

// What a parse is expected to give: the text of the value ("" for none) and the quirks as letters,
// i invalid, n not 14 digits, d day of year, o other form.
struct DateCase {
  std::string_view text;
  std::string_view value;
  std::string_view quirks;
};

std::string value_of(const std::optional<Date>& date) { return date ? date->to_string() : ""; }

std::string quirks_of(const DateQuirks& quirks) {
  std::string out;
  out += quirks.invalid ? "i" : "";
  out += quirks.not_14_digits ? "n" : "";
  out += quirks.day_of_year ? "d" : "";
  out += quirks.other_form ? "o" : "";
  return out;
}

void PrintTo(const DateCase& c, std::ostream* out) { *out << '"' << c.text << '"'; }

class WarcDate : public testing::TestWithParam<DateCase> {};

TEST_P(WarcDate, IsUnderstood) {
  const ParsedDate parsed = parse_warc_date(GetParam().text);
  EXPECT_EQ(value_of(parsed.value), GetParam().value);
  EXPECT_EQ(quirks_of(parsed.quirks), GetParam().quirks);
}

INSTANTIATE_TEST_SUITE_P(
    FixtureFiles, WarcDate,
    testing::Values(
        DateCase{"2016", "2016", ""}, DateCase{"2016-01", "2016-01", ""},
        DateCase{"2016-01-11", "2016-01-11", ""},
        DateCase{"2016-01-11T23:24Z", "2016-01-11T23:24Z", ""},
        DateCase{"2016-01-11T23:24:25Z", "2016-01-11T23:24:25Z", ""},
        DateCase{"2016-01-11T23:24:25.4Z", "2016-01-11T23:24:25.4Z", ""},
        DateCase{"2016-01-11T23:24:25.412030Z", "2016-01-11T23:24:25.412030Z", ""},
        DateCase{"2016-01-11T23:24:25.123456789Z", "2016-01-11T23:24:25.123456789Z", ""},
        DateCase{"2016-01-11T23:24:25+01:00", "2016-01-11T22:24:25Z", "o"},
        DateCase{"20160111232425", "2016-01-11T23:24:25Z", "o"},
        DateCase{"2009-03-65T08:43:19-0800", "2009-03-06T16:43:19Z", "do"},
        DateCase{"Tue, 19 Sep 2006 17:20:14 GMT", "2006-09-19T17:20:14Z", "o"},
        DateCase{"", "", ""}, DateCase{"2008-04-30T20:48:25Z", "2008-04-30T20:48:25Z", ""},
        DateCase{"2009-03-06T08:43:19.123456789Z", "2009-03-06T08:43:19.123456789Z", ""}));

INSTANTIATE_TEST_SUITE_P(
    OtherForms, WarcDate,
    testing::Values(DateCase{" 2016-01-11T23:24:25Z\t", "2016-01-11T23:24:25Z", ""},
                    DateCase{"2016-01-11T23:24:25", "2016-01-11T23:24:25Z", "o"},
                    DateCase{"2016-01-11 23:24:25Z", "2016-01-11T23:24:25Z", "o"},
                    DateCase{"2016-01-11t23:24:25z", "2016-01-11T23:24:25Z", "o"},
                    DateCase{"2016-01-11T23Z", "2016-01-11T23:00Z", "o"},
                    DateCase{"2016-01-11T23+00:30", "2016-01-11T22:30Z", "o"},
                    DateCase{"2016-01-01T00:30:00+0100", "2015-12-31T23:30:00Z", "o"},
                    DateCase{"2016-12-31T23:30-05", "2017-01-01T04:30Z", "o"},
                    DateCase{"2016-01-11T23:24:25.1234567899Z", "2016-01-11T23:24:25.123456789Z",
                             "o"},
                    DateCase{"2016-01-11T23:24:25,5Z", "2016-01-11T23:24:25.5Z", "o"},
                    DateCase{"9 Sep 2006 07:20:14 utc", "2006-09-09T07:20:14Z", "o"},
                    DateCase{"0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z", ""},
                    DateCase{"9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z", ""}));

INSTANTIATE_TEST_SUITE_P(
    DayOfYear, WarcDate,
    testing::Values(
        DateCase{"2009-03-065T08:43:19Z", "2009-03-06T08:43:19Z", "do"},
        DateCase{"2009-12-365", "2009-12-31", "do"}, DateCase{"2008-12-366", "2008-12-31", "do"},
        DateCase{"2009-12-366", "2009-12", "i"}, DateCase{"2009-02-32", "2009-02-01", "do"},
        // 31 February: the rule makes it day 31, whose month contradicts the one written.
        DateCase{"2009-02-31T00:00:00Z", "2009-01-31T00:00:00Z", "ido"}));

INSTANTIATE_TEST_SUITE_P(
    MomentsThatDoNotExist, WarcDate,
    testing::Values(DateCase{"2009-13-05T08:43:19Z", "2009", "i"}, DateCase{"2009-00", "2009", "i"},
                    DateCase{"2009-13", "2009", "i"}, DateCase{"2009-04-00", "2009-04", "i"},
                    DateCase{"2009-04-05T24:00:00Z", "2009-04-05", "i"},
                    DateCase{"2009-04-05T10:60:00Z", "2009-04-05T10:00Z", "i"},
                    DateCase{"2009-04-05T10:10:60Z", "2009-04-05T10:10Z", "i"},
                    DateCase{"20090405101093", "2009-04-05T10:10Z", "io"},
                    DateCase{"0000-01-01T00:00:00+01:00", "", "io"},
                    DateCase{"9999-12-31T23:59:59-01:00", "", "io"},
                    DateCase{"Tue, 31 Feb 2006 17:20:14 GMT", "2006-02", "io"}));

INSTANTIATE_TEST_SUITE_P(
    NoDates, WarcDate,
    testing::Values(
        DateCase{"yesterday", "", ""}, DateCase{"-", "", ""}, DateCase{"200", "", ""},
        DateCase{"20160111", "", ""}, DateCase{"2016-1-11", "", ""}, DateCase{"2016-01-", "", ""},
        DateCase{"2016-01-11T", "", ""}, DateCase{"2016-01-11T23:", "", ""},
        DateCase{"2016-01-11T23:24:25.Z", "", ""}, DateCase{"2016-01-11T23:24:25Zx", "", ""},
        DateCase{"2016-01-11T23:24:25+24:00", "", ""}, DateCase{"2016-01-11T23:24:25+01:", "", ""},
        DateCase{"+016-01-11T23:24:25Z", "", ""}, DateCase{"2016-01-11T23:24:2\xb5Z", "", ""},
        DateCase{"Tue, 19 Sep 2006 17:20:14", "", ""},
        DateCase{"Tue, 19 Sep 06 17:20:14 GMT", "", ""},
        DateCase{"Tue, 19 Foo 2006 17:20:14 GMT", "", ""}, DateCase{",", "", ""}));

class PositionalDate : public testing::TestWithParam<DateCase> {};

TEST_P(PositionalDate, IsTheLongestValidPrefix) {
  const ParsedDate parsed = parse_positional_date(GetParam().text);
  EXPECT_EQ(value_of(parsed.value), GetParam().value);
  EXPECT_EQ(quirks_of(parsed.quirks), GetParam().quirks);
}

INSTANTIATE_TEST_SUITE_P(
    Table, PositionalDate,
    testing::Values(DateCase{"20070701000000", "2007-07-01T00:00:00Z", ""},
                    DateCase{"200609090004930", "2006-09-09T00:04Z", "in"},
                    DateCase{"20070231000000", "2007-02", "i"}, DateCase{"2007", "2007", "n"},
                    DateCase{"200713", "2007", "in"}, DateCase{"2007090", "2007-09", "n"},
                    DateCase{"2007090110", "2007-09-01", "n"},
                    DateCase{"2007090125", "2007-09-01", "in"},
                    DateCase{"200709011042", "2007-09-01T10:42Z", "n"},
                    DateCase{"20070901106100", "2007-09-01", "i"},
                    DateCase{"20070901101593", "2007-09-01T10:15Z", "i"},
                    DateCase{"20080229000000", "2008-02-29T00:00:00Z", ""},
                    DateCase{"19000229000000", "1900-02", "i"}, DateCase{"200", "", "n"},
                    DateCase{"", "", "n"}, DateCase{"2007-07-01", "", "n"},
                    DateCase{"2007070100000x", "", "n"}));

class ArcDate : public testing::TestWithParam<DateCase> {};

TEST_P(ArcDate, IsCutOrPadded) {
  const ParsedDate parsed = parse_arc_date(GetParam().text);
  EXPECT_EQ(value_of(parsed.value), GetParam().value);
  EXPECT_EQ(quirks_of(parsed.quirks), GetParam().quirks);
}

INSTANTIATE_TEST_SUITE_P(
    Table, ArcDate,
    testing::Values(DateCase{"2020010203", "2020-01-02T03:00Z", "n"},
                    DateCase{"202001020304", "2020-01-02T03:04Z", "n"},
                    DateCase{"20200102030405", "2020-01-02T03:04:05Z", ""},
                    DateCase{"202001020304059", "2020-01-02T03:04:05Z", "n"},
                    DateCase{"2020010203040599", "2020-01-02T03:04:05Z", "n"},
                    DateCase{"200009180023002953", "2000-09-18T00:23:00Z", "n"},
                    DateCase{"20151200000000", "2015-12", "i"},
                    DateCase{"20150000000000", "2015", "i"},
                    DateCase{"a0d1fdddf3165d0447b1f7a285c61c1c9", "", "n"},
                    DateCase{"20160211", "2016-02-11", "n"}, DateCase{"-", "", "n"},
                    DateCase{"2016021", "2016-02", "n"}, DateCase{"20161301000000", "", "i"},
                    DateCase{"20160231000000", "", "i"}, DateCase{"20160211250000", "", "i"},
                    DateCase{"201", "", "n"}));

TEST(ArcDatePrecision, IsTheHourForTenDigits) {
  const ParsedDate parsed = parse_arc_date("2020010203");
  ASSERT_TRUE(parsed.value.has_value());
  EXPECT_EQ(parsed.value->precision, Date::Precision::Hour);
  EXPECT_EQ(parsed.value->seconds, 1577934000);
}

struct UserCase {
  std::string_view text;
  std::string_view value;
};

void PrintTo(const UserCase& c, std::ostream* out) { *out << '"' << c.text << '"'; }

class UserDate : public testing::TestWithParam<UserCase> {};

TEST_P(UserDate, IsUnderstoodOrRefused) {
  EXPECT_EQ(value_of(parse_user_date(GetParam().text)), GetParam().value);
}

INSTANTIATE_TEST_SUITE_P(
    Table, UserDate,
    testing::Values(UserCase{"2016", "2016"}, UserCase{"201601", "2016-01"},
                    UserCase{"20160111", "2016-01-11"}, UserCase{"2016011123", "2016-01-11T23:00Z"},
                    UserCase{"201601112324", "2016-01-11T23:24Z"},
                    UserCase{"20160111232425", "2016-01-11T23:24:25Z"},
                    UserCase{"20160111232425678", "2016-01-11T23:24:25.678Z"},
                    UserCase{"2016011123242567", "2016-01-11T23:24:25.67Z"},
                    UserCase{"2016-01-11T23:24:25.678+01:00", "2016-01-11T22:24:25.678Z"},
                    UserCase{"2016-01-11T23", "2016-01-11T23:00Z"},
                    UserCase{"20160111T232425Z", "2016-01-11T23:24:25Z"},
                    UserCase{" 2016-01-11 23:24 ", "2016-01-11T23:24Z"}, UserCase{"", ""},
                    UserCase{"201", ""}, UserCase{"20160", ""}, UserCase{"201602111", ""},
                    UserCase{"201601112324256789", ""}, UserCase{"20161301", ""},
                    UserCase{"2016-02-30", ""}, UserCase{"2016-03-065", ""},
                    UserCase{"20160111T", ""}, UserCase{"2016-01-11T23:24:60Z", ""},
                    UserCase{"Tue, 19 Sep 2006 17:20:14 GMT", ""}));

struct StrictCase {
  std::string_view text;
  bool in_1_0;
  bool in_1_1;
};

void PrintTo(const StrictCase& c, std::ostream* out) { *out << '"' << c.text << '"'; }

class StrictWarcDate : public testing::TestWithParam<StrictCase> {};

TEST_P(StrictWarcDate, FollowsTheLetterOfEachVersion) {
  EXPECT_EQ(is_strict_warc_date(GetParam().text, 0), GetParam().in_1_0);
  EXPECT_EQ(is_strict_warc_date(GetParam().text, 1), GetParam().in_1_1);
}

INSTANTIATE_TEST_SUITE_P(
    Table, StrictWarcDate,
    testing::Values(StrictCase{"2016-01-11T23:24:25Z", true, true}, StrictCase{"2016", false, true},
                    StrictCase{"2016-01", false, true}, StrictCase{"2016-01-11", false, true},
                    StrictCase{"2016-01-11T23:24Z", false, true},
                    StrictCase{"2016-01-11T23:24:25.1Z", false, true},
                    StrictCase{"2016-01-11T23:24:25.123456789Z", false, true},
                    StrictCase{"2016-01-11T23:24:25.1234567890Z", false, false},
                    StrictCase{"2016-01-11T23Z", false, false},
                    StrictCase{" 2016-01-11T23:24:25Z", false, false},
                    StrictCase{"2016-01-11t23:24:25Z", false, false},
                    StrictCase{"2016-01-11T23:24:25z", false, false},
                    StrictCase{"2016-01-11T23:24:25", false, false},
                    StrictCase{"2016-01-11T23:24:25+00:00", false, false},
                    StrictCase{"2016-02-30T23:24:25Z", false, false},
                    StrictCase{"2016-01-011", false, false},
                    StrictCase{"20160111232425", false, false}, StrictCase{"", false, false}));

TEST(DateSeconds, AgreeWithTheCalendarOnEveryDayOfFourCenturies) {
  using std::chrono::sys_days;
  std::int64_t wrong = 0;
  const sys_days first = std::chrono::year{1800} / 1 / 1;
  const sys_days last = std::chrono::year{2200} / 1 / 1;
  for (sys_days day = first; day < last; day += std::chrono::days{1}) {
    Date date;
    date.seconds = std::int64_t{day.time_since_epoch().count()} * 86400 + 3661;
    const ParsedDate back = parse_warc_date(date.to_string());
    wrong += back.value == date ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
}

TEST(DateToString, StaysWithinTheYearsOfFourDigits) {
  Date date;
  date.seconds = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(date.to_string(), "0000-01-01T00:00:00Z");
  date.seconds = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(date.to_string(), "9999-12-31T23:59:59Z");
}

TEST(DateToString, PrintsTheFractionWithItsDigits) {
  Date date{.seconds = 0, .nanoseconds = 120000000, .precision = Date::Precision::Fraction};
  date.fraction_digits = 3;
  EXPECT_EQ(date.to_string(), "1970-01-01T00:00:00.120Z");
  date.fraction_digits = 0;
  EXPECT_EQ(date.to_string(), "1970-01-01T00:00:00.1Z");
  date.fraction_digits = 255;
  EXPECT_EQ(date.to_string(), "1970-01-01T00:00:00.120000000Z");
}

}  // namespace
}  // namespace fonds
