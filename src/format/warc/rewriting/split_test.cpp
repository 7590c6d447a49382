#include "format/warc/rewriting/split.hpp"

#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/zstd/train.hpp"
#include "format/warc/rewriting/split_test_support.hpp"

namespace fonds::warc {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;
using testing_codec::mapped;
using Oversize = SplitOptions::Oversize;

Archive archive_of(const std::string& content) { return *open_archive(mapped(content)); }

RewriteReport cut(const std::string& content, Parts& parts, const SplitOptions& options) {
  auto report = split_archive(archive_of(content), parts.next(), options);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().to_string());
  return report ? std::move(*report) : RewriteReport();
}

std::vector<std::string> some_records(std::mt19937& random, int count, std::size_t most) {
  std::vector<std::string> records = {warcinfo_text()};
  for (int i = 0; i < count; ++i) {
    records.push_back(resource_text(i, random_text(random, random() % most, i % 2 == 0)));
  }
  return records;
}

std::string all_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) {
    all += text;
  }
  return all;
}

struct Case {
  std::string name, codec;
  Oversize oversize = Oversize::Keep;
};
class AnySplit : public testing::TestWithParam<Case> {};

// The records of all parts without the warcinfo that was put in front.
std::string records_of(const Parts& parts) {
  std::string all;
  for (const ReadRecord& record : read_back(parts)) {
    if (record.type != "warcinfo" || record.id == "urn:x:info") {
      all += record.header + record.block + "\r\n\r\n";
    }
  }
  return all;
}

TEST_P(AnySplit, NoPartPassesItsSizeAndNothingIsLost) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto records = some_records(random, 60, 1500);
    const std::string content = stored_as(records, {.codec = GetParam().codec});
    const std::uint64_t size = 4000 + random() % 6000;
    Parts parts;
    cut(content, parts, {.size = size, .oversize = GetParam().oversize});
    EXPECT_THAT(parts.largest(), Le(size));
    EXPECT_EQ(records_of(parts), all_of(records));
  }
}

// Blocks of records and their segments by the id of the first.
std::map<std::string, std::string> joined(const std::vector<ReadRecord>& records) {
  std::map<std::string, std::string> blocks;
  std::map<std::string, std::uint32_t> last;
  for (const ReadRecord& record : records) {
    const std::string& id = record.origin.empty() ? record.id : record.origin;
    if (record.segment) {
      EXPECT_EQ(*record.segment, ++last[id]);
    }
    blocks[id] += record.block;
    if (record.total) {
      EXPECT_EQ(*record.total, blocks[id].size());
    }
    EXPECT_THAT(record.problems, IsEmpty());
  }
  return blocks;
}

TEST_P(AnySplit, RecordsThatFitIntoNoPartAreTreatedAsAsked) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::string> records = some_records(random, 6, 3000);
    std::string large = random_text(random, 70'000, false);
    std::string even = random_text(random, 400'000, true);
    records.insert(records.begin() + 3, resource_text(100, large));
    records.push_back(resource_text(101, even));
    const std::uint64_t size = 9000 + random() % 3000;
    Parts parts;
    const RewriteReport report = cut(stored_as(records, {.codec = GetParam().codec}), parts,
                                     {.size = size, .oversize = GetParam().oversize});
    const auto all = read_back(parts);
    if (GetParam().oversize == Oversize::Keep) {
      EXPECT_EQ(records_of(parts), all_of(records));
      EXPECT_EQ(report.changes.at("records larger than a part, in a part of their own"), 2U);
      continue;
    }
    EXPECT_THAT(parts.largest(), Le(size));
    auto blocks = joined(all);
    if (GetParam().oversize == Oversize::Segment) {
      EXPECT_EQ(blocks["urn:x:100"], large);
      EXPECT_EQ(blocks["urn:x:101"], even);
      EXPECT_EQ(report.changes.at("records cut into segments"), 2U);
    } else {
      EXPECT_TRUE(large.starts_with(blocks["urn:x:100"]));
      EXPECT_TRUE(even.starts_with(blocks["urn:x:101"]));
      EXPECT_EQ(
          report.changes.at("octets of truncated records left out"),
          large.size() + even.size() - blocks["urn:x:100"].size() - blocks["urn:x:101"].size());
      EXPECT_GT(blocks["urn:x:100"].size(), size * 8 / 10);
    }
  }
}

// More fits into a part than may lie in memory.
TEST_P(AnySplit, RecordsAreCutWithoutBeingHeld) {
  std::mt19937 random(5);
  const std::string even = std::string(200'000, 'a') + random_text(random, 1'200'000, true);
  const std::string odd = random_text(random, 500'000, false);
  const std::vector<std::string> records = {warcinfo_text(), resource_text(1, even),
                                            resource_text(2, odd), resource_text(3, "last")};
  SplitOptions options{.size = 150'000, .oversize = GetParam().oversize};
  options.rewrite.write.memory_budget = std::uint64_t{1} << 20;
  options.rewrite.write.threads = 2;
  Parts parts;
  cut(stored_as(records, {.codec = GetParam().codec}), parts, options);
  auto blocks = joined(read_back(parts));
  EXPECT_EQ(blocks["urn:x:3"], "last");
  if (GetParam().oversize == Oversize::Truncate) {
    EXPECT_TRUE(even.starts_with(blocks["urn:x:1"]));
    EXPECT_TRUE(odd.starts_with(blocks["urn:x:2"]));
  } else {
    EXPECT_EQ(blocks["urn:x:1"], even);
    EXPECT_EQ(blocks["urn:x:2"], odd);
  }
  if (GetParam().oversize != Oversize::Keep) {
    EXPECT_THAT(parts.largest(), Le(options.size));
    // Parts in the middle of a record are reasonably full.
    EXPECT_GT(parts.parts[1].sink.content.size(), options.size * 7 / 10);
  }
}

TEST_P(AnySplit, ThreadsMakeNoDifference) {
  std::mt19937 random(3);
  const auto records = some_records(random, 200, 9000);
  const std::string content = stored_as(records, {.codec = "lz4"});
  std::vector<std::string> seen;
  for (const unsigned threads : {1U, 2U, 7U}) {
    SplitOptions options{.size = 30'000, .oversize = GetParam().oversize};
    options.rewrite.write.compression = {GetParam().codec};
    options.rewrite.write.threads = threads;
    Parts parts;
    cut(content, parts, options);
    std::string all;
    for (const WrittenPart& part : parts.parts) {
      all += part.sink.content + "|";
    }
    seen.push_back(all);
  }
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[0], seen[2]);
}

INSTANTIATE_TEST_SUITE_P(
    All, AnySplit,
    testing::Values(Case{"PlainKeep", "none"}, Case{"PlainSegment", "none", Oversize::Segment},
                    Case{"PlainTruncate", "none", Oversize::Truncate}, Case{"GzipKeep", "gzip"},
                    Case{"GzipSegment", "gzip", Oversize::Segment},
                    Case{"GzipTruncate", "gzip", Oversize::Truncate}, Case{"ZstdKeep", "zstd"},
                    Case{"ZstdSegment", "zstd", Oversize::Segment},
                    Case{"ZstdTruncate", "zstd", Oversize::Truncate}, Case{"Lz4Keep", "lz4"},
                    Case{"Lz4Segment", "lz4", Oversize::Segment},
                    Case{"Lz4Truncate", "lz4", Oversize::Truncate}),
    [](const auto& tested) { return tested.param.name; });

// ---- what is copied ----

TEST(Split, CopiesMembersOfOneRecordAsTheyAreStored) {
  std::mt19937 random(1);
  const auto records = some_records(random, 40, 800);
  const std::string content = stored_as(records, {.codec = "gzip", .level = 1});
  Parts parts;
  SplitOptions options{.size = 5000};
  options.rewrite.write.describe = false;
  cut(content, parts, options);
  std::string all;
  for (const WrittenPart& part : parts.parts) {
    all += part.sink.content;
  }
  EXPECT_GT(parts.parts.size(), 3U);
  EXPECT_EQ(all, content);
}

TEST(Split, EncodesMembersOfManyRecordsAnewOneByOne) {
  std::mt19937 random(1);
  const auto records = some_records(random, 40, 800);
  const std::string content = stored_as({all_of(records)}, {.codec = "gzip"});
  Parts parts;
  cut(content, parts, {.size = 5000});
  EXPECT_THAT(parts.largest(), Le(5000U));
  EXPECT_EQ(records_of(parts), all_of(records));
  for (const ReadRecord& record : read_back(parts)) {
    EXPECT_THAT(record.problems, IsEmpty());
  }
}

ZstdDictionary some_dictionary() {
  zstd::SampleSet samples;
  std::mt19937 random(9);
  for (int i = 0; i < 400; ++i) {
    const std::string text = resource_text(i, random_text(random, 300, true));
    samples.add(as_bytes(text));
  }
  return *zstd::train_dictionary(samples, 4096, 3);
}

TEST(Split, EveryPartOfAZstdArchiveBeginsWithItsDictionary) {
  std::mt19937 random(1);
  const auto records = some_records(random, 200, 800);
  const std::string content =
      stored_as(records, {.codec = "zstd", .dictionary = some_dictionary()});
  Parts parts;
  cut(content, parts, {.size = 20'000});
  ASSERT_GT(parts.parts.size(), 2U);
  EXPECT_THAT(parts.largest(), Le(20'000U));
  const std::string start = content.substr(0, 64);
  for (const WrittenPart& part : parts.parts) {
    EXPECT_EQ(part.sink.content.substr(0, 64), start);
  }
  EXPECT_EQ(records_of(parts), all_of(records));
}

TEST(Split, SizePrefixesGoAlongAndASeekTableDoesNot) {
  std::mt19937 random(1);
  const auto records = some_records(random, 30, 800);
  for (const auto extension :
       {EncodeOptions::Extension::SizePrefix, EncodeOptions::Extension::SeekTable}) {
    const std::string content = stored_as(records, {.codec = "zstd", .extension = extension});
    Parts parts;
    SplitOptions options{.size = 4000};
    options.rewrite.write.describe = false;
    cut(content, parts, options);
    EXPECT_THAT(parts.largest(), Le(4000U));
    EXPECT_EQ(records_of(parts), all_of(records));
    std::string all;
    for (const WrittenPart& part : parts.parts) {
      // What begins with an extension frame begins with an empty one.
      const bool empty =
          part.sink.content.starts_with(std::string("\x28\xb5\x2f\xfd\x24\0\1\0\0", 9));
      EXPECT_EQ(empty, extension == EncodeOptions::Extension::SizePrefix);
      all += part.sink.content.substr(empty ? 13 : 0);
    }
    const bool prefixes = extension == EncodeOptions::Extension::SizePrefix;
    EXPECT_EQ(all, prefixes ? content.substr(13) : content.substr(0, all.size()));
    EXPECT_EQ(content.size() > all.size(), true);
  }
}

// ---- what parts begin with ----

TEST(Split, PartsBeginWithTheWarcinfoThatGovernsThem) {
  std::mt19937 random(1);
  const auto records = some_records(random, 30, 800);
  Parts parts;
  cut(all_of(records), parts, {.size = 4000});
  ASSERT_GT(parts.parts.size(), 2U);
  EXPECT_TRUE(parts.parts[0].sink.content.starts_with(records[0]));
  std::vector<std::string> ids;
  for (std::size_t i = 1; i < parts.parts.size(); ++i) {
    const auto found = read_back(parts.parts[i].sink.content);
    EXPECT_EQ(found[0].type, "warcinfo");
    EXPECT_EQ(found[0].block, "software: test\r\n");
    EXPECT_EQ(found[0].filename, parts.parts[i].name);
    EXPECT_THAT(ids, Not(testing::Contains(found[0].id)));
    ids.push_back(found[0].id);
    EXPECT_NE(found[1].type, "warcinfo");
  }
}

TEST(Split, APartThatBeginsWithAWarcinfoGetsNoOther) {
  const std::string second = testing_ops::text_of(
      {.type = "warcinfo", .id = "urn:x:info", .block = "software: other\r\n"});
  const std::string content = warcinfo_text() + resource_text(1, std::string(1000, 'a')) + second +
                              resource_text(2, std::string(1000, 'b')) +
                              resource_text(3, std::string(1000, 'c'));
  Parts parts;
  const std::string first = warcinfo_text() + resource_text(1, std::string(1000, 'a'));
  cut(content, parts, {.size = first.size() + 20});
  ASSERT_EQ(parts.parts.size(), 3U);
  const auto all = read_back(parts);
  std::vector<std::string> types, infos;
  for (const ReadRecord& record : all) {
    types.push_back(record.type);
    if (record.type == "warcinfo") {
      infos.push_back(record.block);
    }
  }
  EXPECT_THAT(types,
              ElementsAre("warcinfo", "resource", "warcinfo", "resource", "warcinfo", "resource"));
  EXPECT_THAT(infos,
              ElementsAre("software: test\r\n", "software: other\r\n", "software: other\r\n"));
}

TEST(Split, AWarcinfoIsMadeWhereThereIsNone) {
  const std::string content = resource_text(1, "a") + resource_text(2, "b");
  Parts parts;
  const RewriteReport report = cut(content, parts, {.size = 10'000});
  const auto all = read_back(parts);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].type, "warcinfo");
  EXPECT_THAT(all[0].block, HasSubstr("software: fonds\r\nformat: WARC/1.1\r\n"));
  EXPECT_EQ(all[0].filename, parts.parts[0].name);
  EXPECT_EQ(report.changes.at("warcinfo records made for parts"), 1U);
}

TEST(Split, NoneIsMadeIfItIsNotWanted) {
  const std::string content = resource_text(1, "a") + resource_text(2, "b");
  Parts parts;
  SplitOptions options{.size = 10'000};
  options.rewrite.write.describe = false;
  cut(content, parts, options);
  ASSERT_EQ(parts.parts.size(), 1U);
  EXPECT_EQ(parts.parts[0].sink.content, content);
}

TEST(Split, PartsOfAnArcBeginWithItsVersionBlock) {
  std::string content =
      "filedesc://old.arc 0.0.0.0 20200101000000 text/plain 76\n"
      "1 0 InternetArchive\nURL IP-address Archive-date Content-type "
      "Archive-length\n\n";
  for (int i = 0; i < 20; ++i) {
    content += "http://e.example/" + std::to_string(i) +
               " 127.0.0.1 20200101000000 text/html 300\n" + std::string(300, 'x') + "\n";
  }
  Parts parts;
  cut(content, parts, {.size = 2000, .oversize = Oversize::Segment});
  ASSERT_GT(parts.parts.size(), 2U);
  EXPECT_THAT(parts.largest(), Le(2000U));
  std::size_t records = 0;
  for (const WrittenPart& part : parts.parts) {
    EXPECT_TRUE(part.sink.content.starts_with("filedesc://" + part.name + " 0.0.0.0 2020"));
    records += read_back(part.sink.content).size() - 1;
  }
  EXPECT_EQ(records, 20U);
}

TEST(Split, RecordsOfArcAreNeverCut) {
  const std::string content =
      "http://e.example/ 127.0.0.1 20200101000000 text/html 3000\n" + std::string(3000, 'x') + "\n";
  for (const Oversize oversize : {Oversize::Segment, Oversize::Truncate}) {
    Parts parts;
    const RewriteReport report = cut(content, parts, {.size = 1000, .oversize = oversize});
    EXPECT_EQ(read_back(parts).back().block, std::string(3000, 'x'));
    EXPECT_EQ(report.changes.at("records of ARC larger than a part, kept whole in a part of "
                                "their own"),
              1U);
  }
}

// ---- what cannot be ----

TEST(Split, ASegmentNeedsRoomForItsHeader) {
  const std::string content = resource_text(1, std::string(3000, 'x'));
  Parts parts;
  const auto report = split_archive(archive_of(content), parts.next(),
                                    {.size = 200, .oversize = Oversize::Segment});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(report.error().message(), HasSubstr("--size"));
}

TEST(Split, PipesAreRefused) {
  const auto archive = open_archive(testing_codec::piped(warcinfo_text()));
  Parts parts;
  const auto report = split_archive(*archive, parts.next(), {.size = 1000});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().code(), ErrorCode::Unsupported);
}

TEST(Split, StopsAtDamageUnlessItMayLeaveItOut) {
  std::mt19937 random(1);
  auto records = some_records(random, 10, 800);
  std::string content;
  for (std::size_t i = 0; i < records.size(); ++i) {
    std::string member = stored_as({records[i]}, {.codec = "gzip"});
    if (i == 4) {
      member[member.size() - 6] = static_cast<char>(member[member.size() - 6] ^ 1);  // CRC
    }
    content += member;
  }
  Parts parts;
  EXPECT_EQ(split_archive(archive_of(content), parts.next(), {.size = 3000}).error().code(),
            ErrorCode::Corrupt);
  Parts rest;
  SplitOptions options{.size = 3000};
  options.rewrite.skip_damaged = true;
  const RewriteReport report = cut(content, rest, options);
  EXPECT_EQ(report.records_lost, 1U);
  records.erase(records.begin() + 4);
  EXPECT_EQ(records_of(rest), all_of(records));
}

TEST(Split, EveryCutArchiveEndsWithoutACrash) {
  std::mt19937 random(2);
  const std::string content = stored_as(some_records(random, 3, 300), {.codec = "gzip"});
  for (std::size_t length = 20; length < content.size(); length += 7) {
    auto archive = open_archive(mapped(content.substr(0, length)));
    Parts parts;
    SplitOptions options{.size = 900, .oversize = Oversize::Segment};
    options.rewrite.skip_damaged = true;
    if (archive) {
      const auto report = split_archive(*archive, parts.next(), options);
      EXPECT_TRUE(report.has_value()) << length;
    }
  }
}

TEST(Split, DictionariesNeedZstd) {
  Parts parts;
  SplitOptions options{.size = 1000, .train_dictionaries = true};
  options.rewrite.write.compression = {"gzip"};
  EXPECT_EQ(split_archive(archive_of(warcinfo_text()), parts.next(), options).error().code(),
            ErrorCode::BadArgument);
}

// ---- by type ----

std::string response(int number, const std::string& type, const std::string& body) {
  return testing_ops::text_of(
      {.type = "response",
       .id = "urn:r:" + std::to_string(number),
       .uri = "http://example.com/" + std::to_string(number),
       .block = "HTTP/1.1 200 OK\r\nContent-Type: " + type + "\r\n\r\n" + body,
       .more = "Content-Type: application/http;msgtype=response\r\n"});
}
std::string request(int number) {
  return testing_ops::text_of(
      {.type = "request",
       .id = "urn:q:" + std::to_string(number),
       .uri = "http://example.com/" + std::to_string(number),
       .block = "GET / HTTP/1.1\r\n\r\n",
       .more = "Content-Type: application/http;msgtype=request\r\nWARC-Concurrent-To: <urn:r:" +
               std::to_string(number) + ">\r\n"});
}

TEST(SplitByType, RecordsOfAMediaTypeAreTogetherWithTheirRequests) {
  const std::string content =
      warcinfo_text() + request(1) + response(1, "Text/HTML; charset=x", "a") + request(2) +
      response(2, "image/png", "b") + response(3, "text/html", "c") + request(9);
  Parts parts;
  cut(content, parts, {.by_type = true});
  std::map<std::string, std::vector<std::string>> ids;
  for (const ReadRecord& record : read_back(parts)) {
    if (record.type != "warcinfo" || record.id == "urn:x:info") {
      ids[record.part.substr(0, record.part.rfind('-'))].push_back(record.id);
    }
  }
  EXPECT_THAT(ids["text-html"], ElementsAre("urn:q:1", "urn:r:1", "urn:r:3"));
  EXPECT_THAT(ids["image-png"], ElementsAre("urn:q:2", "urn:r:2"));
  EXPECT_THAT(ids["other"], ElementsAre("urn:x:info", "urn:q:9"));
}

TEST(SplitByType, TheLargestTypesHaveSequencesOfTheirOwn) {
  std::string content;
  for (int i = 0; i < 50; ++i) {
    content +=
        response(i, "x/t" + std::to_string(i), std::string(static_cast<std::size_t>(i), 'x'));
  }
  Parts parts;
  cut(content, parts, {.by_type = true});
  EXPECT_EQ(parts.parts.size(), 32U);
  std::vector<std::string> names;
  for (const WrittenPart& part : parts.parts) {
    names.push_back(part.name.substr(0, part.name.rfind('-')));
  }
  EXPECT_THAT(names, testing::Contains("x-t49"));
  EXPECT_THAT(names, testing::Contains("other"));
  EXPECT_THAT(names, Not(testing::Contains("x-t3")));
}

TEST(SplitByType, NamesOfTypesAreSafeInFileNames) {
  const std::string content =
      response(1, "../../etc/passwd", "a") + response(2, "text/\x1b[31m\"x", "b");
  Parts parts;
  cut(content, parts, {.by_type = true});
  for (const WrittenPart& part : parts.parts) {
    EXPECT_EQ(part.name.find_first_of("/\x1b\"["), std::string::npos) << part.name;
    EXPECT_FALSE(part.name.starts_with('.'));
  }
}

TEST(SplitByType, ADictionaryIsMadeWhereItPays) {
  std::mt19937 random(4);
  std::string content = warcinfo_text();
  for (int i = 0; i < 600; ++i) {
    content += response(2 * i, "text/html",
                        "<html><head><title>A page like all the others of this site</title></head>"
                        "<body class=\"main\"><div id=\"navigation\">" +
                            std::to_string(random()) + "</div></body></html>");
    if (i % 6 == 0) {
      content += response(2 * i + 1, "image/png", random_text(random, 700, false));
    }
  }
  Parts plain, trained;
  SplitOptions options{.by_type = true};
  options.rewrite.write.compression = {"zstd"};
  cut(content, plain, options);
  options.train_dictionaries = true;
  const RewriteReport report = cut(content, trained, options);
  EXPECT_GE(report.changes.at("sequences of parts with a dictionary of their own"), 1U);
  for (std::size_t i = 0; i < plain.parts.size(); ++i) {
    if (plain.parts[i].name.starts_with("text-html")) {
      EXPECT_LT(trained.parts[i].sink.content.size(), plain.parts[i].sink.content.size() * 3 / 4);
    }
  }
  EXPECT_EQ(records_of(trained), records_of(plain));
}

}  // namespace
}  // namespace fonds::warc
