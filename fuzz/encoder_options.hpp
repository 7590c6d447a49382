// Options of encoders, chosen by a fuzzer.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>

#include "codec/testing.hpp"
#include "codec/zstd/train.hpp"

namespace fonds::fuzz {

inline const ZstdDictionary& sample_dictionary() {
  static const auto trained = [] {
    zstd::SampleSet samples;
    for (int n = 0; n < 100; ++n) {
      samples.add(as_bytes(testing_codec::record(n, 500)));
    }
    return *zstd::train_dictionary(samples, 4096, 3);
  }();
  return trained;
}

// By four octets; options that fit each other.
inline EncodeOptions encode_options(const std::uint8_t* data) {
  using Extension = EncodeOptions::Extension;
  constexpr std::array<const char*, 4> kCodecs = {"none", "gzip", "zstd", "lz4"};
  EncodeOptions options;
  options.codec = kCodecs[data[0] % kCodecs.size()];
  if (const auto levels = level_range(options.codec); levels && data[1] != 0) {
    // The highest levels of zstd take long to begin.
    const int highest = std::min(levels->highest, 12);
    options.level = levels->lowest + data[1] % (highest - levels->lowest + 1);
  }
  const unsigned flags = data[2];
  const bool zstd = options.codec == "zstd";
  options.one_unit = (flags & 1) != 0 && (options.codec == "gzip" || options.codec == "lz4");
  options.skip_lengths = (flags & 2) != 0 && options.codec == "gzip";
  options.extension = zstd && (flags & 4) != 0   ? Extension::SizePrefix
                      : zstd && (flags & 8) != 0 ? Extension::SeekTable
                                                 : Extension::None;
  if (zstd && (flags & 16) != 0) {
    options.dictionary = sample_dictionary();
    options.raw_dictionary = (flags & 32) != 0;
  }
  options.continues =
      !options.dictionary && options.extension != Extension::SeekTable && (flags & 64) != 0;
  options.threads = 1 + flags / 128;
  options.frame_bytes = std::uint64_t{64} << (10 + data[3] % 3);
  options.memory_budget = std::uint64_t{1} << (10 + data[3] % 20);
  return options;
}

}  // namespace fonds::fuzz
