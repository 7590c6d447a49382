// Archives of clp-s as the library opens them.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/search.hpp>

#include "io/testing.hpp"
#include "test_paths.hpp"

namespace fonds {
namespace {

// A pipe that notes whether another thread reads than the one that made it.
class WatchedPipe final : public ByteSource {
 public:
  explicit WatchedPipe(std::vector<std::byte> bytes) : pipe_(std::move(bytes), 4096) {}
  const std::string& name() const override { return pipe_.name(); }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override { return pipe_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    return pipe_.read_at(offset, out);
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    shared_ = shared_ || std::this_thread::get_id() != owner_;
    return pipe_.read_next(out);
  }
  bool shared() const { return shared_; }

 private:
  testing_io::Pipe pipe_;
  std::thread::id owner_ = std::this_thread::get_id();
  bool shared_ = false;
};

std::vector<std::byte> many_tables() {
  std::ifstream file(FONDS_TEST_DATA "/clp-s/v050-manytables.clps", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const ByteView bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

std::string found_in(std::shared_ptr<ByteSource> source, unsigned threads) {
  const auto archive = open_archive(std::move(source), {.format = "clp-s"});
  const auto query = query::parse("*");
  std::string lines;
  SearchSink sink;
  sink.lines = [&lines](std::string_view more) -> Result<bool> {
    lines += more;
    return true;
  };
  sink.finding = [](const Finding&) {};
  SearchOptions options;
  options.threads = threads;
  const auto report = archive->format->search(*archive, *query, options, sink);
  return report ? lines : report.error().to_string();
}

TEST(ClpsFormat, TheStreamsOfAPipeAreSearchedOneBehindTheOther) {
  const std::string expected = found_in(memory_source(many_tables()), 1);
  const auto pipe = std::make_shared<WatchedPipe>(many_tables());
  EXPECT_EQ(found_in(pipe, 7), expected);
  EXPECT_FALSE(pipe->shared());
}

}  // namespace
}  // namespace fonds
