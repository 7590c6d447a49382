// WARC 00.11 and ARC to WARC 1.1, by the lists of the fixtures.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_test_support.hpp"

namespace fonds::warc {
namespace {

using nlohmann::json;
using Line = std::pair<std::string, std::string>;
using Lines = std::vector<Line>;

// The fields of a header with named fields, line by line.
Lines lines_of(std::string_view header) {
  Lines lines;
  std::size_t at = header.find("\r\n") + 2;
  while (at < header.size()) {
    const auto end = header.find("\r\n", at);
    const auto line = header.substr(at, end - at);
    if (line.empty()) {
      break;
    }
    const auto colon = line.find(": ");
    lines.emplace_back(line.substr(0, colon), to_utf8(line.substr(colon + 2)));
    at = end + 2;
  }
  return lines;
}

class EverySetOf0011 : public testing::TestWithParam<std::string> {};

TEST_P(EverySetOf0011, ConvertsToTheListsOfTheFixture) {
  const auto expected = json::parse(read_fixture("0011/" + GetParam() + ".expected.json"));
  ConversionScope scope;
  Samples samples;
  std::vector<Lines> lists;
  std::uint64_t archive = 0;
  for (const auto& file : expected.at("files")) {
    const auto data = read_decoded_fixture("0011/" + file.at("file").get<std::string>());
    for (const auto& record : file.at("records")) {
      ArcContext arc;
      auto sample = sample_at(data, record.at("offset").get<std::size_t>(), archive, arc);
      scope.add(sample->header, sample->facts);
      Lines list;
      for (const auto& line : record.value("to_warc_1_1", json::array())) {
        list.emplace_back(line.at(0).get<std::string>(), line.at(1).get<std::string>());
      }
      samples.push_back(std::move(sample));
      lists.push_back(std::move(list));
    }
    ++archive;
  }
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!lists[i].empty()) {
      const auto made = convert_header(samples[i]->header, samples[i]->facts, scope, {});
      ASSERT_TRUE(made.has_value()) << made.error().to_string();
      EXPECT_EQ(lines_of(made->header), lists[i]) << samples[i]->raw_header();
      EXPECT_THAT(made->losses, testing::IsEmpty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, EverySetOf0011,
                         testing::Values("01-all-types", "02-minimal", "03-whitespace",
                                         "04-folding-charset", "05-segments", "06-segments-gz",
                                         "07-truncated", "08-record-at-a-time", "09-skip-lengths",
                                         "10-tolerance", "11-bad-lengths", "12-mixed-versions",
                                         "13-lf-only"),
                         fixture_name);

}  // namespace
}  // namespace fonds::warc
