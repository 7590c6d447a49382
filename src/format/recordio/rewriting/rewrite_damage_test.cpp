// Repair of files with random damage.
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/recordio/rewriting/rewrite.hpp"
#include "format/recordio/rewriting/rewrite_test_support.hpp"

namespace fonds::recordio {
namespace {

using testing::IsEmpty;

struct Kinds {
  const char* name;
  Layout layout;
  std::vector<std::string> transformers;
};

// Damages a file at random places.
class Damager {
 public:
  Damager(std::uint64_t seed, Layout layout) : random_(seed), v2_(layout == Layout::V2) {}

  std::string damage(std::string bytes) {
    const std::size_t times = 1 + random_() % 4;
    for (std::size_t i = 0; i < times; ++i) {
      flip(bytes);
    }
    if (v2_ && random_() % 2 == 0) {
      shuffle(bytes);
    }
    if (random_() % 3 == 0) {
      bytes.resize(below(bytes.size() + 1));
    }
    if (random_() % 4 == 0) {
      bytes.insert(below(bytes.size() + 1), random_bytes(random_, 1 + below(70000)));
    }
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(random_() % n); }
  void flip(std::string& bytes) { bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8)); }
  // Doubles, removes or exchanges whole chunks.
  void shuffle(std::string& bytes) {
    const std::size_t chunks = bytes.size() / kChunkSize;
    const std::size_t at = below(chunks) * kChunkSize, other = below(chunks) * kChunkSize;
    const std::string chunk = bytes.substr(at, kChunkSize);
    switch (random_() % 3) {
      case 0:
        bytes.insert(at, chunk);
        break;
      case 1:
        bytes.erase(at, kChunkSize);
        break;
      default:
        bytes.replace(at, kChunkSize, bytes.substr(other, kChunkSize));
        bytes.replace(other, kChunkSize, chunk);
    }
  }

  std::mt19937_64 random_;
  bool v2_;
};

std::string some_file(const Kinds& kinds, std::uint64_t seed) {
  WriterOptions options{.layout = kinds.layout, .transformers = kinds.transformers};
  options.max_block_bytes = seed % 3 == 0 ? 200000 : 40000;
  if (kinds.layout == Layout::LegacyPacked) {
    options.max_block_bytes = 100000;
  }
  options.trailer = kinds.layout == Layout::V2 && seed % 2 == 0;
  MemorySink sink;
  Writer writer = writer_to(sink, options);
  append_all(writer, random_items(seed, 120));
  const Status status = options.trailer ? writer.finish(as_bytes("the trailer")) : writer.finish();
  require(status.has_value(), "finish");
  return sink.content;
}

// The items of the blocks that still stand somewhere in `damaged` just as they were, in the order
// in which they stand there.
std::vector<std::string> undamaged_items(const std::string& good, const std::string& damaged,
                                         const Kinds& kinds) {
  const ParsedFile file =
      kinds.layout == Layout::V2 ? parse_v2(good) : parse_legacy(good, kinds.transformers);
  std::vector<std::pair<std::size_t, const ParsedBlock*>> there;
  for (const ParsedBlock& block : file.blocks) {
    const std::string_view stored = std::string_view(good).substr(block.offset, block.length);
    // Items that are short may be found inside others: only what is long enough to be unique.
    const std::size_t at = damaged.find(stored);
    if (at != std::string::npos && stored.size() > 100) {
      there.emplace_back(at, &block);
    }
  }
  std::ranges::sort(there);
  std::vector<std::string> items;
  for (const auto& [at, block] : there) {
    items.insert(items.end(), block->items.begin(), block->items.end());
  }
  return items;
}

class RandomDamage : public testing::TestWithParam<std::tuple<Kinds, int>> {};

TEST_P(RandomDamage, LeavesTheItemsOfUndamagedBlocksInOrder) {
  const auto& [kinds, number] = GetParam();
  for (std::uint64_t seed = static_cast<std::uint64_t>(number) * 25;
       seed < static_cast<std::uint64_t>(number + 1) * 25; ++seed) {
    SCOPED_TRACE(seed);
    const std::string good = some_file(kinds, seed);
    const std::string damaged = Damager(seed, kinds.layout).damage(good);

    const Archive archive = archive_of(damaged);
    MemorySink sink;
    const auto report = archive.format->writing()->repair(archive, sink, {});
    if (!report) {  // so little is left that it is no RecordIO
      EXPECT_EQ(report.error().code(), ErrorCode::Unsupported);
      EXPECT_THAT(undamaged_items(good, damaged, kinds), IsEmpty());
      continue;
    }

    const Contents found = contents_of(sink.content);
    EXPECT_EQ(found.errors, 0U);
    EXPECT_TRUE(is_part(undamaged_items(good, damaged, kinds), found.items));
    EXPECT_EQ(report->records_kept, found.items.size());
    EXPECT_TRUE(repaired(sink.content).bytes == sink.content);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Repair, RandomDamage,
    testing::Combine(testing::Values(Kinds{"Plain", Layout::V2, {}},
                                     Kinds{"Zstd", Layout::V2, {"zstd"}},
                                     Kinds{"Flate", Layout::V2, {"flate"}},
                                     Kinds{"LegacyPlain", Layout::LegacyPlain, {}},
                                     Kinds{"LegacyPacked", Layout::LegacyPacked, {}}),
                     testing::Range(0, 4)),
    [](const auto& instance) {
      return std::string(std::get<0>(instance.param).name) +
             std::to_string(std::get<1>(instance.param));
    });

}  // namespace
}  // namespace fonds::recordio
