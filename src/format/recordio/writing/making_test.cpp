#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/format.hpp>
#include <fonds/making.hpp>

#include "codec/testing.hpp"
#include "format/lines/testing.hpp"
#include "format/recordio/writing/writing.hpp"
#include "io/testing.hpp"

namespace fonds::recordio {
namespace {

using testing::ElementsAre;
using testing_codec::mapped;
using testing_io::TextSink;

class Text final : public ItemContent {
 public:
  explicit Text(std::string text, std::uint64_t claimed)
      : text_(std::move(text)), claimed_(claimed) {}
  explicit Text(const std::string& text) : Text(text, text.size()) {}
  const std::string& name() const override { return name_; }
  std::uint64_t length() const override { return claimed_; }
  Status read(const std::function<Status(ByteView)>& out) override { return out(as_bytes(text_)); }

 private:
  std::string name_ = "a.bin", text_;
  std::uint64_t claimed_;
};

std::string made_of(const std::vector<std::string>& texts, const MakeOptions& options = {}) {
  TextSink sink;
  const auto maker = RecordIoWriting().make_items(sink, options);
  for (const std::string& text : texts) {
    Text content(text);
    EXPECT_TRUE((*maker)->add({}, content).has_value());
  }
  EXPECT_TRUE((*maker)->finish().has_value());
  return sink.content;
}
std::vector<std::string> items(std::string_view bytes) {
  const auto archive = open_archive(mapped(bytes));
  const auto reader = *archive->format->open(*archive, {});
  std::vector<std::string> all;
  while (true) {
    const auto record = reader->next();
    if (!record || *record == nullptr) {
      return all;
    }
    all.emplace_back(as_text(*reader->peek_block(1 << 20)));
    EXPECT_TRUE(reader->finish().has_value());
  }
}
Result<std::string> with_one_more(std::string_view bytes, const MakeOptions& options = {}) {
  TextSink sink;
  const auto archive = open_archive(mapped(bytes), {.format = "recordio"});
  FONDS_TRY(const auto maker, RecordIoWriting().append_items(*archive, sink, options));
  Text content("new");
  FONDS_CHECK(maker->add({}, content));
  FONDS_CHECK(maker->finish());
  return sink.content;
}

class Layouts : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(Layouts, GoOnAsTheyBegan) {
  MakeOptions options;
  options.rewrite.write.layout = GetParam().first;
  if (GetParam().second[0] != '\0') {
    options.rewrite.write.compression = {GetParam().second};
  }
  const std::string before = made_of({"one", "", "three"}, options);
  const auto after = with_one_more(before);
  ASSERT_TRUE(after.has_value()) << after.error().message();
  EXPECT_TRUE(after->starts_with(before));
  EXPECT_THAT(items(*after), ElementsAre("one", "", "three", "new"));
}
INSTANTIATE_TEST_SUITE_P(All, Layouts,
                         testing::Values(std::pair("", ""), std::pair("", "zstd"),
                                         std::pair("legacy", ""), std::pair("packed", "")));

TEST(ItemMaker, ATrailerStaysBehindTheItems) {
  MakeOptions options;
  options.rewrite.write.trailer = "the end";
  const auto after = with_one_more(made_of({"one"}, options));
  ASSERT_TRUE(after.has_value());
  EXPECT_THAT(items(*after), ElementsAre("one", "new"));
  const auto archive = open_archive(mapped(*after));
  EXPECT_EQ(archive->format->extras(*archive, {}, [](const Finding&) {})->trailer, "the end");
}

TEST(ItemMaker, ContentThatIsNotAsLongAsItSaidIsAnError) {
  for (const std::uint64_t claimed : {4U, 6U}) {
    TextSink sink;
    const auto maker = RecordIoWriting().make_items(sink, {});
    Text content("12345", claimed);
    EXPECT_EQ((*maker)->add({}, content).error().message(), "changed while it was read");
  }
}

TEST(ItemMaker, AnItemThatCannotBeHeldNamesTheLimit) {
  TextSink sink;
  const auto maker = RecordIoWriting().make_items(sink, {});
  Text content("", ~std::uint64_t{0});
  const Status status = (*maker)->add({}, content);
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
  EXPECT_THAT(status.error().message(), testing::HasSubstr("--memory"));
}

TEST(ItemMaker, ACutFileIsRefusedOrLosesOnlyItsEnd) {
  const std::string whole = made_of({"one", "two"});
  const std::string next = *with_one_more(whole);
  MakeOptions skipping;
  skipping.rewrite.skip_damaged = true;
  for (std::size_t size = whole.size() + 1; size < next.size(); size += 997) {
    const std::string cut = next.substr(0, size);
    EXPECT_EQ(with_one_more(cut).error().code(), ErrorCode::Corrupt) << size;
    const auto after = with_one_more(cut, skipping);
    ASSERT_TRUE(after.has_value()) << size;
    EXPECT_THAT(items(*after), ElementsAre("one", "two", "new")) << size;
  }
}

}  // namespace
}  // namespace fonds::recordio
