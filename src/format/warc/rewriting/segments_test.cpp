#include "format/warc/rewriting/segments.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::warc {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SegmentPart first(std::uint64_t length = 10, char code = 0) {
  return {.id = "a", .number = 1, .code = code, .length = length};
}
SegmentPart next(std::uint32_t number, char code = 0, std::uint64_t length = 10) {
  return {.id = "a" + std::to_string(number),
          .origin = "a",
          .number = number,
          .code = code,
          .length = length};
}
SegmentPart last(std::uint32_t number, std::uint64_t total) {
  SegmentPart part = next(number);
  part.total = total;
  return part;
}
SegmentChain one_chain(const std::vector<SegmentPart>& parts) {
  auto chains = chain_segments(parts);
  EXPECT_EQ(chains.size(), 1U);
  return chains.empty() ? SegmentChain() : chains.front();
}
std::vector<std::string> codes(const SegmentChain& chain, const std::vector<SegmentPart>& parts) {
  std::vector<std::string> found;
  for (const SegmentIssue& issue : judge_chain(chain, parts)) {
    found.emplace_back(issue.code);
  }
  return found;
}

TEST(ChainSegments, PartsMayComeInAnyOrder) {
  const std::vector<SegmentPart> parts = {last(3, 30), first(), next(2)};
  const SegmentChain chain = one_chain(parts);
  EXPECT_THAT(chain.parts, ElementsAre(1, 2, 0));
  EXPECT_TRUE(chain.complete);
  EXPECT_EQ(chain.length, 30U);
  EXPECT_THAT(codes(chain, parts), IsEmpty());
}

TEST(ChainSegments, GapEndsTheChainAndLaterPartsAreOrphans) {
  const std::vector<SegmentPart> parts = {first(), last(3, 30)};
  const SegmentChain chain = one_chain(parts);
  EXPECT_THAT(chain.parts, ElementsAre(0));
  EXPECT_THAT(chain.orphans, ElementsAre(1));
  EXPECT_FALSE(chain.complete);
  EXPECT_THAT(codes(chain, parts), ElementsAre("segment-missing", "segment-orphan"));
}

TEST(ChainSegments, WithoutItsBeginningEveryPartIsAnOrphan) {
  const std::vector<SegmentPart> parts = {next(2), last(3, 30)};
  const SegmentChain chain = one_chain(parts);
  EXPECT_THAT(chain.parts, IsEmpty());
  EXPECT_FALSE(chain.complete);
  EXPECT_THAT(codes(chain, parts), ElementsAre("segment-orphan", "segment-orphan"));
}

TEST(ChainSegments, FirstOfRepeatedPartsCounts) {
  const std::vector<SegmentPart> parts = {first(), last(2, 20), last(2, 20)};
  const SegmentChain chain = one_chain(parts);
  EXPECT_THAT(chain.parts, ElementsAre(0, 1));
  ASSERT_EQ(chain.repeated.size(), 1U);
  EXPECT_EQ(chain.repeated[0].first, 1U);
  EXPECT_EQ(chain.repeated[0].again, 2U);
  EXPECT_EQ(repeated_issue(chain.repeated[0], true, parts).code, "segment-duplicate");
  EXPECT_EQ(repeated_issue(chain.repeated[0], false, parts).code, "segment-duplicate-differs");
}

TEST(ChainSegments, PartBehindTheFinalOneIsAnOrphan) {
  const std::vector<SegmentPart> parts = {first(10, 'p'), next(2, 'w'), next(3, 'w')};
  const SegmentChain chain = one_chain(parts);
  EXPECT_THAT(chain.parts, ElementsAre(0, 1));
  EXPECT_TRUE(chain.complete);
  EXPECT_THAT(chain.orphans, ElementsAre(2));
}

struct Ending {
  const char* name;
  SegmentPart part;
  bool complete;
};
SegmentPart truncated(SegmentPart part) {
  part.truncated = "length";
  return part;
}
class ChainEnding : public testing::TestWithParam<Ending> {};
TEST_P(ChainEnding, DecidesWhetherItIsComplete) {
  const std::vector<SegmentPart> parts = {first(10, GetParam().part.code == 0 ? '\0' : 'p'),
                                          GetParam().part};
  EXPECT_EQ(one_chain(parts).complete, GetParam().complete);
}
INSTANTIATE_TEST_SUITE_P(
    Segments, ChainEnding,
    testing::Values(Ending{"goes_on", next(2, 'p'), false}, Ending{"whole", next(2, 'w'), true},
                    Ending{"cut_for_time", next(2, 't'), true},
                    Ending{"cut_for_size", next(2, 'z'), true}, Ending{"total", last(2, 20), true},
                    Ending{"no_total", next(2), false},
                    Ending{"truncated_without_total", truncated(next(2)), true}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(ChainSegments, WrongTotalIsTold) {
  const std::vector<SegmentPart> parts = {first(), last(2, 21)};
  EXPECT_THAT(codes(one_chain(parts), parts), ElementsAre("segment-total-mismatch"));
}

TEST(ChainSegments, LengthsThatDoNotFitIntoOneNumberAreNotAddedUp) {
  const std::vector<SegmentPart> parts = {first(~std::uint64_t{0}), last(2, 5)};
  const SegmentChain chain = one_chain(parts);
  EXPECT_EQ(chain.length, ~std::uint64_t{0});
  EXPECT_THAT(codes(chain, parts), ElementsAre("segment-total-mismatch"));
}

TEST(ChainSegments, FirstPartsWithoutIdStayApart) {
  SegmentPart nameless = first(10, 'p');
  nameless.id.clear();
  const std::vector<SegmentPart> parts = {nameless, nameless};
  const auto chains = chain_segments(parts);
  ASSERT_EQ(chains.size(), 2U);
  EXPECT_FALSE(chains[0].complete);
  EXPECT_THAT(chains[0].repeated, IsEmpty());
}

}  // namespace
}  // namespace fonds::warc
