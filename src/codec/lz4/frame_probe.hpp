// Looks at lz4 frames that a decoder is not at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fonds/codec.hpp>

#include "codec/lz4/block_decoder.hpp"
#include "codec/resync.hpp"

namespace fonds::lz4 {

// Decoded bytes that show whether a record begins.
inline constexpr std::size_t kProbeHead = std::size_t{64} << 10;

class FrameProbe {
 public:
  bool ready() const { return decoder_.ready(); }
  // True if a frame stands at the start of `stored` and its first block can begin a record; without
  // a probe, if it decodes. Adds the work it took to `work`.
  bool begins_record(ByteView stored, const RecordProbe& probe, std::uint64_t& work);
  // find_swallowed() in [from, to) of `stored`, by frames that decode to a record without fault, of
  // up to `most` bytes.
  std::optional<std::uint64_t> swallowed(const StoredView& stored, std::uint64_t from,
                                         std::uint64_t to, const RecordProbe& probe,
                                         std::uint64_t most, DamageBudget& budget);

 private:
  // The stored size of such a frame at the start of `stored`; 0 if there is none.
  std::uint64_t whole_record(ByteView stored, const RecordProbe& probe, std::uint64_t most,
                             std::uint64_t& work);

  BlockDecoder decoder_;
  std::vector<std::byte> room_;
};

}  // namespace fonds::lz4
