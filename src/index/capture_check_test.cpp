#include "index/capture_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <libdeflate.h>

#include "index/capture.hpp"
#include "index/surt.hpp"
#include "test_paths.hpp"

namespace fonds::index {
namespace {

using Lines = std::vector<std::string>;

std::shared_ptr<ByteSource> source_of(std::string_view text, std::string name) {
  const ByteView bytes = as_bytes(text);
  return memory_source({bytes.begin(), bytes.end()}, std::move(name));
}

std::string gzip(const std::string& text) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(6), libdeflate_free_compressor);
  std::string stored(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  stored.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), stored.data(),
                                         stored.size()));
  return stored;
}

struct Example {
  std::string archive;
  std::vector<Capture> captures;  // in the order of the records
};
std::string record_of(const std::string& url, int day, std::size_t size) {
  return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: " + url + "\r\nWARC-Date: 2020-01-0" +
         std::to_string(day) + "T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:" + std::to_string(day) +
         ">\r\nContent-Type: text/plain\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n" +
         std::string(size, 'x');
}
// Three records: of a member each, of one member, or plain.
enum class Storage { Members, Whole, Plain };
Example make_example(Storage storage) {
  Example example;
  std::string decoded;
  int day = 0;
  for (const char* const url : {"http://b.example/", "http://a.example/", "http://c.example/"}) {
    ++day;
    const std::string record = record_of(url, day, 100 * static_cast<std::size_t>(day));
    const std::string stored = storage == Storage::Members ? gzip(record + "\r\n\r\n") : record;
    Capture capture;
    capture.key = surt(url);
    capture.timestamp = "2020010" + std::to_string(day) + "000000";
    capture.url = url;
    capture.filename = "x.warc";
    capture.offset = storage == Storage::Whole ? 0 : example.archive.size();
    if (storage == Storage::Whole) {
      capture.inner = decoded.size();
    } else {
      capture.length = stored.size();
    }
    example.captures.push_back(capture);
    example.archive += stored + (storage == Storage::Plain ? "\r\n\r\n" : "");
    decoded += record + "\r\n\r\n";
  }
  if (storage == Storage::Whole) {
    example.archive = gzip(decoded);
    example.captures[0].inner.reset();
  }
  return example;
}

std::string index_of(std::vector<Capture> captures) {
  Lines lines;
  for (const Capture& capture : captures) {
    append_cdxj(lines.emplace_back(), capture);
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

struct Answer {
  CaptureTotals totals;
  Lines findings;
};
Answer verify(const std::string& archive_bytes, const std::string& index_text) {
  Answer answer;
  const auto archive = open_archive(source_of(archive_bytes, "dir/x.warc"));
  EXPECT_TRUE(archive.has_value());
  const auto index = open_capture_file(source_of(index_text, "x.cdxj"));
  EXPECT_TRUE(index.has_value());
  const auto totals = verify_captures(*index, *archive, {}, [&](const Finding& finding) {
    if (finding.code != "cdx-member") {  // the captures here have only what places need
      answer.findings.push_back(std::string(finding.code) + ": " + describe(finding.where) +
                                finding.message);
    }
  });
  EXPECT_TRUE(totals.has_value());
  answer.totals = totals ? *totals : CaptureTotals{};
  return answer;
}

class GoodIndex : public testing::TestWithParam<std::pair<std::string, Storage>> {};
INSTANTIATE_TEST_SUITE_P(Storages, GoodIndex,
                         testing::Values(std::pair("Members", Storage::Members),
                                         std::pair("Whole", Storage::Whole),
                                         std::pair("Plain", Storage::Plain)),
                         [](const auto& storage) { return storage.param.first; });

TEST_P(GoodIndex, HasNoFindings) {
  const Example example = make_example(GetParam().second);
  const Answer answer = verify(example.archive, index_of(example.captures));
  EXPECT_EQ(answer.findings, Lines());
  EXPECT_EQ(answer.totals.captures, 3U);
  EXPECT_EQ(answer.totals.checked, 3U);
  EXPECT_EQ(answer.totals.wrong, 0U);
}

TEST(VerifyCaptures, LengthOfAPlainRecordMayCountTheLineEndsBehindIt) {
  Example example = make_example(Storage::Plain);
  for (Capture& capture : example.captures) {
    *capture.length += 4;
  }
  EXPECT_EQ(verify(example.archive, index_of(example.captures)).findings, Lines());
}

struct Stale {
  std::string name;
  Storage storage;
  std::function<void(Capture&)> change;  // of the third record's
  std::string expected;                  // OFFSET: of the third record
};
class StaleCapture : public testing::TestWithParam<Stale> {};
const std::vector<Stale> kStale = {
    {"InsideAMember", Storage::Members, [](Capture& capture) { *capture.offset += 1; },
     "leads to offset OFFSET+1, where no record begins"},
    {"BehindTheEnd", Storage::Members, [](Capture& capture) { capture.offset = ~std::uint64_t{0}; },
     "leads to offset 18446744073709551615, but the archive has SIZE bytes"},
    {"AnotherRecord", Storage::Members, [](Capture& capture) { capture.offset = 0; },
     "leads to offset 0, where the record is of http://b.example/ at 2020-01-01T00:00:00Z, not "
     "http://c.example/ at 20200103000000"},
    {"AnotherTime", Storage::Members,
     [](Capture& capture) { capture.timestamp = "20200104000000"; },
     "leads to offset OFFSET, where the record is of http://c.example/ at 2020-01-03T00:00:00Z, "
     "not "
     "http://c.example/ at 20200104000000"},
    {"AnotherUrl", Storage::Members, [](Capture& capture) { capture.url = "http://d.example/"; },
     "leads to offset OFFSET, where the record is of http://c.example/ at 2020-01-03T00:00:00Z, "
     "not "
     "http://d.example/ at 20200103000000"},
    {"AnotherLength", Storage::Members, [](Capture& capture) { capture.length = 7; },
     "has the length 7, but the record at offset OFFSET has LENGTH stored bytes"},
    {"InsideAPlainRecord", Storage::Plain, [](Capture& capture) { *capture.offset += 1; },
     "leads to offset OFFSET+1, where no record begins"},
    {"AnotherLengthOfAPlainRecord", Storage::Plain, [](Capture& capture) { *capture.length += 1; },
     "has the length LENGTH+1, but the record at offset OFFSET has LENGTH+4 stored bytes"},
    {"BetweenRecordsOfAMember", Storage::Whole, [](Capture& capture) { *capture.inner += 1; },
     "leads INNER+1 bytes into the unit at offset 0, where no record begins"},
    {"BehindTheLastRecordOfAMember", Storage::Whole,
     [](Capture& capture) { capture.inner = ~std::uint64_t{0}; },
     "leads 18446744073709551615 bytes into the unit at offset 0, where no record begins"},
    {"EarlierRecordOfAMember", Storage::Whole, [](Capture& capture) { capture.inner.reset(); },
     "leads to offset 0, where the record is of http://b.example/ at 2020-01-01T00:00:00Z, not "
     "http://c.example/ at 20200103000000"},
};
INSTANTIATE_TEST_SUITE_P(Captures, StaleCapture, testing::ValuesIn(kStale),
                         [](const auto& stale) { return stale.param.name; });

std::string filled_in(std::string text, const std::string& word, std::uint64_t value) {
  if (const std::size_t at = text.find(word); at != std::string::npos) {
    const std::size_t end = at + word.size();
    const bool plus = end < text.size() && text[end] == '+';
    const std::uint64_t more = plus ? static_cast<std::uint64_t>(text[end + 1] - '0') : 0;
    text.replace(at, word.size() + (plus ? 2 : 0), std::to_string(value + more));
  }
  return text;
}

TEST_P(StaleCapture, IsNamed) {
  Example example = make_example(GetParam().storage);
  Capture& third = example.captures[2];
  std::string expected = filled_in(GetParam().expected, "OFFSET", *third.offset);
  expected = filled_in(expected, "SIZE", example.archive.size());
  expected = filled_in(expected, "LENGTH", third.length.value_or(0));
  expected = filled_in(expected, "LENGTH", third.length.value_or(0));
  expected = filled_in(expected, "INNER", third.inner.value_or(0));
  GetParam().change(third);
  const std::string index = index_of(example.captures);
  Answer answer = verify(example.archive, index);
  std::erase_if(answer.findings, [](const auto& text) { return text.starts_with("cdx-key"); });
  const std::size_t line = index.find("example,c)/");
  EXPECT_EQ(answer.findings,
            Lines{"cdx-stale: x.cdxj: offset " + std::to_string(line) + ": " + expected});
  EXPECT_EQ(answer.totals.wrong, 1U);
  EXPECT_EQ(answer.totals.checked, 3U);
}

TEST(VerifyCaptures, BadLinesAreNamedAndTheOthersChecked) {
  const Example example = make_example(Storage::Members);
  const std::string good = index_of(example.captures);
  const Answer answer = verify(
      example.archive, good + "example,d)/ 20200101000000 {\"url\": \"http://d.example/\"}\n" +
                           "example,e)/ 20200101000000 {\"url\"\n");
  ASSERT_EQ(answer.findings.size(), 2U);
  EXPECT_EQ(answer.findings[0], "cdx-line: x.cdxj: offset " + std::to_string(good.size()) +
                                    ": the capture has no offset");
  EXPECT_TRUE(answer.findings[1].starts_with("cdx-line: x.cdxj: offset ")) << answer.findings[1];
  EXPECT_EQ(answer.totals.captures, 4U);
  EXPECT_EQ(answer.totals.checked, 3U);
}

TEST(VerifyCaptures, FirstLineOutOfOrderIsNamed) {
  const Example example = make_example(Storage::Members);
  std::string text;
  for (const Capture& capture : example.captures) {
    append_cdxj(text, capture);
    text += '\n';
  }
  const Answer answer = verify(example.archive, text);
  EXPECT_EQ(answer.findings,
            Lines{"cdx-order: x.cdxj: offset " + std::to_string(text.find("example,a)")) +
                  ": this line is smaller than the one before"});
}

TEST(VerifyCaptures, CapturesOfOtherArchivesAreCountedAndPassedOver) {
  Example example = make_example(Storage::Members);
  example.captures[1].filename = "sub/y.warc";
  example.captures[1].offset = 5;
  example.captures[2].filename = "sub/x.warc";
  const Answer answer = verify(example.archive, index_of(example.captures));
  EXPECT_EQ(answer.findings, Lines());
  EXPECT_EQ(answer.totals.elsewhere, 1U);
  EXPECT_EQ(answer.totals.checked, 2U);
}

TEST(VerifyCaptures, IndexOfOtherArchivesOnlyIsStale) {
  Example example = make_example(Storage::Members);
  for (Capture& capture : example.captures) {
    capture.filename = "y.warc";
  }
  EXPECT_EQ(verify(example.archive, index_of(example.captures)).findings,
            Lines{"cdx-stale: x.cdxj: none of 3 captures is of an archive with the name x.warc"});
}

TEST(VerifyCaptures, ArchiveCutAnywhereIsCheckedToAnEnd) {
  for (const Storage storage : {Storage::Members, Storage::Whole, Storage::Plain}) {
    const Example example = make_example(storage);
    const std::string index = index_of(example.captures);
    for (std::size_t size = 200; size < example.archive.size(); size += 7) {
      EXPECT_EQ(verify(example.archive.substr(0, size), index).totals.checked, 3U);
    }
  }
}

TEST(VerifyCaptures, ManyCapturesOfOneRecordReadItOnce) {
  Example example = make_example(Storage::Members);
  std::vector<Capture> captures(5000, example.captures[0]);
  captures.push_back(example.captures[1]);
  const Answer answer = verify(example.archive, index_of(captures));
  EXPECT_EQ(answer.findings, Lines());
  EXPECT_EQ(answer.totals.checked, 5001U);
}

TEST(VerifyCaptures, KeysThatAreNotThoseOfTheirUrlsAreToldOnce) {
  Example example = make_example(Storage::Members);
  example.captures[1].key = "example,x)/";
  example.captures[2].key = "example,y)/";
  const Answer answer = verify(example.archive, index_of(example.captures));
  ASSERT_EQ(answer.findings.size(), 1U);
  EXPECT_TRUE(answer.findings[0].starts_with("cdx-key: x.cdxj: offset ")) << answer.findings[0];
  EXPECT_TRUE(answer.findings[0].find(": 2 keys ") != std::string::npos) << answer.findings[0];
}

TEST(VerifyCaptures, KeysOfJoinedRequestsAreTheirOwn) {
  Example example = make_example(Storage::Members);
  example.captures[1].key = "example,a)/?__wb_method=post";
  EXPECT_EQ(verify(example.archive, index_of(example.captures)).findings, Lines());
}

class FixtureIndex : public testing::TestWithParam<std::pair<std::string, std::string>> {};
INSTANTIATE_TEST_SUITE_P(Fixtures, FixtureIndex,
                         testing::Values(std::pair("warcio-example.warc.gz", "cdxj"),
                                         std::pair("warcio-example.warc.gz", "all.cdxj"),
                                         std::pair("warcio-example.warc.gz", "cdx9"),
                                         std::pair("warcio-example.warc.gz", "cdx11"),
                                         std::pair("warcio-example-resource.warc.gz", "cdxj"),
                                         std::pair("warcio-example-resource.warc.gz", "cdx9"),
                                         std::pair("warcio-example-resource.warc.gz", "cdx11"),
                                         std::pair("warcio-example.arc.gz", "cdxj"),
                                         std::pair("warcio-example.arc.gz", "cdx9"),
                                         std::pair("warcio-example.arc.gz", "cdx11"),
                                         std::pair("warcio-post-test.warc.gz", "cdxj"),
                                         std::pair("warcio-post-test.warc.gz", "post.cdxj"),
                                         std::pair("warcio-post-test.warc.gz", "cdx9"),
                                         std::pair("warcio-post-test.warc.gz", "cdx11")),
                         [](const auto& fixture) {
                           std::string name = fixture.param.first + "_" + fixture.param.second;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](char c) { return c == '.' || c == '-'; }, '_');
                           return name;
                         });

TEST_P(FixtureIndex, OfAnotherMakerHasNoFindings) {
  const auto& [name, ending] = GetParam();
  const auto archive = open_archive(FONDS_TEST_DATA "/warc/third-party/" + name);
  ASSERT_TRUE(archive.has_value()) << archive.error().to_string();
  auto source = open_source(std::string(FONDS_TEST_DATA "/index/") + name + "." + ending);
  ASSERT_TRUE(source.has_value()) << source.error().to_string();
  const auto index = open_capture_file(std::move(*source));
  ASSERT_TRUE(index.has_value()) << index.error().to_string();
  Lines findings;
  const auto totals = verify_captures(*index, *archive, {}, [&](const Finding& finding) {
    if (finding.code != "cdx-member") {  // what a record does not have is left out by all makers
      findings.push_back(std::string(finding.code) + ": " + finding.message);
    }
  });
  ASSERT_TRUE(totals.has_value());
  EXPECT_EQ(findings, Lines());
  EXPECT_GT(totals->checked, 0U);
  EXPECT_EQ(totals->elsewhere, 0U);
}

}  // namespace
}  // namespace fonds::index
