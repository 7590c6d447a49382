#include "format/clps/reading/exact.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "format/clps/format.hpp"
#include "format/clps/reading/plain.hpp"
#include "format/clps/testing.hpp"

namespace fonds::clps {
namespace {

using ::testing::HasSubstr;

// The archive of some inputs, as a single file; all archives if there are several.
std::vector<std::string> pack_exactly(const std::vector<std::string>& inputs,
                                      WriterOptions options = {}) {
  std::vector<std::string> archives;
  options.exact = true;
  options.archive = [&](WrittenArchive&& archive) -> Status {
    std::string bytes = archive.head;
    for (const auto& member : archive.members) {
      bytes += as_text(member);
    }
    archives.push_back(std::move(bytes));
    return {};
  };
  auto writer = ArchiveWriter::make(std::move(options));
  EXPECT_TRUE(writer.has_value());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = "in" + std::to_string(i);
    EXPECT_TRUE((*writer)->add(testing_archive::as_source(inputs[i]), name).has_value());
  }
  EXPECT_TRUE((*writer)->finish().has_value());
  return archives;
}

struct Unpacked {
  std::string text;
  std::vector<std::string> findings;
  std::string error;
};

Unpacked unpack_exactly(std::string_view bytes, ReadOptions options = {}) {
  Unpacked out;
  const EventSink sink = {
      .lines = [&](std::string_view text) -> Result<bool> {
        out.text += text;
        return true;
      },
      .finding =
          [&](const Finding& finding) {
            out.findings.push_back(std::string(finding.code) + ": " + finding.message);
          }};
  auto archive = open_archive(testing_archive::as_source(bytes));
  EXPECT_TRUE(archive.has_value());
  if (const Status status = clps_format().write_events(*archive, options, 1, sink); !status) {
    out.error = status.error().message();
  }
  return out;
}

struct ExactText {
  const char* name;
  std::string text;
};

class ClpsExactTexts : public ::testing::TestWithParam<ExactText> {};

TEST_P(ClpsExactTexts, ComeBackFromEveryVersion) {
  for (const Version version : writable_versions()) {
    for (const bool structured : {false, true}) {
      WriterOptions options;
      options.version = version;
      options.structurize_arrays = structured;
      options.timestamp_key = "t";
      const auto archives = pack_exactly({GetParam().text, "", GetParam().text}, options);
      ASSERT_EQ(archives.size(), 1U);
      const Unpacked back = unpack_exactly(archives.front());
      EXPECT_EQ(back.text, GetParam().text + GetParam().text) << version.to_string();
      EXPECT_TRUE(back.findings.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ClpsExactTexts,
    ::testing::Values(
        ExactText{"Nothing", ""}, ExactText{"Blanks", " \n\t\r\n"},
        ExactText{"NoFinalLineFeed", R"({"a":1})"},
        ExactText{"LineEnds", "{\"a\":1}\r\n{\"a\":2}\r\n"},
        ExactText{"OrderOfKeys", "{\"a\":1,\"b\":2}\n{\"b\":1,\"a\":2}\n"},
        ExactText{"BlanksInside", "{ \"a\" : 1 ,\n \"b\":{ } , \"c\" : [ 1,2 ] }\n"},
        ExactText{"SeveralOnALine", "{\"a\":1}{\"a\":2} {\"a\":3}\n"},
        ExactText{"Escapes", "{\"a\":\"\\u0041\\/ \\ud83d\\ude00\",\"\\u0062\":\"x\"}\n"},
        ExactText{"LoneSurrogates", "{\"a\":\"\\ud800 x\"}\n"},
        ExactText{"Numbers", "{\"a\":1.50,\"b\":1E+05,\"c\":-0,\"d\":123456789012345678901}\n"},
        ExactText{"Times",
                  "{\"t\":\"2024-01-01T00:00:00\\u005a\"}\n{\"t\":\"2024-01-01T00:00:00Z\"}\n"},
        ExactText{"DuplicateKeys", "{\"a\":1,\"a\":{\"b\":2}}\n{\"a\":[{\"b\":1,\"b\":2}]}\n"},
        ExactText{"BadLines", "junk\n{\"a\":1}\nmore\n\n[1]\n{\"a\":\n{\"a\":2}\n\xFF"},
        ExactText{"ByteOrderMark", "\xEF\xBB\xBF{\"a\":1}\n"}),
    [](const auto& given) { return given.param.name; });

TEST(ClpsExact, TakesSeveralArchivesOfOneInput) {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text +=
        "{\"n\": " + std::to_string(i) + ", \"m\":\"\\u0041 " + std::to_string(i * i) + "\"}\n \n";
  }
  WriterOptions options;
  options.target_encoded_size = 20000;
  const auto archives = pack_exactly({text, "x\n"}, options);
  ASSERT_GT(archives.size(), 2U);
  std::string back;
  for (const std::string& archive : archives) {
    back += unpack_exactly(archive).text;
  }
  EXPECT_EQ(back, text + "x\n");
}

TEST(ClpsExact, GivesRecordsAsJsonIfAsked) {
  ReadOptions options;
  options.as_json = true;
  EXPECT_EQ(unpack_exactly(pack_exactly({"{ \"a\" : 1 }\r\n"}).front(), options).text,
            "{\"a\":1}\n");
}

TEST(ClpsExact, NeedsTheOrderOfTheLog) {
  WriterOptions options;
  options.exact = true;
  options.log_order = false;
  const auto writer = ArchiveWriter::make(std::move(options));
  ASSERT_FALSE(writer.has_value());
  EXPECT_THAT(writer.error().message(), HasSubstr("order of the log"));
}

// An archive whose packet can be changed.
class ClpsExactDamage : public ::testing::Test {
 protected:
  void SetUp() override {
    bytes_ = pack_exactly({"{ \"a\":1,\"b\":\"\\u0041\"}\nbad\n{\"b\":\"x\",\"a\":2}\n",
                           "{\"a\":1.5}\n{\"a\":[1]}"})
                 .front();
    Budget budget(std::uint64_t{1} << 24);
    const std::size_t stored = static_cast<unsigned char>(bytes_[56]) |
                               std::size_t{static_cast<unsigned char>(bytes_[57])} << 8;
    behind_ = bytes_.substr(64 + stored);
    Inflater inflater(as_bytes(std::string_view(bytes_).substr(64, stored)), 1 << 20, 1 << 23,
                      budget);
    ASSERT_TRUE(inflater.ensure(1 << 20).has_value());
    plain_ = as_text(inflater.plain().view());
    const auto archive = Archive::open(testing_archive::as_source(bytes_));
    ASSERT_TRUE(archive.has_value());
    packet_ = *(*archive)->metadata().originals;
    ASSERT_TRUE(plain_.ends_with(packet_));
  }

  std::string with(const std::string& packet) const {
    const std::string plain = plain_.substr(0, plain_.size() - packet_.size() - 4) +
                              testing_archive::word(packet.size(), 4) + packet;
    const std::string section = testing_archive::compressed(plain);
    return bytes_.substr(0, 16) + testing_archive::word(64 + section.size() + behind_.size()) +
           bytes_.substr(24, 32) + testing_archive::word(section.size(), 4) +
           testing_archive::word(0, 4) + section + behind_;
  }

  std::string bytes_, plain_, packet_, behind_;
};

TEST_F(ClpsExactDamage, EveryCutIsFoundAndRecordsComeAsJson) {
  ReadOptions as_json;
  as_json.as_json = true;
  const std::string records = unpack_exactly(bytes_, as_json).text;
  for (std::size_t size = 0; size < packet_.size(); ++size) {
    const Unpacked back = unpack_exactly(with(packet_.substr(0, size)));
    ASSERT_EQ(back.findings.size(), 1U) << size;
    EXPECT_THAT(back.findings.front(), HasSubstr("clps-originals: "));
    EXPECT_EQ(back.text, records);
  }
  EXPECT_EQ(unpack_exactly(with(packet_ + "x")).findings.size(), 1U);
}

TEST_F(ClpsExactDamage, NoChangedOctetDoesHarm) {
  for (std::size_t at = 0; at < packet_.size(); ++at) {
    for (const int octet : {0x00, 0x01, 0x7F, 0x80, 0xFF}) {
      std::string changed = packet_;
      changed[at] = static_cast<char>(octet);
      const Unpacked back = unpack_exactly(with(changed));
      EXPECT_EQ(back.error, "");
      EXPECT_FALSE(back.text.empty());
    }
  }
}

TEST_F(ClpsExactDamage, CountsThatNothingHoldsTakeNoMemory) {
  const std::string huge = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F";
  for (const std::string& packet :
       {std::string("\x01") + huge, "\x01\x01" + huge, std::string("\x01\x00", 2) + huge,
        std::string("\x01\x00\x01\x00", 4) + huge, std::string("\x01\x00\x00", 3) + huge}) {
    EXPECT_EQ(unpack_exactly(with(packet)).findings.size(), 1U);
  }
}

}  // namespace
}  // namespace fonds::clps
