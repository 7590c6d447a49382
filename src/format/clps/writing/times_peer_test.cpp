// Patterns and ranges that the real clp-s chose, and ours.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/byte_source.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/testing.hpp"
#include "format/clps/writing/times.hpp"
#include "format/clps/writing/times_testing.hpp"
#include "test_paths.hpp"

namespace fonds::clps {
namespace {

using testing_archive::word;
using testing_times::Hit;
using testing_times::kNew;
using testing_times::kOld;
using testing_times::listed;
using testing_times::match_json;
using testing_times::stored_text;

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

std::vector<nlohmann::json> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<nlohmann::json> rows;
  for (std::string line; std::getline(file, line);) {
    rows.push_back(nlohmann::json::parse(line));
  }
  return rows;
}

TEST(ClpsTimePatterns, AreThoseOfTheTool) {
  const auto rows = rows_of(FONDS_TEST_DATA "/clps/values/times-matched.jsonl");
  ASSERT_GT(rows.size(), 300U);
  for (const auto& row : rows) {
    TimePatterns patterns = TimePatterns::start(kNew);
    const auto hit = patterns.match_string(row[0].get<std::string>());
    ASSERT_EQ(hit.has_value(), row.size() == 3) << row;
    if (hit) {
      EXPECT_EQ(hit->value, row[1].get<std::int64_t>()) << row;
      EXPECT_EQ(patterns.pattern(0), '"' + row[2].get<std::string>() + '"') << row;
    }
  }
}

// What a writer makes of a column of values.
struct ClpsMadeTimes {
  TimePatterns patterns;
  std::string payload;
  std::vector<std::string> strings;  // that stay strings
};

ClpsMadeTimes make_times(Version version, std::span<const std::string> tokens) {
  ClpsMadeTimes made{.patterns = TimePatterns::start(version), .payload = {}, .strings = {}};
  TimeRangeMade times{.node = 0,
                      .type = version < kNew ? NodeType::DateString : NodeType::Timestamp};
  TimeRangeMade integers{.node = 1, .type = NodeType::Integer};
  TimeRangeMade floats{.node = 2, .type = NodeType::FormattedFloat};
  for (const std::string& token : tokens) {
    if (const std::optional<Hit> hit = match_json(made.patterns, token)) {
      times.add(hit->value);
      EXPECT_EQ(stored_text(version, made.patterns.pattern(hit->pattern), hit->value), token);
      continue;
    }
    const auto value = nlohmann::json::parse(token);
    if (value.is_number_float()) {
      floats.add_real(value.get<double>());
    } else if (value.is_number()) {
      integers.add(value.get<std::int64_t>());
    } else {
      made.strings.push_back(value);
    }
  }
  const std::vector<TimeRangeMade> ranges = {times, integers, floats};
  made.payload = timestamp_dictionary(version, "ts", ranges, made.patterns);
  return made;
}

// The payload begins with a range of these bounds, or has none.
void expect_bounds(const std::string& payload, const nlohmann::json& bounds) {
  if (bounds.empty()) {
    EXPECT_EQ(payload.substr(0, 8), word(0));
    return;
  }
  ASSERT_EQ(payload.substr(0, 8), word(1));
  std::uint64_t nodes = 0;
  std::memcpy(&nodes, payload.data() + 18, sizeof nodes);
  const std::size_t at = 26 + 4 * static_cast<std::size_t>(nodes);
  std::string expected;
  if (bounds[0][0].is_number_float()) {
    expected =
        word(2) + word(bits(bounds[0][0].get<double>())) + word(bits(bounds[0][1].get<double>()));
  } else {
    expected = word(1) + word(static_cast<std::uint64_t>(bounds[0][0].get<std::int64_t>())) +
               word(static_cast<std::uint64_t>(bounds[0][1].get<std::int64_t>()));
  }
  EXPECT_EQ(payload.substr(at, 24), expected);
}

TEST(ClpsTimeColumns, HaveThePatternsAndBoundsOfTheTool) {
  const auto rows = rows_of(FONDS_TEST_DATA "/clps/values/time-columns.jsonl");
  ASSERT_GT(rows.size(), 80U);
  for (const auto& row : rows) {
    SCOPED_TRACE(row.dump());
    const Version version = row[0] == "0.5.0" ? kNew : kOld;
    const auto tokens = row[1].get<std::vector<std::string>>();
    const ClpsMadeTimes made = make_times(version, tokens);
    EXPECT_EQ(listed(made.patterns), row[2].get<std::vector<std::string>>());
    expect_bounds(made.payload, row[3]);
  }
}

struct ClpsTimeFixture {
  const char* archive;
  const char* input;
  Version version;
  // Patterns of the tool that we leave out, texts that stay strings then, and the latest time left.
  std::vector<std::string> not_ours = {};
  std::vector<std::string> strings = {};
  std::optional<std::int64_t> end = {};
};

class ClpsTimeArchive : public testing::TestWithParam<ClpsTimeFixture> {};

TEST_P(ClpsTimeArchive, HasThesePatternsAndThisRange) {
  const auto source = open_source(std::string(FONDS_TEST_DATA "/clp-s/") + GetParam().archive);
  ASSERT_TRUE(source.has_value());
  const auto archive = Archive::open(*source);
  ASSERT_TRUE(archive.has_value());
  std::vector<StoredPattern> stored = (*archive)->metadata().time_patterns;
  std::erase_if(stored, [](const StoredPattern& one) {
    const auto& not_ours = GetParam().not_ours;
    return std::find(not_ours.begin(), not_ours.end(), one.pattern) != not_ours.end();
  });
  std::sort(stored.begin(), stored.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  std::vector<std::string> expected;
  for (const StoredPattern& one : stored) {
    expected.push_back(one.pattern);
  }

  std::ifstream file(std::string(FONDS_TEST_DATA "/clp-s/") + GetParam().input);
  std::vector<std::string> tokens;
  for (std::string line; std::getline(file, line);) {
    const std::size_t begin = line.find("\"t\":") + 4;
    const std::size_t end =
        line[begin] == '"' ? line.find('"', begin + 1) + 1 : line.find_first_of(",}", begin);
    tokens.push_back(line.substr(begin, end - begin));
  }
  const ClpsMadeTimes made = make_times(GetParam().version, tokens);
  EXPECT_EQ(listed(made.patterns), expected);
  EXPECT_EQ(made.strings, GetParam().strings);
  const TimeRange& range = (*archive)->metadata().time_ranges.at(0);
  auto bounds = nlohmann::json::array();
  if (range.encoding == TimeRange::Encoding::Epoch) {
    bounds.push_back({range.begin, range.end});
  } else {
    bounds.push_back({range.begin_real, range.end_real});
  }
  if (GetParam().end) {
    bounds[0][1] = *GetParam().end;
  }
  expect_bounds(made.payload, bounds);
}

const std::vector<std::string> kLossy = {"1706980946603", "2024-02-29T00:00:00.000Z"};

INSTANTIATE_TEST_SUITE_P(
    Fixtures, ClpsTimeArchive,
    testing::Values(
        ClpsTimeFixture{"v050-ts-iso.clps", "in-ts_iso.jsonl", kNew},
        ClpsTimeFixture{"v050-ts-tz.clps", "in-ts_tz.jsonl", kNew},
        ClpsTimeFixture{"v050-ts-epoch.clps", "in-ts_epoch.jsonl", kNew},
        ClpsTimeFixture{"v041-ts-epoch.clps", "in-ts_epoch.jsonl", kOld},
        ClpsTimeFixture{
            "v041-ts-iso.clps", "in-ts_iso_v041.jsonl", kOld, {"%E"}, kLossy, 1451663417000},
        ClpsTimeFixture{"v031-ts-iso.clps",
                        "in-ts_iso_v041.jsonl",
                        Version{0, 3, 1},
                        {"%E"},
                        kLossy,
                        1451663417000}));

}  // namespace
}  // namespace fonds::clps
