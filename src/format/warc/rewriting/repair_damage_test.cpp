// Laws of repair under random damage.
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "format/warc/rewriting/repair_test_support.hpp"

namespace fonds::testing_repair {
namespace {

using testing::IsEmpty;
using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

std::string some_text(Random& random) {
  static constexpr std::size_t kSizes[] = {0, 1, 40, 300, 3000, 9000};
  const std::size_t size = kSizes[below(random, std::size(kSizes))];
  const bool dense = below(random, 2) == 0;
  std::string text;
  while (text.size() < size) {
    text += dense ? std::string(1, static_cast<char>(random() & 0xff))
                  : "word" + std::to_string(random() % 100) + (random() % 9 == 0 ? "\r\n" : " ");
  }
  return text.substr(0, size);
}

struct Sample {
  std::vector<std::string> units;  // stored; those of one record or several
  bool per_record = true;
};

std::vector<std::string> some_records(Random& random, std::size_t dialect) {
  std::vector<std::string> records;
  if (dialect == 2) {
    records.push_back(arc_start());
  }
  for (int i = 0; i < 8; ++i) {
    const std::string id = std::to_string(i);
    const std::string block = some_text(random);
    records.push_back(dialect == 0   ? (i % 2 == 0 ? with_digest(id, block) : modern(id, block))
                      : dialect == 1 ? positional(id, block)
                                     : arc(id, block));
  }
  return records;
}

Sample some_archive(Random& random, std::size_t layout) {
  const auto records = some_records(random, below(random, 3));
  switch (layout) {
    case 0:
      return {records};
    case 1:
      return {stored_units(records, {.codec = "gzip"})};
    case 2:
      return {stored_units(records, {.codec = "zstd"})};
    case 3:
      return {stored_units(records, {.codec = "lz4"})};
    case 4:
      return {{testing_gzip::member(joined(records))}, false};
    default: {
      std::vector<std::string> pairs;
      for (std::size_t i = 0; i < records.size(); i += 2) {
        pairs.push_back(records[i] + (i + 1 < records.size() ? records[i + 1] : ""));
      }
      return {stored_units(pairs, {.codec = layout == 5 ? "gzip" : "lz4"}), false};
    }
  }
}

struct Damage {
  std::size_t from = 0, to = 0;  // octets of the whole file that are not as they were
  std::string bytes;
};

Damage damaged(Random& random, const std::string& good) {
  Damage damage{below(random, good.size()), 0, good};
  const std::size_t most = below(random, 3) == 0 ? 3000 : 20;
  const std::size_t n = std::min(1 + below(random, most), good.size() - damage.from);
  damage.to = damage.from + n;
  switch (below(random, 6)) {
    case 0:
      damage.bytes[damage.from] =
          static_cast<char>(damage.bytes[damage.from] ^ (1 << below(random, 8)));
      damage.to = damage.from + 1;
      break;
    case 1:
      damage.bytes.resize(damage.from);
      damage.to = good.size();
      break;
    case 2: {
      std::string noise;
      for (std::size_t i = 0; i < n; ++i) {
        noise += static_cast<char>(random() & 0xff);
      }
      damage.bytes.insert(damage.from, noise);
      damage.to = damage.from;
      break;
    }
    case 3:
      damage.bytes.erase(damage.from, n);
      break;
    case 4:
      std::fill_n(damage.bytes.begin() + static_cast<std::ptrdiff_t>(damage.from), n, '\0');
      break;
    default:
      damage.bytes.insert(damage.from, good.substr(damage.from, n));
      damage.to = damage.from;
  }
  return damage;
}

class RepairOfDamage : public testing::TestWithParam<std::size_t> {};

TEST_P(RepairOfDamage, GivesAValidArchiveWithAllThatWasNotTouched) {
  constexpr unsigned kRounds = 150;
  for (unsigned seed = 1; seed <= kRounds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed * 8 + static_cast<unsigned>(GetParam()));
    const Sample sample = some_archive(random, GetParam());
    const std::string good = joined(sample.units);
    const Damage damage = damaged(random, good);
    const auto opened = open_archive(testing_codec::mapped(damage.bytes));
    if (!opened || opened->codec().name() != probe_codec(as_bytes(good)).name()) {
      continue;  // nothing tells what it was
    }
    const Repaired result = repaired(damage.bytes);
    EXPECT_EQ(result.error, "");
    EXPECT_THAT(errors_of(result.bytes), IsEmpty());
    if (!result.bytes.empty()) {
      const Repaired again = repaired(result.bytes);
      EXPECT_EQ(again.error, "");
      EXPECT_TRUE(again.bytes == result.bytes) << "repaired twice is not repaired once";
      EXPECT_THAT(again.lost(), IsEmpty());
    }
    std::uint64_t at = 0;
    std::uint64_t lost = 0;
    for (const auto& [range, fate] : result.ranges) {
      EXPECT_EQ(range.offset, at);
      at = range.offset + range.length;
      lost += fate == warc::Fate::Lost ? range.length : 0;
    }
    EXPECT_EQ(at, damage.bytes.size());
    EXPECT_LE(lost, result.report.lost_bytes);
    std::size_t begin = 0;
    for (const std::string& unit : sample.units) {
      const std::size_t end = begin + unit.size();
      const bool touched = damage.from == damage.to ? damage.from > begin && damage.from < end
                                                    : damage.from < end && damage.to > begin;
      if (!touched) {
        EXPECT_NE(result.bytes.find(unit), std::string::npos)
            << "the unit at " << begin << " is gone";
      }
      begin = end;
    }
    if (testing::Test::HasFailure()) {
      FAIL() << "damage " << damage.from << "-" << damage.to << " of " << good.size();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Layouts, RepairOfDamage, testing::Range<std::size_t>(0, 7));

TEST(RepairOfDamage, ChangesNothingOfGoodArchives) {
  for (unsigned seed = 1; seed < 40; ++seed) {
    for (std::size_t layout = 0; layout < 7; ++layout) {
      Random random(seed);
      const std::string good = joined(some_archive(random, layout).units);
      const Repaired result = repaired(good);
      ASSERT_EQ(result.error, "");
      EXPECT_TRUE(result.bytes == good) << seed << " " << layout;
      EXPECT_THAT(result.lost(), IsEmpty());
      EXPECT_THAT(result.report.changes, IsEmpty());
    }
  }
}

}  // namespace
}  // namespace fonds::testing_repair
