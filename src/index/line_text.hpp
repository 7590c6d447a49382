// The octets of a text file, of which parts are looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds::index {

// Views of a mapped file, else what reading has brought. One thread. Errors of all members: Io;
// LimitExceeded for what would take more than 64 MiB of a file that is not mapped.
class LineText {
 public:
  // Up to `end`, which is no more than the file has.
  LineText(std::shared_ptr<ByteSource> source, std::uint64_t end);

  // Octets from `offset` on: at least `at_least`, fewer only at the end. Live until the next call.
  Result<std::string_view> at(std::uint64_t offset, std::size_t at_least);
  // The octets from `offset` on up to the first one that is `stop` or a line feed, or to the end;
  // with that octet, if it is there. Live until the next call.
  Result<std::string_view> until(std::uint64_t offset, char stop);
  // Behind the first line feed at or behind `offset`; the end if there is none.
  Result<std::uint64_t> line_after(std::uint64_t offset);
  // Behind the last line feed in [low, offset); `low` if there is none.
  Result<std::uint64_t> line_begin(std::uint64_t low, std::uint64_t offset);
  // These octets will be looked at, and hardly others: without a mapping they are read at once.
  Status look_at(ByteRange range);

  std::uint64_t end() const { return end_; }

 private:
  Status reserve_more(std::uint64_t to);
  tl::unexpected<Error> too_long(std::uint64_t offset) const;

  std::shared_ptr<ByteSource> source_;
  std::string_view mapped_;
  bool has_view_ = false;
  std::uint64_t end_;
  bool jumps_ = false;       // look_at() has said what is wanted
  std::string held_;         // octets of a file that is not mapped,
  std::uint64_t begin_ = 0;  // from here on
};

}  // namespace fonds::index
