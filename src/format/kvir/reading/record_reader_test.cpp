#include "format/kvir/reading/record_reader.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/kvir/format.hpp"
#include "format/kvir/testing.hpp"

namespace fonds::kvir {
namespace {

using namespace testing_kvir;
using testing::ElementsAre;
using testing::IsEmpty;

Archive kvir_archive(const std::string& stream) {
  return {.source = testing_codec::mapped(stream),
          .format = &kvir_format(),
          .codecs = {&probe_codec(as_bytes(stream))}};
}

struct KvirRecords {
  std::vector<std::string> blocks;
  std::vector<Place> places;
  std::vector<std::string> codes;  // of all findings
  std::string error;
};

KvirRecords read_records(const std::string& stream, const ReadOptions& options = {}) {
  KvirRecords out;
  const auto reader = kvir_format().open(kvir_archive(stream), options);
  if (!reader) {
    out.error = reader.error().message();
    return out;
  }
  const auto take = [&out](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      EXPECT_TRUE(finding.where.stored_offset.has_value());
      out.codes.emplace_back(finding.code);
    }
  };
  while (true) {
    const auto record = (*reader)->next();
    take((*reader)->take_loose_findings());
    if (!record || *record == nullptr) {
      out.error = record ? "" : record.error().message();
      return out;
    }
    out.places.push_back((*record)->place);
    out.blocks.emplace_back(as_text(*(*reader)->peek_block(1)));
    take((*reader)->finish()->findings);
  }
}

std::string three_events() {
  return preamble() + node(kInt, 0, "a") + id(1) + "\x51\x01" + id(1) + "\x51\x02" + id(1) +
         "\x51\x03";
}

TEST(KvirRecords, AreReadFromAPlaceOn) {
  const std::string stream = three_events() + "\x00"s;
  const KvirRecords all = read_records(stream);
  ASSERT_THAT(all.blocks, ElementsAre(R"({"a":1})", R"({"a":2})", R"({"a":3})"));
  EXPECT_EQ(all.places[1].unit, preamble().size() + 6 + 4);
  ReadOptions options;
  options.start = all.places[1].unit;
  EXPECT_THAT(read_records(stream, options).blocks, ElementsAre(R"({"a":2})", R"({"a":3})"));
  options.stop_at = all.places[2].unit;
  EXPECT_THAT(read_records(stream, options).blocks, ElementsAre(R"({"a":2})"));
}

TEST(KvirRecords, AreReadByTheirNumbers) {
  ReadOptions options;
  options.range = {1, 2};
  EXPECT_THAT(read_records(three_events() + "\x00"s, options).blocks, ElementsAre(R"({"a":2})"));
  options = {};
  options.input = "x";
  EXPECT_THAT(read_records(three_events() + "\x00"s, options).error,
              testing::HasSubstr("do not tell what inputs"));
}

TEST(KvirRecords, DamageIsAFindingBehindTheWholeEvents) {
  const KvirRecords cut = read_records(three_events());
  EXPECT_EQ(cut.blocks.size(), 3U);
  EXPECT_EQ(cut.error, "");
  EXPECT_THAT(cut.codes, ElementsAre("kvir-truncated"));
  const KvirRecords broken = read_records(three_events() + "\x01 more");
  EXPECT_EQ(broken.blocks.size(), 3U);
  EXPECT_THAT(broken.codes, ElementsAre("kvir-stream"));
}

TEST(KvirRecords, BytesBehindTheEndAreTold) {
  const KvirRecords read = read_records(three_events() + "\x00\x00"s);
  EXPECT_EQ(read.blocks.size(), 3U);
  EXPECT_THAT(read.codes, ElementsAre("kvir-extra-bytes"));
}

TEST(KvirRecords, EventsWhoseTextIsTooLongAreLeftOut) {
  // Each octet becomes an escape of six.
  const std::string stream = preamble() + node(kStr, 0, "s") + id(1) + "\x43" +
                             big_endian(1 << 20, 4) + std::string(1 << 20, '\x01') + "\x5E\x00"s;
  ReadOptions options;
  options.memory_budget = std::uint64_t{16} << 20;
  const KvirRecords read = read_records(stream, options);
  EXPECT_EQ(read.error, "");
  EXPECT_THAT(read.codes, ElementsAre("limit-exceeded"));
  EXPECT_EQ(read.blocks.size(), 1U);
}

TEST(KvirRecords, AFullCheckLooksAtTextsAndMetadata) {
  ReadOptions options;
  options.check_all = true;
  const std::string good =
      R"({"VERSION":"0.1.0","VARIABLES_SCHEMA_ID":"com.yscope.clp.VariablesSchemaV2",)"
      R"("VARIABLE_ENCODING_METHODS_ID":"com.yscope.clp.VariableEncodingMethodsV1")";
  EXPECT_THAT(read_records(preamble(good + "}") + "\x5E\x00"s, options).codes, IsEmpty());
  EXPECT_THAT(
      read_records(preamble(good + R"(,"USER_DEFINED_METADATA":{"_k":1}})") + "\x00"s, options)
          .codes,
      ElementsAre("kvir-metadata"));
  EXPECT_THAT(read_records(preamble() + "\x00"s, options).codes,
              ElementsAre("kvir-metadata", "kvir-metadata"));
  EXPECT_THAT(
      read_records(preamble(good + "}") + node(kStr, 0, "k\xFF") + id(1) + text("\xFE") + "\x00"s,
                   options)
          .codes,
      ElementsAre("kvir-utf8", "kvir-utf8"));
}

TEST(KvirRecords, InfiniteNumbersAreTold) {
  const KvirRecords read = read_records(preamble() + node(kFloat, 0, "f") + id(1) + "\x56" +
                                        big_endian(0x7FF0000000000000, 8) + "\x00"s);
  EXPECT_THAT(read.blocks, ElementsAre(R"({"f":null})"));
  EXPECT_THAT(read.codes, ElementsAre("kvir-float"));
}

}  // namespace
}  // namespace fonds::kvir
