// What open_archive recognizes, and what it refuses.
#include <string>

#include <bzlib.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "codec/encoder_testing.hpp"
#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"
#include "io/testing.hpp"

namespace fonds {
namespace {

using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::sample_text;
using testing_gzip::header;
using testing_gzip::member;

std::string record(const std::string& block) {
  return "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nContent-Length: " +
         std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
}

// The blocks of all records; the error if it cannot be read.
std::string blocks(const Result<Archive>& archive) {
  if (!archive) {
    return archive.error().message();
  }
  auto reader = archive->format->open(*archive, {});
  std::string text;
  while (true) {
    const auto next = (*reader)->next();
    if (!next || *next == nullptr) {
      return text;
    }
    for (auto piece = (*reader)->peek_block(1); piece && !piece->empty();
         piece = (*reader)->peek_block(1)) {
      text += as_text(*piece);
      (*reader)->consume_block(piece->size());
    }
    text += '|';
  }
}

// A unit for each text.
std::string encoded(const std::string& codec, const std::vector<std::string>& texts) {
  testing_io::TextSink sink;
  const auto encoder = make_encoder(sink, {.codec = codec});
  for (const std::string& text : texts) {
    EXPECT_TRUE((*encoder)->begin_unit(text.size()).has_value());
    EXPECT_TRUE((*encoder)->write(as_bytes(text)).has_value());
    EXPECT_TRUE((*encoder)->end_unit().has_value());
  }
  EXPECT_TRUE((*encoder)->finish().has_value());
  return sink.content;
}

struct Case {
  const char* name;
  std::string stored;
};
std::ostream& operator<<(std::ostream& out, const Case& tested) { return out << tested.name; }

std::string noise(std::size_t size) {
  std::string text;
  for (std::uint64_t x = 88172645463325252U; text.size() < size;) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    text += static_cast<char>(x >> 32);
  }
  return text;
}

class Refused : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Contents, Refused,
    testing::Values(Case{"Text", "These are lines.\nNo archive: at all.\n"},
                    Case{"Noise", noise(200000)}, Case{"GzipOfText", member("just text\n")},
                    Case{"GzipThreeTimes", member(member(member(record("a"))))},
                    Case{"HttpMessage", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na"},
                    Case{"ListOfUrls", "http://a/ 1\nhttp://b/ 2\n"}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(Refused, FromAFile) {
  const auto archive = open_archive(mapped(GetParam().stored));
  ASSERT_FALSE(archive.has_value());
  EXPECT_EQ(archive.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(archive.error().where().source, "<memory>");
}

TEST_P(Refused, FromAPipe) {
  const auto archive = open_archive(piped(GetParam().stored));
  ASSERT_FALSE(archive.has_value());
  EXPECT_EQ(archive.error().code(), ErrorCode::Unsupported);
}

class Recognized : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(
    Contents, Recognized,
    testing::Values(Case{"Plain", record("one") + record("two")},
                    Case{"Gzip", member(record("one")) + member(record("two"))},
                    Case{"GzipInGzip", member(member(record("one")) + member(record("two")))},
                    Case{"LineEndsBefore", "\r\n\n\r\n" + record("one") + record("two")},
                    Case{"GarbageBefore", "garbage\n" + record("one") + record("two")},
                    Case{"NulsBeforeGzip", member("") + std::string(9, '\0') +
                                               member(record("one")) + member(record("two"))},
                    Case{"FirstMemberBreaksOff", header() + std::string("\0\x05\0\xfa\xff", 5) +
                                                     "WABC/\x07???" + member(record("one")) +
                                                     member(record("two"))}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(Recognized, FromAFileAndFromAPipe) {
  EXPECT_EQ(blocks(open_archive(mapped(GetParam().stored))), "one|two|");
  EXPECT_EQ(blocks(open_archive(piped(GetParam().stored, 3))), "one|two|");
}

TEST(OpenArchive, EmptyFileIsAnArchiveWithoutRecords) {
  EXPECT_EQ(blocks(open_archive(mapped(""))), "");
  EXPECT_EQ(blocks(open_archive(piped(""))), "");
  EXPECT_EQ(blocks(open_archive(mapped("\r\n\r\n"))), "");
}

TEST(OpenArchive, GzipThatBreaksOffAtOnceIsAnArchiveWithoutRecords) {
  EXPECT_EQ(blocks(open_archive(mapped("\x1f\x8b\x08"))), "");
  EXPECT_EQ(blocks(open_archive(piped(header() + "\x07"))), "");
}

TEST(OpenArchive, Bzip2BlockThatIsLongerThanTheHeadIsRecognizedFromAPipe) {
  const std::string text = record(noise(500000));
  std::string stored(text.size() + text.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(stored.size());
  ASSERT_EQ(BZ2_bzBuffToBuffCompress(stored.data(), &size, const_cast<char*>(text.data()),
                                     static_cast<unsigned>(text.size()), 9, 0, 0),
            BZ_OK);
  stored.resize(size);
  EXPECT_EQ(blocks(open_archive(mapped(stored))).size(), 500001U);
  EXPECT_EQ(blocks(open_archive(piped(stored, 4096))).size(), 500001U);
}

TEST(OpenArchive, FramesBehindNoiseAreFoundThoughTheyBeginWithPlainText) {
  for (const char* codec : {"zstd", "lz4"}) {
    const std::string stored = encoded(codec, {record(noise(600)), record("two")});
    EXPECT_EQ(blocks(open_archive(mapped("what was put in front " + stored))), noise(600) + "|two|")
        << codec;
  }
}

// Units that begin no web record are asked as well.
TEST(OpenArchive, JsonLinesAreRecognizedBehindADamagedMember) {
  std::string stored = member("{\"n\":1}\n") + member("{\"n\":2}\n") + member("{\"n\":3}\n");
  for (const std::size_t at : {std::size_t{10}, std::size_t{1}}) {
    stored[at] = static_cast<char>(0xff);
    const auto archive = open_archive(mapped(stored));
    ASSERT_TRUE(archive.has_value()) << at;
    EXPECT_EQ(archive->format->name(), "jsonl");
    EXPECT_EQ(archive->codec().name(), "gzip");
  }
}

// What the first unit decodes to is nothing, and fills all that is looked at of a beginning.
TEST(OpenArchive, JsonLinesAreRecognizedBehindAUnitOfNoise) {
  for (const char* codec : {"gzip", "lz4", "zstd"}) {
    std::string first = encoded(codec, {noise(200000)});
    first.resize(first.size() - 1000);
    const auto archive =
        open_archive(mapped(first + encoded(codec, {"{\"n\":1}\n", "{\"n\":2}\n"})));
    ASSERT_TRUE(archive.has_value()) << codec;
    EXPECT_EQ(archive->format->name(), "jsonl") << codec;
    EXPECT_EQ(archive->codec().name(), codec);
  }
}

// Nor does what was put into a damaged unit hide it: the beginning of a unit of another codec, or
// of a record.
TEST(OpenArchive, JsonLinesAreRecognizedBehindAUnitThatHoldsSomethingElse) {
  for (const std::string& inside : {member("not a line\n"), record("one")}) {
    for (const char* codec : {"gzip", "lz4", "zstd"}) {
      std::string stored = encoded(codec, {sample_text(3000), "{\"n\":1}\n", "{\"n\":2}\n"});
      stored.insert(100, inside);
      const auto archive = open_archive(mapped(stored));
      ASSERT_TRUE(archive.has_value()) << codec;
      EXPECT_EQ(archive->format->name(), "jsonl") << codec;
      EXPECT_EQ(archive->codec().name(), codec);
    }
  }
}

TEST(OpenArchive, JsonLinesMayHoldLinesThatBeginRecords) {
  const auto archive = open_archive(mapped("{\"n\":1}\n" + record("one") + "{\"n\":2}\n"));
  ASSERT_TRUE(archive.has_value());
  EXPECT_EQ(archive->format->name(), "jsonl");
}

TEST(OpenArchive, GivenFormatIsNotQuestioned) {
  const auto archive = open_archive(mapped("just text"), {.format = "warc"});
  ASSERT_TRUE(archive.has_value());
  EXPECT_EQ(blocks(archive), "");
  EXPECT_EQ(open_archive(mapped("just text"), {.format = "tar"}).error().code(),
            ErrorCode::BadArgument);
}

}  // namespace
}  // namespace fonds
