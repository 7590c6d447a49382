// The search for the next unit behind damage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "io/window.hpp"

namespace fonds {

// Counts what damage costs. Hostile bytes can hold millions of units that each fail late; once they
// have cost far more work than there were bytes, decoders give up instead of running for days.
class DamageBudget {
 public:
  // `work` bytes were read or made in vain.
  void spend(std::uint64_t work) { spent_ += work; }
  // Whether it is still worth going on at stored offset `at`.
  bool allows(std::uint64_t at) const { return spent_ / 16 <= at + (std::uint64_t{8} << 20); }

 private:
  std::uint64_t spent_ = 0;
};

// The first stored offset at or behind `from` where `magic` stands and accept(offset) is true;
// nothing if there is none or the budget is used up. Only `from` on is asked of the window, so a
// pipe may have been released up to there. Errors: Io; what `accept` returns.
Result<std::optional<std::uint64_t>> find_next(
    Window& window, std::uint64_t from, ByteView magic, DamageBudget& budget,
    const std::function<Result<bool>(std::uint64_t offset)>& accept);

// The first offset in [from, to) of `stored` at which `magic` stands and begins(offset, work) is
// true, which adds to `work` the bytes it read or made. `to` if there is none, or once hostile
// bytes have cost more than DamageBudget would allow. `to` lies in `stored`.
std::uint64_t find_in_view(
    ByteView stored, std::uint64_t from, std::uint64_t to, std::string_view magic,
    const std::function<bool(std::size_t offset, std::uint64_t& work)>& begins);

// How many bytes there are from `offset` on; nothing of a pipe. Errors: Io.
Result<std::optional<std::uint64_t>> bytes_left(const Window& window, std::uint64_t offset);

struct StoredView {
  ByteView bytes;
  std::uint64_t offset = 0;  // of the first of them
  ByteView from(std::uint64_t at) const {
    return bytes.subspan(std::min<std::uint64_t>(at - offset, bytes.size()));
  }
};
// What find_swallowed() looks at for a piece [from, to) of a unit: of a mapped file all; of what is
// read at positions the piece and `most` bytes behind it, which are asked for only if `magic`
// stands in the piece. Nothing of a pipe, nor where that were too much to hold. Lives until the
// next call of the window. Errors: Io.
Result<StoredView> view_over(Window& window, std::uint64_t from, std::uint64_t to,
                             std::uint64_t most, std::string_view magic);

// Of a piece [from, to) of a unit whose content is wrong: where in it the first other unit begins,
// if one of them reaches over `to`. Then the length of the piece is wrong, or bytes of it are gone,
// and nothing says that the units before that one are its content. What a record holds may be units
// as well, but those end in it. unit_size(index, work) is the size of a whole unit at that byte of
// `stored`, 0 if there is none.
std::optional<std::uint64_t> find_swallowed(
    const StoredView& stored, std::uint64_t from, std::uint64_t to, std::string_view magic,
    DamageBudget& budget,
    const std::function<std::uint64_t(std::size_t index, std::uint64_t& work)>& unit_size);

// Steps over stored bytes without holding them. Returns `to`, or where the source ends if it ends
// before.
Result<std::uint64_t> step_over(Window& window, std::uint64_t from, std::uint64_t to);

}  // namespace fonds
