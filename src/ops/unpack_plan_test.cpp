#include "ops/unpack_plan.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

EventInput unpack_input(std::string name, std::uint64_t part, std::uint64_t begin,
                        std::uint64_t end, std::string run = "run") {
  return {.name = std::move(name), .run = std::move(run), .part = part, .begin = begin, .end = end};
}

TEST(SafeNames, OrdinaryNamesStay) {
  SafeNames names;
  EXPECT_EQ(names.take("app.log"), "app.log");
  EXPECT_EQ(names.take("logs/2024/app.log"), "logs/2024/app.log");
  EXPECT_EQ(names.take("größe – 1.jsonl"), "größe – 1.jsonl");
}

TEST(SafeNames, NothingLeavesTheDirectory) {
  SafeNames names;
  EXPECT_EQ(names.take("/etc/passwd"), "etc/passwd");
  EXPECT_EQ(names.take("../../root/.ssh/x"), "root/.ssh/x");
  EXPECT_EQ(names.take("a/./b//../c"), "a/b/c");
  EXPECT_EQ(names.take("..\\..\\x"), ".._.._x");
  EXPECT_EQ(names.take("C:\\logs\\a"), "C__logs_a");
}

TEST(SafeNames, ControlCharactersAndOddOctetsGo) {
  SafeNames names;
  EXPECT_EQ(names.take(std::string("a\nb\0c\x1b[1m", 9)), "a_b_c_[1m");
  EXPECT_EQ(names.take("caf\xe9"), "café");
}

TEST(SafeNames, WithoutANameThereIsOne) {
  SafeNames names;
  EXPECT_EQ(names.take(""), "unnamed");
  EXPECT_EQ(names.take("../"), "unnamed-2");
  EXPECT_EQ(names.take("/"), "unnamed-3");
}

TEST(SafeNames, TakenNamesGetANumber) {
  SafeNames names;
  names.reserve("manifest.jsonl");
  EXPECT_EQ(names.take("manifest.jsonl"), "manifest-2.jsonl");
  EXPECT_EQ(names.take("a/app.log"), "a/app.log");
  EXPECT_EQ(names.take("/a/app.log"), "a/app-2.log");
  EXPECT_EQ(names.take("../a/app.log"), "a/app-3.log");
  EXPECT_EQ(names.take(".hidden"), ".hidden");
  EXPECT_EQ(names.take("./.hidden"), ".hidden-2");
}

TEST(SafeNames, FileAndDirectoryDoNotCollide) {
  SafeNames names;
  EXPECT_EQ(names.take("a"), "a");
  EXPECT_EQ(names.take("a/b"), "a_b");
  EXPECT_EQ(names.take("c/d"), "c/d");
  EXPECT_EQ(names.take("c"), "c-2");
}

TEST(SafeNames, LongNamesAreCutBetweenCharacters) {
  SafeNames names;
  std::string wanted;
  for (int i = 0; i < 150; ++i) {
    wanted += "é";
  }
  EXPECT_THAT(names.take(wanted), SizeIs(200));
  wanted.insert(0, "x");
  EXPECT_THAT(names.take(wanted), SizeIs(199));
}

TEST(SafeNames, OfDeepPathsTheEndStays) {
  SafeNames names;
  std::string wanted;
  for (int i = 0; i < 1000; ++i) {
    wanted += "d/";
  }
  EXPECT_EQ(names.take(wanted + "f").size(), 63U);
}

TEST(PlanUnpacking, PartsOfOneInputBecomeOneFileInTheirOrder) {
  SafeNames names;
  const std::vector<std::vector<EventInput>> inputs = {
      {unpack_input("b", 1, 0, 5), unpack_input("c", 0, 5, 9)},
      {unpack_input("a", 0, 0, 3), unpack_input("b", 0, 3, 7)},
  };
  const UnpackPlan plan = plan_unpacking(inputs, names);
  ASSERT_THAT(plan.files, SizeIs(3));
  EXPECT_EQ(plan.files[0].name, "b");
  ASSERT_THAT(plan.files[0].pieces, SizeIs(2));
  EXPECT_EQ(plan.files[0].pieces[0].archive, 1U);
  EXPECT_EQ(plan.files[0].pieces[1].archive, 0U);
  EXPECT_THAT(plan.order, ElementsAre(1, 0));
  EXPECT_THAT(plan.remarks, IsEmpty());
}

TEST(PlanUnpacking, SameNameOfAnotherRunIsAnotherFile) {
  SafeNames names;
  const std::vector<std::vector<EventInput>> inputs = {{unpack_input("a", 0, 0, 5, "one")},
                                                       {unpack_input("a", 0, 0, 5, "two")}};
  const UnpackPlan plan = plan_unpacking(inputs, names);
  ASSERT_THAT(plan.files, SizeIs(2));
  EXPECT_EQ(plan.files[1].name, "a-2");
  EXPECT_THAT(plan.order, ElementsAre(0, 1));
}

TEST(PlanUnpacking, InputGivenTwiceBecomesTwoFiles) {
  SafeNames names;
  const std::vector<std::vector<EventInput>> inputs = {
      {unpack_input("a", 0, 0, 5), unpack_input("a", 0, 5, 10)}, {unpack_input("a", 1, 0, 5)}};
  const UnpackPlan plan = plan_unpacking(inputs, names);
  ASSERT_THAT(plan.files, SizeIs(2));
  EXPECT_THAT(plan.files[0].pieces, SizeIs(2));
  EXPECT_THAT(plan.files[1].pieces, SizeIs(1));
}

TEST(PlanUnpacking, WithoutARunNothingGoesOnInAnotherArchive) {
  SafeNames names;
  const std::vector<std::vector<EventInput>> inputs = {{unpack_input("a", 0, 0, 5, "")},
                                                       {unpack_input("a", 1, 0, 5, "")}};
  const UnpackPlan plan = plan_unpacking(inputs, names);
  EXPECT_THAT(plan.files, SizeIs(2));
}

TEST(PlanUnpacking, MissingPartIsRemarked) {
  SafeNames names;
  const std::vector<std::vector<EventInput>> inputs = {{unpack_input("a", 0, 0, 5)},
                                                       {unpack_input("a", 2, 0, 5)}};
  const UnpackPlan plan = plan_unpacking(inputs, names);
  EXPECT_THAT(plan.remarks, ElementsAre(HasSubstr("part 1 of this input")));
}

TEST(PlanUnpacking, ContradictionsAreRemarkedAndNothingIsLost) {
  SafeNames names;
  const std::vector<std::vector<EventInput>> inputs = {
      {unpack_input("a", 0, 0, 5), unpack_input("b", 1, 5, 6)},
      {unpack_input("b", 0, 0, 5), unpack_input("a", 1, 5, 6)}};
  const UnpackPlan plan = plan_unpacking(inputs, names);
  EXPECT_THAT(plan.files, SizeIs(2));
  EXPECT_THAT(plan.order, ElementsAre(0, 1));
  EXPECT_THAT(plan.remarks, ElementsAre(HasSubstr("contradict")));
}

}  // namespace
}  // namespace fonds::ops
