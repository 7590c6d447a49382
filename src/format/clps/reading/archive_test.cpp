#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "format/clps/reading/plain.hpp"
#include "format/clps/reading/sections.hpp"
#include "format/clps/testing.hpp"

namespace fonds::clps {
namespace {

using testing::HasSubstr;
using namespace testing_archive;  // NOLINT(google-build-using-namespace)

MadeArchive small() {
  MadeArchive made;
  made.nodes = usual_roots();
  made.nodes.push_back({2, NodeType::ClpString, "m"});
  made.nodes.push_back({2, NodeType::Boolean, "t"});
  made.schemas = {{{1, 3, 4}, {}}};
  made.log_types = {"took \x11 ms by \x12"};
  made.variables = {"x1"};
  made.tables = {{0, 2,
                  differences({0, 1}) + words({0, std::uint64_t{2} << 24}) + word(4) +
                      words({5, 0, 7, 0}) + std::string("\1\0", 2)}};
  return made;
}

std::shared_ptr<Archive> opened(std::string_view bytes) {
  auto archive = Archive::open(as_source(bytes));
  EXPECT_TRUE(archive) << archive.error().to_string();
  return archive ? *archive : nullptr;
}

TEST(ClpsArchive, TellsItsParts) {
  const auto archive = opened(small().build());
  ASSERT_NE(archive, nullptr);
  EXPECT_EQ(archive->header().version.to_string(), "0.5.0");
  EXPECT_EQ(archive->tree().log_order(), 1);
  EXPECT_EQ(archive->tree().user_root(), 2);
  EXPECT_EQ(archive->tree().generated_root(), kNoNode);
  EXPECT_EQ(archive->records(), 2U);
  EXPECT_THAT(archive->column_nodes(0), testing::ElementsAre(1, 3, 4));
}

TEST(ClpsArchive, ColumnsAreViewsOfTheTable) {
  const auto archive = opened(small().build());
  auto stream = archive->open_stream(0);
  ASSERT_TRUE(stream);
  auto table = archive->table(0, *stream);
  ASSERT_TRUE(table) << table.error().to_string();
  ASSERT_EQ(table->columns().size(), 3U);
  EXPECT_EQ(table->columns()[0].word(1), 1U);
  EXPECT_EQ(table->columns()[1].variable_count(), 4U);
  EXPECT_EQ(table->columns()[1].variable(2), 7U);
  EXPECT_TRUE(table->columns()[2].truth(0));
  EXPECT_FALSE(table->columns()[2].truth(1));
  EXPECT_EQ(table->column(2), nullptr);
}

TEST(ClpsArchive, DifferencesAreSummedUpOnce) {
  const auto archive = opened(small().build());
  auto stream = archive->open_stream(0);
  ASSERT_TRUE(stream);
  ASSERT_TRUE(archive->table(0, *stream, 1));
  const auto again = archive->table(0, *stream);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->columns()[0].word(1), 1U);
}

TEST(ClpsArchive, TextsOfBothGenerations) {
  auto made = small();
  EXPECT_EQ(read_all(made.build()).text,
            "{\"m\":\"took 5 ms by x1\",\"t\":true}\n{\"m\":\"took 7 ms by x1\",\"t\":false}\n");
  made.version = 3 << 16 | 1;
  made.log_types = {"took \x11 ms by \x11"};
  made.tables[0].columns = differences({0, 1}) + words({0, std::uint64_t{2} << 24}) + word(4) +
                           words({5, std::uint64_t{1} << 62, 7, std::uint64_t{1} << 62}) +
                           std::string("\1\0", 2);
  EXPECT_EQ(read_all(made.build()).text,
            "{\"m\":\"took 5 ms by x1\",\"t\":true}\n{\"m\":\"took 7 ms by x1\",\"t\":false}\n");
}

TEST(ClpsArchive, VariablesBehindTheColumnAreNotRead) {
  auto made = small();
  made.tables[0].columns = differences({0, 1}) + words({0, ((std::uint64_t{1} << 40) - 1) << 24}) +
                           word(4) + words({5, 0, 7, 0}) + std::string("\1\0", 2);
  const Read read = read_all(made.build());
  EXPECT_EQ(read.text, "{\"m\":\"took 5 ms by x1\",\"t\":true}\n");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_THAT(read.findings[0].message, HasSubstr("behind the column's end"));
}

TEST(ClpsArchive, CountsBeyondTheBytesAreNoted) {
  auto made = small();
  made.tables[0].records = std::uint64_t{1} << 61;
  const Read read = read_all(made.build());
  EXPECT_EQ(read.text, "");
  ASSERT_EQ(read.findings.size(), 1U);
  EXPECT_EQ(read.findings[0].code, "clps-table");
}

TEST(ClpsArchive, RecordsWithoutColumnsAreLimited) {
  MadeArchive made;
  made.nodes = {{-1, NodeType::Object, ""}};
  made.schemas = {{{0}, {}}};
  made.tables = {{0, 3, ""}};
  EXPECT_EQ(read_all(made.build()).text, "{}\n{}\n{}\n");
  made.tables[0].records = std::uint64_t{1} << 41;
  EXPECT_THAT(read_all(made.build()).error, HasSubstr("without a column"));
}

TEST(ClpsArchive, AnArchiveWithoutRecordsIsEmpty) {
  MadeArchive made;
  made.nodes = usual_roots();
  const Read read = read_all(made.build());
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.text, "");
}

TEST(ClpsArchive, ACutFileGivesWhatIsThere) {
  const std::string whole = small().build();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Read read = read_all(whole.substr(0, size));
    EXPECT_TRUE(!read.error.empty() || !read.findings.empty()) << size;
  }
}

TEST(ClpsDictionary, FindsTheEntryOfAPlace) {
  const std::vector<std::string> entries = {"one", "", "three", std::string(300, 'x'), "five"};
  const std::string stored = MadeArchive::dictionary(entries);
  Budget budget(1 << 20);
  const auto dictionary = Dictionary::read(as_bytes(stored), Member::Variables, 1 << 23, budget,
                                           [](const Finding&) { ADD_FAILURE(); });
  ASSERT_TRUE(dictionary);
  ASSERT_EQ(dictionary->size(), entries.size());
  for (std::size_t id = 0; id < entries.size(); ++id) {
    EXPECT_EQ((*dictionary)[id], entries[id]);
    const auto begin =
        static_cast<std::size_t>((*dictionary)[id].data() - dictionary->buffer().data());
    for (std::size_t at = 0; at < entries[id].size(); ++at) {
      EXPECT_EQ(dictionary->entry_at(begin + at, 1), id);
    }
    EXPECT_EQ(dictionary->entry_at(begin, entries[id].size()), id);
    EXPECT_EQ(dictionary->entry_at(begin, entries[id].size() + 1), std::nullopt);
    if (begin > 8) {
      EXPECT_EQ(dictionary->entry_at(begin - 1, 1), std::nullopt);
    }
  }
}

TEST(ClpsInflater, PiecesAreTheWhole) {
  std::mt19937 random(5);
  std::string plain;
  while (plain.size() < 700'000) {
    plain += std::to_string(random() % 5000) + " ";
  }
  // Two frames, one behind the other.
  const std::string stored = compressed(std::string_view(plain).substr(0, 300'000)) +
                             compressed(std::string_view(plain).substr(300'000));
  for (const std::uint64_t step : {1U, 1000U, 70'000U, 650'000U}) {
    Budget budget(1 << 22);
    Inflater inflater(as_bytes(stored), plain.size(), 1 << 23, budget);
    const std::byte* begin = nullptr;
    for (std::uint64_t n = step; !inflater.over() && n < plain.size() + step; n += step) {
      ASSERT_TRUE(inflater.ensure(n));
      ASSERT_GE(inflater.plain().size(), std::min<std::uint64_t>(n, plain.size()));
      begin = begin == nullptr ? inflater.writable() : begin;
      ASSERT_EQ(inflater.writable(), begin) << "what is there has moved";
    }
    EXPECT_EQ(as_text(inflater.plain().view()), plain);
    EXPECT_EQ(inflater.damage(), nullptr);
  }
}

TEST(ClpsInflater, DamageLeavesWhatComesBeforeIt) {
  std::string plain;
  for (int i = 0; i < 200'000; ++i) {
    plain += std::to_string(i * 7919 % 100'003) + ",";
  }
  std::string stored = compressed(plain);
  stored.resize(stored.size() / 2);
  Budget budget(1 << 23);
  Inflater inflater(as_bytes(stored), plain.size(), 1 << 23, budget);
  ASSERT_TRUE(inflater.ensure(plain.size()));
  ASSERT_NE(inflater.damage(), nullptr);
  const auto there = as_text(inflater.plain().view());
  EXPECT_GT(there.size(), 100'000U);
  EXPECT_EQ(there, std::string_view(plain).substr(0, there.size()));
}

TEST(ClpsInflater, MoreThanBelongsHereIsDamage) {
  const std::string plain(5000, 'a');
  const std::string stored = compressed(plain);
  Budget budget(1 << 20);
  Inflater inflater(as_bytes(stored), 4999, 1 << 23, budget);
  ASSERT_TRUE(inflater.ensure(4999));
  ASSERT_NE(inflater.damage(), nullptr);
  EXPECT_EQ(inflater.plain().size(), 4999U);
}

// A Metadata node below the user's object was once taken for a value: found by a fuzzer.
TEST(ClpsArchive, RecordsOfANodeWithoutValuesAreTold) {
  for (const bool within_array : {false, true}) {
    testing_archive::MadeArchive made;
    made.nodes = testing_archive::usual_roots();
    made.nodes.push_back({2, NodeType::StructuredArray, "a"});
    made.nodes.push_back({within_array ? 3 : 2, NodeType::Metadata, ""});
    if (within_array) {
      made.schemas = {{{1}, {0x09000001, 4}}};
    } else {
      made.schemas = {{{1, 4}, {}}};
    }
    made.tables = {{0, 2, testing_archive::differences({0, 1})}};
    const auto read = testing_archive::read_all(made.build());
    EXPECT_EQ(read.error, "");
    EXPECT_EQ(read.text, "");
    ASSERT_EQ(read.findings.size(), 1U);
    EXPECT_THAT(read.findings[0].message, testing::HasSubstr("has no values"));
  }
}

}  // namespace
}  // namespace fonds::clps
