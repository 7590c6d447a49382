// Blocks in order, and going on from a state.
#include "format/recordio/reading/feed.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

constexpr std::uint64_t K = kChunkSize;

std::unique_ptr<Feed> fed(std::shared_ptr<ByteSource> source, FeedOptions options = {}) {
  auto feed = Feed::open(std::move(source), options);
  require(feed.has_value(), "open");
  return std::move(*feed);
}

struct Fed {
  std::vector<std::uint64_t> blocks;
  std::vector<std::string> findings;
};

void take_findings(Feed& feed, Fed& out) {
  for (const Finding& finding : feed.take_findings()) {
    out.findings.push_back(brief(finding));
  }
}

Fed rest_of(Feed& feed) {
  Fed out;
  while (true) {
    auto block = feed.next();
    require(block.has_value(), "next");
    take_findings(feed, out);
    if (*block == nullptr) {
      return out;
    }
    out.blocks.push_back((*block)->stored.stored.offset);
  }
}

// Two files put together, damage, and a trailer.
std::string eventful() {
  std::string file = header({"zstd"}, true);
  for (int i = 0; i < 6; ++i) {
    file += body({std::string(static_cast<std::size_t>(i * 100), 'z')}, {"zstd"});
  }
  file[3 * K + 30] ^= 1;
  file += header({"flate"});
  for (int i = 0; i < 4; ++i) {
    file += body({std::string(50000, static_cast<char>('a' + i)), "x"}, {"flate"});
  }
  return file + trailer_block("t", {"flate"}) + body({"behind"}, {"flate"});
}

// Cuts the file at `border`: what is read up to there and from there on is the whole.
TEST(Feed, GoesOnFromAnyBorderWithTheStateThatItHadThere) {
  const std::string file = eventful();
  for (const bool behind : {false, true}) {
    FeedOptions options;
    options.read.behind_trailer = behind;
    const Fed whole = rest_of(*fed(in_memory(file), options));
    for (std::uint64_t border = 0; border <= file.size(); border += K) {
      FeedOptions before = options;
      before.stop_at = border;
      const auto first = fed(in_memory(file), before);
      Fed both = rest_of(*first);
      FeedOptions behind_it = options;
      behind_it.start = first->position();
      behind_it.state = first->state();
      if (behind_it.start < file.size()) {
        const Fed second = rest_of(*fed(in_memory(file), behind_it));
        both.blocks.insert(both.blocks.end(), second.blocks.begin(), second.blocks.end());
        both.findings.insert(both.findings.end(), second.findings.begin(), second.findings.end());
      }
      EXPECT_EQ(both.blocks, whole.blocks) << border;
      EXPECT_EQ(both.findings, whole.findings) << border;
    }
  }
}

TEST(Feed, StartInTheMiddleIsUnderstoodByTheHeader) {
  const std::string file = header({"flate"}) + body({"a"}, {"flate"}) + body({"b"}, {"flate"});
  FeedOptions options;
  options.start = 2 * K;
  const auto feed = fed(in_memory(file), options);
  auto block = feed->next();
  ASSERT_TRUE(block.has_value() && *block != nullptr);
  ASSERT_TRUE((*block)->items.next());
  EXPECT_EQ(as_text((*block)->items.whole()), "b");
}

TEST(Feed, StateThatIsNoneIsNotBelieved) {
  const std::string file = header() + body({"a"});
  for (const std::string& state : {std::string("x"), std::string("\x02v2"), std::string("\x7fv2"),
                                   std::string(100, '\xff'), std::string("\x02v2\x00\x7f", 5)}) {
    FeedOptions options;
    options.state = state;
    const auto feed = fed(in_memory(file), options);
    EXPECT_EQ(rest_of(*feed).blocks, std::vector<std::uint64_t>{K});
  }
}

TEST(Feed, MeetingTheHeaderLosesNothing) {
  const std::string file = eventful();
  const Fed whole = rest_of(*fed(in_memory(file)));
  for (const unsigned threads : {1U, 2U}) {
    FeedOptions options;
    options.read.threads = threads;
    for (const auto& source : {in_memory(file), as_pipe(file, 777)}) {
      const auto feed = fed(source, options);
      ASSERT_TRUE(feed->meet_header().has_value());
      EXPECT_EQ(feed->header().transformers, std::vector<std::string>{"zstd"});
      EXPECT_EQ(feed->first_block(), K);
      const Fed rest = rest_of(*feed);
      EXPECT_EQ(rest.blocks, whole.blocks);
      EXPECT_EQ(rest.findings, whole.findings);
    }
  }
}

TEST(Feed, PositionIsBehindTheBlockThatWasGiven) {
  const std::string file = header({"zstd"}) + body({"a"}, {"zstd"}) + body({"b"}, {"zstd"});
  for (const unsigned threads : {1U, 3U}) {
    FeedOptions options;
    options.read.threads = threads;
    const auto feed = fed(in_memory(file), options);
    ASSERT_NE(feed->next().value_or(nullptr), nullptr);
    EXPECT_EQ(feed->position(), 2 * K);
    ASSERT_NE(feed->next().value_or(nullptr), nullptr);
    EXPECT_EQ(feed->position(), 3 * K);
    EXPECT_EQ(feed->next().value_or(nullptr), nullptr);
    EXPECT_EQ(feed->position(), file.size());
    EXPECT_EQ(feed->next().value_or(nullptr), nullptr);
  }
}

TEST(Feed, LegacyGoesOnFromAnyRecord) {
  const std::string file = plain_record("a") + packed_record({"b", "c"}, {"flate"}) +
                           plain_record("d") + packed_record({"e"});
  const Fed whole = rest_of(*fed(in_memory(file)));
  ASSERT_EQ(whole.blocks.size(), 4U);
  for (std::size_t i = 0; i < whole.blocks.size(); ++i) {
    FeedOptions options;
    options.start = whole.blocks[i];
    EXPECT_EQ(rest_of(*fed(in_memory(file), options)).blocks,
              std::vector<std::uint64_t>(whole.blocks.begin() + static_cast<std::ptrdiff_t>(i),
                                         whole.blocks.end()));
  }
}

// A source that fails after some bytes.
class Failing final : public ByteSource {
 public:
  Failing(std::string_view file, std::size_t good) : bytes_(octets(file)), good_(good) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override { return fail(ErrorCode::Unsupported, "no size"); }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "no positions");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    if (at_ >= good_) {
      return fail(ErrorCode::Io, "input/output error");
    }
    const std::size_t n = std::min({out.size(), good_ - at_, std::size_t{1000}});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), n, out.begin());
    at_ += n;
    return n;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t good_, at_ = 0;
  std::string name_ = "failing";
};

// Far enough into the file that recognizing it is done with.
TEST(Feed, FailingSourceGivesTheBlocksBeforeOnAnyNumberOfThreads) {
  std::string file = header({"zstd"});
  for (int i = 0; i < 8; ++i) {
    file += body({std::to_string(i)}, {"zstd"});
  }
  for (const unsigned threads : {1U, 3U}) {
    const Outcome read =
        read_all(std::make_shared<Failing>(file, 5 * K + 100), {.threads = threads});
    EXPECT_EQ(read.error, ErrorCode::Io) << threads;
    EXPECT_EQ(read.items.size(), 4U) << threads;
  }
}

}  // namespace
}  // namespace fonds::recordio
