// Sorting lines by their octets, as `LC_ALL=C sort` does, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds::index {

// External merge sort. What does not fit into memory goes to temporary files that have no name, so
// that nothing is left of them however the process ends; at most two are open at a time. One
// thread at a time.
class LineSorter {
 public:
  // `memory` bounds, in bytes, what is held at once; no less than 64 KiB is used, and three times
  // the longest line if that is more. It is taken only as it is needed. An empty
  // `temporary_directory` is the system's; it is not looked at before memory is full.
  LineSorter(std::uint64_t memory, std::string temporary_directory);
  LineSorter(LineSorter&&) noexcept;
  LineSorter& operator=(LineSorter&&) noexcept;
  ~LineSorter();

  // Takes a line without its line end; any octets. Errors: Io if a temporary file cannot be
  // written; LimitExceeded for a line of 4 GiB or more, or if there is no memory. After an error
  // the sorter is of no more use.
  Status add(std::string_view line);
  // Gives all lines to `out` in order, then is empty and can be used anew; of equal lines one, if
  // `drop_duplicates`. The view lives during the call. Errors: those of `out`, which end the
  // sorting; Io.
  Status finish(const std::function<Status(std::string_view)>& out, bool drop_duplicates);

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace fonds::index
