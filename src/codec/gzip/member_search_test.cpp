#include "codec/gzip/member_search.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace fonds::gzip {
namespace {

using Bytes = std::vector<std::byte>;

Bytes noise(std::size_t size, unsigned seed) {
  std::minstd_rand random(seed);
  // Few values, so that parts of what is searched for are everywhere.
  static constexpr int kValues[] = {0x1F, 0x8B, 0x08, 0x00, 0x01, 0x02, 0x03, 0x04, 0x1F, 0xE0};
  Bytes bytes(size);
  std::generate(bytes.begin(), bytes.end(),
                [&] { return static_cast<std::byte>(kValues[(random() >> 8) % 10]); });
  return bytes;
}

void plant(Bytes& bytes, std::size_t at, std::initializer_list<int> values) {
  for (const int value : values) {
    if (at < bytes.size()) {
      bytes[at++] = static_cast<std::byte>(value);
    }
  }
}

bool matches(const Bytes& bytes, std::size_t at, std::initializer_list<int> values) {
  for (const int value : values) {
    if (at >= bytes.size() || bytes[at++] != static_cast<std::byte>(value)) {
      return false;
    }
  }
  return true;
}

std::size_t naive_magic(const Bytes& bytes, std::size_t from, std::size_t to) {
  for (std::size_t p = from; p < to && p + 4 <= bytes.size(); ++p) {
    if (matches(bytes, p, {0x1F, 0x8B, 0x08}) && std::to_integer<unsigned>(bytes[p + 3]) < 0x20) {
      return p;
    }
  }
  return npos;
}

class MemberSearch : public testing::TestWithParam<SearchPath> {
 protected:
  std::size_t magic(const Bytes& bytes, std::size_t from, std::size_t to) {
    return find_member_magic(bytes, from, to, GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Paths, MemberSearch,
                         testing::Values(SearchPath::Best, SearchPath::Portable),
                         [](const auto& instance) {
                           return instance.param == SearchPath::Best ? "Best" : "Portable";
                         });

TEST_P(MemberSearch, FindsAMagicAtEveryPlaceOfAShortInput) {
  for (std::size_t size = 1; size < 420; size += 7) {
    for (std::size_t at = 0; at < size; ++at) {
      Bytes bytes(size);
      plant(bytes, at, {0x1F, 0x8B, 0x08, 0x08});
      ASSERT_EQ(magic(bytes, 0, npos), naive_magic(bytes, 0, npos)) << size << ' ' << at;
    }
  }
}

TEST_P(MemberSearch, AnswersLikeTheNaiveSearchForAllBounds) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    Bytes bytes = noise(270 + seed * 5, seed);
    plant(bytes, 40 + seed * 7, {1, 2, 3, 4, 0x1F, 0x8B, 0x08, 0x00});
    plant(bytes, bytes.size() - 4, {1, 2, 3, 4});
    for (std::size_t from = 0; from <= bytes.size() + 1; ++from) {
      for (std::size_t to = from > 0 ? from - 1 : 0; to <= bytes.size() + 1; to += 2) {
        ASSERT_EQ(magic(bytes, from, to), naive_magic(bytes, from, to))
            << seed << ' ' << from << ' ' << to;
      }
    }
  }
}

TEST_P(MemberSearch, FindsAllHitsOfALargeInputInOrder) {
  Bytes bytes = noise(200000, 99);
  std::minstd_rand random(5);
  for (int i = 0; i < 50; ++i) {
    plant(bytes, random() % bytes.size(), {1, 2, 3, 4, 0x1F, 0x8B, 0x08, 0x00});
  }
  std::vector<std::size_t> magics, naive_magics;
  for (std::size_t at = 0; (at = magic(bytes, at, npos)) != npos; ++at) {
    magics.push_back(at);
  }
  for (std::size_t at = 0; (at = naive_magic(bytes, at, npos)) != npos; ++at) {
    naive_magics.push_back(at);
  }
  EXPECT_GE(magics.size(), 40U);
  EXPECT_EQ(magics, naive_magics);
}

TEST_P(MemberSearch, ReservedFlagsAreNoMagic) {
  Bytes bytes(300);
  plant(bytes, 100, {0x1F, 0x8B, 0x08, 0x20});
  plant(bytes, 200, {0x1F, 0x8B, 0x08, 0x1F});
  EXPECT_EQ(magic(bytes, 0, 300), 200U);
}

TEST_P(MemberSearch, NothingIsFoundInNothing) { EXPECT_EQ(magic({}, 0, npos), npos); }

}  // namespace
}  // namespace fonds::gzip
