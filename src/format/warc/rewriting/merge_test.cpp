#include "format/warc/rewriting/merge.hpp"

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"
#include "format/warc/rewriting/merge_test_support.hpp"
#include "test_paths.hpp"

namespace fonds::warc {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const Strings kOne = {warc_record("warcinfo", "i1", "software: a\r\n"), resource("1", "one"),
                      resource("2", std::string(5000, 'x'))};
const Strings kTwo = {warc_record("warcinfo", "i2", "software: b\r\n"), resource("3", "three"),
                      resource("4", std::string(300, 'y'))};

// ---- containers ----

class EachCodec : public testing::TestWithParam<const char*> {};

TEST_P(EachCodec, ArchivesAreConcatenatedAsTheyAreStored) {
  const std::string a = encoded(kOne, GetParam());
  const std::string b = encoded(kTwo, GetParam());
  const Merged result = merged(Strings{a, b});
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.bytes, a + b);
  EXPECT_EQ(result.report.records_kept, 6U);
  EXPECT_THAT(result.findings, IsEmpty());
}

TEST_P(EachCodec, PipesAreToo) {
  const std::string a = encoded(kOne, GetParam());
  const std::string b = encoded(kTwo, GetParam());
  const Merged result = merged_pipes({a, b});
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.bytes, a + b);
}

TEST_P(EachCodec, OneArchiveGivesItsOwnBytes) {
  const std::string a = encoded(kOne, GetParam());
  for (const bool skip : {false, true}) {
    for (const bool join : {false, true}) {
      const RewriteOptions options{.skip_damaged = skip, .join_segments = join};
      EXPECT_EQ(merged(Strings{a}, options).bytes, a);
      EXPECT_EQ(merged({"", a, ""}, options).bytes, a);
    }
  }
  EXPECT_EQ(merged_pipes({a}).bytes, a);
  EXPECT_EQ(merged_pipes({"", a, ""}).bytes, a);
}

TEST_P(EachCodec, WhatIsChangedDoesNotDependOnThreads) {
  Strings many;
  for (int i = 0; i < 200; ++i) {
    const std::string number = std::to_string(i);
    many.push_back(resource(number, std::string(static_cast<std::size_t>(100 + i * 7), 'a'),
                            i % 3 == 0 ? "WARC-Segment-Number: 1\r\n" : ""));
    if (i % 3 == 0) {
      many.push_back(warc_record("continuation", "c" + number, "tail" + number,
                                 "WARC-Target-URI: http://a/" + number +
                                     "\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: "
                                     "<urn:x:" +
                                     number + ">\r\nWARC-Segment-Total-Length: " +
                                     std::to_string(100 + i * 7 + 4 + number.size()) + "\r\n"));
    }
  }
  const std::string a = encoded(many, GetParam());
  RewriteOptions options{.join_segments = true};
  const Merged one = merged(Strings{a}, options);
  EXPECT_EQ(one.error, "");
  EXPECT_EQ(one.report.changes.at("records were put together from segments"), 67U);
  for (const unsigned threads : {2U, 7U}) {
    options.write.threads = threads;
    EXPECT_EQ(merged(Strings{a}, options).bytes, one.bytes);
  }
}

INSTANTIATE_TEST_SUITE_P(Merge, EachCodec, testing::Values("none", "gzip", "zstd", "lz4"),
                         [](const auto& param) { return std::string(param.param); });

TEST(Merge, NothingButEmptyArchivesIsEmpty) {
  EXPECT_EQ(merged({"", ""}).bytes, "");
  EXPECT_EQ(merged({"", ""}).error, "");
}

TEST(Merge, MemberWithManyRecordsStaysWhole) {
  const std::string a = encoded({together(kOne)}, "gzip");
  const std::string b = encoded({together(kTwo)}, "gzip");
  EXPECT_EQ(merged({a, b}).bytes, a + b);
}

struct Closing {
  const char* name;
  std::size_t cut;  // octets at the end that are missing
};
class EachClosing : public testing::TestWithParam<Closing> {};
TEST_P(EachClosing, IsMadeGoodInPlainArchives) {
  std::string a = together(kOne);
  a.resize(a.size() - GetParam().cut);
  const std::string b = together(kTwo);
  const std::string bytes = merged({a, b}).bytes;
  EXPECT_THAT(bytes, AllOf(StartsWith(a), EndsWith("\r\n\r\n" + b)));
  EXPECT_EQ(merged({a, b}).report.records_kept, 6U);
  EXPECT_EQ(merged(Strings{bytes}).report.records_kept, 6U);
  EXPECT_THAT(merged(Strings{bytes}).findings, IsEmpty());
  EXPECT_EQ(merged({b, a}).bytes, b + a);  // at the end it stays as it was
}
INSTANTIATE_TEST_SUITE_P(Merge, EachClosing, testing::Values(Closing{"one", 2}, Closing{"both", 4}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(Merge, ArcRecordGetsItsLineEnd) {
  const std::string version =
      "filedesc://a.arc 0.0.0.0 20000101000000 text/plain 76\n1 0 InternetArchive\nURL IP-address "
      "Archive-date Content-type Archive-length\n";
  const std::string record = "http://a/ 1.2.3.4 20000101000000 text/html 3\nabc";
  const std::string a = version + "\n" + record;
  EXPECT_EQ(merged({a, a + "\n"}).bytes, a + "\n" + a + "\n");
}

TEST(Merge, DifferentCodecsAreRefusedWithTheWayOut) {
  const Merged result = merged({encoded(kOne, "gzip"), encoded(kTwo, "zstd")});
  EXPECT_EQ(result.code, ErrorCode::BadArgument);
  EXPECT_THAT(result.error, HasSubstr("fonds convert"));
  EXPECT_EQ(merged({encoded(kOne, "gzip"), together(kTwo)}).code, ErrorCode::BadArgument);
}

TEST(Merge, DialectsMayDiffer) {
  std::string old = together(kTwo);
  for (std::size_t at = 0; (at = old.find("WARC/1.1", at)) != std::string::npos; ++at) {
    old.replace(at, 8, "WARC/1.0");
  }
  EXPECT_EQ(merged({together(kOne), old}).bytes, together(kOne) + old);
}

// ---- zstd ----

ZstdDictionary dictionary(std::uint32_t id, char last) {
  const char* const folder = std::getenv("FONDS_FIXTURES");
  const std::string base = folder != nullptr ? folder : FONDS_TEST_DATA;
  std::ifstream file(base + "/warc-zst/ok-dict-raw.warc.zst", std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::uint32_t size = 0;
  std::memcpy(&size, bytes.data() + 4, 4);
  bytes = bytes.substr(8, size);
  std::memcpy(bytes.data() + 4, &id, 4);
  bytes.back() = last;
  return *ZstdDictionary::parse(as_bytes(bytes));
}

std::string zstd_archive(const Strings& records, const ZstdDictionary& dictionary,
                         bool raw = false) {
  return encoded(records,
                 EncodeOptions{.codec = "zstd", .dictionary = dictionary, .raw_dictionary = raw});
}

// The frames by kind: D a dictionary, F a zstd frame, x an extension. Findings of errors behind.
std::string frames_of(const std::string& stored) {
  std::string kinds;
  zstd::walk_frames(as_bytes(stored), [&](const zstd::FrameInfo& frame) {
    kinds += frame.kind == zstd::FrameKind::Dictionary  ? 'D'
             : frame.kind == zstd::FrameKind::Zstd      ? 'F'
             : frame.kind == zstd::FrameKind::Skippable ? 'x'
                                                        : '?';
  });
  const auto take = [&](const Finding& finding) {
    if (finding.severity == Severity::Error) {
      kinds += std::string(" ") + std::string(finding.code);
    }
  };
  EXPECT_TRUE(zstd::check_frames(Window(as_bytes(stored)), std::uint64_t{8} << 20, take));
  return kinds;
}

TEST(MergeZstd, SecondFrameOfOneDictionaryIsLeftOut) {
  const ZstdDictionary same = dictionary(40000, 'a');
  const std::string a = zstd_archive(kOne, same);
  const std::string b = zstd_archive(kTwo, same, true);  // the other of the two forms
  const Merged result = merged({a, b});
  EXPECT_EQ(frames_of(result.bytes), "DFFFFFF");
  EXPECT_THAT(result.bytes, StartsWith(a));
  EXPECT_THAT(b, EndsWith(result.bytes.substr(a.size())));
  EXPECT_EQ(result.text(), together(kOne) + together(kTwo));
}

struct Dictionaries {
  const char* name;
  std::uint32_t first, second;  // ids; 0: none
  char first_last, second_last;
};
class EachMixture : public testing::TestWithParam<Dictionaries> {};
TEST_P(EachMixture, HasOneDictionaryAndAllRecords) {
  const auto make = [](std::uint32_t id, char last, const Strings& records) {
    return id == 0 ? encoded(records, "zstd") : zstd_archive(records, dictionary(id, last));
  };
  const Dictionaries& p = GetParam();
  const std::string a = make(p.first, p.first_last, kOne);
  const std::string b = make(p.second, p.second_last, kTwo);
  for (const bool pipes : {false, true}) {
    const Merged result = pipes ? merged_pipes({a, b}) : merged({a, b});
    EXPECT_EQ(result.error, "");
    EXPECT_THAT(frames_of(result.bytes), testing::AnyOf("DFFFFFF", "FFFFFF"));
    EXPECT_EQ(result.text(), together(kOne) + together(kTwo));
    if (p.first != 0) {
      EXPECT_THAT(result.bytes, StartsWith(a));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Merge, EachMixture,
                         testing::Values(Dictionaries{"other_id", 40000, 40001, 'a', 'a'},
                                         Dictionaries{"same_id_other_content", 40000, 40000, 'a',
                                                      'b'},
                                         Dictionaries{"only_first", 40000, 0, 'a', 'a'},
                                         Dictionaries{"only_second", 0, 40000, 'a', 'a'}),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(MergeZstd, WithoutADictionaryInFrontTheLargerPartStaysAsItIs) {
  const std::string small = encoded({resource("1", "one")}, "zstd");
  const std::string large = zstd_archive(kTwo, dictionary(40000, 'a'));
  ASSERT_GT(large.size(), small.size());
  EXPECT_THAT(frames_of(merged({small, large}).bytes), StartsWith("D"));
  EXPECT_THAT(frames_of(merged({small, large,
                                encoded({resource("2", std::string(20000, 'q') + large)}, "zstd")})
                            .bytes),
              StartsWith("F"));
}

TEST(MergeZstd, SizePrefixesGoAlongAndSeekTablesDoNot) {
  using Extension = EncodeOptions::Extension;
  const std::string prefixed =
      encoded(kOne, EncodeOptions{.codec = "zstd", .extension = Extension::SizePrefix});
  const std::string table =
      encoded(kTwo, EncodeOptions{.codec = "zstd", .extension = Extension::SeekTable});
  EXPECT_EQ(frames_of(table), "FFFx");
  const Merged result = merged({table, prefixed, table});
  EXPECT_EQ(frames_of(result.bytes), "FFF" + frames_of(prefixed) + "FFF");
  EXPECT_EQ(result.report.changes.at("seek tables of archives are left out"), 2U);
  EXPECT_EQ(merged(Strings{table}).bytes, table);
  EXPECT_EQ(merged_pipes({table, prefixed}).bytes, merged({table, prefixed}).bytes);
}

TEST(MergeZstd, PrefixOfARecordThatIsMadeAnewGoes) {
  Strings parts = {resource("1", "one", "WARC-Segment-Number: 1\r\n"), resource("2", "two"),
                   warc_record("continuation", "3", "end",
                               "WARC-Target-URI: http://a/1\r\nWARC-Segment-Number: 2\r\n"
                               "WARC-Segment-Origin-ID: <urn:x:1>\r\n"
                               "WARC-Segment-Total-Length: 6\r\n"),
                   resource("4", "four")};
  const std::string a = encoded(
      parts, EncodeOptions{.codec = "zstd", .extension = EncodeOptions::Extension::SizePrefix});
  const Merged result = merged(Strings{a}, {.join_segments = true});
  // The first prefix stands behind an empty frame, which no extension may come before.
  EXPECT_THAT(frames_of(result.bytes), testing::AnyOf("FFxFxF", "FxFxFxF", "FxFFxFxF"));
  std::uint64_t expected = 0;
  zstd::walk_frames(as_bytes(result.bytes), [&](const zstd::FrameInfo& frame) {
    const auto stored = as_bytes(result.bytes).subspan(frame.offset);
    if (expected != 0) {
      EXPECT_EQ(frame.size, expected);
    }
    const auto prefix = zstd::parse_size_prefix(stored);
    expected = prefix ? prefix->stored : 0;
  });
}

TEST(MergeZstd, DictionaryThatCannotBeReadStops) {
  std::string bad = zstd_archive(kTwo, dictionary(40000, 'a'));
  bad[20] = static_cast<char>(bad[20] ^ 0x55);
  const Merged result = merged({encoded(kOne, "zstd"), bad});
  EXPECT_NE(result.error, "");
  EXPECT_NE(result.code, ErrorCode::BadArgument);
}

// ---- damage ----

TEST(MergeDamage, StopsUnlessItMayBeLeftOut) {
  Strings members;
  for (const std::string& record : kOne) {
    members.push_back(encoded({record}, "gzip"));
  }
  members[1][members[1].size() - 6] ^= 0x55;  // the CRC
  const std::string b = encoded(kTwo, "gzip");
  const Merged stopped = merged({together(members), b});
  EXPECT_EQ(stopped.code, ErrorCode::Corrupt);
  EXPECT_THAT(stopped.error, HasSubstr("--skip-damaged"));
  const Merged result = merged({together(members), b}, {.skip_damaged = true});
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(result.bytes, members[0] + members[2] + b);
  EXPECT_THAT(result.lost, ElementsAre("member-crc"));
  EXPECT_EQ(result.report.records_lost, 1U);
  EXPECT_EQ(result.report.records_kept, 5U);
}

TEST(MergeDamage, GoodRecordsOfADamagedUnitAreMadeAnew) {
  const std::string bad = "WARC/1.1\r\nWARC-Type: resource\r\nContent-Length: -5\r\n\r\n\r\n\r\n";
  const std::string a = encoded({kOne[0] + bad + kOne[1]}, "gzip");
  const std::string b = encoded(kTwo, "gzip");
  const Merged result = merged({a, b}, {.skip_damaged = true});
  EXPECT_EQ(result.text(), kOne[0] + kOne[1] + together(kTwo));
  EXPECT_THAT(result.bytes, EndsWith(b));
  EXPECT_THAT(result.lost, Contains("bad-length"));
}

TEST(MergeDamage, GarbageBetweenRecordsIsLeftOut) {
  const std::string garbage(500, '#');
  for (const std::string codec : {"none", "gzip", "zstd"}) {
    const std::string a = encoded({kOne[0]}, codec) + garbage + encoded({kOne[1]}, codec);
    const std::string b = encoded(kTwo, codec);
    EXPECT_EQ(merged({a, b}).code, ErrorCode::Corrupt) << codec;
    const Merged result = merged({a, b}, {.skip_damaged = true});
    EXPECT_EQ(result.error, "");
    EXPECT_THAT(result.bytes, Not(HasSubstr("###"))) << codec;
    EXPECT_THAT(result.bytes, EndsWith(b));
    EXPECT_EQ(result.text(), kOne[0] + kOne[1] + together(kTwo)) << codec;
    EXPECT_THAT(result.lost, SizeIs(1)) << codec;
  }
}

TEST(MergeDamage, EveryCutEndsOrIsTold) {
  for (const std::string codec : {"none", "gzip", "zstd", "lz4"}) {
    const std::string a = encoded(kTwo, codec);
    const std::string b = encoded({kOne[1]}, codec);
    for (std::size_t cut = 1; cut < a.size(); ++cut) {
      const std::string part = a.substr(0, cut);
      const Merged result = merged({part, b});
      if (!result.error.empty()) {
        const Merged kept = merged({part, b}, {.skip_damaged = true});
        if (kept.code != ErrorCode::BadArgument) {  // too short to be of its codec
          EXPECT_EQ(kept.error, "") << codec << cut;
          EXPECT_THAT(kept.bytes, EndsWith(b)) << codec << cut;
        }
      } else {
        EXPECT_THAT(result.text(), EndsWith(kOne[1])) << codec << cut;
        EXPECT_EQ(merged(Strings{result.bytes}).report.records_kept, result.report.records_kept)
            << codec << cut;
      }
    }
  }
}

TEST(MergeDamage, RecordsThatShareAFrameGetOneEach) {
  const std::string a = encoded({kOne[0] + kOne[1]}, "zstd");
  EXPECT_EQ(frames_of(merged({a, a}).bytes), "FF");  // WARC-Zstandard forbids it; copied as it is
  const Merged result = merged(Strings{a}, {.skip_damaged = true});
  EXPECT_EQ(result.text(), kOne[0] + kOne[1]);
  EXPECT_EQ(frames_of(result.bytes), "FF");
  EXPECT_THAT(result.lost, IsEmpty());
}

TEST(MergeDamage, WarningsStopWithStrict) {
  std::string a = together(kOne);
  a.resize(a.size() - 2);
  EXPECT_EQ(merged({a, together(kTwo)}, {.strict = true}).code, ErrorCode::Corrupt);
}

TEST(MergeDamage, PipeThatWouldBeReadTwiceIsRefused) {
  for (const RewriteOptions& options :
       {RewriteOptions{.skip_damaged = true}, RewriteOptions{.join_segments = true}}) {
    const Merged result = merged_pipes({together(kOne)}, options);
    EXPECT_EQ(result.code, ErrorCode::Unsupported);
    EXPECT_THAT(result.error, HasSubstr("pipe"));
  }
}

// ---- warcinfo ----

TEST(MergeWarcinfo, RecordsThatHadNoneAreTold) {
  const std::string a = together(kOne);
  const std::string b = resource("9", "nine") + together(kTwo);
  const Merged result = merged({a, b});
  EXPECT_EQ(result.bytes, a + b);
  EXPECT_THAT(result.findings, ElementsAre("warcinfo-changed"));
  EXPECT_EQ(result.report.changes.at("records come behind a warcinfo that is not theirs"), 1U);
  EXPECT_EQ(merged({a, b}, {.strict = true}).code, ErrorCode::Corrupt);
  EXPECT_THAT(merged({b, a}).findings, IsEmpty());
}

TEST(MergeWarcinfo, RecordsWhoseOwnIsLeftOutNameIt) {
  Strings b = {encoded({warc_record("warcinfo", "lost", "a: b\r\n")}, "gzip"),
               encoded({resource("5", "five")}, "gzip"),
               encoded({resource("6", "six", "WARC-Warcinfo-ID: <urn:x:other>\r\n")}, "gzip")};
  b[0][b[0].size() - 6] ^= 0x55;
  const std::string a = encoded(kOne, "gzip");
  const Merged result = merged({a, together(b)}, {.skip_damaged = true});
  EXPECT_THAT(result.bytes, AllOf(StartsWith(a), EndsWith(b[2])));
  EXPECT_THAT(result.text(), HasSubstr("WARC-Warcinfo-ID: <urn:x:lost>\r\n\r\nfive"));
  EXPECT_EQ(result.report.changes.at("records got a WARC-Warcinfo-ID"), 1U);
}

}  // namespace
}  // namespace fonds::warc
