#include "format/warc/writing/making.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "codec/testing.hpp"
#include "format/lines/testing.hpp"
#include "io/testing.hpp"

namespace fonds::warc {
namespace {

using testing::HasSubstr;
using testing_codec::mapped;
using testing_codec::piped;
using testing_io::TextSink;

// Gives one text at the first reading and another one later.
class Text final : public ItemContent {
 public:
  explicit Text(std::string first) : first_(first), later_(std::move(first)) {}
  Text(std::string first, std::string later) : first_(std::move(first)), later_(std::move(later)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t length() const override { return first_.size(); }
  Status read(const std::function<Status(ByteView)>& out) override {
    const std::string& text = readings_++ == 0 ? first_ : later_;
    FONDS_CHECK(out(as_bytes(text).first(text.size() / 2)));
    return out(as_bytes(text).subspan(text.size() / 2));
  }

 private:
  std::string name_ = "notes.txt", first_, later_;
  int readings_ = 0;
};

const FormatWriting& warc() {
  static const Format* const format = [] {
    const Format* found = nullptr;
    for (const Format* one : formats()) {
      found = one->name() == "warc" ? one : found;
    }
    return found;
  }();
  return *format->writing();
}

MakeOptions options(std::string layout = {}, std::string codec = "none") {
  MakeOptions made;
  made.rewrite.write.layout = std::move(layout);
  made.rewrite.write.compression = {std::move(codec)};
  return made;
}
NewItem item(std::string uri = "http://a.example/") { return {.uri = std::move(uri)}; }

struct ReadBack {
  std::vector<std::string> types, blocks;
  std::size_t errors = 0;
};
ReadBack read_back(std::string_view bytes) {
  ReadBack all;
  const auto archive = open_archive(mapped(bytes));
  if (!archive) {
    return all;
  }
  const auto reader = *archive->format->open(*archive, {});
  while (true) {
    const auto record = reader->next();
    if (!record || *record == nullptr) {
      return all;
    }
    all.types.emplace_back((*record)->kind());
    std::string block;
    while (true) {
      const auto shown = reader->peek_block(1);
      if (!shown || shown->empty()) {
        break;
      }
      block += as_text(*shown);
      reader->consume_block(shown->size());
    }
    all.blocks.push_back(block);
    const auto end = reader->finish();
    for (const Finding& finding : end->findings) {
      all.errors += finding.severity == Severity::Error ? 1 : 0;
    }
  }
}

std::string made_of(const std::vector<std::string>& texts, const MakeOptions& with) {
  TextSink sink;
  const auto maker = warc().make_items(sink, with);
  EXPECT_TRUE(maker.has_value());
  for (const std::string& text : texts) {
    Text content(text);
    EXPECT_TRUE((*maker)->add(item(), content).has_value());
  }
  EXPECT_TRUE((*maker)->finish().has_value());
  return sink.content;
}

class MadeLayouts : public testing::TestWithParam<const char*> {};
TEST_P(MadeLayouts, HoldTheContentAsItIs) {
  const ReadBack all = read_back(made_of({"one", "", "three"}, options(GetParam())));
  ASSERT_EQ(all.blocks.size(), 4U);
  EXPECT_EQ(all.types.front(), "warcinfo");
  EXPECT_THAT(std::vector(all.blocks.begin() + 1, all.blocks.end()),
              testing::ElementsAre("one", "", "three"));
  EXPECT_EQ(all.errors, 0U);
}
INSTANTIATE_TEST_SUITE_P(All, MadeLayouts,
                         testing::Values("", "1.1", "1.0", "0.18", "00.11", "arc"));

TEST(Maker, AnArchiveOfNothingIsOneWithAWarcinfo) {
  EXPECT_EQ(read_back(made_of({}, options())).types, std::vector<std::string>{"warcinfo"});
}

TEST(Maker, ContentThatChangesIsAnErrorThatNamesIt) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"before", "after!"}, {"longer", "long"}, {"short", "shorter"}};
  for (const auto& [first, later] : changes) {
    TextSink sink;
    const auto maker = warc().make_items(sink, options());
    Text content(first, later);
    const Status status = (*maker)->add(item(), content);
    ASSERT_FALSE(status.has_value()) << first;
    EXPECT_EQ(status.error().code(), ErrorCode::Io);
    EXPECT_EQ(status.error().where().source, "notes.txt");
  }
}

struct Refusal {
  const char* layout;
  NewItem item;
  const char* says;
};
class MakingRefused : public testing::TestWithParam<Refusal> {};
TEST_P(MakingRefused, WithASentence) {
  TextSink sink;
  const auto maker = warc().make_items(sink, options(GetParam().layout));
  Text content("x");
  const Status status = (*maker)->add(GetParam().item, content);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(status.error().message(), HasSubstr(GetParam().says));
}
INSTANTIATE_TEST_SUITE_P(
    Items, MakingRefused,
    testing::Values(
        Refusal{"1.1", {}, "needs a target URI"}, Refusal{"1.1", {.uri = "no uri"}, "is no URI"},
        Refusal{"1.1", {.uri = "http://a/\r\nX: y"}, "is no URI"},
        Refusal{
            "1.1", {.kind = NewItem::Kind::Conversion, .refers_to = "urn:1"}, "needs a target URI"},
        Refusal{
            "arc", {.kind = NewItem::Kind::Metadata, .refers_to = "urn:1"}, "ARC has no form"}));

TEST(Maker, AFieldOfTheWarcinfoCannotMakeAnother) {
  MakeOptions with = options();
  with.description = {{"operator", "me\r\n\r\nWARC/1.1"}};
  TextSink sink;
  const auto maker = warc().make_items(sink, with);
  EXPECT_EQ((*maker)->finish().error().code(), ErrorCode::BadArgument);
}

TEST(Maker, NothingIsAddedBehindOctetsThatAreNoRecord) {
  const std::string whole =
      "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Date: 2020\r\n"
      "WARC-Target-URI: http://a/\r\nContent-Length: 1\r\n\r\nx\r\n\r\n";
  for (const std::string& garbage : {std::string(512, '\0'), std::string("garbage")}) {
    const auto archive = open_archive(mapped(whole + garbage));
    TextSink sink;
    EXPECT_FALSE(warc().append_items(*archive, sink, {}));
    EXPECT_EQ(sink.content, "");
    MakeOptions cut;
    cut.rewrite.skip_damaged = true;
    EXPECT_TRUE(warc().append_items(*archive, sink, cut));
    EXPECT_EQ(sink.content, whole);
  }
}

TEST(Maker, APipeCannotBeAddedTo) {
  const std::string archive = made_of({"one"}, options());
  TextSink sink;
  MakeOptions with = options();
  with.rewrite.write.compression = {};
  const auto maker = warc().append_items(*open_archive(piped(archive)), sink, with);
  ASSERT_FALSE(maker.has_value());
  EXPECT_EQ(maker.error().code(), ErrorCode::Unsupported);
}

// Whatever is cut off an archive: adding to it is refused, or all whole records stay and the new
// one is found behind them.
class CutArchive : public testing::TestWithParam<const char*> {};
TEST_P(CutArchive, LosesNoWholeRecordWhenItIsAddedTo) {
  const std::string whole =
      made_of({"first text", "second text", "third text"}, options("1.1", GetParam()));
  int added = 0;
  for (std::size_t size = 1; size <= whole.size(); ++size) {
    const std::string cut = whole.substr(0, size);
    const auto archive = open_archive(mapped(cut), {.format = "warc"});
    if (!archive) {
      continue;
    }
    const ReadBack before = read_back(cut);
    for (const bool skip : {false, true}) {
      TextSink sink;
      MakeOptions with;
      with.rewrite.skip_damaged = skip;
      auto maker = warc().append_items(*archive, sink, with);
      if (!maker) {
        continue;
      }
      Text content("new text");
      ASSERT_TRUE((*maker)->add(item(), content).has_value());
      ASSERT_TRUE((*maker)->finish().has_value());
      const ReadBack after = read_back(sink.content);
      std::string seen;
      for (const auto& block : before.blocks) {
        seen += "[" + block + "]";
      }
      for (const auto& block : after.blocks) {
        seen += "{" + block + "}";
      }
      ASSERT_EQ(after.errors, 0U) << size << " of " << whole.size() << seen << skip;
      ASSERT_EQ(after.blocks.back(), "new text") << size;
      ASSERT_GE(after.blocks.size() + before.errors, before.blocks.size() + 2)
          << size << seen << skip;
      if (!skip) {
        ASSERT_EQ(sink.content.substr(0, size), cut);
        ASSERT_EQ(before.errors, 0U);
      }
      ++added;
    }
  }
  EXPECT_GT(added, 8);
}
INSTANTIATE_TEST_SUITE_P(Codecs, CutArchive, testing::Values("none", "gzip", "zstd", "lz4"));

}  // namespace
}  // namespace fonds::warc
