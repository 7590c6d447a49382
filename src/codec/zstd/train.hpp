// Dictionaries made from samples of an archive, and whether they are worth their place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

namespace fonds::zstd {

// Samples back to back, as the trainer wants them.
class SampleSet {
 public:
  void add(ByteView sample) {
    bytes_.append(sample);
    sizes_.push_back(sample.size());
  }
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  std::size_t count() const { return sizes_.size(); }
  ByteView bytes() const { return bytes_.view(); }  // as long as nothing is added
  const std::vector<std::size_t>& sizes() const { return sizes_; }

 private:
  Buffer bytes_;
  std::vector<std::size_t> sizes_;
};

// Chooses samples evenly out of all records of an archive, within a budget of bytes, however many
// records come: the same ones for the same records. Every eighth is held out, to judge what was
// made of the others.
class DictionarySampler {
 public:
  struct Options {
    std::uint64_t budget = std::uint64_t{64} << 20;  // bytes of all samples
    std::size_t most = std::size_t{128} << 10;       // bytes of one; of a longer record its start
  };
  DictionarySampler() : DictionarySampler(Options{}) {}
  explicit DictionarySampler(const Options& options) : options_(options) {}

  // Bytes of a record that are of use.
  std::size_t most() const { return options_.most; }
  // Whether the next record would be kept; a record that would not may be skipped with pass().
  bool wants_next() const { return rank(seen_) < limit_; }
  void add(ByteView record);
  void pass() { ++seen_; }
  std::uint64_t seen() const { return seen_; }

  struct Split {
    SampleSet training, held_out;
  };
  // Gives the samples away; the sampler is empty then.
  Split take();

 private:
  struct Kept {
    std::uint64_t rank, record;
    std::vector<std::byte> bytes;
  };
  // As good as random, and another one for each record.
  static std::uint64_t rank(std::uint64_t record);

  Options options_;
  std::uint64_t seen_ = 0, size_ = 0;
  std::uint64_t limit_ = ~std::uint64_t{0};  // records of this rank and above are not kept
  std::vector<Kept> kept_;                   // a heap, the highest rank on top
};

inline constexpr std::size_t kLeastDictionary = std::size_t{1} << 10;
inline constexpr std::size_t kMostDictionary = std::size_t{8} << 20;
inline constexpr std::size_t kUsualDictionary = std::size_t{256} << 10;

// Makes a dictionary for this level of at most `size` bytes: an eighth of the samples if that is
// less. Equal samples make equal dictionaries, also their ID, which is in the range for free use.
// Errors: BadArgument for a size beyond 1 KiB to 8 MiB or fewer than 50 samples or 8 KiB of them.
Result<ZstdDictionary> train_dictionary(const SampleSet& samples, std::size_t size, int level);

// What a dictionary saves, by samples that it was not made of.
struct DictionaryTrial {
  std::uint64_t samples = 0, decoded = 0;
  std::uint64_t without = 0, with = 0;  // stored bytes
  std::uint64_t frame = 0;              // of the dictionary itself
  std::uint64_t records = 0;            // that the archive is expected to have
  // Whether all records save more than the dictionary's frame takes.
  bool pays() const;
};
Result<DictionaryTrial> judge_dictionary(const SampleSet& held_out,
                                         const ZstdDictionary& dictionary, int level,
                                         std::uint64_t records);

}  // namespace fonds::zstd
