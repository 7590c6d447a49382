#include "base/nearest_double.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace fonds {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct NearestCase {
  std::string_view name, text;
  double value;
};

class NearestDouble : public testing::TestWithParam<NearestCase> {};
TEST_P(NearestDouble, IsThatOfTheText) {
  const double value = nearest_double(GetParam().text);
  EXPECT_EQ(value, GetParam().value);
  EXPECT_EQ(std::signbit(value), std::signbit(GetParam().value));
}
INSTANTIATE_TEST_SUITE_P(
    Texts, NearestDouble,
    testing::Values(NearestCase{"Zero", "0", 0.0}, NearestCase{"MinusZero", "-0", -0.0},
                    NearestCase{"Integer", "123", 123.0}, NearestCase{"Fraction", "-0.5", -0.5},
                    NearestCase{"Exponent", "25e-1", 2.5}, NearestCase{"Plus", "1E+3", 1000.0},
                    NearestCase{"Largest", "1.7976931348623157e308", 1.7976931348623157e308},
                    NearestCase{"Huge", "1e999", kInfinity},
                    NearestCase{"MinusHuge", "-1e+999", -kInfinity},
                    NearestCase{"Tiny", "1e-999", 0.0}, NearestCase{"MinusTiny", "-1e-999", -0.0},
                    NearestCase{"TinyByZeros", "0.000001e-320", 0.0},
                    NearestCase{"ExponentBeyondIntegers", "1e99999999999999999999", kInfinity},
                    NearestCase{"SmallExponentBeyondIntegers", "1e-99999999999999999999", 0.0},
                    NearestCase{"ZeroTimesHuge", "0e999", 0.0}),
    [](const auto& given) { return std::string(given.param.name); });

TEST(NearestDouble, ManyDigitsAreBeyondTheRange) {
  EXPECT_EQ(nearest_double("1" + std::string(400, '0')), kInfinity);
  EXPECT_EQ(nearest_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(nearest_double("1" + std::string(400, '0') + "e-400"), 1.0);
}

}  // namespace
}  // namespace fonds
