#include "codec/zstd/train.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/testing.hpp"

namespace fonds::zstd {
namespace {

using testing_codec::record;

SampleSet samples_of(int count, std::size_t size = 500) {
  SampleSet samples;
  for (int n = 0; n < count; ++n) {
    samples.add(as_bytes(record(n, size)));
  }
  return samples;
}

TEST(TrainDictionary, EqualSamplesMakeEqualDictionaries) {
  const auto first = train_dictionary(samples_of(300), 8192, 3);
  const auto second = train_dictionary(samples_of(300), 8192, 3);
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_TRUE(std::ranges::equal(first->bytes(), second->bytes()));
  EXPECT_LE(first->bytes().size(), 8192U);
}

TEST(TrainDictionary, OtherSamplesMakeAnotherIdAndAllAreForFreeUse) {
  const auto first = train_dictionary(samples_of(300), 8192, 3);
  const auto second = train_dictionary(samples_of(301), 8192, 3);
  ASSERT_TRUE(first.has_value());
  ASSERT_TRUE(second.has_value());
  EXPECT_NE(first->id(), second->id());
  for (const auto* dictionary : {&*first, &*second}) {
    EXPECT_GE(dictionary->id(), 32768U);
    EXPECT_LE(dictionary->id(), 0x7FFFFFFFU);
  }
}

TEST(TrainDictionary, FewSamplesMakeASmallDictionary) {
  const SampleSet samples = samples_of(100);
  const auto dictionary = train_dictionary(samples, kUsualDictionary, 3);
  ASSERT_TRUE(dictionary.has_value());
  EXPECT_LE(dictionary->bytes().size(), samples.bytes().size() / 8);
}

struct FewCase {
  std::string name;
  int count;
  std::size_t sample, size;
  std::string message;
};
class TrainDictionaryRefuses : public testing::TestWithParam<FewCase> {};

TEST_P(TrainDictionaryRefuses, WithOneSentence) {
  const auto dictionary =
      train_dictionary(samples_of(GetParam().count, GetParam().sample), GetParam().size, 3);
  ASSERT_FALSE(dictionary.has_value());
  EXPECT_EQ(dictionary.error().code(), ErrorCode::BadArgument);
  EXPECT_THAT(dictionary.error().message(), testing::MatchesRegex(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Samples, TrainDictionaryRefuses,
    testing::ValuesIn(std::vector<FewCase>{
        {"NoSamples", 0, 0, 8192,
         "0 samples with 0 bytes are too few for a dictionary; at least 50 with 8192 are needed"},
        {"FewSamples", 49, 5000, 8192, "49 samples with .* bytes are too few .*"},
        {"FewBytes", 60, 0, 8192, "60 samples with .* bytes are too few .*"},
        {"TinyDictionary", 100, 500, 1023, "a dictionary of 1023 bytes: 1024 to 8388608 .*"},
        {"HugeDictionary", 100, 500, 8388609, "a dictionary of 8388609 bytes: 1024 to 8388608 .*"},
    }),
    [](const auto& named) { return named.param.name; });

TEST(TrainDictionary, SamplesThatAreAllAlikeDoNotHurt) {
  SampleSet samples;
  for (int n = 0; n < 200; ++n) {
    samples.add(as_bytes(std::string_view("the same bytes in each sample, again and again")));
  }
  const auto dictionary = train_dictionary(samples, 1024, 3);
  if (!dictionary) {
    EXPECT_EQ(dictionary.error().code(), ErrorCode::BadArgument);
  }
}

TEST(JudgeDictionary, CountsTheDictionaryItself) {
  const auto dictionary = train_dictionary(samples_of(400), 16384, 3);
  ASSERT_TRUE(dictionary.has_value());
  SampleSet held_out;
  for (int n = 500; n < 520; ++n) {
    held_out.add(as_bytes(record(n, 500)));
  }
  const auto few = judge_dictionary(held_out, *dictionary, 3, 10);
  const auto many = judge_dictionary(held_out, *dictionary, 3, 100000);
  ASSERT_TRUE(few.has_value());
  ASSERT_TRUE(many.has_value());
  EXPECT_EQ(few->samples, 20U);
  EXPECT_LT(few->with, few->without);
  EXPECT_FALSE(few->pays());
  EXPECT_TRUE(many->pays());
}

TEST(JudgeDictionary, NothingHeldOutDoesNotPay) {
  const auto dictionary = train_dictionary(samples_of(400), 16384, 3);
  const auto trial = judge_dictionary({}, *dictionary, 3, 1000000);
  ASSERT_TRUE(trial.has_value());
  EXPECT_FALSE(trial->pays());
}

TEST(DictionarySampler, HoldsOutEveryEighth) {
  DictionarySampler sampler;
  for (int n = 0; n < 80; ++n) {
    sampler.add(as_bytes(record(n)));
  }
  const auto split = sampler.take();
  EXPECT_EQ(split.training.count(), 70U);
  EXPECT_EQ(split.held_out.count(), 10U);
}

TEST(DictionarySampler, KeepsItsBudgetAndChoosesEvenly) {
  DictionarySampler sampler({.budget = 100000, .most = 100});
  for (int n = 0; n < 100000; ++n) {
    std::string text = std::to_string(n);
    text.resize(100, ' ');
    sampler.add(as_bytes(text));
  }
  EXPECT_EQ(sampler.seen(), 100000U);
  const auto split = sampler.take();
  EXPECT_EQ(split.training.bytes().size() + split.held_out.bytes().size(), 100000U);
  std::size_t early = 0;
  for (std::size_t n = 0; n < split.training.count(); ++n) {
    early += std::stoi(std::string(as_text(split.training.bytes().subspan(n * 100, 100)))) < 50000;
  }
  EXPECT_NEAR(static_cast<double>(early), 437.0, 60.0);
}

TEST(DictionarySampler, RecordsThatItDoesNotWantMayBePassed) {
  DictionarySampler all({.budget = 5000, .most = 100}), some({.budget = 5000, .most = 100});
  for (int n = 0; n < 5000; ++n) {
    all.add(as_bytes(record(n)));
    if (some.wants_next()) {
      some.add(as_bytes(record(n)));
    } else {
      some.pass();
    }
  }
  EXPECT_EQ(as_text(some.take().training.bytes()), as_text(all.take().training.bytes()));
}

TEST(DictionarySampler, TakesTheStartOfALongRecord) {
  DictionarySampler sampler({.budget = 1000, .most = 10});
  sampler.add(as_bytes(std::string_view("0123456789abcdef")));
  EXPECT_EQ(as_text(sampler.take().training.bytes()), "0123456789");
}

}  // namespace
}  // namespace fonds::zstd
