#include "codec/zstd/train.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#define ZDICT_STATIC_LINKING_ONLY  // ZDICT_trainFromBuffer_fastCover
#include <fmt/core.h>
#include <zdict.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "base/guarded.hpp"
#include "codec/zstd/dictionary.hpp"
#include "codec/zstd/encoder.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::zstd {
namespace {

constexpr std::size_t kLeastSamples = 50;
constexpr std::size_t kSamplesPerDictionary = 8;  // bytes of them for each of it
constexpr std::uint64_t kHeldOut = 8;             // one in so many
constexpr std::uint64_t kMostJudged = std::uint64_t{8} << 20;

// The ID is a digest of what the dictionary is made of, so that two runs agree on it.
std::uint32_t choose_id(const SampleSet& samples) {
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(samples.bytes());
  const DigestValue digest = hasher.finish();
  return kFirstFreeId + load_le32(digest.bytes) % (kLastFreeId - kFirstFreeId + 1);
}

Status check(const SampleSet& samples, std::size_t size) {
  if (size < kLeastDictionary || size > kMostDictionary) {
    return fail(ErrorCode::BadArgument,
                fmt::format("a dictionary of {} bytes: {} to {} are possible", size,
                            kLeastDictionary, kMostDictionary));
  }
  const std::size_t least = kSamplesPerDictionary * kLeastDictionary;
  if (samples.count() < kLeastSamples || samples.bytes().size() < least) {
    return fail(ErrorCode::BadArgument,
                fmt::format("{} samples with {} bytes are too few for a dictionary; at least {} "
                            "with {} are needed",
                            samples.count(), samples.bytes().size(), kLeastSamples, least));
  }
  return {};
}

}  // namespace

void DictionarySampler::add(ByteView record) {
  const std::uint64_t number = seen_++;
  const std::uint64_t its_rank = rank(number);
  record = record.first(std::min(record.size(), options_.most));
  if (its_rank >= limit_ || record.empty()) {
    return;
  }
  kept_.push_back({its_rank, number, {record.begin(), record.end()}});
  std::ranges::push_heap(kept_, {}, &Kept::rank);
  size_ += record.size();
  while (size_ > options_.budget) {
    std::ranges::pop_heap(kept_, {}, &Kept::rank);
    limit_ = kept_.back().rank;
    size_ -= kept_.back().bytes.size();
    kept_.pop_back();
  }
}

std::uint64_t DictionarySampler::rank(std::uint64_t record) {
  std::uint64_t mixed = (record + 1) * 0x9E3779B97F4A7C15U;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBU;
  return mixed ^ mixed >> 31;
}

DictionarySampler::Split DictionarySampler::take() {
  Split split;
  std::vector<Kept> kept = std::exchange(kept_, {});
  size_ = 0;
  std::ranges::sort(kept, {}, &Kept::record);
  std::size_t training = 0;
  for (std::size_t n = 0; n < kept.size(); ++n) {
    training += n % kHeldOut != kHeldOut - 1 ? kept[n].bytes.size() : 0;
  }
  split.training.reserve(training);
  for (std::size_t n = 0; n < kept.size(); ++n) {
    const std::vector<std::byte> sample = std::exchange(kept[n].bytes, {});  // freed one by one
    (n % kHeldOut != kHeldOut - 1 ? split.training : split.held_out).add(sample);
  }
  return split;
}

Result<ZstdDictionary> train_dictionary(const SampleSet& samples, std::size_t size, int level) {
  return guarded([&]() -> Result<ZstdDictionary> {
    FONDS_CHECK(check(samples, size));
    size = std::min(size, samples.bytes().size() / kSamplesPerDictionary);
    std::vector<std::byte> dictionary(size);
    ZDICT_fastCover_params_t params = {};
    params.k = 1024;
    params.d = 8;
    params.f = 20;
    params.accel = 1;
    params.zParams.compressionLevel = level;
    params.zParams.dictID = choose_id(samples);
    const std::size_t made = ZDICT_trainFromBuffer_fastCover(
        dictionary.data(), dictionary.size(), samples.bytes().data(), samples.sizes().data(),
        static_cast<unsigned>(samples.count()), params);
    if (ZDICT_isError(made) != 0) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("no dictionary can be made of {} samples with {} bytes: {}",
                              samples.count(), samples.bytes().size(), ZDICT_getErrorName(made)));
    }
    return ZstdDictionary::parse(ByteView(dictionary).first(made));
  });
}

bool DictionaryTrial::pays() const {
  if (samples == 0 || with >= without) {
    return false;
  }
  const double saved = static_cast<double>(without - with) / static_cast<double>(samples);
  return saved * static_cast<double>(records) > static_cast<double>(frame);
}

Result<DictionaryTrial> judge_dictionary(const SampleSet& held_out,
                                         const ZstdDictionary& dictionary, int level,
                                         std::uint64_t records) {
  return guarded([&]() -> Result<DictionaryTrial> {
    FONDS_TRY(FrameEncoder plain, FrameEncoder::make(level, nullptr));
    FONDS_TRY(CompressorDictionary digested, digest_dictionary(dictionary, level));
    FONDS_TRY(FrameEncoder helped, FrameEncoder::make(level, std::move(digested)));
    DictionaryTrial trial{.records = records};
    Buffer out;
    FONDS_CHECK(emit_dictionary_frame(dictionary, false, out));
    trial.frame = out.size();
    // Every so many, so that all parts of the archive have their say.
    const std::size_t step = static_cast<std::size_t>(held_out.bytes().size() / kMostJudged) + 1;
    ByteView rest = held_out.bytes();
    for (std::size_t n = 0; n < held_out.count(); ++n) {
      const ByteView sample = rest.first(held_out.sizes()[n]);
      rest = rest.subspan(sample.size());
      if (n % step != 0) {
        continue;
      }
      out.clear();
      FONDS_CHECK(plain.encode(sample, out));
      trial.without += out.size();
      out.clear();
      FONDS_CHECK(helped.encode(sample, out));
      trial.with += out.size();
      trial.decoded += sample.size();
      ++trial.samples;
    }
    return trial;
  });
}

}  // namespace fonds::zstd
