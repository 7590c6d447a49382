#include "base/date_span.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>

namespace fonds {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

DateSpan span(std::string_view text) {
  const auto date = parse_user_date(text);
  EXPECT_TRUE(date.has_value()) << text;
  return date ? span_of(*date) : DateSpan();
}

TEST(DateSpan, IsAsLongAsThePrecision) {
  EXPECT_EQ(span("1970"), (DateSpan{0, 365 * 86400 * kSecond}));
  EXPECT_EQ(span("1972-02"), (DateSpan{span("1972-02-01").begin, span("1972-03-01").begin}));
  EXPECT_EQ(span("1999-12").end, span("2000").begin);
  EXPECT_EQ(span("1970-01-02"), (DateSpan{86400 * kSecond, 2 * 86400 * kSecond}));
  EXPECT_EQ(span("1970-01-01T00:01Z"), (DateSpan{60 * kSecond, 120 * kSecond}));
  EXPECT_EQ(span("1970-01-01T00:00:01Z"), (DateSpan{kSecond, 2 * kSecond}));
  EXPECT_EQ(span("1970-01-01T00:00:01.5Z"), (DateSpan{1'500'000'000, 1'600'000'000}));
  EXPECT_EQ(span("1970-01-01T00:00:01.999999999Z"), (DateSpan{1'999'999'999, 2 * kSecond}));
}

TEST(DateSpan, BeforeTheEpoch) {
  EXPECT_EQ(span("1969"), (DateSpan{-365 * 86400 * kSecond, 0}));
  EXPECT_EQ(span("1969-12-31T23:59:59Z"), (DateSpan{-kSecond, 0}));
}

TEST(DateSpan, SaturatesBeyondNanoseconds) {
  EXPECT_EQ(span("9999").end, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(span("0000").begin, std::numeric_limits<std::int64_t>::min());
}

}  // namespace
}  // namespace fonds
