#include "format/recordio/rewriting/offsets_index.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "format/recordio/rewriting/rewrite_test_support.hpp"
#include "io/temporary_directory.hpp"
#include "io/testing.hpp"
#include "ops/find.hpp"

namespace fonds::recordio {
namespace {

std::string index_of(const Archive& archive, RewriteOptions options = {}) {
  MemorySink sink;
  const auto items = archive.format->writing()->index(archive, "offsets", sink, options);
  require(items.has_value(), "index");
  return sink.content;
}

Result<OffsetsIndex> opened(std::string_view bytes) {
  const ByteView view = as_bytes(bytes);
  return OffsetsIndex::open(memory_source({view.begin(), view.end()}));
}

// All items' places as a reader gives them.
std::vector<Location> places(std::string_view bytes) {
  const ByteView view = as_bytes(bytes);
  ReaderOptions options;
  options.on_finding = [](const Finding&) {};
  auto reader = Reader::open(memory_source({view.begin(), view.end()}), options);
  require(reader.has_value(), "open");
  std::vector<Location> all;
  while (true) {
    const auto more = reader->next();
    require(more.has_value(), "next");
    if (!*more) {
      return all;
    }
    all.push_back(reader->location());
  }
}

class IndexedFixtures : public testing::TestWithParam<const char*> {};

TEST_P(IndexedFixtures, AreFoundItemByItem) {
  const std::string stored = read_recordio_fixture(GetParam());
  const std::vector<Location> expected = places(stored);

  const auto index = opened(index_of(archive_of(stored)));

  ASSERT_TRUE(index);
  EXPECT_EQ(index->archive_size(), stored.size());
  EXPECT_EQ(index->items(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(index->locate(i), expected[i]) << i;
  }
  EXPECT_EQ(index->locate(expected.size()), std::nullopt);
  EXPECT_EQ(index->locate(~std::uint64_t{0}), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(OffsetsIndex, IndexedFixtures,
                         testing::Values("v2-plain.rio", "v2-manyblocks.rio", "v2-zstd.rio",
                                         "v2-empty.rio", "v2-corrupt-two.rio",
                                         "v2-trailer-index.rio", "legacy-mixed.grail-rio",
                                         "legacy-packed-empties.grail-rpk",
                                         "legacy-packed-flate.grail-rpk-gz", "zero-length.rio"),
                         [](const auto& instance) {
                           std::string name = instance.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.'; }, '_');
                           return name;
                         });

TEST(OffsetsIndexBytes, AreThoseOfTheLayout) {
  const std::string index = index_of(archive_of(read_recordio_fixture("v2-plain.rio")));

  using namespace std::string_literals;
  const std::string front =
      "FONDSRIX\x01\0\0\0\0\0\0\0"s                                // version, flags
      "\0\x80\x01\0\0\0\0\0\x05\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0"s  // 98304 bytes, 5 items, 2 blocks
      "\0\x80\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s                        // 32768: item 0
      "\0\0\x01\0\0\0\0\0\x02\0\0\0\0\0\0\0"s;                     // 65536: item 2
  ASSERT_EQ(index.size(), front.size() + 4);
  EXPECT_EQ(index.substr(0, front.size()), front);
}

TEST(OffsetsIndexBytes, DependOnNothingButTheArchive) {
  const std::string stored =
      written(random_items(3, 500), {.transformers = {"zstd"}, .max_block_bytes = 30000});
  RewriteOptions threads;
  threads.write.threads = 3;
  const ByteView view = as_bytes(stored);
  const auto pipe = open_archive(
      std::make_shared<testing_io::Pipe>(std::vector<std::byte>(view.begin(), view.end()), 9999));
  ASSERT_TRUE(pipe);

  const std::string index = index_of(archive_of(stored));

  EXPECT_EQ(index_of(archive_of(stored), threads), index);
  EXPECT_EQ(index_of(*pipe), index);
}

TEST(OffsetsIndexDamage, EveryFlippedBitIsSeen) {
  const std::string good = index_of(archive_of(read_recordio_fixture("v2-plain.rio")));
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::string flipped = good;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    EXPECT_FALSE(opened(flipped)) << bit;
  }
}

TEST(OffsetsIndexDamage, EveryCutIsSeen) {
  const std::string good = index_of(archive_of(read_recordio_fixture("v2-plain.rio")));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(opened(good.substr(0, size))) << size;
  }
  EXPECT_FALSE(opened(good + "x"));
}

struct LiesCase {
  const char* name;
  std::size_t at;
  char value;
};
class Lies : public testing::TestWithParam<LiesCase> {};

TEST_P(Lies, WithARightChecksumAreSeen) {
  std::string index = index_of(archive_of(read_recordio_fixture("v2-plain.rio")));
  index[GetParam().at] = GetParam().value;
  const std::size_t covered = index.size() - 4;
  const std::uint32_t crc = libdeflate_crc32(0, index.data(), covered);
  for (std::size_t i = 0; i < 4; ++i) {
    index[covered + i] = static_cast<char>(crc >> (8 * i) & 0xFF);
  }

  const auto opened_index = opened(index);

  ASSERT_FALSE(opened_index);
}

INSTANTIATE_TEST_SUITE_P(
    OffsetsIndex, Lies,
    testing::Values(LiesCase{"Version", 8, 2}, LiesCase{"Flags", 12, 1},
                    LiesCase{"BlockBehindTheEnd", 18, 0}, LiesCase{"FewerItems", 24, 2},
                    LiesCase{"MoreBlocks", 32, 3}, LiesCase{"BlocksOverflow", 39, '\x10'},
                    LiesCase{"FirstItemNotZero", 48, 1}, LiesCase{"BlocksNotAscending", 58, 0},
                    LiesCase{"ItemsNotAscending", 64, 0}),
    [](const auto& instance) { return instance.param.name; });

TEST(OffsetsIndexType, OtherTypesAreUnsupported) {
  const Archive archive = archive_of(read_recordio_fixture("v2-plain.rio"));
  MemorySink sink;

  const auto items = archive.format->writing()->index(archive, "cdxj", sink, {});

  ASSERT_FALSE(items);
  EXPECT_EQ(items.error().code(), ErrorCode::Unsupported);
  EXPECT_EQ(archive.format->writing()->index_ending("cdxj"), "");
  EXPECT_EQ(archive.format->writing()->index_ending(""), ".offsets");
}

// ---- beside an archive ----

class IndexBeside : public testing::Test {
 protected:
  void save(const std::string& name, std::string_view bytes) const {
    std::ofstream file(folder_.path(name), std::ios::binary);
    file << bytes;
    ASSERT_TRUE(file.flush().good());
  }
  std::string archive() const { return folder_.path("a.rio"); }
  std::optional<ops::Found> find(const std::string& key) const {
    const auto found = ops::find_records(*open_archive(archive()), {}, {*parse_key(key)});
    require(found.has_value(), "find_records");
    return found->front();
  }

  testing_io::TemporaryDirectory folder_;
  // Two blocks: items 0 to 1, and 2 to 4.
  std::string stored_ = read_recordio_fixture("v2-plain.rio");
};

TEST_F(IndexBeside, IsAsked) {
  save("a.rio", stored_);
  // What it says is wrong, but there is such an item.
  OffsetsIndexWriter writer;
  writer.add_block(32768, 1);
  writer.add_block(65536, 3);
  MemorySink sink;
  ASSERT_TRUE(writer.write(stored_.size(), sink));
  save("a.rio.offsets", sink.content);

  const auto index = OffsetsIndex::open_beside(archive(), stored_.size());
  ASSERT_TRUE(index);
  EXPECT_EQ(index->locate(1), (Location{65536, 0}));
  EXPECT_EQ(find("index:1")->place, (Place{65536, 0}));
}

TEST_F(IndexBeside, OfAnotherArchiveIsPassedOver) {
  save("a.rio", stored_);
  OffsetsIndexWriter writer;
  writer.add_block(65536, 5);
  MemorySink sink;
  ASSERT_TRUE(writer.write(stored_.size() + 1, sink));
  save("a.rio.offsets", sink.content);

  EXPECT_EQ(find("index:1")->place, (Place{32768, 1}));
}

TEST_F(IndexBeside, ThatLeadsToNoItemIsPassedOver) {
  save("a.rio", stored_);
  OffsetsIndexWriter writer;
  writer.add_block(1000, 2);
  writer.add_block(32768, 100);
  MemorySink sink;
  ASSERT_TRUE(writer.write(stored_.size(), sink));
  save("a.rio.offsets", sink.content);

  EXPECT_EQ(find("index:1")->place, (Place{32768, 1}));
  EXPECT_EQ(find("index:4")->place, (Place{65536, 2}));
  EXPECT_FALSE(find("index:50").has_value());
}

TEST_F(IndexBeside, MayBeMissingOrDamaged) {
  save("a.rio", stored_);
  EXPECT_EQ(find("index:4")->place, (Place{65536, 2}));
  save("a.rio.offsets", "FONDSRIX and nothing");
  EXPECT_EQ(find("index:4")->place, (Place{65536, 2}));
}

}  // namespace
}  // namespace fonds::recordio
