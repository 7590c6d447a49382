#include "ops/compare.hpp"

#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing_ops::gzipped;
using testing_ops::plain;
using testing_ops::RecordText;

struct Compared {
  std::vector<std::string> told;
  std::vector<std::string> codes;
  CompareSummary summary;
};

Compared compare_texts(const std::string& a, const std::string& b, CompareOptions options = {}) {
  Compared got;
  const auto first = open_archive(testing_codec::mapped(a), {});
  const auto second = open_archive(testing_codec::mapped(b), {});
  EXPECT_TRUE(first && second);
  const auto shown = [](const std::optional<std::string_view>& v) {
    return v ? std::string(*v) : std::string("none");
  };
  const CompareReport report = {
      .difference = [&](const Difference& d) -> Status {
        const auto number = [](const Entry* e) {
          return e == nullptr ? std::string("-") : std::to_string(e->ordinal);
        };
        std::string line = fmt::format("{} {}/{}", d.kind, number(d.a), number(d.b));
        if (d.kind == "header" || d.kind == "damage") {
          line += fmt::format(" {}: {}/{}", d.what, shown(d.value_a), shown(d.value_b));
        }
        if (d.first_difference) {
          line += fmt::format(" at {}", *d.first_difference);
        }
        got.told.push_back(line);
        return {};
      },
      .finding = [&](const Finding& f) { got.codes.emplace_back(f.code); }};
  const auto summary = compare(*first, *second, options, report);
  EXPECT_TRUE(summary);
  got.summary = summary.value_or(CompareSummary{});
  return got;
}

std::vector<RecordText> three() {
  return {{.id = "urn:a", .uri = "http://e/1", .block = "one"},
          {.id = "urn:b", .uri = "http://e/2", .block = "two"},
          {.id = "urn:c", .uri = "http://e/3", .block = "three"}};
}

TEST(Compare, TheSameRecordsInAnotherCompressionAreEqual) {
  const Compared got = compare_texts(plain(three()), gzipped(three()));
  EXPECT_THAT(got.told, IsEmpty());
  EXPECT_EQ(got.summary.equal, 3U);
  EXPECT_EQ(got.summary.records_a, 3U);
  EXPECT_EQ(got.summary.records_b, 3U);
}

TEST(Compare, ABlockThatDiffersIsToldWithTheFirstOctet) {
  auto changed = three();
  changed[1].block = "tWo";
  const Compared got = compare_texts(plain(three()), gzipped(changed));
  EXPECT_THAT(got.told, ElementsAre("block 1/1 at 1"));
  EXPECT_EQ(got.summary.equal, 2U);
}

TEST(Compare, ABlockThatGoesOnDiffersAtTheEndOfTheShorterOne) {
  auto changed = three();
  changed[2].block = "three and more";
  EXPECT_THAT(compare_texts(plain(three()), plain(changed)).told,
              ElementsAre("header 2/2 Content-Length: 5/14", "block 2/2 at 5"));
}

TEST(Compare, FieldsThatDifferAreNamed) {
  auto changed = three();
  changed[0].date = "2021-01-01T00:00:00Z";
  changed[0].more = "X-New: 1\r\n";
  EXPECT_THAT(compare_texts(plain(three()), plain(changed)).told,
              ElementsAre("header 0/0 WARC-Date: 2020-01-01T00:00:00Z/2021-01-01T00:00:00Z",
                          "header 0/0 X-New: none/1"));
}

TEST(Compare, IgnoredFieldsAndHeadersDoNotCount) {
  auto changed = three();
  changed[0].date = "2021-01-01T00:00:00Z";
  CompareOptions options;
  options.headers.ignored = {"warc-date"};
  EXPECT_THAT(compare_texts(plain(three()), plain(changed), options).told, IsEmpty());
  options = {};
  options.blocks_only = true;
  EXPECT_THAT(compare_texts(plain(three()), plain(changed), options).told, IsEmpty());
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  text.replace(text.find(from), from.size(), to);
  return text;
}

TEST(Compare, LetterCaseAndOrderOfFieldsCountWhenStrict) {
  const std::string a = plain(three());
  CompareOptions strict;
  strict.headers.strict = true;
  const std::string lower = replaced(a, "WARC-Target-URI", "warc-target-uri");
  EXPECT_THAT(compare_texts(a, lower).told, IsEmpty());
  EXPECT_THAT(compare_texts(a, lower, strict).told,
              ElementsAre("header 0/0 order or letter case of fields: none/none"));
  const std::string blank = replaced(a, "WARC-Type: ", "WARC-Type:  ");
  EXPECT_THAT(compare_texts(a, blank).told, IsEmpty());
  EXPECT_THAT(compare_texts(a, blank, strict).told,
              ElementsAre("header 0/0 octets of the header: none/none"));
}

TEST(Compare, TheVersionCountsWhenStrict) {
  const std::string a = plain(three());
  const std::string b = replaced(a, "WARC/1.1", "WARC/1.0");
  CompareOptions strict;
  strict.headers.strict = true;
  EXPECT_THAT(compare_texts(a, b).told, IsEmpty());
  EXPECT_THAT(compare_texts(a, b, strict).told,
              ElementsAre("header 0/0 version: WARC/1.1/WARC/1.0"));
}

TEST(Compare, RecordsOnOneSideAreToldOfOnce) {
  auto fewer = three();
  fewer.erase(fewer.begin() + 1);
  EXPECT_THAT(compare_texts(plain(three()), plain(fewer)).told, ElementsAre("only-in-a 1/-"));
  EXPECT_THAT(compare_texts(plain(fewer), plain(three())).told, ElementsAre("only-in-b -/1"));
}

TEST(Compare, AnotherOrderIsADifference) {
  auto turned = three();
  std::swap(turned[0], turned[1]);
  const Compared got = compare_texts(plain(three()), plain(turned));
  EXPECT_THAT(got.told, ElementsAre("order 0/1"));
  EXPECT_EQ(got.summary.equal, 2U);
}

TEST(Compare, WhatSaysThatARecordWasConvertedIsExpected) {
  auto more = three();
  more.insert(more.begin(),
              {.type = "warcinfo",
               .id = "urn:info",
               .block = "software: fonds\r\ndescription: converted from ARC/1.0\r\n"});
  const Compared got = compare_texts(plain(three()), plain(more));
  EXPECT_THAT(got.told, ElementsAre("added -/0"));
  EXPECT_EQ(got.summary.differences, 0U);
  EXPECT_EQ(got.summary.added, 1U);
  CompareOptions strict;
  strict.headers.strict = true;
  EXPECT_EQ(compare_texts(plain(three()), plain(more), strict).summary.differences, 1U);
}

TEST(Compare, AnyOtherWarcinfoIsADifference) {
  auto more = three();
  more.insert(more.begin(), {.type = "warcinfo", .id = "urn:info", .block = "software: x\r\n"});
  EXPECT_THAT(compare_texts(plain(three()), plain(more)).told, ElementsAre("only-in-b -/0"));
}

TEST(Compare, DamageIsAFindingAndADifference) {
  std::string damaged = gzipped(three());
  damaged.resize(damaged.size() - 6);
  const Compared got = compare_texts(plain(three()), damaged);
  EXPECT_THAT(got.codes, Contains("truncated-member"));
  EXPECT_THAT(got.told, Contains("damage 2/2 : none/truncated-member"));
}

TEST(Compare, ItemsAreComparedByTheirContent) {
  const auto a = open_archive(testing_codec::mapped("one\ntwo\nthree\n"), {.format = "lines"});
  const auto b = open_archive(testing_codec::mapped("one\n2\nthree\nfour\n"), {.format = "lines"});
  ASSERT_TRUE(a && b);
  std::vector<std::string> kinds;
  const auto summary = compare(*a, *b, {},
                               {.difference = [&](const Difference& d) -> Status {
                                  kinds.emplace_back(d.kind);
                                  return {};
                                },
                                .finding = [](const Finding&) {}});
  ASSERT_TRUE(summary);
  EXPECT_THAT(kinds, ElementsAre("block", "only-in-b"));
}

class CompareThreads : public testing::TestWithParam<unsigned> {};

TEST_P(CompareThreads, TellTheSame) {
  std::vector<RecordText> a, b;
  for (int n = 0; n < 4000; ++n) {
    const std::string block = testing_codec::sample_text(400, static_cast<std::uint64_t>(n));
    a.push_back({.id = fmt::format("urn:{}", n), .uri = "http://e/", .block = block});
    if (n % 701 == 0) {
      continue;
    }
    b.push_back(a.back());
    b.back().block[static_cast<std::size_t>(n % 400)] ^= n % 503 == 0 ? 1 : 0;
  }
  CompareOptions options;
  options.scan.threads = GetParam();
  options.scan.range = 100000;
  const Compared got = compare_texts(gzipped(a), plain(b), options);
  EXPECT_EQ(got.summary.only_a, 6U);
  EXPECT_EQ(got.summary.only_b, 0U);
  EXPECT_EQ(got.summary.differences, 6U + 7U);
  options.scan.threads = 1;
  EXPECT_EQ(got.told, compare_texts(gzipped(a), plain(b), options).told);
}
INSTANTIATE_TEST_SUITE_P(Counts, CompareThreads, testing::Values(1U, 2U, 7U));

TEST(Compare, AnErrorOfTheReportEndsIt) {
  const auto a = open_archive(testing_codec::mapped(plain(three())), {});
  const auto b = open_archive(testing_codec::mapped(plain({three()[0]})), {});
  ASSERT_TRUE(a && b);
  const auto summary = compare(
      *a, *b, {},
      {.difference = [](const Difference&) -> Status { return fail(ErrorCode::Io, "full"); },
       .finding = [](const Finding&) {}});
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().message(), "full");
}

}  // namespace
}  // namespace fonds::ops
