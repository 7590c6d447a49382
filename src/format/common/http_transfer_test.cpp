#include <cstdint>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/common/http_message.hpp"

namespace fonds::http {
namespace {

using testing::ElementsAre;

Head response(const std::string& fields) {
  // Heads look into their block, so that must stay.
  static thread_local std::string block;
  block = "HTTP/1.1 200 OK\r\n" + fields + "\r\n";
  Head head;
  parse_head(as_bytes(block), Expect::Response, true, head);
  return head;
}

Result<Decoded> payload_of(const std::string& fields, std::string_view body,
                           std::uint64_t max_size = 1000) {
  return decode_transfer(response(fields), as_bytes(body), max_size);
}

struct ChunkCase {
  const char* name;
  std::string_view body;
  std::string_view payload;
  Outcome outcome;
};

void PrintTo(const ChunkCase& c, std::ostream* out) { *out << c.name; }

class Chunks : public testing::TestWithParam<ChunkCase> {};

TEST_P(Chunks, GiveThePayload) {
  const auto decoded = payload_of("Transfer-Encoding: chunked\r\n", GetParam().body);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->bytes, GetParam().payload);
  EXPECT_EQ(decoded->outcome, GetParam().outcome);
  EXPECT_EQ(decoded->bad_chunks, GetParam().outcome == Outcome::Damaged);
  EXPECT_EQ(decoded->not_chunked, GetParam().outcome == Outcome::NotApplied);
  EXPECT_EQ(decoded->odd_chunks, GetParam().outcome == Outcome::Tolerated);
}

const ChunkCase kChunks[] = {
    {"Two", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n", "abcde", Outcome::Ok},
    {"CapitalHex", "A\r\n0123456789\r\n0\r\n\r\n", "0123456789", Outcome::Ok},
    {"Extension", "3;a=\"b\"\r\nabc\r\n0;x\r\n\r\n", "abc", Outcome::Ok},
    {"BlanksAndExtension", "3 \t;a\r\nabc\r\n0\r\n\r\n", "abc", Outcome::Ok},
    {"DataLooksLikeChunks", "7\r\n0\r\n\r\nab\r\n0\r\n\r\n", "0\r\n\r\nab", Outcome::Ok},
    {"EmptyBody", "", "", Outcome::Ok},
    {"OnlyTheLastChunk", "0\r\n\r\n", "", Outcome::Ok},
    {"LfLineEnds", "3\nabc\n0\n\n", "abc", Outcome::Tolerated},
    {"CrCrLfLineEnds", "3\r\r\nabc\r\n0\r\n\r\n", "abc", Outcome::Tolerated},
    {"NoLineEndAfterData", "3\r\nabc2\r\nde0\r\n\r\n", "abcde", Outcome::Tolerated},
    {"SurplusLineEnds", "3\r\nabc\r\n\r\n2\r\nde\r\n0\r\n\r\n", "abcde", Outcome::Tolerated},
    {"NoEmptyLineAtTheEnd", "3\r\nabc\r\n0\r\n", "abc", Outcome::Tolerated},
    {"OctetsAfterTheEnd", "3\r\nabc\r\n0\r\n\r\nmore", "abc", Outcome::Tolerated},
    {"TextInsteadOfTrailer", "3\r\nabc\r\n0\r\nmore\r\n", "abc", Outcome::Tolerated},
    {"NoLastChunk", "3\r\nabc\r\n", "abc", Outcome::Damaged},
    {"NoLastChunkNorLineEnd", "3\r\nabc", "abc", Outcome::Damaged},
    {"CutInTheLineEnd", "3\r\nabc\r", "abc", Outcome::Damaged},
    {"CutInASizeLine", "3\r\nabc\r\n2", "abc", Outcome::Damaged},
    {"CutInAChunk", "3\r\nabc\r\n9\r\nde", "abcde", Outcome::Damaged},
    {"CutInTheFirstChunk", "9\r\nabc", "abc", Outcome::Damaged},
    {"LargestSize", "ffffffffffffffff\r\nabc", "abc", Outcome::Damaged},
    {"SizeBeyond64Bits", "fffffffffffffffff0\r\nabc", "abc", Outcome::Damaged},
    {"GarbageForALaterSize", "3\r\nabc\r\nxyz\r\n", "abc", Outcome::Damaged},
    {"Text", "Hello", "Hello", Outcome::NotApplied},
    {"TextWithDigits", "33Hello\r\n", "33Hello\r\n", Outcome::NotApplied},
    {"LineOfDigits", "3\nHello\n", "3\nHello\n", Outcome::NotApplied},
    {"LargeNumberAndLf", "2024\nHello\n", "2024\nHello\n", Outcome::NotApplied},
    {"ZeroAndText", "0\nHello\n", "0\nHello\n", Outcome::NotApplied},
    {"Semicolons", "1;2;3\r\n4;5;6\r\n", "1;2;3\r\n4;5;6\r\n", Outcome::NotApplied},
    {"NegativeSize", "-3\r\nabc\r\n0\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n", Outcome::NotApplied},
};

INSTANTIATE_TEST_SUITE_P(Bodies, Chunks, testing::ValuesIn(kChunks),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeTransfer, TrailersAreKeptAsStored) {
  const auto decoded =
      payload_of("Transfer-Encoding: chunked\r\n", "1\r\na\r\n0\r\nX-Trailer: yes\r\nY:z\r\n\r\n");
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, Outcome::Ok);
  EXPECT_THAT(decoded->trailers, ElementsAre("X-Trailer: yes", "Y:z"));
}

TEST(DecodeTransfer, NumberOfTrailersIsLimited) {
  std::string body = "0\r\n";
  for (int i = 0; i < 5000; ++i) {
    body += "a:\r\n";
  }
  const auto decoded = payload_of("Transfer-Encoding: chunked\r\n", body);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->trailers.size(), 1000U);
  EXPECT_EQ(decoded->outcome, Outcome::Tolerated);
}

TEST(DecodeTransfer, UnknownCodingKeepsWhatIsUnderIt) {
  const auto decoded = payload_of("Transfer-Encoding: chunked, secret\r\n", "1\r\na\r\n0\r\n\r\n");
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->bytes, "1\r\na\r\n0\r\n\r\n");
  EXPECT_EQ(decoded->outcome, Outcome::UnknownCoding);
}

TEST(DecodeTransfer, RepeatedFieldsMakeOneList) {
  const auto decoded = payload_of(
      "Transfer-Encoding: secret\r\nX: y\r\ntransfer-encoding: CHUNKED\r\n", "1\r\na\r\n0\r\n\r\n");
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->bytes, "a");
  EXPECT_EQ(decoded->outcome, Outcome::UnknownCoding);
}

TEST(DecodeTransfer, ResultAsLargeAsTheLimitIsGiven) {
  const auto plain = payload_of("", "abc", 3);
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->bytes, "abc");
  const auto chunked = payload_of("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n", 3);
  ASSERT_TRUE(chunked.has_value());
  EXPECT_EQ(chunked->bytes, "abc");
}

TEST(DecodeTransfer, LargerResultThanTheLimitIsAnError) {
  const auto plain = payload_of("", "abc", 2);
  ASSERT_FALSE(plain.has_value());
  EXPECT_EQ(plain.error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(plain.error().message(), "decoded HTTP body is larger than the limit of 2 bytes");
  const auto chunked = payload_of("Transfer-Encoding: chunked\r\n", "3\r\nabc\r\n0\r\n\r\n", 2);
  ASSERT_FALSE(chunked.has_value());
  EXPECT_EQ(chunked.error().code(), ErrorCode::LimitExceeded);
}

TEST(DecodeTransfer, BlockWithoutHeadIsThePayload) {
  const auto decoded = decode_transfer(Head(), as_bytes("<html>"), 10);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->bytes, "<html>");
  EXPECT_EQ(decoded->outcome, Outcome::Ok);
}

TEST(HasCoding, IdentityAndEmptyListsAreNone) {
  EXPECT_FALSE(has_transfer_coding(response("")));
  EXPECT_FALSE(has_transfer_coding(response("Transfer-Encoding: identity, ,\r\n")));
  EXPECT_TRUE(has_transfer_coding(response("Transfer-Encoding: identity, chunked\r\n")));
  EXPECT_FALSE(has_content_coding(response("Transfer-Encoding: chunked\r\n")));
  EXPECT_TRUE(has_content_coding(response("Content-Encoding: br\r\n")));
}

struct LengthCase {
  const char* name;
  std::string_view fields;
  std::uint64_t body_length;
  bool differs;
};

void PrintTo(const LengthCase& c, std::ostream* out) { *out << c.name; }

class HttpContentLength : public testing::TestWithParam<LengthCase> {};

TEST_P(HttpContentLength, IsComparedWithTheBody) {
  const Head head = response(std::string(GetParam().fields));
  EXPECT_EQ(length_differs(head, GetParam().body_length), GetParam().differs);
}

const LengthCase kLengths[] = {
    {"Absent", "", 5, false},
    {"Equal", "Content-Length: 5\r\n", 5, false},
    {"Zero", "Content-Length: 0\r\n", 0, false},
    {"LeadingZeros", "Content-Length: 005\r\n", 5, false},
    {"Smaller", "Content-Length: 4\r\n", 5, true},
    {"Larger", "Content-Length: 50\r\n", 5, true},
    {"TwiceEqual", "Content-Length: 5\r\nContent-Length: 5\r\n", 5, false},
    {"ListOfEqual", "Content-Length: 5, 5\r\n", 5, false},
    {"TwiceDifferent", "Content-Length: 5\r\nContent-Length: 6\r\n", 5, true},
    {"NoNumber", "Content-Length: five\r\n", 5, true},
    {"EmptyValue", "Content-Length:\r\n", 5, true},
    {"Beyond64Bits", "Content-Length: 18446744073709551621\r\n", 5, true},
    {"ChunkedWins", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", 5, false},
};

INSTANTIATE_TEST_SUITE_P(Lengths, HttpContentLength, testing::ValuesIn(kLengths),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(LengthDiffers, NotForAnEmptyBodyOfNotModified) {
  Head head;
  parse_head(as_bytes("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"), Expect::Response,
             true, head);
  EXPECT_FALSE(length_differs(head, 0));
  EXPECT_TRUE(length_differs(head, 5));
}

}  // namespace
}  // namespace fonds::http
