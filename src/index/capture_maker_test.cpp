#include "index/capture_maker.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"

namespace fonds::index {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing_codec::mapped;

constexpr std::string_view kHtml =
    "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>hello</p>";
// SHA-1 of "<p>hello</p>" in Base32.
constexpr const char* kHtmlDigest = "sha1:EH2SPSI2J7IA53E7X7MLVOIBNGZPXYIP";

// A WARC record; `fields` stand between the type and the length, each with its line end.
std::string record(std::string_view type, std::string_view fields, std::string_view block) {
  std::string text = "WARC/1.1\r\nWARC-Type: ";
  text.append(type).append("\r\n").append(fields);
  text.append("Content-Length: ").append(std::to_string(block.size())).append("\r\n\r\n");
  return text.append(block).append("\r\n\r\n");
}
std::string about(std::string_view uri, std::string_view more = "") {
  std::string fields = "WARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: ";
  return fields.append(uri).append("\r\n").append(more);
}
std::string http_type(std::string_view kind) {
  return "Content-Type: application/http; msgtype=" + std::string(kind) + "\r\n";
}
std::string response(std::string_view uri, std::string_view more = "") {
  return record("response", about(uri, http_type("response") + std::string(more)), kHtml);
}

struct Made {
  std::vector<Capture> captures;
  std::uint64_t undated = 0;
  std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    for (const Capture& capture : captures) {
      append_cdxj(lines.emplace_back(), capture);
    }
    return lines;
  }
};

Made make(const std::string& octets, CaptureOptions options = {}) {
  options.filename = "a.warc";
  const Archive archive = *open_archive(mapped(octets));
  auto reader = *archive.format->open(archive, CaptureMaker::read_options({}, options));
  CaptureMaker maker(archive, options);
  Made made;
  const auto keep = [&made](std::span<const Capture> captures) {
    made.captures.insert(made.captures.end(), captures.begin(), captures.end());
  };
  while (Record* const next = *reader->next()) {
    RecordEnd end;
    keep(*maker.take(*reader, *next, end));
  }
  keep(maker.finish());
  made.undated = maker.undated();
  return made;
}

TEST(CaptureMaker, TellsOfAResponse) {
  EXPECT_THAT(
      make(response("http://example.com/A")).lines(),
      ElementsAre("com,example)/a 20200102030405 {\"url\": \"http://example.com/A\", \"mime\": "
                  "\"text/html\", \"status\": \"200\", \"digest\": \"" +
                  std::string(kHtmlDigest) +
                  "\", \"length\": \"246\", \"offset\": \"0\", \"filename\": \"a.warc\"}"));
}

TEST(CaptureMaker, LengthIsThatOfTheMemberOrOfTheRecordAlone) {
  const std::string one = response("http://a.com/");
  const Made plain = make(one + one);
  ASSERT_THAT(plain.captures, SizeIs(2));
  EXPECT_EQ(plain.captures[1].offset, one.size());
  EXPECT_EQ(plain.captures[0].length, one.size() - 4);
  const std::string member = testing_gzip::member(one);
  const Made compressed = make(member + member);
  ASSERT_THAT(compressed.captures, SizeIs(2));
  EXPECT_EQ(compressed.captures[1].offset, member.size());
  EXPECT_EQ(compressed.captures[1].length, member.size());
}

TEST(CaptureMaker, RecordsInsideAMemberHaveAPlaceThere) {
  const std::string one = response("http://a.com/");
  const Made made = make(testing_gzip::member(one + one));
  ASSERT_THAT(made.captures, SizeIs(2));
  EXPECT_EQ(made.captures[0].offset, 0U);
  EXPECT_FALSE(made.captures[0].inner);
  EXPECT_FALSE(made.captures[0].length);
  EXPECT_EQ(made.captures[1].offset, 0U);
  EXPECT_EQ(made.captures[1].inner, one.size());
  EXPECT_FALSE(made.captures[1].length);
}

TEST(CaptureMaker, WhatIsCompressedTwiceHasNoPlace) {
  const Made made = make(testing_gzip::member(testing_gzip::member(response("http://a.com/"))));
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_FALSE(made.captures[0].offset);
  EXPECT_FALSE(made.captures[0].length);
}

TEST(CaptureMaker, StoredDigestIsBelieved) {
  const Made made = make(response("http://a.com/", "WARC-Payload-Digest: md5:xyz\r\n"));
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].digest, "md5:xyz");
}

TEST(CaptureMaker, RevisitsAreMarkedAndHaveNoDigestOfTheirOwn) {
  const Made made = make(record("revisit", about("http://a.com/", http_type("response")),
                                "HTTP/1.1 304 Not Modified\r\n\r\n"));
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].mime, "warc/revisit");
  EXPECT_EQ(made.captures[0].status, "304");
  EXPECT_EQ(made.captures[0].digest, "");
}

TEST(CaptureMaker, ResourcesHaveNoStatus) {
  const Made made =
      make(record("resource", about("http://a.com/x", "Content-Type: Text/X;a=b\r\n"), "abc"));
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].mime, "Text/X");
  EXPECT_EQ(made.captures[0].status, "");
  EXPECT_EQ(made.captures[0].digest, "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
}

std::string others() {
  return record("warcinfo", "WARC-Date: 2020-01-02T03:04:05Z\r\n", "a: b\r\n") +
         record("request", about("http://a.com/", http_type("request")), "GET / HTTP/1.1\r\n\r\n") +
         record("metadata", about("http://a.com/", "Content-Type: application/warc-fields\r\n"),
                "x: y\r\n") +
         record("metadata", about("http://a.com/m", "Content-Type: text/x\r\n"), "m");
}

TEST(CaptureMaker, RequestsAndFieldsAreLeftOut) {
  const Made made = make(others());
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].url, "http://a.com/m");
}

TEST(CaptureMaker, UnlessAllAreWanted) {
  const Made made = make(others(), {.all = true});
  ASSERT_THAT(made.captures, SizeIs(4));
  EXPECT_EQ(made.captures[0].key, "-");
  EXPECT_EQ(made.captures[0].url, "");
  EXPECT_EQ(made.captures[0].digest, "");
  EXPECT_EQ(made.captures[1].digest, "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ");
  EXPECT_EQ(made.captures[1].status, "");
}

TEST(CaptureMaker, RecordsOfAnArcAreResponses) {
  const std::string arc =
      "filedesc://a.arc 0.0.0.0 20200102030405 text/plain 62\n"
      "1 0 x\nURL IP-address Archive-date Content-type Archive-length\n\n"
      "http://a.com/ 1.2.3.4 20200102030406 text/plain " +
      std::to_string(kHtml.size()) + "\n" + std::string(kHtml) +
      "\ndns:a.com 1.2.3.4 20200102030407 text/dns 3\nabc\n";
  const Made made = make(arc);
  ASSERT_THAT(made.captures, SizeIs(2));
  EXPECT_EQ(made.captures[0].mime, "text/html");
  EXPECT_EQ(made.captures[0].digest, kHtmlDigest);
  EXPECT_EQ(made.captures[1].key, "dns:a.com");
  EXPECT_EQ(made.captures[1].mime, "");
  EXPECT_EQ(make(arc, {.all = true}).captures[0].key, "-");
}

TEST(CaptureMaker, DatesThatAreNotExactBeginEarly) {
  const Made made =
      make(record("resource", "WARC-Date: 2020-03\r\nWARC-Target-URI: http://a.com/\r\n", "a") +
           record("resource", "WARC-Target-URI: http://a.com/\r\n", "a"));
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].timestamp, "20200301000000");
  EXPECT_EQ(made.undated, 1U);
}

TEST(CaptureMaker, RecordDigestIsOfWhatIsStored) {
  const std::string member = testing_gzip::member(response("http://a.com/"));
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(as_bytes(member));
  const DigestValue expected = hasher.finish();
  const Made made = make("" + member + member, {.record_digest = true});
  ASSERT_THAT(made.captures, SizeIs(2));
  EXPECT_EQ(made.captures[1].record_digest,
            "sha256:" + to_hex(ByteView(expected.bytes).first(expected.size)));
}

std::string request(std::string_view uri, std::string_view fields, std::string_view head,
                    std::string_view body) {
  std::string block(head);
  block.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  block.append(body);
  return record("request", about(uri, http_type("request") + std::string(fields)), block);
}
std::string post(std::string_view uri, std::string_view fields) {
  return request(uri, fields,
                 "POST / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n",
                 "b=2&a=1");
}

TEST(CaptureMaker, PostIsJoinedWithItsResponse) {
  const std::string pair = response("http://a.com/?x=1", "WARC-Record-ID: <urn:r>\r\n") +
                           post("http://a.com/?x=1", "WARC-Concurrent-To: <urn:r>\r\n");
  const Made made = make(pair, {.post_append = true});
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].key, "com,a)/?__wb_method=post&a=1&b=2&x=1");
  EXPECT_THAT(made.lines()[0], HasSubstr("\"filename\": \"a.warc\", \"requestBody\": "
                                         "\"b=2&a=1\", \"method\": \"POST\"}"));
  EXPECT_EQ(make(pair).captures[0].key, "com,a)/?x=1");
}

TEST(CaptureMaker, TheRequestMayComeFirst) {
  const std::string first = post("http://a.com/", "WARC-Record-ID: <urn:q>\r\n");
  const Made made = make(first + response("http://a.com/", "WARC-Concurrent-To: <urn:q>\r\n") +
                             response("http://a.com/b"),
                         {.all = true, .post_append = true});
  ASSERT_THAT(made.captures, SizeIs(3));
  EXPECT_EQ(made.captures[0].key, "com,a)/?__wb_method=post&a=1&b=2");
  EXPECT_EQ(made.captures[0].method, "");
  EXPECT_EQ(made.captures[1].key, made.captures[0].key);
  EXPECT_EQ(made.captures[1].method, "POST");
  EXPECT_EQ(made.captures[2].key, "com,a)/b");
}

TEST(CaptureMaker, StrangersAreNotJoined) {
  const std::string of_r = response("http://a.com/", "WARC-Record-ID: <urn:r>\r\n");
  const CaptureOptions joining = {.post_append = true};
  EXPECT_EQ(make(of_r + post("http://a.com/", "WARC-Concurrent-To: <urn:s>\r\n"), joining)
                .captures[0]
                .key,
            "com,a)/");
  EXPECT_EQ(make(of_r + post("http://a.com/b", "WARC-Concurrent-To: <urn:r>\r\n"), joining)
                .captures[0]
                .key,
            "com,a)/");
  EXPECT_EQ(make(response("http://a.com/") + post("http://a.com/", ""), joining).captures[0].key,
            "com,a)/");
}

TEST(CaptureMaker, GetIsNotAppended) {
  const Made made = make(
      response("http://a.com/", "WARC-Record-ID: <urn:r>\r\n") +
          request("http://a.com/", "WARC-Concurrent-To: <urn:r>\r\n", "GET / HTTP/1.1\r\n", ""),
      {.post_append = true});
  ASSERT_THAT(made.captures, SizeIs(1));
  EXPECT_EQ(made.captures[0].key, "com,a)/");
}

TEST(CaptureMaker, NoMoreOfABodyCountsThanItsLengthSays) {
  const std::string pair =
      response("http://a.com/", "WARC-Record-ID: <urn:r>\r\n") +
      record("request",
             about("http://a.com/", http_type("request") + "WARC-Concurrent-To: <urn:r>\r\n"),
             "PUT / HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
             "Content-Length: 3\r\n\r\na=1&b=2");
  EXPECT_EQ(make(pair, {.post_append = true}).captures[0].key, "com,a)/?__wb_method=put&a=1");
}

TEST(CaptureMaker, OtherFormatsHaveNone) {
  EXPECT_THAT(make("WARC/1.0\r\n\r\n").captures, IsEmpty());
}

}  // namespace
}  // namespace fonds::index
