#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/recordio/writing/writer_test_support.hpp"

namespace fonds::recordio {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

ErrorCode create_error(WriterOptions options) {
  MemorySink sink;
  const auto writer = Writer::create(sink, std::move(options));
  return writer ? ErrorCode::Internal : writer.error().code();
}

// "xor N": each byte XOR N.
void register_xor() {
  register_transformer("xor",
                       [](std::string_view argument) -> Result<std::unique_ptr<Transformer>> {
                         const auto key = static_cast<std::byte>(std::stoi(std::string(argument)));
                         const auto change = [key](ByteView in, Buffer& out) -> Status {
                           out.clear();
                           for (const std::byte b : in) {
                             out.push_back(b ^ key);
                           }
                           return {};
                         };
                         return transformer_of(change, change)("");
                       });
}

// ---- files of the Go library, written again ----

class GoFixture : public testing::TestWithParam<const char*> {};

TEST_P(GoFixture, IsWrittenAgainByteForByte) {
  register_xor();
  const std::string content = read_recordio_fixture(GetParam());
  const ParsedFile file = parse_v2(content);
  WriterOptions options;
  options.transformers = file.transformers;
  options.trailer = file.promises_trailer;
  std::ranges::copy_if(file.header, std::back_inserter(options.header), [](const auto& entry) {
    return entry.key != kTransformerKey && entry.key != kTrailerKey;
  });
  MemorySink sink;

  Writer writer = writer_to(sink, options);
  for (const ParsedBlock& block : file.blocks) {
    append_all(writer, block.items);
    ASSERT_TRUE(writer.flush());
  }
  ASSERT_TRUE(file.trailer ? writer.finish(as_bytes(*file.trailer)) : writer.finish());

  EXPECT_EQ(sink.content.size(), content.size());
  EXPECT_TRUE(sink.content == content);
}

INSTANTIATE_TEST_SUITE_P(V2, GoFixture,
                         testing::Values("v2-empty.rio", "v2-empty-trailer.rio", "v2-emptyrecs.rio",
                                         "v2-headers.rio", "v2-manyblocks.rio", "v2-multichunk.rio",
                                         "v2-plain.rio", "v2-tiny.rio", "v2-custom-transformer.rio",
                                         "v2-trailer-missing.rio"));

TEST(GoFixtureCut, GoMaxItemsClosesAtOneMore) {
  const std::string content = read_recordio_fixture("v2-manyblocks.rio");

  EXPECT_TRUE(written(parse_v2(content).items(), {.max_items = 2, .go_max_items = true}) ==
              content);
}

TEST(GoFixtureCut, SkippedHeaderLeavesBodyBlocks) {
  const std::string content = read_recordio_fixture("v2-noheader.rio");
  const ParsedFile file = parse_v2(content);

  EXPECT_TRUE(written(file.items(),
                      {.max_items = file.blocks[0].items.size(), .skip_header = true}) == content);
}

// What the Go writer's callbacks were given (expected.json): offset, length, items of each record;
// offset in the items area and length of each item.
struct LegacyCase {
  const char* name;
  Layout layout;
  std::uint64_t max_items;
  std::vector<std::vector<std::uint64_t>> records, items;
};

std::vector<std::vector<std::uint64_t>> ten_ten_five() {
  std::vector<std::vector<std::uint64_t>> items;
  for (std::uint64_t i = 0; i < 25; ++i) {
    items.push_back({i % 10 * 120, 120});
  }
  return items;
}

class LegacyFixture : public testing::TestWithParam<LegacyCase> {};

TEST_P(LegacyFixture, IsWrittenAgainByteForByteWithTheSameCalls) {
  const LegacyCase& expected = GetParam();
  const std::string content = read_recordio_fixture(expected.name);
  std::vector<std::vector<std::uint64_t>> records, items;
  WriterOptions options{.layout = expected.layout, .max_items = expected.max_items};
  options.on_block = [&](const WrittenBlock& block) -> Status {
    records.push_back({block.offset, block.length, block.items.size()});
    for (const ByteRange& range : block.in_items_area) {
      items.push_back({range.offset, range.length});
    }
    return {};
  };

  EXPECT_TRUE(written(parse_legacy(content).items(), options) == content);
  EXPECT_EQ(records, expected.records);
  EXPECT_EQ(items, expected.items);
}

INSTANTIATE_TEST_SUITE_P(
    Legacy, LegacyFixture,
    testing::Values(LegacyCase{"legacy-packed-empties.grail-rpk",
                               Layout::LegacyPacked,
                               4,
                               {{0, 30, 4}, {30, 29, 2}},
                               {{0, 0}, {0, 0}, {0, 1}, {1, 0}, {0, 2}, {2, 0}}},
                    LegacyCase{"legacy-packed.grail-rpk",
                               Layout::LegacyPacked,
                               10,
                               {{0, 1235, 10}, {1235, 1235, 10}, {2470, 630, 5}},
                               ten_ten_five()},
                    LegacyCase{
                        "legacy-plain.grail-rio",
                        Layout::LegacyPlain,
                        0,
                        {{0, 25, 1}, {25, 20, 1}, {45, 1020, 1}, {1065, 40020, 1}, {41085, 24, 1}},
                        {}}),
    [](const auto& instance) {
      std::string name = instance.param.name;
      std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
      return name;
    });

TEST(LegacyPackedFlate, TellsOneRangeARecord) {
  const std::vector<std::string> transformers = {"flate"};
  const auto items =
      parse_legacy(read_recordio_fixture("legacy-packed-flate.grail-rpk-gz"), transformers).items();
  std::vector<std::uint64_t> counts, slack;
  WriterOptions options{
      .layout = Layout::LegacyPacked, .transformers = transformers, .max_items = 10};
  options.on_block = [&](const WrittenBlock& block) -> Status {
    counts.push_back(block.items.size());
    require(block.in_items_area.size() == 1 && block.in_items_area[0].offset == 0, "one range");
    // CRC, count and two bytes a size lie between the header and the items.
    slack.push_back(block.length - block.in_items_area[0].length - 20 - 4 - 1 -
                    2 * block.items.size());
    return {};
  };

  const std::string content = written(items, options);

  EXPECT_EQ(parse_legacy(content, transformers).items(), items);
  EXPECT_THAT(counts, ElementsAre(10, 10, 5));
  EXPECT_THAT(slack, ElementsAre(0, 0, 0));
}

// ---- chunks ----

struct ChunkCase {
  std::size_t item_size;
  std::uint64_t chunks;
};
class ChunkBorder : public testing::TestWithParam<ChunkCase> {};

TEST_P(ChunkBorder, TakesTheExpectedChunks) {
  std::mt19937_64 random(GetParam().item_size);
  const std::string item = random_bytes(random, GetParam().item_size);

  const ParsedFile file = parse_v2(written({item}));

  EXPECT_THAT(file.items(), ElementsAre(item));
  EXPECT_EQ(file.blocks[0].length, GetParam().chunks * kChunkSize);
}

INSTANTIATE_TEST_SUITE_P(Sizes, ChunkBorder,
                         testing::Values(ChunkCase{32735, 1}, ChunkCase{32736, 1},
                                         ChunkCase{32737, 2}, ChunkCase{32738, 2},
                                         ChunkCase{32739, 2}, ChunkCase{32740, 2},
                                         ChunkCase{32741, 2}, ChunkCase{65476, 2},
                                         ChunkCase{65477, 3}, ChunkCase{65480, 3}),
                         [](const auto& instance) {
                           return std::to_string(instance.param.item_size);
                         });

// ---- when blocks are closed ----

TEST(WriterV2, FinishOfNothingWritesTheHeaderAlone) {
  EXPECT_TRUE(written({}) == read_recordio_fixture("v2-empty.rio"));
}

TEST(WriterV2, FlushBeforeTheFirstItemWritesNothing) {
  MemorySink sink;
  Writer writer = writer_to(sink);

  EXPECT_TRUE(writer.flush());
  EXPECT_TRUE(writer.flush());

  EXPECT_THAT(sink.content, IsEmpty());
}

TEST(WriterV2, FlushWithoutPendingItemsWritesNothing) {
  MemorySink sink;
  Writer writer = writer_to(sink);
  append_all(writer, {"a"});

  EXPECT_TRUE(writer.flush());
  EXPECT_TRUE(writer.flush());
  EXPECT_TRUE(writer.finish());

  EXPECT_EQ(sink.content.size(), 2 * kChunkSize);
}

TEST(WriterV2, EmptyItemsAreItems) {
  EXPECT_THAT(parse_v2(written({"", "", "x", ""})).items(), ElementsAre("", "", "x", ""));
}

TEST(WriterV2, MaxItemsIsExact) {
  const std::vector<std::string> items(7, "item");

  EXPECT_THAT(parse_v2(written(items, {.max_items = 3})).counts(), ElementsAre(3, 3, 1));
}

TEST(WriterV2, MaxItemsZeroIsTheDefault) {
  const std::vector<std::string> items(16386);

  EXPECT_THAT(parse_v2(written(items, {.max_items = 0})).counts(), ElementsAre(16384, 2));
  EXPECT_THAT(parse_v2(written(items, {.max_items = 0, .go_max_items = true})).counts(),
              ElementsAre(16385, 1));
}

TEST(WriterV2, TheItemThatReachesMaxBlockBytesClosesTheBlock) {
  const std::vector<std::string> items = {"1234", "56", "7890", "1", "2345678901234", "1"};

  EXPECT_THAT(parse_v2(written(items, {.max_block_bytes = 10})).counts(), ElementsAre(3, 2, 1));
}

TEST(WriterV2, ABlockIsInTheSinkAsSoonAsItIsFull) {
  MemorySink sink;
  Writer writer = writer_to(sink, {.max_items = 2});

  append_all(writer, {"a", "b"});

  EXPECT_EQ(sink.content.size(), 2 * kChunkSize);
  EXPECT_EQ(sink.writes, 2U);
}

TEST(WriterV2, MaxBlockBytesZeroIsNoLimit) {
  const std::vector<std::string> items(3, std::string(2 << 20, 'x'));

  EXPECT_THAT(parse_v2(written(items, {.max_block_bytes = 0})).counts(), ElementsAre(3));
  EXPECT_THAT(parse_v2(written(items)).counts(), ElementsAre(1, 1, 1));
}

TEST(WriterPacked, ARecordIsClosedBeforeTheItemThatWouldExceed) {
  const std::vector<std::string> items = {"1234", "56", "7890", "1", "2", "3", "4567890123", ""};
  const WriterOptions options{
      .layout = Layout::LegacyPacked, .max_block_bytes = 10, .max_items = 4};

  EXPECT_THAT(parse_legacy(written(items, options)).counts(), ElementsAre(3, 3, 2));
}

TEST(WriterPacked, RefusesALargerItemAndGoesOn) {
  MemorySink sink;
  Writer writer = writer_to(sink, {.layout = Layout::LegacyPacked, .max_block_bytes = 4});
  append_all(writer, {"a"});

  const Status refused = writer.append(as_bytes("12345"));
  append_all(writer, {"bcd"});
  ASSERT_TRUE(writer.finish());

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(refused.error().message(), "item of 5 bytes: a packed block takes at most 4");
  EXPECT_THAT(parse_legacy(sink.content).counts(), ElementsAre(2));
}

TEST(WriterPacked, MaxBlockBytesZeroIsSixteenMebibytes) {
  MemorySink sink;
  Writer writer = writer_to(sink, {.layout = Layout::LegacyPacked, .max_block_bytes = 0});
  const std::string most(16 << 20, 'x');

  EXPECT_TRUE(writer.append(as_bytes(most)));
  EXPECT_FALSE(writer.append(as_bytes(most + "x")));
}

TEST(WriterPacked, FinishOfNothingWritesNothing) {
  EXPECT_THAT(written({}, {.layout = Layout::LegacyPacked}), IsEmpty());
  EXPECT_THAT(written({}, {.layout = Layout::LegacyPlain}), IsEmpty());
}

// ---- header and trailer ----

TEST(WriterHeader, HasTransformersThenTrailerThenTheUsersEntries) {
  WriterOptions options{.transformers = {"flate 1", "zstd 3"}, .trailer = true};
  options.header = {{"b", std::uint64_t{1}}, {"a", std::string("x")}, {"b", true}};

  const ParsedFile file = parse_v2(written({"item"}, options));

  const std::vector<HeaderEntry> expected = {{"transformer", std::string("flate 1")},
                                             {"transformer", std::string("zstd 3")},
                                             {"trailer", true},
                                             {"b", std::uint64_t{1}},
                                             {"a", std::string("x")},
                                             {"b", true}};
  EXPECT_EQ(file.header, expected);
  EXPECT_THAT(file.items(), ElementsAre("item"));
}

TEST(WriterHeader, MayTakeSeveralChunks) {
  const WriterOptions options{.header = {{"long", std::string(100000, 'h')}}};
  MemorySink sink;
  Writer writer = writer_to(sink, options);

  EXPECT_EQ(writer.position(), 4 * kChunkSize);
  append_all(writer, {"item"});
  ASSERT_TRUE(writer.finish());

  EXPECT_EQ(parse_v2(sink.content).header, options.header);
  EXPECT_EQ(parse_v2(sink.content).blocks[0].offset, 4 * kChunkSize);
}

class TrailerOfSize : public testing::TestWithParam<std::size_t> {};

TEST_P(TrailerOfSize, IsWrittenBehindTheLastBlock) {
  const std::string trailer(GetParam(), 't');
  MemorySink sink;
  Writer writer = writer_to(sink, {.transformers = {"zstd"}, .trailer = true});
  append_all(writer, {"item"});

  ASSERT_TRUE(writer.finish(as_bytes(trailer)));

  EXPECT_EQ(parse_v2(sink.content).trailer, trailer);
}

INSTANTIATE_TEST_SUITE_P(Writer, TrailerOfSize, testing::Values(0, 5, 100000));

TEST(WriterTrailer, OfManyChunksWithoutTransformer) {
  MemorySink sink;
  Writer writer = writer_to(sink, {.trailer = true});

  ASSERT_TRUE(writer.finish(as_bytes(std::string(100000, 't'))));

  EXPECT_EQ(sink.content.size(), 5 * kChunkSize);
  EXPECT_EQ(parse_v2(sink.content).trailer, std::string(100000, 't'));
}

TEST(WriterTrailer, WithoutPromiseIsABadArgument) {
  MemorySink sink;
  Writer writer = writer_to(sink);

  const Status status = writer.finish(as_bytes("t"));

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(status.error().message(), "a trailer that the header does not promise");
}

TEST(WriterFinish, EndsTheWriter) {
  MemorySink sink;
  Writer writer = writer_to(sink, {.trailer = true});
  ASSERT_TRUE(writer.finish());

  EXPECT_EQ(writer.append(as_bytes("a")).error().code(), ErrorCode::BadArgument);
  EXPECT_EQ(writer.finish(as_bytes("t")).error().message(), "the writer has finished");
  EXPECT_EQ(sink.content.size(), kChunkSize);
}

// ---- refusals of create() ----

struct RefusedCase {
  const char* name;
  WriterOptions options;
};
class WriterOptionsRefused : public testing::TestWithParam<RefusedCase> {};

TEST_P(WriterOptionsRefused, IsABadArgument) {
  EXPECT_EQ(create_error(GetParam().options), ErrorCode::BadArgument);
}

INSTANTIATE_TEST_SUITE_P(
    Create, WriterOptionsRefused,
    testing::Values(
        RefusedCase{"TransformerKey", {.header = {{"transformer", std::string("flate")}}}},
        RefusedCase{"TrailerKey", {.header = {{"trailer", true}}}},
        RefusedCase{"UnknownTransformer", {.transformers = {"seal key-7"}}},
        RefusedCase{"FlateLevel", {.transformers = {"flate 10"}}},
        RefusedCase{"FlateTwoBlanks", {.transformers = {"flate  3"}}},
        RefusedCase{"ZstdText", {.transformers = {"zstd fast"}}},
        RefusedCase{"SecondLevel", {.transformers = {"flate 1", "zstd x"}}},
        RefusedCase{"PlainHeader", {.layout = Layout::LegacyPlain, .header = {{"a", true}}}},
        RefusedCase{"PlainTransformer", {.layout = Layout::LegacyPlain, .transformers = {"flate"}}},
        RefusedCase{"PlainTrailer", {.layout = Layout::LegacyPlain, .trailer = true}},
        RefusedCase{"PackedHeader", {.layout = Layout::LegacyPacked, .header = {{"a", true}}}},
        RefusedCase{"PackedTrailer", {.layout = Layout::LegacyPacked, .trailer = true}},
        RefusedCase{"PackedStack",
                    {.layout = Layout::LegacyPacked, .transformers = {"flate", "zstd"}}}),
    [](const auto& instance) { return instance.param.name; });

// ---- callbacks and positions ----

TEST(OnBlock, V2ComesBehindTheBlockWithItsItems) {
  MemorySink sink;
  std::vector<std::uint64_t> offsets, lengths, seen;
  std::vector<std::string> items;
  WriterOptions options{.max_items = 2, .start = 1 << 20};
  options.on_block = [&](const WrittenBlock& block) -> Status {
    offsets.push_back(block.offset);
    lengths.push_back(block.length);
    seen.push_back(sink.content.size());
    for (const ByteView item : block.items) {
      items.emplace_back(as_text(item));
    }
    EXPECT_THAT(block.in_items_area, IsEmpty());
    return {};
  };
  Writer writer = writer_to(sink, options);

  append_all(writer, {"a", "", std::string(40000, 'c')});
  ASSERT_TRUE(writer.finish());

  const std::uint64_t start = 1 << 20;
  EXPECT_THAT(offsets, ElementsAre(start + 32768, start + 65536));
  EXPECT_THAT(lengths, ElementsAre(32768, 65536));
  EXPECT_THAT(seen, ElementsAre(65536, 131072));
  EXPECT_THAT(items, ElementsAre("a", "", std::string(40000, 'c')));
  EXPECT_EQ(writer.position(), start + 131072);
}

TEST(OnBlock, PlainComesBetweenHeaderAndPayload) {
  MemorySink sink;
  std::vector<std::uint64_t> seen;
  WriterOptions options{.layout = Layout::LegacyPlain};
  options.on_block = [&](const WrittenBlock& block) -> Status {
    seen.push_back(sink.content.size());
    EXPECT_EQ(as_text(block.items[0]).size() + kLegacyHeaderSize, block.length);
    return {};
  };
  Writer writer = writer_to(sink, options);

  append_all(writer, {"first", "second"});

  EXPECT_THAT(seen, ElementsAre(20, 45));
}

TEST(OnBlock, PackedIsFollowedByOnFlushed) {
  std::string calls;
  WriterOptions options{.layout = Layout::LegacyPacked, .max_items = 2};
  options.on_block = [&](const WrittenBlock&) -> Status {
    calls += 'b';
    return {};
  };
  options.on_flushed = [&]() -> Status {
    calls += 'f';
    return {};
  };

  written({"1", "2", "3"}, options);

  EXPECT_EQ(calls, "bfbf");
}

TEST(OnBlock, ItsErrorEndsWriting) {
  WriterOptions options{.max_items = 1};
  options.on_block = [](const WrittenBlock&) -> Status {
    return fail(ErrorCode::Cancelled, "no more");
  };
  MemorySink sink;
  Writer writer = writer_to(sink, options);

  EXPECT_EQ(writer.append(as_bytes("a")).error().message(), "no more");
  EXPECT_EQ(writer.append(as_bytes("b")).error().message(), "no more");
  EXPECT_EQ(writer.finish().error().code(), ErrorCode::Cancelled);
  EXPECT_EQ(sink.content.size(), 2 * kChunkSize);
}

TEST(OnBlock, ItsExceptionBecomesAnError) {
  WriterOptions options{.max_items = 1};
  options.on_block = [](const WrittenBlock&) -> Status { throw std::runtime_error("thrown"); };
  MemorySink sink;
  Writer writer = writer_to(sink, options);

  EXPECT_EQ(writer.append(as_bytes("a")).error().message(), "thrown");
}

}  // namespace
}  // namespace fonds::recordio
