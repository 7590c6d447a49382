// Threads, and random items and limits in all layouts.
#include <atomic>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "format/recordio/writing/writer_test_support.hpp"

namespace fonds::recordio {
namespace {

using testing::HasSubstr;

struct Told {
  std::uint64_t offset, length;
  std::vector<std::string> items;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  friend bool operator==(const Told&, const Told&) = default;
};
struct Outcome {
  std::string content;
  std::vector<Told> told;
};

Outcome write_all(const std::vector<std::string>& items, WriterOptions options, bool tell) {
  Outcome outcome;
  if (tell) {
    options.on_block = [&](const WrittenBlock& block) -> Status {
      Told told{block.offset, block.length, {}, {}};
      for (const ByteView item : block.items) {
        told.items.emplace_back(as_text(item));
      }
      for (const ByteRange& range : block.in_items_area) {
        told.ranges.emplace_back(range.offset, range.length);
      }
      outcome.told.push_back(std::move(told));
      return {};
    };
  }
  const bool trailer = options.trailer;
  MemorySink sink;
  auto writer = Writer::create(sink, std::move(options));
  require(writer.has_value(), "create");
  for (const std::string& item : items) {
    require(writer->append(as_bytes(item)).has_value(), "append");
  }
  require((trailer ? writer->finish(as_bytes("the trailer")) : writer->finish()).has_value(),
          "finish");
  require(writer->position() == sink.content.size(), "position");
  outcome.content = std::move(sink.content);
  return outcome;
}

// ---- any number of threads ----

struct ThreadsCase {
  const char* name;
  Layout layout;
  std::vector<std::string> transformers;
};
class Threads : public testing::TestWithParam<std::tuple<ThreadsCase, unsigned, bool>> {};

TEST_P(Threads, GiveTheSameBytesAndCalls) {
  const auto& [what, threads, tell] = GetParam();
  const auto items = random_items(7, 600);
  WriterOptions options{.layout = what.layout,
                        .transformers = what.transformers,
                        .max_block_bytes = 50000,
                        .max_items = 20,
                        .trailer = what.layout == Layout::V2};
  const Outcome expected = write_all(items, options, true);

  options.threads = threads;
  const Outcome found = write_all(items, options, tell);

  EXPECT_TRUE(found.content == expected.content);
  if (tell) {
    EXPECT_TRUE(found.told == expected.told);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Writer, Threads,
    testing::Combine(testing::Values(ThreadsCase{"None", Layout::V2, {}},
                                     ThreadsCase{"Flate", Layout::V2, {"flate"}},
                                     ThreadsCase{"Zstd", Layout::V2, {"zstd 3"}},
                                     ThreadsCase{"Stack", Layout::V2, {"flate 1", "zstd 3"}},
                                     ThreadsCase{"Packed", Layout::LegacyPacked, {"flate"}},
                                     ThreadsCase{"Plain", Layout::LegacyPlain, {}}),
                     testing::Values(2U, 7U), testing::Bool()),
    [](const auto& instance) {
      return std::string(std::get<0>(instance.param).name) +
             std::to_string(std::get<1>(instance.param)) +
             (std::get<2>(instance.param) ? "Told" : "");
    });

class Budget : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Budget, ChangesNothingInTheFile) {
  const auto items = random_items(8, 300);
  WriterOptions options{.transformers = {"zstd"}, .max_block_bytes = 60000};
  const Outcome expected = write_all(items, options, true);

  options.threads = 3;
  options.memory_budget = GetParam();

  EXPECT_TRUE(write_all(items, options, true).told == expected.told);
  EXPECT_TRUE(write_all(items, options, false).content == expected.content);
}

INSTANTIATE_TEST_SUITE_P(Bytes, Budget, testing::Values(0, 1, 100000, 400000, 1 << 30));

// A transformer that counts how many blocks are in its hands or behind it, and fails at a block
// that holds `poison`.
struct Probe {
  std::atomic<std::uint64_t> applied = 0;
};
void register_probe(const std::string& name, Probe& probe) {
  register_transformer(name, transformer_of(
                                 [&probe](ByteView in, Buffer& out) -> Status {
                                   ++probe.applied;
                                   if (as_text(in).find("poison") != std::string_view::npos) {
                                     return fail(ErrorCode::Internal, "cannot transform this");
                                   }
                                   if (as_text(in).find("throw") != std::string_view::npos) {
                                     throw std::runtime_error("thrown by a transformer");
                                   }
                                   out.clear();
                                   out.append(in);
                                   return {};
                                 },
                                 nullptr));
}

TEST(WorkerError, ComesAfterTheBlocksBeforeItAndStays) {
  Probe probe;
  register_probe("probe-error", probe);
  MemorySink sink;
  auto writer =
      Writer::create(sink, {.transformers = {"probe-error"}, .max_items = 1, .threads = 3});
  ASSERT_TRUE(writer);
  for (const char* item : {"a", "b", "poison", "c"}) {
    // The error may already come at the last one.
    static_cast<void>(writer->append(as_bytes(item)));
  }

  const Status status = writer->flush();

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "cannot transform this");
  EXPECT_EQ(writer->append(as_bytes("d")).error().message(), "cannot transform this");
  EXPECT_EQ(writer->finish().error().code(), ErrorCode::Internal);
  EXPECT_EQ(sink.content.size(), 3 * kChunkSize);
}

TEST(WorkerError, EndsAppendingWithoutAFlush) {
  Probe probe;
  register_probe("probe-append", probe);
  MemorySink sink;
  auto writer =
      Writer::create(sink, {.transformers = {"probe-append"}, .max_items = 2, .threads = 2});
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(as_bytes("a")));

  Status status = writer->append(as_bytes("poison"));
  for (int i = 0; i < 20 && status; ++i) {
    status = writer->append(as_bytes("b"));
  }

  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message(), "cannot transform this");
}

TEST(WorkerError, AnExceptionIsOne) {
  Probe probe;
  register_probe("probe-throw", probe);
  MemorySink sink;
  auto writer =
      Writer::create(sink, {.transformers = {"probe-throw"}, .max_items = 1, .threads = 2});
  ASSERT_TRUE(writer);
  static_cast<void>(writer->append(as_bytes("throw")));

  EXPECT_THAT(writer->finish().error().message(), HasSubstr("thrown by a transformer"));
}

TEST(WriterDestructor, WithoutFinishJoinsItsThreads) {
  Probe probe;
  register_probe("probe-destroy", probe);
  MemorySink sink;
  {
    auto writer =
        Writer::create(sink, {.transformers = {"probe-destroy"}, .max_items = 1, .threads = 7});
    ASSERT_TRUE(writer);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(writer->append(as_bytes("item")));
    }
  }
  const std::uint64_t applied = probe.applied;

  EXPECT_GE(applied, 6U);
  EXPECT_LE(applied, 20U);
}

// ---- round trips ----

class RandomItems : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomItems, ComeBackFromEveryLayout) {
  std::mt19937_64 random(GetParam());
  const auto items = random_items(random(), random() % 300);
  const std::vector<std::string> stacks[] = {{}, {"flate"}, {"zstd 1"}, {"zstd 1", "flate 1"}};
  WriterOptions options;
  options.max_items = random() % 3 == 0 ? 0 : 1 + random() % 50;
  options.max_block_bytes = 40000 + random() % 200000;
  options.threads = 1 + static_cast<unsigned>(random() % 3);
  options.layout = static_cast<Layout>(random() % 3);
  options.go_max_items = random() % 2 == 0;
  const std::size_t most_stack[] = {4, 1, 3};
  options.transformers = stacks[random() % most_stack[static_cast<std::size_t>(options.layout)]];

  const Outcome outcome = write_all(items, options, true);
  const ParsedFile file = options.layout == Layout::V2
                              ? parse_v2(outcome.content)
                              : parse_legacy(outcome.content, options.transformers);

  EXPECT_TRUE(file.items() == items);
  ASSERT_EQ(file.blocks.size(), outcome.told.size());
  for (std::size_t i = 0; i < file.blocks.size(); ++i) {
    EXPECT_EQ(file.blocks[i].offset, outcome.told[i].offset);
    EXPECT_EQ(file.blocks[i].length, outcome.told[i].length);
    EXPECT_TRUE(file.blocks[i].items == outcome.told[i].items);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomItems, testing::Range(std::uint64_t{0}, std::uint64_t{40}));

}  // namespace
}  // namespace fonds::recordio
