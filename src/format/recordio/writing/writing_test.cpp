#include "format/recordio/writing/writing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/recordio/writing/writer_test_support.hpp"

namespace fonds::recordio {
namespace {

using testing::ElementsAre;

// Gives one block after the other, at most `step` bytes more than asked for at once.
class Blocks final : public RecordReader {
 public:
  class Item final : public Record {
   public:
    std::string_view format() const override { return "lines"; }
    std::string_view kind() const override { return "item"; }
    std::string_view id() const override { return {}; }
    std::optional<Date> date() const override { return {}; }
    std::span<const Field> fields() const override { return {}; }
    ByteView raw_header() const override { return {}; }
    std::optional<std::uint64_t> length() const override { return known; }
    void describe(AttributeSink&, bool) const override {}
    std::optional<std::uint64_t> known;
  };

  Blocks(std::vector<std::string> blocks, std::size_t step, bool lengths)
      : blocks_(std::move(blocks)), step_(step), lengths_(lengths) {}
  Result<Record*> next() override {
    if (next_ == blocks_.size()) {
      return nullptr;
    }
    left_ = as_bytes(blocks_[next_++]);
    if (lengths_) {
      item_.known = left_.size();
    }
    return &item_;
  }
  Result<ByteView> peek_block(std::size_t at_least) override {
    if (fails) {
      return fail(ErrorCode::Corrupt, "damaged block");
    }
    return left_.first(std::min(left_.size(), at_least + step_));
  }
  void consume_block(std::size_t n) override { left_ = left_.subspan(n); }
  Result<RecordEnd> finish() override { return RecordEnd{}; }
  std::vector<Finding> take_loose_findings() override { return {}; }
  Place end_place() const override { return {}; }
  std::string state() const override { return {}; }
  std::uint64_t stored_position() const override { return 0; }
  bool fails = false;

 private:
  std::vector<std::string> blocks_;
  std::size_t step_, next_ = 0;
  bool lengths_;
  ByteView left_;
  Item item_;
};

const std::vector<std::string>& blocks() {
  static const std::vector<std::string> all = {"first", "", std::string(262144, 'a'),
                                               std::string(1000000, 'b'), "last"};
  return all;
}

Status write_all(RecordReader& reader, RecordWriter& writer) {
  while (true) {
    FONDS_TRY(const Record* record, reader.next());
    if (record == nullptr) {
      return writer.finish();
    }
    FONDS_CHECK(writer.write(reader, *record));
  }
}

class Pieces : public testing::TestWithParam<std::tuple<std::size_t, bool>> {};

TEST_P(Pieces, OfABlockBecomeOneItem) {
  const auto [step, lengths] = GetParam();
  Blocks reader(blocks(), step, lengths);
  MemorySink sink;
  auto writer = RecordIoWriting().create(sink, {});
  ASSERT_TRUE(writer);

  ASSERT_TRUE(write_all(reader, **writer));

  EXPECT_TRUE(parse_v2(sink.content).items() == blocks());
}

INSTANTIATE_TEST_SUITE_P(Steps, Pieces,
                         testing::Combine(testing::Values(0, 1, 700000, 100000000),
                                          testing::Bool()));

using Set = void (*)(WriteOptions& options);

WriteOptions options_by(Set set) {
  WriteOptions options;
  set(options);
  return options;
}

struct OptionsCase {
  const char* name;
  Set set;
  Layout layout;
  std::vector<std::string> transformers;
};
class GoodOptions : public testing::TestWithParam<OptionsCase> {};

TEST_P(GoodOptions, BecomeTheWritersOptions) {
  const auto made = writer_options(options_by(GetParam().set));

  ASSERT_TRUE(made);
  EXPECT_EQ(made->layout, GetParam().layout);
  EXPECT_EQ(made->transformers, GetParam().transformers);
}

INSTANTIATE_TEST_SUITE_P(
    Writing, GoodOptions,
    testing::Values(
        OptionsCase{"Usual", [](WriteOptions&) {}, Layout::V2, {}},
        OptionsCase{"None", [](WriteOptions& o) { o.compression = {"none"}; }, Layout::V2, {}},
        OptionsCase{
            "Zstd", [](WriteOptions& o) { o.compression = {"zstd"}; }, Layout::V2, {"zstd"}},
        OptionsCase{"Level",
                    [](WriteOptions& o) {
                      o.compression = {"zstd"};
                      o.level = 7;
                    },
                    Layout::V2,
                    {"zstd 7"}},
        OptionsCase{"Stack",
                    [](WriteOptions& o) {
                      o.compression = {"flate", "zstd"};
                      o.level = 2;
                    },
                    Layout::V2,
                    {"flate 2", "zstd 2"}},
        OptionsCase{"LevelBesideOwn",
                    [](WriteOptions& o) {
                      o.compression = {"seal key", "zstd"};
                      o.level = -1;
                    },
                    Layout::V2,
                    {"seal key", "zstd -1"}},
        OptionsCase{
            "Legacy", [](WriteOptions& o) { o.layout = "legacy"; }, Layout::LegacyPlain, {}},
        OptionsCase{"Packed",
                    [](WriteOptions& o) {
                      o.layout = "packed";
                      o.compression = {"flate"};
                    },
                    Layout::LegacyPacked,
                    {"flate"}}),
    [](const auto& instance) { return instance.param.name; });

struct BadOptionsCase {
  const char* name;
  Set set;
  const char* message;
};
class BadOptions : public testing::TestWithParam<BadOptionsCase> {};

TEST_P(BadOptions, AreABadArgument) {
  MemorySink sink;
  const auto writer = RecordIoWriting().create(sink, options_by(GetParam().set));

  ASSERT_FALSE(writer);
  EXPECT_EQ(writer.error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(writer.error().message(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Writing, BadOptions,
    testing::Values(
        BadOptionsCase{"Layout", [](WriteOptions& o) { o.layout = "v3"; },
                       "unknown layout v3; known are legacy and packed"},
        BadOptionsCase{"NoneWithOthers", [](WriteOptions& o) { o.compression = {"zstd", "none"}; },
                       "compression none together with another"},
        BadOptionsCase{"UnknownName", [](WriteOptions& o) { o.compression = {"lzma"}; },
                       "unknown transformer lzma"},
        BadOptionsCase{"LevelAlone", [](WriteOptions& o) { o.level = 3; },
                       "level 3 without a compression that takes it: flate or zstd"},
        BadOptionsCase{"LevelOfNone",
                       [](WriteOptions& o) {
                         o.compression = {"none"};
                         o.level = 3;
                       },
                       "level 3 without a compression that takes it: flate or zstd"},
        BadOptionsCase{"Type", [](WriteOptions& o) { o.header = {{"k", "float", "1.5"}}; },
                       "header entry k: unknown type float; known are string, int64, uint64, bool"},
        BadOptionsCase{"Bool", [](WriteOptions& o) { o.header = {{"k", "bool", "yes"}}; },
                       "header entry k: yes is no bool; true and false are"},
        BadOptionsCase{"IntTooLarge",
                       [](WriteOptions& o) { o.header = {{"k", "int64", "9223372036854775808"}}; },
                       "header entry k: 9223372036854775808 is no int64"},
        BadOptionsCase{"UintNegative", [](WriteOptions& o) { o.header = {{"k", "uint64", "-1"}}; },
                       "header entry k: -1 is no uint64"},
        BadOptionsCase{"IntEmpty", [](WriteOptions& o) { o.header = {{"k", "int64", ""}}; },
                       "header entry k:  is no int64"},
        BadOptionsCase{"IntWithText", [](WriteOptions& o) { o.header = {{"k", "int64", "12x"}}; },
                       "header entry k: 12x is no int64"}),
    [](const auto& instance) { return instance.param.name; });

TEST(RecordIoWritingHeader, TakesEveryType) {
  Blocks reader({"item"}, 0, true);
  MemorySink sink;
  auto writer = RecordIoWriting().create(sink, options_by([](WriteOptions& o) {
                                           o.header = {{"s", "", "plain"},
                                                       {"t", "string", "12"},
                                                       {"i", "int64", "-9223372036854775808"},
                                                       {"u", "uint64", "18446744073709551615"},
                                                       {"b", "bool", "false"}};
                                           o.trailer = "the trailer";
                                         }));
  ASSERT_TRUE(writer);

  ASSERT_TRUE(write_all(reader, **writer));

  const std::vector<HeaderEntry> expected = {{"trailer", true},
                                             {"s", std::string("plain")},
                                             {"t", std::string("12")},
                                             {"i", std::numeric_limits<std::int64_t>::min()},
                                             {"u", std::numeric_limits<std::uint64_t>::max()},
                                             {"b", false}};
  EXPECT_EQ(parse_v2(sink.content).header, expected);
  EXPECT_EQ(parse_v2(sink.content).trailer, "the trailer");
}

TEST(RecordIoWritingPacked, TakesItemsUpToSixteenMebibytes) {
  Blocks reader({std::string(16 << 20, 'x')}, 0, true);
  MemorySink sink;
  auto writer =
      RecordIoWriting().create(sink, options_by([](WriteOptions& o) { o.layout = "packed"; }));
  ASSERT_TRUE(writer);

  EXPECT_TRUE(write_all(reader, **writer));
}

TEST(RecordIoWritingItem, AboveAQuarterOfTheBudgetIsRefusedForGood) {
  Blocks reader(blocks(), 0, false);
  MemorySink sink;
  auto writer = RecordIoWriting().create(
      sink, options_by([](WriteOptions& o) { o.memory_budget = 2000000; }));
  ASSERT_TRUE(writer);

  const Status status = write_all(reader, **writer);

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(status.error().message(),
            "item of more than 500000 bytes, a quarter of the memory budget");
  EXPECT_EQ((*writer)->write(reader, **reader.next()).error().code(), ErrorCode::LimitExceeded);
}

TEST(RecordIoWritingReader, ItsErrorIsHandedOn) {
  Blocks reader({"item"}, 0, true);
  reader.fails = true;
  MemorySink sink;
  auto writer = RecordIoWriting().create(sink, {});
  ASSERT_TRUE(writer);

  EXPECT_EQ(write_all(reader, **writer).error().message(), "damaged block");
}

class NoWriting final : public FormatWriting {};

TEST(FormatWritingDefaults, SayThatTheyCannot) {
  const NoWriting none;
  MemorySink sink;

  EXPECT_EQ(none.create(sink, {}).error().message(), "this format cannot be written");
  EXPECT_EQ(none.merge({}, sink, {}).error().message(), "there is no archive to merge");
  EXPECT_EQ(none.index_ending("offsets"), "");
}

}  // namespace
}  // namespace fonds::recordio
