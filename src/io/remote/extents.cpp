#include "io/remote/extents.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fonds::remote {
namespace {

constexpr std::uint64_t kFirst = std::uint64_t{64} << 10;  // a jump costs so many bytes
constexpr std::uint64_t kGrowth = 4;                       // each time is a round trip
constexpr std::uint64_t kSmallest = std::uint64_t{256} << 10;
constexpr std::uint64_t kLargest = std::uint64_t{4} << 20;  // of one request

}  // namespace

ReadAhead::Run& ReadAhead::oldest() {
  return *std::min_element(runs_.begin(), runs_.end(),
                           [](const Run& a, const Run& b) { return a.used < b.used; });
}

ReadAhead::Run& ReadAhead::run_of(std::uint64_t offset, bool& known) {
  Run* found = nullptr;
  for (Run& run : runs_) {
    if (run.ahead == 0 || offset < run.begin || offset > run.asked) {
      continue;
    }
    if (offset < run.until) {
      found = &run;  // who said where the reading ends knows better than a guess
      break;
    }
    found = found == nullptr ? &run : found;
  }
  known = found != nullptr;
  if (!known) {
    found = &oldest();
    *found = {.asked = offset, .begin = offset};
  }
  return *found;
}

void ReadAhead::read(std::uint64_t offset, std::vector<ByteRange>& wanted) {
  bool known = false;
  Run& run = run_of(offset, known);
  run.used = ++reads_;
  if (!known) {
    run.ahead = kFirst;
    run.asked = offset + std::min(kFirst, size_ - offset);
    wanted.push_back({offset, run.asked - offset});
    return;
  }
  const std::uint64_t end = offset < run.until ? run.until : size_;
  if (run.asked >= end || offset + run.ahead / 2 < run.asked) {
    return;
  }
  run.ahead = std::min(std::max(run.ahead * kGrowth, kSmallest), most_);
  run.begin = offset;
  ask(run, std::min(end, offset + run.ahead), wanted);
}

void ReadAhead::expect(ByteRange range, std::vector<ByteRange>& wanted) {
  Run& run = oldest();
  run = {.asked = range.offset,
         .begin = range.offset,
         .ahead = std::min(std::max(range.length, kFirst), most_),
         .until = range.offset + range.length,
         .used = ++reads_};
  ask(run, std::min(run.until, range.offset + run.ahead), wanted);
}

// In pieces that can be on their way at once.
void ReadAhead::ask(Run& run, std::uint64_t to, std::vector<ByteRange>& wanted) const {
  const bool whole = run.until > run.asked && run.until - run.asked <= kLargest;
  const std::uint64_t piece = whole ? kLargest : std::clamp(run.ahead / 4, kSmallest, kLargest);
  while (run.asked < to) {
    // Up to the end of a last short piece, where the run has one; else whole pieces.
    const std::uint64_t end = run.until > run.asked ? run.until : size_;
    const std::uint64_t length = std::min(piece, end - run.asked);
    wanted.push_back({run.asked, length});
    run.asked += length;
  }
}

}  // namespace fonds::remote
