#include "io/window.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "codec/testing.hpp"

namespace fonds {
namespace {

using testing_codec::mapped;
using testing_codec::piped;
using testing_codec::sample_text;

// Positions without a mapping, like a file on another machine.
class Remote final : public ByteSource {
 public:
  explicit Remote(std::string bytes) : bytes_(std::move(bytes)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    lowest = std::min(lowest, offset);
    const auto at = static_cast<std::size_t>(std::min<std::uint64_t>(offset, bytes_.size()));
    const std::size_t n = std::min(out.size(), bytes_.size() - at);
    std::copy_n(as_bytes(bytes_).begin() + static_cast<std::ptrdiff_t>(at), n, out.begin());
    return n;
  }
  Result<std::size_t> read_next(MutableByteView) override {
    return fail(ErrorCode::Unsupported, "not a pipe");
  }

  std::uint64_t lowest = ~std::uint64_t{0};

 private:
  std::string bytes_;
  std::string name_ = "remote";
};

class Broken final : public ByteSource {
 public:
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override { return fail(ErrorCode::Unsupported, "no size"); }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "no places");
  }
  Result<std::size_t> read_next(MutableByteView) override {
    return fail(ErrorCode::Io, "the cable was cut");
  }

 private:
  std::string name_ = "-";
};

TEST(Window, OfMappedBytesShowsAllThatFollows) {
  Window window(mapped("0123456789"));
  EXPECT_TRUE(window.mapped());
  EXPECT_EQ(as_text(*window.at(3, 1)), "3456789");
  window.release(8);
  EXPECT_EQ(as_text(*window.at(8, 100)), "89");
  EXPECT_TRUE(window.at(10, 1)->empty());
  EXPECT_TRUE(window.at(~std::uint64_t{0}, 1)->empty());
}

TEST(Window, OfAnEmptySourceShowsNothing) {
  EXPECT_TRUE(Window(mapped("")).at(0, 1)->empty());
  EXPECT_TRUE(Window(piped("")).at(0, 1)->empty());
}

class WindowOfPipe : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Steps, WindowOfPipe, testing::Values(1, 2, 3, 7, 64, 1000, 4096, 1 << 20));

TEST_P(WindowOfPipe, SlidingGivesEveryByteOnce) {
  const std::string text = sample_text(5000);
  Window window(piped(text, GetParam()));
  std::string seen;
  for (std::size_t wanted = 1; seen.size() < text.size(); wanted = wanted % 90 + 1) {
    const auto shown = window.at(seen.size(), wanted);
    ASSERT_TRUE(shown.has_value());
    ASSERT_GE(shown->size(), std::min(wanted, text.size() - seen.size()));
    seen += as_text(shown->first(std::min(wanted, shown->size())));
    window.release(seen.size());
  }
  EXPECT_EQ(seen, text);
  EXPECT_TRUE(window.at(seen.size(), 1)->empty());
}

TEST_P(WindowOfPipe, BytesThatWereNotReleasedCanBeSeenAgain) {
  const std::string text = sample_text(3000);
  Window window(piped(text, GetParam()));
  ASSERT_EQ(window.at(2500, 400)->size() >= 400, true);
  window.release(100);
  EXPECT_EQ(as_text(window.at(100, 50)->first(50)), text.substr(100, 50));
  EXPECT_EQ(as_text(window.at(2990, 100)->first(10)), text.substr(2990));
}

TEST(Window, OfAPipeHoldsLittleWhenItIsReleased) {
  const std::string text = sample_text(std::size_t{4} << 20);
  Window window(piped(text, 4096));
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    const auto shown = window.at(at, 1000);
    ASSERT_TRUE(shown.has_value());
    ASSERT_LE(shown->size(), std::size_t{1} << 20);
    ASSERT_EQ(as_text(shown->first(10)), std::string_view(text).substr(at, 10)) << at;
    window.release(at + 1000);
  }
}

TEST(Window, OfAPipeRefusesToHoldMoreThanOneGibibyte) {
  Window window(piped("short"));
  const auto shown = window.at(std::uint64_t{2} << 30, 10);
  ASSERT_FALSE(shown.has_value());
  EXPECT_EQ(shown.error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(as_text(*window.at(0, 10)), "short");
}

TEST(Window, OfPositionsBeginsWhereItWasReleasedTo) {
  const auto source = std::make_shared<Remote>(sample_text(2000000));
  Window window(source);
  window.release(1500000);
  EXPECT_EQ(as_text(window.at(1500000, 100)->first(100)),
            sample_text(2000000).substr(1500000, 100));
  EXPECT_EQ(source->lowest, 1500000U);
}

TEST(Window, OfPositionsGoesBack) {
  const std::string text = sample_text(2000000);
  Window window(std::make_shared<Remote>(text));
  EXPECT_TRUE(window.goes_back());
  EXPECT_EQ(*window.size(), text.size());
  for (const std::size_t at : {1900000, 1999990, 2000000, 10, 700000, 0}) {
    window.release(at);
    EXPECT_EQ(as_text(*window.at(at, 100)).substr(0, 100), text.substr(at, 100)) << at;
  }
}

TEST(Window, OfPositionsFetchesNothingBetween) {
  const auto source = std::make_shared<Remote>(sample_text(2000000));
  Window window(source);
  EXPECT_FALSE(window.at(1500000, 10)->empty());
  EXPECT_EQ(source->lowest, 1500000U);
}

TEST(Window, OfBytesShowsThem) {
  Window window(as_bytes("0123456789"));
  window.release(4);
  EXPECT_EQ(as_text(*window.at(8, 100)), "89");
  EXPECT_EQ(*window.size(), 10U);
}

TEST(Window, HandsTheSourcesErrorOn) {
  Window window(std::make_shared<Broken>());
  const auto shown = window.at(0, 1);
  ASSERT_FALSE(shown.has_value());
  EXPECT_EQ(shown.error().code(), ErrorCode::Io);
  EXPECT_EQ(shown.error().message(), "the cable was cut");
}

}  // namespace
}  // namespace fonds
