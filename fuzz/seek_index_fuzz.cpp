// Any bytes as a companion of a gzip file: whatever points it claims, decoding with it on two
// threads gives the bytes and the findings that decoding without it gives, from the start and from
// one of its points. The first byte chooses: a .chk.lz4 or a .gzidx, as it is or made from
// points.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/seek_index.hpp>

#include "base/bytes.hpp"
#include "codec/testing.hpp"
#include "index/checkpoint.hpp"
#include "index/gzidx.hpp"
#include "require.hpp"
#include "seek_index_made.hpp"
#include "seen.hpp"

namespace {

using fonds::DecodeOptions;
using fonds::SeekIndex;
using fonds::SeekPoint;
using fonds::fuzz::expect_same;
using fonds::fuzz::read;
using fonds::fuzz::require;
using fonds::fuzz::Seen;

constexpr unsigned kGzidx = 1, kAsItIs = 2, kSkim = 4, kDamage = 8, kCut = 16, kTight = 32;

std::shared_ptr<const SeekIndex> index_of(const std::string& bytes, bool gzidx,
                                          std::uint64_t size) {
  const auto file = fonds::testing_codec::mapped(bytes);
  if (!gzidx) {
    const auto index = fonds::index::CheckpointFile::read(file, size);
    return index ? *index : nullptr;
  }
  // An index of a file of any size.
  constexpr std::size_t kSize = 7;
  const std::uint64_t claimed =
      bytes.size() < kSize + 8 ? size : fonds::load_le64(fonds::as_bytes(bytes).subspan(kSize));
  const auto index = fonds::index::GzidxFile::read(file, claimed);
  return index ? *index : nullptr;
}

// The points are in order and what they were said to be; returns one of them if it can be read.
std::shared_ptr<const SeekPoint> check_points(const SeekIndex& index, std::size_t number) {
  std::shared_ptr<const SeekPoint> chosen;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < index.size(); ++i) {
    const SeekPoint border = index.border(i);
    require(border.stored_offset >= before && border.bits <= 7);
    before = border.stored_offset;
    auto point = index.point(i);
    require(!point || (point->stored_offset == border.stored_offset && point->bits == border.bits));
    if (point && i == number % index.size()) {
      chosen = std::make_shared<SeekPoint>(std::move(*point));
    }
  }
  return chosen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  static const fonds::fuzz::Source source;
  const unsigned choice = data[0];
  const bool gzidx = (choice & kGzidx) != 0;
  const std::string stored = source.with((choice & kDamage) != 0, (choice & kCut) != 0);
  std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if ((choice & kAsItIs) == 0) {
    bytes = fonds::fuzz::made_index(source, bytes, gzidx, stored.size());
  }
  const auto index = index_of(bytes, gzidx, stored.size());
  if (index == nullptr || index->size() == 0) {
    return 0;
  }
  DecodeOptions options;
  options.probe = {.starts_record = fonds::testing_codec::starts_with_record};
  options.skim = (choice & kSkim) != 0;
  options.max_buffer = std::uint64_t{1} << ((choice & kTight) != 0 ? 21 : 26);
  DecodeOptions with_index = options;
  with_index.seek = index;
  with_index.threads = 2;
  static std::map<unsigned, Seen> without;
  Seen& alone = without[choice & ~(kGzidx | kAsItIs)];
  if (alone.text.empty()) {
    alone = read(stored, options);
  }
  expect_same(read(stored, with_index), alone);
  options.resume = with_index.resume = check_points(*index, size);
  if (options.resume != nullptr) {
    expect_same(read(stored, with_index), read(stored, options));
  }
  return 0;
}
