#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/bytes.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "format/clps/testing.hpp"

namespace fonds::clps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_archive::as_source;
using testing_archive::read_all;

struct ClpsWritten {
  std::vector<std::string> archives;
  std::vector<std::string> ids;
  std::vector<std::string> rejected;
  WriterReport report;
  std::string error;

  std::string text() const {
    std::string all;
    for (const std::string& archive : archives) {
      const auto read = read_all(archive);
      EXPECT_EQ(read.error, "");
      EXPECT_THAT(read.findings, IsEmpty());
      all += read.text;
    }
    return all;
  }
};

ClpsWritten write(const std::vector<std::string>& inputs, WriterOptions options = {}) {
  ClpsWritten written;
  options.creator_id = "00000000-0000-8000-8000-000000000000";
  options.archive = [&written](WrittenArchive&& archive) -> Status {
    std::string bytes = archive.head;
    for (const auto& member : archive.members) {
      bytes += as_text(member);
    }
    EXPECT_EQ(bytes.size(), archive.size());
    written.archives.push_back(std::move(bytes));
    written.ids.push_back(archive.id);
    return {};
  };
  options.rejected = [&written](const RejectedText& text) -> Status {
    written.rejected.emplace_back(text.text);
    return {};
  };
  auto writer = ArchiveWriter::make(std::move(options));
  if (!writer) {
    written.error = writer.error().to_string();
    return written;
  }
  for (const std::string& input : inputs) {
    if (const Status status = (*writer)->add(as_source(input), "in"); !status) {
      written.error = status.error().to_string();
    }
  }
  if (auto report = (*writer)->finish()) {
    written.report = std::move(*report);
  } else {
    written.error = report.error().to_string();
  }
  return written;
}

TEST(ClpsWriter, GivesBackWhatItWasGiven) {
  const std::string text =
      R"({"a":1,"s":"v","m":"took 2.50 ms id7 x","n":null,"b":true,"o":{},"p":{"q":-7}})"
      "\n"
      R"({"s":"","m":"took 3 ms","p":{},"a":2.50,"n":false,"b":[1, "x y"],"o":{"z":1e5}})"
      "\n"
      "{}\n";
  const ClpsWritten written = write({text});
  EXPECT_EQ(written.error, "");
  EXPECT_EQ(written.text(), text);
  EXPECT_EQ(written.report.records, 3U);
  EXPECT_EQ(written.report.input_bytes, text.size());
  EXPECT_THAT(written.report.changes, IsEmpty());
}

TEST(ClpsWriter, KeepsNumbersThatNoColumnOfNumbersHolds) {
  const std::string text =
      "{\"n\":-0}\n{\"n\":18446744073709551616}\n{\"n\":-9223372036854775809}\n"
      "{\"n\":9223372036854775807}\n{\"n\":1e400}\n{\"n\":1.00e0010}\n";
  EXPECT_EQ(write({text}).text(), text);
  EXPECT_THAT(write({text}).report.changes, IsEmpty());
  const ClpsWritten old = write({"{\"n\":-0}\n{\"n\":0.1}\n"}, {.version = {0, 3, 1}});
  EXPECT_EQ(old.text(), "{\"n\":-0.000000}\n{\"n\":0.100000}\n");
  EXPECT_EQ(old.report.changes.size(), 2U);
}

TEST(ClpsWriter, OfDuplicateKeysTheLastWins) {
  const ClpsWritten written = write({R"({"a":{"b":1},"c":2,"a":[3],"x":{"y":1,"y":"z"}})"});
  EXPECT_EQ(written.text(), "{\"a\":[3],\"c\":2,\"x\":{\"y\":\"z\"}}\n");
  ASSERT_EQ(written.report.changes.size(), 1U);
  EXPECT_EQ(written.report.changes.begin()->second, 2U);
}

TEST(ClpsWriter, StructuredArraysComeBack) {
  const std::string text =
      "{\"a\":[1,\"x y\",null,{},[],[2,{\"k\":{\"l\":[true]},\"m\":1.5}]],\"b\":[]}\n"
      "{\"a\":[{\"k\":1},{\"k\":2}]}\n";
  const ClpsWritten written = write({text}, {.structurize_arrays = true});
  EXPECT_EQ(written.text(), text);
  // A container under the empty key within: the whole array is kept as text.
  const std::string odd = "{\"a\":[{\"\":{\"x\":1}}]}\n{\"a\":[{\"\":1}]}\n";
  EXPECT_EQ(write({odd}, {.structurize_arrays = true}).text(), odd);
}

TEST(ClpsWriter, WhatIsNoEventIsGivenAway) {
  const std::string text = "{\"a\":1}\n{\"a\":\n[1]\n7\n{\"a\":2}{\"a\":3} x\n{\"a\":\"\xff\"}\n";
  const ClpsWritten written = write({text});
  EXPECT_EQ(written.text(), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
  EXPECT_THAT(written.rejected, ElementsAre("{\"a\":", "[1]", "7", "x", "{\"a\":\"\xff\"}"));
  EXPECT_EQ(written.report.rejected, 5U);
  const ClpsWritten kept = write({text}, {.keep_unparsed = true});
  EXPECT_THAT(kept.text(), HasSubstr("{\"_unparsed\":\"{\\\"a\\\":\"}\n{\"_unparsed\":\"[1]\"}\n"));
  EXPECT_THAT(kept.text(), HasSubstr("{\"_unparsed\":\"{\\\"a\\\":\\\"\xEF\xBF\xBD\\\"}\"}\n"));
  EXPECT_THAT(write({text}, {.strict = true}).error, HasSubstr("offset 8"));
}

TEST(ClpsWriter, DeepNestingIsRefusedAndNothingElse) {
  const auto nested = [](std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i < depth; ++i) {
      text += "{\"a\":";
    }
    return text + "1" + std::string(depth, '}') + "\n";
  };
  EXPECT_EQ(write({nested(1000)}).text(), nested(1000));
  const ClpsWritten deep = write({nested(10'000) + "{\"a\":1}\n"});
  EXPECT_EQ(deep.text(), "{\"a\":1}\n");
  EXPECT_EQ(deep.report.rejected, 1U);
}

TEST(ClpsWriter, TimesComeBackOrStayStrings) {
  const std::string text =
      "{\"ts\":\"2024-03-01T00:00:00.023Z\"}\n{\"ts\":\"2024-03-01T00:00:00.120Z\"}\n"
      "{\"ts\":1709251200023}\n{\"ts\":\"never\"}\n{\"ts\":1.50}\n{\"ts\":null}\n";
  for (const Version version : writable_versions()) {
    WriterOptions options{.version = version, .timestamp_key = "ts"};
    const ClpsWritten written = write({text}, options);
    const std::string wanted =
        version < Version{0, 4, 1} ? "{\"ts\":1.500000}\n" : "{\"ts\":1.50}\n";
    EXPECT_THAT(written.text(), HasSubstr(wanted)) << version.to_string();
    EXPECT_THAT(written.text(), HasSubstr("{\"ts\":\"2024-03-01T00:00:00.120Z\"}\n"));
  }
  EXPECT_EQ(write({text}, {.timestamp_key = "ts"}).text(), text);
}

// Rows of one table come with their keys in any order.
std::string random_log(std::mt19937& random, std::size_t events) {
  const auto below = [&random](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::string text;
  for (std::size_t i = 0; i < events; ++i) {
    std::vector<std::string> members;
    for (const char key : std::string("abcdef")) {
      const std::string name = "\"" + std::string(1, key) + "\":";
      switch (below(9)) {
        case 0:
          members.push_back(name + std::to_string(below(1000)));
          break;
        case 1:
          members.push_back(name + "\"id" + std::to_string(below(50)) + "\"");
          break;
        case 2:
          members.push_back(name + "\"took " + std::to_string(below(50)) + ".25 ms at 0x" +
                            std::to_string(below(9)) + "f\"");
          break;
        case 3:
          members.push_back(name + "[" + std::to_string(below(9)) + ",{\"k\":\"x y\"}]");
          break;
        case 4:
          members.push_back(name + "{\"g\":" + std::to_string(below(9)) + ".5}");
          break;
        default:
          break;
      }
    }
    std::shuffle(members.begin(), members.end(), random);
    text += "{";
    for (std::size_t m = 0; m < members.size(); ++m) {
      text += (m == 0 ? "" : ",") + members[m];
    }
    text += "}\n";
  }
  return text;
}

std::vector<nlohmann::json> values_of(const std::string& lines) {
  std::vector<nlohmann::json> values;
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = lines.find('\n', at);
    values.push_back(nlohmann::json::parse(lines.substr(at, end - at)));
    at = end + 1;
  }
  return values;
}

TEST(ClpsWriter, AnyEventsComeBackInEachVersion) {
  std::mt19937 random(8);
  for (const Version version : writable_versions()) {
    for (const bool structured : {false, true}) {
      const std::string text = random_log(random, 300);
      const ClpsWritten written =
          write({text}, {.version = version, .structurize_arrays = structured});
      EXPECT_EQ(values_of(written.text()), values_of(text));
    }
  }
}

TEST(ClpsWriterThreads, TheBytesDoNotDependOnThem) {
  std::mt19937 random(7);
  const std::vector<std::string> inputs = {random_log(random, 2000), "", random_log(random, 500)};
  for (const std::uint64_t target : {std::uint64_t{1} << 33, std::uint64_t{20'000}}) {
    WriterOptions options;
    options.target_encoded_size = target;
    const ClpsWritten one = write(inputs, options);
    EXPECT_EQ(values_of(one.text()), values_of(inputs[0] + inputs[2]));
    EXPECT_EQ(one.archives.size() > 3, target == 20'000U);
    for (const unsigned threads : {2U, 7U}) {
      options.threads = threads;
      const ClpsWritten many = write(inputs, options);
      EXPECT_EQ(many.archives, one.archives);
      EXPECT_EQ(many.ids, one.ids);
    }
  }
}

TEST(ClpsWriter, AnArchiveBecomesAnother) {
  std::mt19937 random(6);
  const std::string text = random_log(random, 400);
  const ClpsWritten first = write({text}, {.version = {0, 4, 1}});
  auto archive = Archive::open(as_source(first.archives.at(0)));
  ASSERT_TRUE(archive);
  WriterOptions options;
  std::string bytes;
  options.archive = [&bytes](WrittenArchive&& made) -> Status {
    bytes = made.head;
    for (const auto& member : made.members) {
      bytes += as_text(member);
    }
    return {};
  };
  auto writer = ArchiveWriter::make(options);
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->add(*archive));
  ASSERT_TRUE((*writer)->finish());
  EXPECT_EQ(values_of(read_all(bytes).text), values_of(text));
}

TEST(ClpsWriter, RefusesOptionsThatCannotBeMet) {
  EXPECT_THAT(write({}, {.version = {0, 2, 0}}).error, HasSubstr("0.2.0"));
  EXPECT_THAT(write({}, {.timestamp_key = "a.*"}).error, HasSubstr("wildcard"));
  EXPECT_THAT(write({}, {.timestamp_key = "$a"}).error, HasSubstr("events"));
  EXPECT_THAT(write({}, {.level = 20}).error, HasSubstr("20"));
  EXPECT_THAT(write({}, {.properties = {{"_x", "1"}}}).error, HasSubstr("'_x'"));
}

TEST(ClpsWriter, AnInputCutShortGivesWhatCameBefore) {
  std::string whole = testing_archive::compressed("{\"a\":1}\n{\"a\":2}\n" +
                                                  std::string(300'000, ' ') + "{\"a\":3}\n");
  whole.resize(whole.size() - 3);
  std::vector<std::string> codes;
  WriterOptions options;
  options.on_finding = [&codes](const Finding& finding) { codes.emplace_back(finding.code); };
  const ClpsWritten written = write({whole}, options);
  EXPECT_EQ(written.error, "");
  EXPECT_THAT(written.text(), HasSubstr("{\"a\":1}\n{\"a\":2}\n"));
  EXPECT_THAT(codes, testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace fonds::clps
