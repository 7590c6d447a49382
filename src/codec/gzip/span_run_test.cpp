#include "codec/gzip/span_run.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "codec/gzip/testing_streams.hpp"

namespace fonds::gzip {
namespace {

using testing_codec::sample_text;
using testing_gzip::block_ends;
using testing_gzip::BlockEnd;
using testing_gzip::deflated_as;
using testing_gzip::Kind;
using testing_gzip::kinds;
using Stop = SpanRun::Stop;

// Runs until something else than Stop::Full comes.
Stop run(SpanRun& span, std::size_t room, std::string& text) {
  std::vector<std::byte> out(room);
  while (true) {
    std::size_t written = 0;
    const Stop stop = span.run(out, written);
    text += as_text(ByteView(out).first(written));
    if (stop != Stop::Full) {
      return stop;
    }
  }
}

class SpanRunKinds : public testing::TestWithParam<Kind> {
 protected:
  const std::string text = sample_text(150000, 7);
  const std::string deflate = deflated_as(GetParam(), text);
  const std::vector<BlockEnd> ends = block_ends(deflate);
};

INSTANTIATE_TEST_SUITE_P(Kinds, SpanRunKinds, testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST_P(SpanRunKinds, StopsAtEveryBorderForEveryRoom) {
  for (const std::size_t room : {1U, 7U, 1000U, 32768U, 65537U, 1000000U}) {
    const std::size_t step = room == 1 ? ends.size() / 3 + 1 : ends.size() / 40 + 1;
    for (std::size_t i = 0; i < ends.size(); i += step) {
      SpanRun span(as_bytes(deflate));
      span.start(0, 0, {});
      span.set_limit(ends[i].stored);
      std::string got;
      ASSERT_EQ(run(span, room, got), Stop::Border) << room << " " << i;
      ASSERT_EQ(span.position(), ends[i].stored);
      ASSERT_EQ(span.bits(), ends[i].bits);
      ASSERT_TRUE(got == std::string_view(text).substr(0, ends[i].decoded)) << room << " " << i;
    }
  }
}

TEST_P(SpanRunKinds, GoesOnWhereThereIsNoBorder) {
  for (std::size_t limit = 2; limit < deflate.size(); limit += deflate.size() / 50) {
    SpanRun span(as_bytes(deflate));
    span.start(0, 0, {});
    span.set_limit(limit);
    std::string got;
    const Stop stop = run(span, 3000, got);
    ASSERT_TRUE(text.starts_with(got));
    if (stop == Stop::Inside) {
      ASSERT_EQ(span.position(), limit);
    } else {
      ASSERT_EQ(stop, Stop::Border);
      span.start(span.position(), span.bits(), as_bytes(got));
    }
    span.set_limit(SpanRun::kNoLimit);
    ASSERT_EQ(run(span, 3000, got), Stop::End) << limit;
    ASSERT_EQ(span.position(), deflate.size());
    ASSERT_TRUE(got == text) << limit;
  }
}

TEST(SpanRun, DataThatIsOverIsStuck) {
  const std::string text = sample_text(3000);
  const std::string deflate = testing_gzip::deflated(text);
  SpanRun span(as_bytes(std::string_view(deflate).substr(0, 500)));
  span.start(0, 0, {});
  std::string got;
  EXPECT_EQ(run(span, 1000, got), Stop::Stuck);
  EXPECT_TRUE(text.starts_with(got));
}

}  // namespace
}  // namespace fonds::gzip
