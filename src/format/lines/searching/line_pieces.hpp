// Pieces of text that are whole lines, many at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>
#include <fonds/finding.hpp>

namespace fonds::lines {

struct LinePiece {
  std::string_view text;      // each line with its LF, but perhaps the last
  Place place;                // where the first begins
  std::uint64_t decoded = 0;  // bytes before it, of those that could be read
};

// Cuts a decoder's bytes where lines end, by the rules of EventsReader: a line ends where bytes are
// missing, and what follows those up to the next LF is passed over unless it is an object. A unit
// that an error was told of counts as such a place at its end.
class LinePieces {
 public:
  // Pieces have about `size` bytes, and more only for a longer line; one of more than `most` is
  // told of and passed over. `source` is for findings.
  LinePieces(std::unique_ptr<Decoder> decoder, std::string source, std::size_t size,
             std::uint64_t most)
      : decoder_(std::move(decoder)), source_(std::move(source)), size_(size), most_(most) {}

  // The next piece; it lives until the next call. False at the end. Errors: those of decoders.
  Result<bool> next(LinePiece& out);
  // What was found since the last call.
  std::vector<Finding> take_findings();

 private:
  Result<bool> next_of_run(LinePiece& out);
  void collect();
  Status pass_line();
  Status pass_torn_line();
  void consume(std::size_t n);

  std::unique_ptr<Decoder> decoder_;
  std::string source_;
  std::size_t size_;
  std::uint64_t most_;
  std::size_t given_ = 0;                  // bytes that are to be consumed first
  bool torn_ = false;                      // bytes may be missing behind them
  std::set<std::uint64_t> damaged_units_;  // that errors were told of, from the piece in hand on
  std::uint64_t decoded_ = 0;
  std::vector<Finding> findings_;
};

}  // namespace fonds::lines
