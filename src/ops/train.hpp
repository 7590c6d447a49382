// Zstd dictionaries out of the records of archives: `fonds train`, and `convert --dictionary
// train`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "codec/zstd/train.hpp"

namespace fonds::ops {

struct TrainOptions {
  RewriteOptions rewrite = {};  // how to read; `write` does not count
  std::size_t size = zstd::kUsualDictionary;
  int level = 3;
  std::uint64_t sample = std::uint64_t{64} << 20;  // bytes of samples
  std::function<void(const Archive&, std::uint64_t stored_position)> progress = {};
};

struct Trained {
  ZstdDictionary dictionary;
  zstd::DictionaryTrial trial;
};

// Makes a dictionary of the samples, which are given away, and judges it by those held out.
// Errors: as zstd::train_dictionary.
Result<Trained> train_on(zstd::DictionarySampler& sampler, std::size_t size, int level);

// Reads all archives and makes a dictionary of their records: header, block and what closes them.
// Errors: those of reading; Corrupt at the first damage, which was told to on_finding, unless
// skip_damaged; BadArgument for a size or a level that cannot be; Unsupported for too few records.
Result<Trained> train(std::span<const Archive> archives, const TrainOptions& options);

}  // namespace fonds::ops
