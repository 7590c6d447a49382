#include "format/warc/rewriting/dedup.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"
#include "format/lines/testing.hpp"
#include "io/testing.hpp"
#include "ops/testing.hpp"

namespace fonds::warc {
namespace {

using testing::ElementsAre;
using testing_codec::mapped;
using testing_codec::piped;
using testing_io::TextSink;
using testing_ops::RecordText;

std::string page(std::string_view body) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         std::string(body);
}
RecordText response(std::string id, std::string_view body, std::string more = {}) {
  return {.type = "response",
          .id = "urn:" + id,
          .uri = "http://" + id + "/",
          .block = page(body),
          .more = "Content-Type: application/http;msgtype=response\r\n" + more};
}

struct Outcome {
  std::string bytes, error;
  RewriteReport report;
};
Outcome dedup(const std::vector<Archive>& archives, const DedupOptions& options = {}) {
  TextSink sink;
  Outcome outcome;
  auto report = dedup_archives(archives, sink, options);
  if (report) {
    outcome.bytes = sink.content;
    outcome.report = std::move(*report);
  } else {
    outcome.error = report.error().message();
  }
  return outcome;
}
Outcome dedup_text(const std::string& text, const DedupOptions& options = {}) {
  return dedup({*open_archive(mapped(text), {.format = "warc"})}, options);
}
std::vector<std::string> types(std::string_view text) {
  const auto archive = open_archive(mapped(text));
  const auto reader = *archive->format->open(*archive, {});
  std::vector<std::string> found;
  while (true) {
    const auto record = reader->next();
    if (!record || *record == nullptr) {
      return found;
    }
    found.emplace_back((*record)->kind());
  }
}

const std::string kBody(2000, 'b');

TEST(Dedup, TheSecondOfAPayloadBecomesARevisit) {
  const std::string text =
      testing_ops::plain({response("1", kBody), response("2", kBody + "!"), response("3", kBody)});
  EXPECT_THAT(types(dedup_text(text).bytes), ElementsAre("response", "response", "revisit"));
}

TEST(Dedup, WhatHasNoDuplicatesStaysBitForBit) {
  const std::string text =
      testing_ops::plain({response("1", kBody), response("2", kBody + "!"), {.type = "odd"}});
  EXPECT_EQ(dedup_text(text).bytes, text);
  const std::string packed = testing_ops::gzipped({response("1", kBody), response("2", "x")});
  EXPECT_EQ(dedup_text(packed).bytes, packed);
  EXPECT_EQ(dedup_text("").bytes, "");
}

TEST(Dedup, IsDoneOnce) {
  const std::string text =
      testing_ops::gzipped({response("1", kBody), response("2", kBody), response("3", kBody)});
  const std::string once = dedup_text(text).bytes;
  EXPECT_NE(once, text);
  EXPECT_EQ(dedup_text(once).bytes, once);
}

TEST(Dedup, APipeGivesWhatAFileGives) {
  const std::string text = testing_ops::plain({response("1", kBody), response("2", kBody)});
  EXPECT_EQ(dedup({*open_archive(piped(text))}).bytes, dedup_text(text).bytes);
}

TEST(Dedup, RecordsThatCannotBeHeldAreReadTwice) {
  const std::string body(100'000, 'x');
  for (const bool packed : {false, true}) {
    const std::string plain = testing_ops::plain({response("1", body), response("2", body)});
    DedupOptions small;
    small.rewrite.write.memory_budget = 64 << 10;
    const std::string text = packed ? testing_gzip::member(plain) : plain;
    EXPECT_THAT(types(dedup_text(text, small).bytes), ElementsAre("response", "revisit"));
  }
}

TEST(Dedup, TheOutputDoesNotDependOnThreads) {
  std::vector<RecordText> records;
  for (int i = 0; i < 200; ++i) {
    records.push_back(
        response(std::to_string(i), std::string(3000, static_cast<char>('a' + i % 7))));
  }
  const std::string text = testing_gzip::member(testing_ops::plain(records));
  DedupOptions options;
  const std::string one = dedup_text(text, options).bytes;
  for (const unsigned threads : {2U, 7U}) {
    options.rewrite.write.threads = threads;
    EXPECT_EQ(dedup_text(text, options).bytes, one);
  }
}

TEST(Dedup, AnArcCannotHaveReferences) {
  const std::string arc = "http://a/ 127.0.0.1 20200101000000 text/html 1\nx\n";
  EXPECT_THAT(dedup_text(arc).error, testing::HasSubstr("fonds convert"));
}

TEST(Dedup, AnErrorOfAnIndexEndsTheWork) {
  DedupOptions options;
  options.known = [](const auto&) -> Status { return fail(ErrorCode::Io, "no index"); };
  EXPECT_EQ(dedup_text(testing_ops::plain({response("1", kBody)}), options).error, "no index");
}

// Cut anywhere: an error and nothing else; or, if told, all whole records, none of them changed in
// what it leads to.
TEST(Dedup, ACutArchiveIsAnErrorOrLosesOnlyItsEnd) {
  for (const bool packed : {false, true}) {
    const std::vector<RecordText> records = {response("1", std::string(600, 'x')),
                                             response("2", std::string(600, 'x')),
                                             response("3", std::string(600, 'x'))};
    const std::string whole = packed ? testing_ops::gzipped(records) : testing_ops::plain(records);
    for (std::size_t size = 1; size < whole.size(); ++size) {
      const std::string cut = whole.substr(0, size);
      const auto archive = open_archive(mapped(cut), {.format = "warc"});
      if (!archive) {
        continue;
      }
      DedupOptions options;
      options.rewrite.skip_damaged = true;
      const Outcome outcome = dedup({*archive}, options);
      ASSERT_EQ(outcome.error, "") << size;
      const std::string again = dedup_text(outcome.bytes, {}).error;
      ASSERT_EQ(again, "") << size;
    }
  }
}

}  // namespace
}  // namespace fonds::warc
