// Every file of the WARC-Zstandard fixtures against what its expected.json says.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "codec/testing.hpp"
#include "codec/zstd/codec.hpp"
#include "codec/zstd/frame.hpp"
#include "test_paths.hpp"

namespace fonds::zstd {
namespace {

// As much of JSON as expected.json has.
struct Json {
  std::string text;  // a string, or a number or a word as written
  std::vector<Json> items;
  std::map<std::string, Json> members;
  const Json& at(const std::string& key) const { return members.at(key); }
  bool has(const std::string& key) const { return members.contains(key); }
  std::uint64_t number() const { return std::stoull(text); }
  bool yes() const { return text == "true"; }
};

class JsonReader {
 public:
  explicit JsonReader(std::string text) : text_(std::move(text)) {}
  Json read() {
    Json value;
    switch (next()) {
      case '{':
        for (++at_; next() != '}'; skip_comma()) {
          const std::string key = read().text;
          next();
          ++at_;  // the colon
          value.members.emplace(key, read());
        }
        ++at_;
        break;
      case '[':
        for (++at_; next() != ']'; skip_comma()) {
          value.items.push_back(read());
        }
        ++at_;
        break;
      case '"':
        for (++at_; text_.at(at_) != '"'; ++at_) {
          at_ += text_[at_] == '\\' ? 1 : 0;
          value.text += text_.at(at_);
        }
        ++at_;
        break;
      default:
        while (std::isalnum(static_cast<unsigned char>(text_.at(at_))) != 0 || text_[at_] == '-') {
          value.text += text_[at_++];
        }
    }
    return value;
  }

 private:
  char next() {
    at_ = text_.find_first_not_of(" \n\r\t", at_);
    return text_.at(at_);
  }
  void skip_comma() {
    if (next() == ',') {
      ++at_;
    }
  }
  std::string text_;
  std::size_t at_ = 0;
};

std::string fixture(const std::string& name) {
  const char* const folder = std::getenv("FONDS_FIXTURES");
  const std::string base = folder != nullptr ? folder : FONDS_TEST_DATA;
  std::ifstream in(base + "/warc-zst/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

const Json& expected() {
  static const Json all = [] {
    const std::string text = fixture("expected.json");
    return text.empty() ? Json{} : JsonReader(text).read();
  }();
  return all;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::string sha256(std::string_view text) {
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(as_bytes(text));
  const DigestValue value = hasher.finish();
  return to_hex(ByteView(value.bytes).first(value.size));
}

class WarcZstFixture : public testing::TestWithParam<std::string> {
 protected:
  const Json& want() const { return expected().at(GetParam()); }
  std::string stored() const { return fixture(GetParam()); }
};

TEST_P(WarcZstFixture, HasTheFramesThatAreExpected) {
  const std::string bytes = stored();
  std::vector<FrameInfo> frames;
  walk_frames(as_bytes(bytes), [&](const FrameInfo& frame) { frames.push_back(frame); });
  const auto& want_frames = want().at("frames").items;
  ASSERT_EQ(frames.size(), want_frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const FrameInfo& got = frames[i];
    const Json& one = want_frames[i];
    const std::string kind = got.kind == FrameKind::Zstd
                                 ? "zstd"
                                 : (got.kind == FrameKind::Dictionary ? "dictionary" : "extension");
    EXPECT_EQ(kind, one.at("kind").text) << i;
    EXPECT_EQ(got.offset, one.at("offset").number()) << i;
    EXPECT_EQ(got.size, one.at("size").number()) << i;
    EXPECT_EQ(got.state == FrameState::Truncated, one.has("truncated")) << i;
    if (one.has("size_declared")) {
      EXPECT_EQ(got.size_declared, one.at("size_declared").number());
    }
    if (got.kind == FrameKind::Zstd) {
      EXPECT_EQ(got.header.window_size, one.at("window_size").number()) << i;
      EXPECT_EQ(got.header.content_size ? std::to_string(*got.header.content_size) : "null",
                one.at("content_size").text);
      EXPECT_EQ(got.header.dictionary_id ? std::to_string(*got.header.dictionary_id) : "null",
                one.at("dict_id").text);
      EXPECT_EQ(got.header.checksum, one.at("checksum").yes());
      EXPECT_EQ(got.header.single_segment, one.at("single_segment").yes());
    }
  }
}

TEST_P(WarcZstFixture, BreaksJustTheRulesItWasMadeToBreak) {
  const std::string bytes = stored();
  std::set<std::string> got;
  const auto take = [&](const Finding& finding) {
    if (finding.severity != Severity::Note) {
      got.emplace(finding.code);
    }
  };
  ASSERT_TRUE(check_frames(Window(as_bytes(bytes)), DecodeOptions{}.max_dictionary, take));
  std::set<std::string> rules;
  for (const Json& rule : want().at("violates").items) {
    if (rule.text != "ZR-ONE") {  // which needs the content
      rules.insert(lower(rule.text));
    }
  }
  EXPECT_EQ(got, rules);
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts_of(const std::shared_ptr<ByteSource>& source) { return zstd_codec().describe(*source); }

TEST_P(WarcZstFixture, DescribesItsDictionary) {
  Facts facts = {{"dictionary", "none"}};
  if (want().has("dictionary")) {
    const Json& dictionary = want().at("dictionary");
    facts = {{"dictionary", dictionary.at("form").text == "raw" ? "raw" : "compressed"},
             {"dictionary_id", dictionary.at("id").text},
             {"dictionary_size", dictionary.at("size").text}};
    if (dictionary.at("size").number() > DecodeOptions{}.max_dictionary) {
      facts = {{"dictionary", "unusable"}};
    }
  }
  EXPECT_EQ(facts_of(testing_codec::mapped(stored())), facts);
}

void expect_content(const Json& want, const testing_codec::Decoded& got) {
  const std::string decoded = fixture("decoded.warc");
  std::string records;
  for (const Json& record : want.at("records").items) {
    records += decoded.substr(record.at("raw_offset").number(), record.at("raw_length").number());
  }
  EXPECT_EQ(got.error, "");
  EXPECT_EQ(got.all(), records);
  if (want.at("decodes_fully").yes()) {
    EXPECT_EQ(got.runs.size(), 1U);
  }
  ASSERT_FALSE(got.runs.empty());
  EXPECT_EQ(got.runs[0].size(), want.at("decoded_size").number());
  EXPECT_EQ(sha256(got.runs[0]), want.at("decoded_sha256").text);
}

TEST_P(WarcZstFixture, GivesTheRecordsThatAreExpected) {
  DecodeOptions options;
  options.probe.starts_record = testing_codec::starts_with_record;
  options.max_dictionary = std::uint64_t{64} << 20;
  expect_content(want(),
                 testing_codec::read_all(zstd_codec(), testing_codec::mapped(stored()), options));
}

TEST_P(WarcZstFixture, GivesTheSameThroughAPipeAndInPieces) {
  DecodeOptions options;
  options.probe.starts_record = testing_codec::starts_with_record;
  options.max_dictionary = std::uint64_t{64} << 20;
  options.max_whole_unit = 100;
  options.skim = true;
  expect_content(want(), testing_codec::read_all(zstd_codec(), testing_codec::piped(stored(), 77),
                                                 options, 1));
}

TEST_P(WarcZstFixture, GivesEachRecordFromItsOffset) {
  const std::string bytes = stored();
  const std::string decoded = fixture("decoded.warc");
  DecodeOptions options;
  options.max_dictionary = std::uint64_t{64} << 20;
  std::size_t inner = 0;  // records before it in the same frame
  for (const Json& record : want().at("records").items) {
    const std::uint64_t start = record.at("offset").number();
    inner = start == options.start ? inner : 0;
    options.start = start;
    auto decoder = zstd_codec().decode(testing_codec::mapped(bytes), options);
    ASSERT_TRUE(decoder);
    const auto length = static_cast<std::size_t>(record.at("raw_length").number());
    const auto shown = (*decoder)->peek(inner + length);
    ASSERT_TRUE(shown);
    ASSERT_GE(shown->size(), inner + length);
    EXPECT_EQ(sha256(as_text(shown->subspan(inner, length))), record.at("sha256").text);
    inner += length;
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& [name, value] : expected().members) {
    all.push_back(name);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, WarcZstFixture, testing::ValuesIn(names()), [](const auto& named) {
  std::string name = named.param.substr(0, named.param.find('.'));
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(WarcZstFixtures, AreThere) { EXPECT_EQ(expected().members.size(), 18U); }

TEST(WarcZstBomb, IsRefusedWithTheLimitAndItsFramesAreDamaged) {
  const auto got = testing_codec::read_all(
      zstd_codec(), testing_codec::mapped(fixture("bad-dict-bomb.warc.zst")));
  EXPECT_THAT(got.runs, testing::IsEmpty());
  EXPECT_THAT(got.codes,
              testing::ElementsAre("zl-dict-decoded", "limit-exceeded", "frame-damaged"));
}

TEST(WarcZstDictionary, EveryCutOfItsFrameIsUnusable) {
  const std::string stored = fixture("ok-dict-compressed.warc.zst");
  for (std::size_t n = 4; n < 4096; ++n) {
    EXPECT_EQ(facts_of(testing_codec::mapped(stored.substr(0, n))),
              (Facts{{"dictionary", "unusable"}}))
        << n;
  }
}

TEST(WarcZstDictionary, NothingIsSaidOfAPipe) {
  EXPECT_EQ(facts_of(testing_codec::piped(fixture("ok-dict-raw.warc.zst"))), Facts{});
}

TEST(WarcZstDictionary, EachFrameThatCannotBeDecodedIsReported) {
  const auto wrong = testing_codec::read_all(
      zstd_codec(), testing_codec::mapped(fixture("bad-wrong-dict-id.warc.zst")));
  EXPECT_THAT(wrong.codes, testing::ElementsAre("zf-dictid-match"));
  const auto behind = testing_codec::read_all(
      zstd_codec(), testing_codec::mapped(fixture("bad-dict-after-record.warc.zst")));
  EXPECT_EQ(std::ranges::count(behind.codes, "zs-dict-pos"), 1);
  EXPECT_EQ(std::ranges::count(behind.codes, "zf-nodict"), 14);
}

}  // namespace
}  // namespace fonds::zstd
