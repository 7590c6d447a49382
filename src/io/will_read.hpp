// Telling a source what will be read of it.
#pragma once

#include <cstddef>
#include <memory>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

// A source of which each read is a round trip, and which so does well to know.
class ReadsAhead {
 public:
  virtual ~ReadsAhead() = default;
  // These bytes will be read from the first on, and probably none behind them: they are asked for
  // now, and no more. What lies behind the end is left out.
  virtual void will_read(ByteRange range) = 0;
  // The bytes of a range inside the source where they lie, for as long as they are held; nullptr
  // if they are not held in one piece and must be read. Best for what was announced just so.
  // Errors: those of reading.
  virtual Result<std::shared_ptr<const std::byte>> lend(ByteRange range) = 0;
};

// The same for any source; most do nothing.
inline void will_read(ByteSource& source, ByteRange range) {
  if (auto* const ahead = dynamic_cast<ReadsAhead*>(&source)) {
    ahead->will_read(range);
  }
}
inline Result<std::shared_ptr<const std::byte>> lend(ByteSource& source, ByteRange range) {
  if (auto* const ahead = dynamic_cast<ReadsAhead*>(&source)) {
    return ahead->lend(range);
  }
  return nullptr;
}

}  // namespace fonds
