#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include <fonds/query.hpp>

namespace fonds::query {
namespace {

constexpr auto kEqual = std::partial_ordering::equivalent;
constexpr auto kLess = std::partial_ordering::less;
constexpr auto kGreater = std::partial_ordering::greater;
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

struct QueryNumberText {
  std::string_view text;
  bool number;
};
void PrintTo(const QueryNumberText& c, std::ostream* out) { *out << c.text; }

class QueryNumberTexts : public testing::TestWithParam<QueryNumberText> {};

TEST_P(QueryNumberTexts, AreNumbersOrNot) {
  EXPECT_EQ(Number::parse(GetParam().text).has_value(), GetParam().number);
}

INSTANTIATE_TEST_SUITE_P(
    All, QueryNumberTexts,
    testing::Values(
        QueryNumberText{"0", true}, QueryNumberText{"-0", true}, QueryNumberText{"+42", true},
        QueryNumberText{"042", true}, QueryNumberText{"99999999999999999999", true},
        QueryNumberText{"1.5", true}, QueryNumberText{".5", true}, QueryNumberText{"5.", true},
        QueryNumberText{"+.5e-3", true}, QueryNumberText{"1e3", true},
        QueryNumberText{"-2E+7", true}, QueryNumberText{"1e-400", true},
        QueryNumberText{"0e99999", true}, QueryNumberText{"", false}, QueryNumberText{"+", false},
        QueryNumberText{"-", false}, QueryNumberText{".", false}, QueryNumberText{"e5", false},
        QueryNumberText{"1e", false}, QueryNumberText{"1e+", false},
        QueryNumberText{"1.5.2", false}, QueryNumberText{" 1", false}, QueryNumberText{"1 ", false},
        QueryNumberText{"0x10", false}, QueryNumberText{"inf", false},
        QueryNumberText{"nan", false}, QueryNumberText{"--5", false}, QueryNumberText{"+-5", false},
        QueryNumberText{"1,5", false}, QueryNumberText{"1e400", false},
        QueryNumberText{"-1e400", false}, QueryNumberText{"1e99999999999999999999", false},
        QueryNumberText{"1f", false}, QueryNumberText{"٣", false}));

Number number(std::string_view text) { return *Number::parse(text); }

TEST(QueryNumber, IntegersAreExact) {
  EXPECT_EQ(number("9007199254740993").compare(std::int64_t{9007199254740993}), kEqual);
  EXPECT_EQ(number("9007199254740993").compare(9007199254740992.0), kGreater);
  EXPECT_EQ(number("9223372036854775807").as_int64(), kMax);
  EXPECT_EQ(number("-9223372036854775808").as_int64(), kMin);
  EXPECT_EQ(number("9223372036854775807").compare(9223372036854775808.0), kLess);
}

TEST(QueryNumber, RealsAreTheNearestBinary64) {
  // The literal is the double 9007199254740992, which is another number.
  EXPECT_EQ(number("9007199254740993.0").compare(std::int64_t{9007199254740993}), kLess);
  EXPECT_EQ(number("9007199254740993.0").compare(std::int64_t{9007199254740992}), kEqual);
  EXPECT_EQ(number("0.1").compare(0.1), kEqual);
  EXPECT_EQ(number("42.0").compare(std::int64_t{42}), kEqual);
  EXPECT_EQ(number("42.5").compare(std::int64_t{42}), kGreater);
  EXPECT_EQ(number("-42.5").compare(std::int64_t{-42}), kLess);
  EXPECT_EQ(number("1e-400").compare(0.0), kEqual);
}

TEST(QueryNumber, IntegersBeyondInt64HaveTheirPlace) {
  const Number big = number("18446744073709551615");
  EXPECT_TRUE(big.is_integer());
  EXPECT_EQ(big.as_int64(), std::nullopt);
  EXPECT_EQ(big.compare(kMax), kGreater);
  EXPECT_EQ(big.compare(18446744073709551616.0), kLess);
  EXPECT_EQ(big.compare(number("018446744073709551615")), kEqual);
  EXPECT_EQ(number("-18446744073709551615").compare(kMin), kLess);
  EXPECT_EQ(number("-18446744073709551615").compare(-18446744073709551616.0), kGreater);
  EXPECT_EQ(number("-18446744073709551616").compare(-18446744073709551616.0), kEqual);
  EXPECT_EQ(number("-99999999999999999999").compare(number("-99999999999999999998")), kLess);
  EXPECT_EQ(number("100000000000000000000").compare(number("99999999999999999999")), kGreater);
}

TEST(QueryNumber, IntegersBeyondBinary64AreBelowInfinity) {
  const Number huge = number(std::string(400, '9'));
  EXPECT_EQ(huge.compare(std::numeric_limits<double>::infinity()), kLess);
  EXPECT_EQ(huge.compare(std::numeric_limits<double>::max()), kGreater);
  const Number negative = number("-" + std::string(400, '9'));
  EXPECT_EQ(negative.compare(-std::numeric_limits<double>::infinity()), kGreater);
  EXPECT_EQ(negative.compare(huge), kLess);
}

TEST(QueryNumber, NotANumberIsUnordered) {
  const double nan = std::nan("");
  EXPECT_EQ(number("1").compare(nan), std::partial_ordering::unordered);
  EXPECT_EQ(number("99999999999999999999").compare(nan), std::partial_ordering::unordered);
  EXPECT_EQ(Number(nan).compare(std::int64_t{1}), std::partial_ordering::unordered);
  EXPECT_EQ(Number(nan).compare(1.0), std::partial_ordering::unordered);
}

// Integers of up to 126 bits, as texts, as doubles and as they are.
struct QueryWideInteger {
  __extension__ using Wide = __int128;
  Wide value = 0;
  std::string text() const {
    std::string digits;
    for (Wide rest = value < 0 ? -value : value; rest > 0 || digits.empty(); rest /= 10) {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    }
    return (value < 0 ? "-" : "") + digits;
  }
};

QueryWideInteger random_integer(std::mt19937_64& random) {
  const unsigned bits = static_cast<unsigned>(random() % 126);
  QueryWideInteger::Wide value = static_cast<QueryWideInteger::Wide>(random()) << 62U;
  value = (value ^ static_cast<QueryWideInteger::Wide>(random() >> 2U)) &
          ((QueryWideInteger::Wide{1} << bits) - 1);
  return {random() % 2 == 0 ? value : -value};
}

template <typename T>
std::partial_ordering order(T a, T b) {
  return a < b   ? std::partial_ordering::less
         : a > b ? std::partial_ordering::greater
                 : std::partial_ordering::equivalent;
}

TEST(QueryNumber, OrdersIntegersAsExactArithmeticDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 4000; ++i) {
    const QueryWideInteger a = random_integer(random);
    QueryWideInteger b = random_integer(random);
    if (i % 2 == 0) {
      b.value = a.value + static_cast<int>(random() % 3) - 1;
    }
    ASSERT_EQ(number(a.text()).compare(number(b.text())), order(a.value, b.value))
        << a.text() << " " << b.text();
    // A double of less than 127 bits is an integer once it is cut; comparing that is exact.
    const auto real = static_cast<double>(b.value);
    ASSERT_EQ(number(a.text()).compare(real),
              order(a.value, static_cast<QueryWideInteger::Wide>(real)))
        << a.text() << " " << real;
    ASSERT_EQ(Number(real).compare(number(a.text())),
              order(static_cast<QueryWideInteger::Wide>(real), a.value));
  }
}

TEST(QueryNumber, OrdersFractionsAgainstIntegersAsExactArithmeticDoes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 4000; ++i) {
    const auto integer = static_cast<std::int64_t>(random()) >> (random() % 60);
    // Of at most 40 bits and a fraction of eighths: exact as a double and, times 8, as an integer.
    const auto eighths =
        static_cast<std::int64_t>(random() % (std::uint64_t{1} << 43U)) >> (random() % 40);
    const auto real = static_cast<double>(eighths) / 8;
    const auto wide = static_cast<QueryWideInteger::Wide>(integer) * 8;
    ASSERT_EQ(Number(integer).compare(real),
              order(wide, static_cast<QueryWideInteger::Wide>(eighths)))
        << integer << " " << real;
    ASSERT_EQ(Number(real).compare(integer),
              order(static_cast<QueryWideInteger::Wide>(eighths), wide));
  }
}

}  // namespace
}  // namespace fonds::query
