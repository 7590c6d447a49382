// Stored blocks that are copied, and sinks that fail.
#include <tuple>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/recordio/writing/writer_test_support.hpp"

namespace fonds::recordio {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// ---- stored blocks ----

TEST(AppendStored, CopiesChunksBetweenOtherBlocks) {
  const std::vector<std::string> zstd = {"zstd"};
  const std::string other = written({"x", std::string(200000, 'y')}, {.transformers = zstd});
  std::vector<std::pair<std::uint64_t, std::size_t>> told;
  WriterOptions options{.transformers = zstd};
  options.on_block = [&](const WrittenBlock& block) -> Status {
    told.emplace_back(block.offset, block.items.size());
    return {};
  };
  MemorySink sink;
  Writer writer = writer_to(sink, options);

  append_all(writer, {"before"});
  ASSERT_TRUE(writer.append_stored(as_bytes(other).subspan(kChunkSize)));
  append_all(writer, {"behind"});
  ASSERT_TRUE(writer.finish());

  EXPECT_THAT(parse_v2(sink.content).items(),
              ElementsAre("before", "x", std::string(200000, 'y'), "behind"));
  EXPECT_THAT(told, ElementsAre(std::pair(32768, 1), std::pair(65536, 0), std::pair(98304, 1)));
}

TEST(AppendStored, UnknownTransformersAreTakenOnlyStored) {
  const std::string content = read_recordio_fixture("v2-transformer-unknown.rio");
  MemorySink sink;
  Writer writer = writer_to(sink, {.transformers = {"seal key-7"}, .stored_only = true});

  ASSERT_TRUE(writer.append_stored(as_bytes(content).subspan(kChunkSize, kChunkSize)));
  ASSERT_TRUE(writer.append_stored(as_bytes(content).subspan(2 * kChunkSize)));
  EXPECT_EQ(writer.append(as_bytes("item")).error().code(), ErrorCode::BadArgument);

  EXPECT_TRUE(sink.content == content);
}

TEST(AppendStored, APromisedTrailerIsTheLastBlock) {
  const std::string content = read_recordio_fixture("v2-trailer-index.rio");
  const ParsedFile file = parse_v2(content);
  MemorySink sink;
  Writer writer = writer_to(sink, {.transformers = file.transformers, .trailer = true});

  for (const ParsedBlock& block : file.blocks) {
    ASSERT_TRUE(writer.append_stored(as_bytes(content).subspan(block.offset, block.length)));
  }
  ASSERT_TRUE(writer.append_stored(as_bytes(content).subspan(writer.position())));
  ASSERT_TRUE(writer.finish());

  EXPECT_TRUE(sink.content == content);
}

TEST(AppendStored, NothingFollowsATrailer) {
  const std::string content = read_recordio_fixture("v2-empty-trailer.rio");
  const ByteView trailer = as_bytes(content).subspan(kChunkSize);
  MemorySink sink;
  Writer writer = writer_to(sink, {.trailer = true});
  ASSERT_TRUE(writer.append_stored(trailer));

  EXPECT_EQ(writer.append_stored(trailer).error().message(), "a block behind the trailer");
}

TEST(AppendStored, TakesLegacyRecordsOfBothKinds) {
  const std::string content = read_recordio_fixture("legacy-mixed.grail-rio");
  const ParsedFile file = parse_legacy(content);
  std::vector<std::uint64_t> offsets, expected;
  WriterOptions options{.layout = Layout::LegacyPacked};
  options.on_block = [&](const WrittenBlock& block) -> Status {
    offsets.push_back(block.offset);
    return {};
  };
  MemorySink sink;
  Writer writer = writer_to(sink, options);

  for (const ParsedBlock& block : file.blocks) {
    expected.push_back(block.offset);
    ASSERT_TRUE(writer.append_stored(as_bytes(content).subspan(block.offset, block.length)));
  }
  ASSERT_TRUE(writer.finish());

  EXPECT_TRUE(sink.content == content);
  EXPECT_EQ(offsets, expected);
}

struct BadStoredCase {
  const char* name;
  const char* fixture;
  std::size_t offset, length;
  Layout layout;
};
class BadStored : public testing::TestWithParam<BadStoredCase> {};

TEST_P(BadStored, IsABadArgument) {
  const BadStoredCase& bad = GetParam();
  const std::string content = read_recordio_fixture(bad.fixture);
  MemorySink sink;
  Writer writer = writer_to(sink, {.layout = bad.layout});

  const Status status = writer.append_stored(as_bytes(content).subspan(bad.offset, bad.length));

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(sink.content, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Stored, BadStored,
    testing::Values(
        BadStoredCase{"Nothing", "v2-tiny.rio", 0, 0, Layout::V2},
        BadStoredCase{"HeaderBlock", "v2-tiny.rio", 0, 32768, Layout::V2},
        BadStoredCase{"CutChunk", "v2-tiny.rio", 32768, 32767, Layout::V2},
        BadStoredCase{"TwoBlocks", "v2-plain.rio", 32768, 65536, Layout::V2},
        BadStoredCase{"PartOfABlock", "v2-multichunk.rio", 32768, 65536, Layout::V2},
        BadStoredCase{"InsideABlock", "v2-multichunk.rio", 65536, 98304, Layout::V2},
        BadStoredCase{"TrailerWithoutPromise", "v2-empty-trailer.rio", 32768, 32768, Layout::V2},
        BadStoredCase{"ShortRecord", "legacy-plain.grail-rio", 0, 24, Layout::LegacyPlain},
        BadStoredCase{"ShortRecordHeader", "legacy-plain.grail-rio", 0, 19, Layout::LegacyPlain},
        BadStoredCase{"TwoRecords", "legacy-plain.grail-rio", 0, 45, Layout::LegacyPlain}),
    [](const auto& instance) { return instance.param.name; });

// ---- sinks that fail ----

class FailingSink : public testing::TestWithParam<std::tuple<Layout, unsigned, std::uint64_t>> {};

TEST_P(FailingSink, ItsErrorStays) {
  const auto [layout, threads, room] = GetParam();
  MemorySink sink(room);
  WriterOptions options{.layout = layout, .max_items = 3, .threads = threads};
  if (threads > 1) {
    options.transformers = {"zstd"};
  }
  Writer writer = writer_to(sink, options);
  const std::string item(30000, 'i');

  Status status;
  for (int i = 0; i < 100 && status; ++i) {
    status = writer.append(as_bytes(item));
  }
  if (status) {
    status = writer.flush();
  }

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "no space left on device");
  const std::string before = sink.content;
  EXPECT_EQ(writer.append(as_bytes("a")).error().message(), "no space left on device");
  EXPECT_EQ(writer.flush().error().code(), ErrorCode::Io);
  EXPECT_EQ(writer.append_stored({}).error().code(), ErrorCode::Io);
  EXPECT_EQ(writer.finish().error().message(), "no space left on device");
  EXPECT_EQ(sink.content, before);
}

INSTANTIATE_TEST_SUITE_P(Plain, FailingSink,
                         testing::Combine(testing::Values(Layout::LegacyPlain), testing::Values(1U),
                                          testing::Values(0, 19, 20, 30019, 30020, 500000)));
INSTANTIATE_TEST_SUITE_P(Blocks, FailingSink,
                         testing::Combine(testing::Values(Layout::V2), testing::Values(1U, 2U),
                                          testing::Values(0, 32767, 32768, 100000, 200000)));
INSTANTIATE_TEST_SUITE_P(Packed, FailingSink,
                         testing::Combine(testing::Values(Layout::LegacyPacked),
                                          testing::Values(1U, 2U), testing::Values(0, 19, 200)));

}  // namespace
}  // namespace fonds::recordio
