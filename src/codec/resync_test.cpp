#include "codec/resync.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace fonds {
namespace {

constexpr std::string_view kMagic = "UNIT";

// A unit is a magic, a digit, which tells how many bytes follow, and these.
std::uint64_t size_of(std::string_view text, std::size_t at) {
  const std::size_t size = kMagic.size() + 1 + static_cast<std::size_t>(text[at + 4] - '0');
  return text.substr(at, size).find('!') == std::string_view::npos ? size : 0;
}

std::optional<std::uint64_t> swallowed(std::string_view text, std::uint64_t to) {
  DamageBudget budget;
  return find_swallowed({as_bytes(text)}, 1, to, kMagic, budget,
                        [text](std::size_t at, std::uint64_t&) { return size_of(text, at); });
}

TEST(FindSwallowed, UnitsThatEndInThePieceAreItsContent) {
  EXPECT_EQ(swallowed("..UNIT2ab..UNIT1c..", 19), std::nullopt);
  EXPECT_EQ(swallowed("..UNIT2abUNIT1c", 15), std::nullopt);
}

TEST(FindSwallowed, OneThatReachesOverTheEndRefutesThePieceFromItsFirstUnitOn) {
  EXPECT_EQ(swallowed("..UNIT2ab", 8), 2U);
  EXPECT_EQ(swallowed("..UNIT2abUNIT2cd", 15), 2U);
  EXPECT_EQ(swallowed("..UNIT2ab...UNIT2cd", 18), 2U);
}

TEST(FindSwallowed, DamagedUnitsBetweenThemHideNothing) {
  EXPECT_EQ(swallowed("..UNIT2abUNIT3!..UNIT2cd", 23), 2U);
  EXPECT_EQ(swallowed("..UNIT3!..UNIT2ab", 16), 10U);
}

// A frame of many blocks is searched block by block: each time to the end of the file would take
// hours. Here reading there crashes.
TEST(FindSwallowed, LooksAtNothingBehindAMagicThatBeginsInThePiece) {
  constexpr std::size_t kPage = std::size_t{64} << 10;
  void* const pages =
      ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(::mprotect(static_cast<char*>(pages) + kPage, kPage, PROT_NONE), 0);
  const ByteView stored(static_cast<const std::byte*>(pages), 2 * kPage);
  const std::uint64_t to = kPage - kMagic.size() + 1;
  DamageBudget budget;
  const auto none = [](std::size_t, std::uint64_t&) { return std::uint64_t{0}; };
  EXPECT_EQ(find_swallowed({stored}, 0, to, kMagic, budget, none), std::nullopt);
  EXPECT_EQ(find_in_view(stored, 0, to, kMagic, [](std::size_t, std::uint64_t&) { return false; }),
            to);
  ::munmap(pages, 2 * kPage);
}

}  // namespace
}  // namespace fonds
