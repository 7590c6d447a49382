// What of an object has been fetched, is under way, or should be fetched next: the plan of a source
// that is read at positions, without the network.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <fonds/bytes.hpp>

namespace fonds::remote {

// Whoever reads on where the last read ended is given more and more at once, and more of it ahead
// of time; whoever jumps pays for little.
class ReadAhead {
 public:
  // `most`: bytes ahead of a reader at most.
  explicit ReadAhead(std::uint64_t size, std::uint64_t most) : size_(size), most_(most) {}

  // Somebody reads at `offset`: appends what should be asked for now, in the order in which it is
  // wanted. It may be there already.
  void read(std::uint64_t offset, std::vector<ByteRange>& wanted);
  // Somebody says that these bytes, which lie inside the object, will be read from the first on,
  // and probably none behind them: nothing else is asked for as long as that is so. Appends what
  // should be asked for now.
  void expect(ByteRange range, std::vector<ByteRange>& wanted);

 private:
  // A reader on its way, as far as one can guess.
  struct Run {
    std::uint64_t asked = 0;  // up to here everything was wanted
    std::uint64_t begin = 0;  // of the last range
    std::uint64_t ahead = 0;  // bytes
    std::uint64_t until = 0;  // nothing behind is asked for before somebody reads there
    std::uint64_t used = 0;   // when, in reads
  };
  Run& run_of(std::uint64_t offset, bool& known);
  Run& oldest();
  void ask(Run& run, std::uint64_t to, std::vector<ByteRange>& wanted) const;

  std::uint64_t size_, most_;
  std::array<Run, 64> runs_ = {};
  std::uint64_t reads_ = 0;
};

}  // namespace fonds::remote
