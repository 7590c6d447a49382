#include "io/remote/extents.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fonds::remote {
namespace {

constexpr std::uint64_t kFirst = std::uint64_t{64} << 10;  // a jump costs so many bytes
constexpr std::uint64_t kSmallest = std::uint64_t{256} << 10;
constexpr std::uint64_t kLargest = std::uint64_t{4} << 20;  // of one request

}  // namespace

ReadAhead::Run& ReadAhead::run_of(std::uint64_t offset, bool& known) {
  Run* oldest = &runs_.front();
  for (Run& run : runs_) {
    if (run.ahead > 0 && offset >= run.begin && offset <= run.asked) {
      known = true;
      return run;
    }
    if (run.used < oldest->used) {
      oldest = &run;
    }
  }
  known = false;
  *oldest = {.asked = offset, .begin = offset};
  return *oldest;
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
  if (run.asked >= size_ || offset + run.ahead / 2 < run.asked) {
    return;
  }
  run.ahead = std::min(std::max(run.ahead * 2, kSmallest), most_);
  while (run.asked < size_ && run.asked < offset + run.ahead) {
    const std::uint64_t piece = std::clamp(run.ahead / 4, kSmallest, kLargest);
    const std::uint64_t length = std::min(piece, size_ - run.asked);
    wanted.push_back({run.asked, length});
    run.begin = offset;
    run.asked += length;
  }
}

}  // namespace fonds::remote
