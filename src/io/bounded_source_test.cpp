#include "io/bounded_source.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/byte_source.hpp>

#include "io/testing.hpp"

namespace fonds {
namespace {

std::vector<std::byte> ten() {
  std::vector<std::byte> bytes;
  for (int n = 0; n < 10; ++n) {
    bytes.push_back(std::byte(n));
  }
  return bytes;
}

TEST(BoundedSource, EndsWhateverLiesBehind) {
  BoundedSource source(std::make_shared<testing_io::Unmapped>(ten()), 4);
  std::array<std::byte, 10> out{};
  EXPECT_EQ(*source.size(), 4U);
  EXPECT_EQ(*source.read_at(3, out), 1U);
  EXPECT_EQ(out[0], std::byte{3});
  EXPECT_EQ(*source.read_some_at(4, out), 0U);
  EXPECT_FALSE(source.view().has_value());
}

TEST(BoundedSource, ShowsNoMoreOfWhatLiesInMemory) {
  EXPECT_EQ(BoundedSource(memory_source(ten()), 4).view()->size(), 4U);
  EXPECT_EQ(BoundedSource(memory_source(ten()), 40).view()->size(), 10U);
}

}  // namespace
}  // namespace fonds
