#include "codec/buffered_decoder.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds {
namespace {

using testing::ElementsAre;

// Gives what a script says: one step a call of fill().
struct Step {
  enum class Kind { Unit, Bytes, Gap, Block } kind;
  std::uint64_t unit = 0;
  std::string bytes = {};
};
Step unit(std::uint64_t offset, std::string bytes = {}) {
  return {Step::Kind::Unit, offset, std::move(bytes)};
}
Step bytes(std::string text) { return {Step::Kind::Bytes, 0, std::move(text)}; }
Step gap() { return {Step::Kind::Gap}; }
// Bytes in a block of their own, with room for this many before them.
Step block(std::size_t room, std::string text) {
  return {Step::Kind::Block, room, std::move(text)};
}

class Scripted final : public BufferedDecoder {
 public:
  explicit Scripted(std::vector<Step> steps, DecodeOptions options = {})
      : BufferedDecoder(options), steps_(std::move(steps)) {}
  std::uint64_t stored_position() const override { return 0; }
  std::size_t fills = 0;

 protected:
  Result<Fill> fill(std::size_t) override {
    ++fills;
    if (next_ == steps_.size()) {
      return Fill::End;
    }
    const Step& step = steps_[next_++];
    if (step.kind == Step::Kind::Gap) {
      return Fill::Gap;
    }
    if (step.kind == Step::Kind::Block) {
      Piece own{std::unique_ptr<std::byte[]>(new std::byte[step.unit + step.bytes.size()]),
                step.unit + step.bytes.size()};
      std::copy(as_bytes(step.bytes).begin(), as_bytes(step.bytes).end(),
                own.bytes.get() + step.unit);
      append(own, step.unit, step.unit + step.bytes.size());
      return Fill::More;
    }
    if (step.kind == Step::Kind::Unit) {
      begin_unit(step.unit);
    }
    if (!step.bytes.empty()) {
      const ByteView from = as_bytes(step.bytes);
      std::copy(from.begin(), from.end(), reserve(from.size()).begin());
      commit(from.size());
    }
    return Fill::More;
  }

 private:
  std::vector<Step> steps_;
  std::size_t next_ = 0;
};

std::string shown(Decoder& decoder, std::size_t at_least) {
  const auto view = decoder.peek(at_least);
  return view ? std::string(as_text(*view)) : view.error().message();
}

TEST(BufferedDecoder, PeekDecodesNoMoreThanItMust) {
  Scripted decoder({unit(0, "abc"), bytes("def"), unit(9, "ghi")});
  EXPECT_EQ(shown(decoder, 1), "abc");
  EXPECT_EQ(decoder.fills, 1U);
  EXPECT_EQ(shown(decoder, 4), "abcdef");
  EXPECT_EQ(shown(decoder, 100), "abcdefghi");
  EXPECT_EQ(shown(decoder, 100), "abcdefghi");
}

TEST(BufferedDecoder, PlaceFollowsUnitsAndBytes) {
  Scripted decoder({unit(0, "abc"), unit(50, "de"), bytes("f"), unit(90, "g")});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  std::vector<std::size_t> of_unit;
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(shown(decoder, 7 - static_cast<std::size_t>(i)).size(),
              7U - static_cast<std::size_t>(i));
    places.emplace_back(decoder.place().unit, decoder.place().inner);
    of_unit.push_back(decoder.shown_of_unit());
    decoder.consume(1);
  }
  using P = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_THAT(places,
              ElementsAre(P(0, 0), P(0, 1), P(0, 2), P(50, 0), P(50, 1), P(50, 2), P(90, 0)));
  EXPECT_THAT(of_unit, ElementsAre(3, 2, 1, 3, 2, 1, 1));
}

TEST(BufferedDecoder, EmptyUnitsLeaveNoMark) {
  Scripted decoder({unit(0), unit(20), unit(40, "a"), unit(60), unit(80, "b")});
  EXPECT_EQ(shown(decoder, 2), "ab");
  EXPECT_EQ(decoder.place(), (Place{40, 0}));
  EXPECT_EQ(decoder.shown_of_unit(), 1U);
  decoder.consume(1);
  EXPECT_EQ(decoder.place(), (Place{80, 0}));
}

TEST(BufferedDecoder, NothingIsShownAcrossAGap) {
  Scripted decoder({unit(0, "abc"), gap(), unit(50, "def")});
  EXPECT_EQ(shown(decoder, 100), "abc");
  decoder.consume(3);
  EXPECT_EQ(shown(decoder, 1), "");
  EXPECT_EQ(decoder.place(), (Place{0, 3})) << "the end of the run";
  EXPECT_TRUE(decoder.next_run().value_or(false));
  EXPECT_EQ(shown(decoder, 100), "def");
  EXPECT_EQ(decoder.place(), (Place{50, 0}));
}

TEST(BufferedDecoder, GapsWithNothingBetweenAreOne) {
  Scripted decoder({gap(), gap(), unit(50, "def"), gap(), gap()});
  EXPECT_EQ(shown(decoder, 1), "");
  EXPECT_TRUE(decoder.next_run().value_or(false));
  EXPECT_EQ(shown(decoder, 1), "def");
  decoder.consume(3);
  EXPECT_EQ(shown(decoder, 1), "");
  EXPECT_FALSE(decoder.next_run().value_or(true));
  EXPECT_FALSE(decoder.next_run().value_or(true));
}

TEST(BufferedDecoder, SkipStopsAtAGap) {
  Scripted decoder({unit(0, "abc"), bytes("def"), gap(), unit(50, "ghi")});
  EXPECT_EQ(decoder.skip(4).value_or(0), 4U);
  EXPECT_EQ(decoder.place(), (Place{0, 4}));
  EXPECT_EQ(decoder.skip(100).value_or(0), 2U);
}

TEST(BufferedDecoder, PlacesStayRightWhileTheBufferMovesAndGrows) {
  std::vector<Step> steps;
  std::string all;
  for (std::size_t i = 0; i < 300; ++i) {
    const std::string text(i * 7 % 5000 + 1, static_cast<char>('a' + i % 26));
    steps.push_back(unit(i * 10000, text));
    all += text;
  }
  Scripted decoder(std::move(steps));
  std::size_t at = 0;
  for (std::size_t wanted = 1; at < all.size(); wanted = wanted * 3 % 70001 + 1) {
    const auto view = decoder.peek(wanted);
    ASSERT_TRUE(view.has_value());
    ASSERT_GE(view->size(), std::min(wanted, all.size() - at));
    ASSERT_EQ(as_text(*view), std::string_view(all).substr(at, view->size()));
    const Place place = decoder.place();
    std::size_t start = 0;
    for (std::size_t i = 0; i * 10000 < place.unit; ++i) {
      start += i * 7 % 5000 + 1;
    }
    ASSERT_EQ(start + place.inner, at);
    const std::size_t n = std::min(wanted / 2 + 1, view->size());
    decoder.consume(n);
    at += n;
  }
  EXPECT_EQ(at, all.size());
}

TEST(BufferedDecoder, MoreThanTheLimitIsRefusedAndWhatIsThereStays) {
  Scripted decoder({unit(30, "abc"), bytes("def"), bytes("ghi")}, {.max_buffer = 4});
  EXPECT_EQ(shown(decoder, 4), "abcdef");
  const auto refused = decoder.peek(7);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(refused.error().where().stored_offset, 30U);
  EXPECT_EQ(shown(decoder, 1), "abcdef");
}

TEST(BufferedDecoder, OfNothingShowsNothing) {
  Scripted decoder({});
  EXPECT_EQ(shown(decoder, 1), "");
  EXPECT_EQ(decoder.place(), (Place{0, 0}));
  EXPECT_EQ(decoder.shown_of_unit(), 0U);
  EXPECT_FALSE(decoder.next_run().value_or(true));
  EXPECT_EQ(decoder.skip(10).value_or(1), 0U);
}

TEST(BufferedDecoder, BlocksFollowWhatIsNotConsumedWithOrWithoutRoomBefore) {
  for (const std::size_t room : {0U, 2U, 3U, 100U}) {
    Scripted decoder(
        {unit(10, "abcdef"), block(room, "ghi"), unit(20, "jk"), block(room, "lmn"), bytes("opq")});
    ASSERT_TRUE(decoder.peek(1).has_value());
    decoder.consume(3);
    EXPECT_EQ(as_text(*decoder.peek(5)), "defghi");
    EXPECT_EQ(decoder.place(), (Place{10, 3})) << room;
    decoder.consume(4);
    EXPECT_EQ(as_text(*decoder.peek(9)), "hijklmnopq");
    EXPECT_EQ(decoder.place(), (Place{10, 7})) << room;
    EXPECT_EQ(decoder.shown_of_unit(), 2U);
    decoder.consume(6);
    EXPECT_EQ(decoder.place(), (Place{20, 4})) << room;
    EXPECT_EQ(as_text(*decoder.peek(1)), "nopq");
  }
}

TEST(BufferedDecoder, BlocksOneByOneGiveTheirPlaces) {
  Scripted decoder(
      {unit(10), block(5, "abc"), block(5, "def"), block(0, "ghi"), unit(30), block(5, "jkl")});
  std::string text;
  for (std::uint64_t i = 0; i < 12; ++i) {
    const auto shown = decoder.peek(1);
    ASSERT_TRUE(shown.has_value());
    text += as_text(*shown).substr(0, 1);
    EXPECT_EQ(decoder.place(), i < 9 ? (Place{10, i}) : (Place{30, i - 9}));
    decoder.consume(1);
  }
  EXPECT_EQ(text, "abcdefghijkl");
}

}  // namespace
}  // namespace fonds
