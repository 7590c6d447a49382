#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <zlib.h>
#include <zstd.h>

#include "format/common/http_message.hpp"

namespace fonds::http {
namespace {

using namespace std::string_literals;

constexpr std::uint64_t kLimit = std::uint64_t{1} << 20;
constexpr int kZlib = 15;
constexpr int kGzip = 31;
constexpr int kRaw = -15;

std::string repeated(std::string_view part, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += part;
  }
  return text;
}

std::string hello() { return repeated("Hello, world! ", 200); }
// Brotli stream of hello().
std::string hello_br() {
  return "\x1b\xef\x0a\x00\xa4\x41\x42\x58\x90\xa4\x22\x93\x5c\x96\xcf\xf4\x79\xd6\x22\xe7\x14\x00\x10"s;
}
// Brotli stream of 1 MiB of 'A'.
std::string mebibyte_br() { return "\x5b\xff\xff\x0f\x40\x22\x28\x1e\x0b\x24\xf7\xfe\x01"s; }

// Octets that no compressor makes smaller.
std::string noise(std::size_t count) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525U + 1013904223U;
    text += static_cast<char>(state >> 24);
  }
  return text;
}

std::string deflated(std::string text, int window_bits) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(text.data());
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::string without_last(std::string text, std::size_t count) {
  text.resize(text.size() - count);
  return text;
}

std::string with_wrong_octet(std::string text, std::size_t from_end) {
  text[text.size() - from_end] = static_cast<char>(text[text.size() - from_end] ^ 0x55);
  return text;
}

Result<Decoded> decoded_with(const std::string& fields, std::string_view body,
                             std::uint64_t max_size = kLimit) {
  const std::string block = "HTTP/1.1 200 OK\r\n" + fields + "\r\n";
  Head head;
  parse_head(as_bytes(block), Expect::Response, true, head);
  return decode_content(head, as_bytes(body), max_size);
}

struct ContentCase {
  const char* name;
  const char* coding;
  std::string body;
  std::string content;
  Outcome outcome;
};

void PrintTo(const ContentCase& c, std::ostream* out) { *out << c.name; }

class ContentCoding : public testing::TestWithParam<ContentCase> {};

TEST_P(ContentCoding, IsUndone) {
  const auto decoded =
      decoded_with("Content-Encoding: "s + GetParam().coding + "\r\n", GetParam().body);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, GetParam().outcome);
  EXPECT_TRUE(decoded->bytes == GetParam().content) << decoded->bytes.size() << " octets";
  EXPECT_EQ(decoded->coding_not_applied, GetParam().outcome == Outcome::NotApplied);
}

std::string plain_text() { return "see how it runs, [1] {\"a\": 2}"; }

INSTANTIATE_TEST_SUITE_P(
    Whole, ContentCoding,
    testing::Values(
        ContentCase{"Gzip", "gzip", deflated(hello(), kGzip), hello(), Outcome::Ok},
        ContentCase{"XGzip", "X-GZip", deflated(hello(), kGzip), hello(), Outcome::Ok},
        ContentCase{"GzipOfNothing", "gzip", deflated("", kGzip), "", Outcome::Ok},
        ContentCase{"GzipOfNoise", "gzip", deflated(noise(90000), kGzip), noise(90000),
                    Outcome::Ok},
        ContentCase{"GzipMembers", "gzip", deflated("a", kGzip) + deflated("b", kGzip), "ab",
                    Outcome::Ok},
        ContentCase{"Zlib", "deflate", deflated(hello(), kZlib), hello(), Outcome::Ok},
        ContentCase{"RawDeflate", "deflate", deflated(hello(), kRaw), hello(), Outcome::Ok},
        ContentCase{"RawDeflateOfNoise", "deflate", deflated(noise(9000), kRaw), noise(9000),
                    Outcome::Ok},
        ContentCase{"Brotli", "br", hello_br(), hello(), Outcome::Ok},
        ContentCase{"Zstd", "zstd", zstd(hello()), hello(), Outcome::Ok},
        ContentCase{"ZstdFrames", "zstd", zstd("a") + "\x51\x2a\x4d\x18\x01\0\0\0x"s + zstd("b"),
                    "ab", Outcome::Ok},
        ContentCase{"Stacked", "deflate, gzip, zstd",
                    zstd(deflated(deflated(hello(), kZlib), kGzip)), hello(), Outcome::Ok},
        ContentCase{"IdentityBetween", "gzip, identity, , deflate",
                    deflated(deflated(hello(), kGzip), kZlib), hello(), Outcome::Ok},
        ContentCase{"EmptyBody", "gzip", "", "", Outcome::Ok}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Odd, ContentCoding,
    testing::Values(ContentCase{"GarbageAfterGzip", "gzip", deflated(hello(), kGzip) + "garbage",
                                hello(), Outcome::Tolerated},
                    ContentCase{"FalseMagicAfterGzip", "gzip",
                                deflated(hello(), kGzip) + "\x1f\x8b\x08\xff\xff\xff", hello(),
                                Outcome::Tolerated},
                    ContentCase{"GarbageAfterZlib", "deflate", deflated(hello(), kZlib) + "garbage",
                                hello(), Outcome::Tolerated},
                    ContentCase{"ChecksumAfterRawDeflate", "deflate",
                                deflated("a", kRaw) + "\1\2\3\4", "a", Outcome::Tolerated},
                    ContentCase{"GzipNamedDeflate", "deflate", deflated(hello(), kGzip), hello(),
                                Outcome::Tolerated},
                    ContentCase{"GarbageAfterBrotli", "br", hello_br() + "garbage", hello(),
                                Outcome::Tolerated},
                    ContentCase{"GarbageAfterZstd", "zstd", zstd(hello()) + "garbage", hello(),
                                Outcome::Tolerated}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    NotThere, ContentCoding,
    testing::Values(ContentCase{"Gzip", "gzip", plain_text(), plain_text(), Outcome::NotApplied},
                    ContentCase{"Deflate", "deflate", plain_text(), plain_text(),
                                Outcome::NotApplied},
                    ContentCase{"DeflateNamedMarkup", "deflate", "<!DOCTYPE html>",
                                "<!DOCTYPE html>", Outcome::NotApplied},
                    ContentCase{"DeflateNamedJson", "deflate", "{\"a\": [1, 2, 3]}",
                                "{\"a\": [1, 2, 3]}", Outcome::NotApplied},
                    ContentCase{"DeflateNamedLikeZlib", "deflate", "x\x9c not", "x\x9c not",
                                Outcome::NotApplied},
                    ContentCase{"Brotli", "br", plain_text(), plain_text(), Outcome::NotApplied},
                    ContentCase{"BrotliNamedMarkup", "br", "<html></html>", "<html></html>",
                                Outcome::NotApplied},
                    ContentCase{"Zstd", "zstd", plain_text(), plain_text(), Outcome::NotApplied},
                    ContentCase{"OuterOfTwo", "gzip, br", deflated(hello(), kGzip), hello(),
                                Outcome::NotApplied},
                    ContentCase{"BrokenGzipHeader", "gzip", "\x1f\x8b\x08\xff\xff",
                                "\x1f\x8b\x08\xff\xff", Outcome::NotApplied}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Cut, ContentCoding,
    testing::Values(ContentCase{"GzipTrailer", "gzip", without_last(deflated(hello(), kGzip), 8),
                                hello(), Outcome::Truncated},
                    ContentCase{"GzipHeader", "gzip", "\x1f\x8b\x08", "", Outcome::Truncated},
                    ContentCase{"GzipChecksumWrong", "gzip",
                                with_wrong_octet(deflated(hello(), kGzip), 6), hello(),
                                Outcome::Truncated},
                    ContentCase{"SecondMember", "gzip",
                                deflated("a", kGzip) + without_last(deflated("b", kGzip), 8), "ab",
                                Outcome::Truncated},
                    ContentCase{"Zlib", "deflate", without_last(deflated(hello(), kZlib), 4),
                                hello(), Outcome::Truncated},
                    ContentCase{"Zstd", "zstd", without_last(zstd(hello()) + zstd("b"), 3), hello(),
                                Outcome::Truncated}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Unknown, ContentCoding,
    testing::Values(
        ContentCase{"Alone", "secret", plain_text(), plain_text(), Outcome::UnknownCoding},
        ContentCase{"Outer", "gzip, secret", plain_text(), plain_text(), Outcome::UnknownCoding},
        ContentCase{"Inner", "secret, gzip", deflated(plain_text(), kGzip), plain_text(),
                    Outcome::UnknownCoding},
        ContentCase{"ZstdWithHugeWindow", "zstd", "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"s,
                    "\x28\xb5\x2f\xfd\x00\xa8\x01\x00\x00"s, Outcome::UnknownCoding}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeContent, CutBrotliGivesWhatIsThere) {
  const std::string words =
      "information development international government responsibility environmental "
      "administration organization professional opportunities ";
  const std::string whole =
      "\x1b\x09\x01\x00\x25\x40\x60\x03\x4e\x58\x2b\x5c\xd4\x06\x0f\x59\x49\xf2\x4d\x30\x43\xf1"
      "\x1a\x84\x35\xa0\x41\x79\xf7\xc3\x4d\x77\xc3\xa9\x5c\xcf\xff\x00"s;
  const auto all = decoded_with("Content-Encoding: br\r\n", whole);
  ASSERT_TRUE(all.has_value());
  EXPECT_EQ(all->bytes, words + words);
  const auto cut = decoded_with("Content-Encoding: br\r\n", without_last(whole, 7));
  ASSERT_TRUE(cut.has_value());
  EXPECT_EQ(cut->outcome, Outcome::Truncated);
  EXPECT_EQ(cut->bytes, words.substr(0, 92));
}

TEST(DecodeContent, CutRawDeflateGivesWhatIsThere) {
  const std::string whole = repeated("abcdefgh", 5000);
  const auto decoded =
      decoded_with("Content-Encoding: deflate\r\n", without_last(deflated(whole, kRaw), 4));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, Outcome::Truncated);
  EXPECT_TRUE(whole.starts_with(decoded->bytes));
  EXPECT_GT(decoded->bytes.size(), 1000U);
}

TEST(DecodeContent, NinthCodingIsLeft) {
  std::string body = hello();
  std::string list;
  for (int i = 0; i < 9; ++i) {
    body = deflated(body, kGzip);
    list += ",gzip";
  }
  const auto decoded = decoded_with("Content-Encoding: " + list + "\r\n", body);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, Outcome::UnknownCoding);
  EXPECT_EQ(decoded->bytes, deflated(hello(), kGzip));
}

TEST(DecodeContent, DamagedChunksOutweighTheCutCoding) {
  const std::string gzip = deflated(hello(), kGzip);
  const auto decoded = decoded_with("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n",
                                    "ff\r\n" + without_last(gzip, 8));
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, Outcome::Damaged);
  EXPECT_TRUE(decoded->bad_chunks);
  EXPECT_EQ(decoded->bytes, hello());
}

TEST(DecodeContent, CrawlerUndidBothCodings) {
  const auto decoded =
      decoded_with("Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n", plain_text());
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, Outcome::NotApplied);
  EXPECT_TRUE(decoded->not_chunked);
  EXPECT_TRUE(decoded->coding_not_applied);
  EXPECT_EQ(decoded->bytes, plain_text());
}

TEST(DecodeContent, UnknownTransferCodingLeavesTheContentCodingAlone) {
  const std::string gzip = deflated(hello(), kGzip);
  const auto decoded =
      decoded_with("Transfer-Encoding: secret\r\nContent-Encoding: gzip\r\n", gzip);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->outcome, Outcome::UnknownCoding);
  EXPECT_EQ(decoded->bytes, gzip);
}

TEST(DecodeContent, TransferCodingAloneKeepsTheContentCoding) {
  const std::string gzip = deflated(hello(), kGzip);
  Head head;
  parse_head(as_bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n"), Expect::Response, true,
             head);
  const auto payload = decode_transfer(head, as_bytes(gzip), kLimit);
  ASSERT_TRUE(payload.has_value());
  EXPECT_EQ(payload->bytes, gzip);
}

struct LimitCase {
  const char* name;
  const char* coding;
  std::string body;
};

void PrintTo(const LimitCase& c, std::ostream* out) { *out << c.name; }

class SizeLimit : public testing::TestWithParam<LimitCase> {};

TEST_P(SizeLimit, MebibyteFitsExactlyAndNoOctetLess) {
  const std::string fields = "Content-Encoding: "s + GetParam().coding + "\r\n";
  const auto fits = decoded_with(fields, GetParam().body, kLimit);
  ASSERT_TRUE(fits.has_value());
  EXPECT_EQ(fits->outcome, Outcome::Ok);
  EXPECT_TRUE(fits->bytes == std::string(kLimit, 'A'));
  EXPECT_LT(fits->bytes.capacity(), kLimit + 65536);
  const auto larger = decoded_with(fields, GetParam().body, kLimit - 1);
  ASSERT_FALSE(larger.has_value());
  EXPECT_EQ(larger.error().code(), ErrorCode::LimitExceeded);
  const auto none = decoded_with(fields, GetParam().body, 0);
  ASSERT_FALSE(none.has_value());
  EXPECT_EQ(none.error().code(), ErrorCode::LimitExceeded);
}

INSTANTIATE_TEST_SUITE_P(
    Codings, SizeLimit,
    testing::Values(LimitCase{"Gzip", "gzip", deflated(std::string(kLimit, 'A'), kGzip)},
                    LimitCase{"Zlib", "deflate", deflated(std::string(kLimit, 'A'), kZlib)},
                    LimitCase{"RawDeflate", "deflate", deflated(std::string(kLimit, 'A'), kRaw)},
                    LimitCase{"Brotli", "br", mebibyte_br()},
                    LimitCase{"Zstd", "zstd", zstd(std::string(kLimit, 'A'))},
                    LimitCase{
                        "Members", "gzip",
                        deflated(std::string(kLimit - 1, 'A'), kGzip) + deflated("A", kGzip)}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace fonds::http
