#include "format/clps/writing/times.hpp"
#include <gtest/gtest.h>
namespace fonds::clps { namespace {
TEST(ClpsTimePatterns, ChoosesThePatternThatPrintsTheText) {
  auto p = TimePatterns::start({0,5,0});
  auto h = p.match_string("2024-01-02T03:04:05.12Z");
  ASSERT_TRUE(h);
  EXPECT_EQ(h->value, 1704164645120000000);
  EXPECT_EQ(p.pattern(0), R"("\Y-\m-\dT\H:\M:\S.\TZ")");
}
}}
