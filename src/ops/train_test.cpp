#include "ops/train.hpp"

#include <string>
#include <vector>

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/zstd/frame.hpp"
#include "io/testing.hpp"
#include "ops/convert.hpp"
#include "ops/testing.hpp"

namespace fonds::ops {
namespace {

using testing_ops::gzipped;
using testing_ops::plain;
using testing_ops::RecordText;

// Pages that have most of their text in common.
std::vector<RecordText> pages(int n) {
  const std::string common = testing_codec::sample_text(3000);
  std::vector<RecordText> records;
  for (int i = 0; i < n; ++i) {
    records.push_back(
        {.id = fmt::format("urn:{}", i),
         .uri = fmt::format("http://e/{}", i),
         .block = common + testing_codec::sample_text(60, static_cast<std::uint64_t>(i) + 5)});
  }
  return records;
}

std::vector<RecordText> noise(int n) {
  std::vector<RecordText> records;
  std::uint64_t seed = 1;
  for (int i = 0; i < n; ++i) {
    std::string block;
    for (int k = 0; k < 4000; ++k) {
      seed = seed * 6364136223846793005U + 1442695040888963407U;
      block += static_cast<char>(seed >> 56);
    }
    records.push_back({.id = fmt::format("urn:{:x}", seed), .block = block});
  }
  return records;
}

std::vector<Archive> archives_of(const std::vector<std::string>& texts) {
  std::vector<Archive> archives;
  for (const std::string& text : texts) {
    archives.push_back(*open_archive(testing_codec::mapped(text), {}));
  }
  return archives;
}

struct Converted {
  std::string stored;
  ConvertReport report;
  std::string error;
};
Converted convert_to_zstd(std::span<const Archive> archives, WriteOptions write,
                          std::string_view target = "warc") {
  testing_io::TextSink sink;
  ConvertOptions options;
  options.train_dictionary = true;
  options.rewrite.write = std::move(write);
  auto report = convert(archives, *parse_target(target), sink, options);
  if (!report) {
    return {{}, {}, report.error().message()};
  }
  return {sink.content, std::move(*report), {}};
}

TEST(Train, AlikeRecordsMakeADictionaryThatPays) {
  const auto trained = train(archives_of({plain(pages(400))}), {});
  ASSERT_TRUE(trained) << trained.error().message();
  EXPECT_TRUE(trained->trial.pays());
  EXPECT_LT(2 * trained->trial.with, trained->trial.without);
  EXPECT_EQ(trained->trial.records, 400U);
}

TEST(Train, CompressionOfTheArchiveDoesNotMatter) {
  const auto a = train(archives_of({plain(pages(400))}), {});
  const auto b = train(archives_of({gzipped(pages(400))}), {});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(as_text(a->dictionary.bytes()), as_text(b->dictionary.bytes()));
}

TEST(Train, SeveralArchivesAreSampledAsOne) {
  const std::string all = plain(pages(400));
  const std::string_view text = all;
  const std::size_t half = text.find("WARC/1.1", text.size() / 2);
  const auto one = train(archives_of({all}), {});
  const auto two =
      train(archives_of({std::string(text.substr(0, half)), std::string(text.substr(half))}), {});
  ASSERT_TRUE(one && two);
  EXPECT_EQ(as_text(one->dictionary.bytes()), as_text(two->dictionary.bytes()));
}

TEST(Train, NoiseDoesNotPay) {
  const auto trained = train(archives_of({plain(noise(60))}), {});
  ASSERT_TRUE(trained) << trained.error().message();
  EXPECT_FALSE(trained->trial.pays());
}

TEST(Train, TooFewRecordsAreAnError) {
  const auto trained = train(archives_of({plain(pages(3))}), {});
  ASSERT_FALSE(trained);
  EXPECT_EQ(trained.error().code(), ErrorCode::Unsupported);
}

TEST(Train, SizesAndLevelsOutOfRangeAreErrors) {
  const auto archives = archives_of({plain(pages(3))});
  for (const TrainOptions& options :
       {TrainOptions{.size = 10}, TrainOptions{.size = std::size_t{9} << 20},
        TrainOptions{.level = 23}, TrainOptions{.level = -100}}) {
    const auto trained = train(archives, options);
    ASSERT_FALSE(trained);
    EXPECT_EQ(trained.error().code(), ErrorCode::BadArgument);
  }
}

TEST(Train, DamageEndsItUnlessItIsLeftOut) {
  std::string damaged = gzipped(pages(400));
  damaged.resize(damaged.size() - 6);
  EXPECT_FALSE(train(archives_of({damaged}), {}));
  TrainOptions options;
  options.rewrite.skip_damaged = true;
  EXPECT_TRUE(train(archives_of({damaged}), options));
}

TEST(ConvertWithTraining, UsesTheDictionaryThatPays) {
  const Converted got =
      convert_to_zstd(archives_of({plain(pages(400))}), {.compression = {"zstd"}});
  ASSERT_TRUE(got.report.trained);
  EXPECT_EQ(zstd::scan_frame(as_bytes(got.stored)).kind, zstd::FrameKind::Dictionary);
  EXPECT_EQ(got.report.records, 400U);
}

TEST(ConvertWithTraining, LeavesOutTheDictionaryThatDoesNotPay) {
  const Converted got = convert_to_zstd(archives_of({plain(noise(60))}),
                                        {.compression = {"zstd"}, .raw_dictionary = true});
  ASSERT_EQ(got.error, "");
  ASSERT_TRUE(got.report.trained);
  EXPECT_EQ(zstd::scan_frame(as_bytes(got.stored)).kind, zstd::FrameKind::Zstd);
}

TEST(ConvertWithTraining, DoesWithoutWhereThereAreTooFewRecords) {
  const Converted got = convert_to_zstd(archives_of({plain(pages(3))}), {.compression = {"zstd"}});
  ASSERT_EQ(got.error, "");
  EXPECT_FALSE(got.report.trained);
  EXPECT_NE(got.report.no_training, "");
  EXPECT_EQ(got.report.records, 3U);
}

TEST(ConvertWithTraining, SamplesWhatIsWrittenInAnotherDialect) {
  // The headers that a conversion makes are in the dictionary.
  const Converted got =
      convert_to_zstd(archives_of({plain(pages(400))}), {.compression = {"zstd"}}, "warc/1.0");
  ASSERT_TRUE(got.report.trained);
  const std::string_view dictionary = as_text(got.report.trained->dictionary.bytes());
  EXPECT_NE(dictionary.find("WARC-Original-Header"), std::string_view::npos);
}

TEST(ConvertWithTraining, GivesTheSameOnAnyNumberOfThreads) {
  const auto archives = archives_of({plain(pages(400))});
  const Converted one = convert_to_zstd(archives, {.compression = {"zstd"}, .threads = 1});
  const Converted seven = convert_to_zstd(archives, {.compression = {"zstd"}, .threads = 7});
  EXPECT_NE(one.stored, "");
  EXPECT_EQ(one.stored, seven.stored);
}

TEST(ConvertWithTraining, NeedsZstd) {
  EXPECT_NE(convert_to_zstd(archives_of({plain(pages(3))}), {.compression = {"gzip"}}).error, "");
}

TEST(ConvertWithTraining, CannotReadAPipeTwice) {
  std::vector<Archive> archives;
  archives.push_back(*open_archive(testing_codec::piped(plain(pages(3))), {}));
  EXPECT_THAT(convert_to_zstd(archives, {.compression = {"zstd"}}).error,
              testing::HasSubstr("twice"));
}

}  // namespace
}  // namespace fonds::ops
