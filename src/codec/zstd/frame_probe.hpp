// Looks at zstd frames that a decoder is not at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <fonds/codec.hpp>

#include "codec/resync.hpp"
#include "codec/zstd/dictionary.hpp"
#include "codec/zstd/frame_decoder.hpp"

namespace fonds::zstd {

// Stored bytes of a frame that show whether a record begins.
inline constexpr std::size_t kProbeStored = std::size_t{256} << 10;

// Whether DecodeOptions::max_window_log allows a window of so many bytes.
constexpr bool window_allowed(std::uint64_t window, unsigned max_log) {
  return max_log > 63 || window <= std::uint64_t{1} << max_log;
}

class FrameProbe {
 public:
  bool ready() const { return decoder_.ready(); }
  void use(const Dictionary& dictionary);
  // True if a frame with a plausible header stands at the start of `stored` and the first decoded
  // bytes can begin a record; without a probe, if there are any. Adds the work it took to `work`.
  bool begins_record(ByteView stored, const RecordProbe& probe, unsigned max_window_log,
                     std::uint64_t& work);
  // find_swallowed() in [from, to) of `stored`, by frames that decode to a record without fault.
  std::optional<std::uint64_t> swallowed(const StoredView& stored, std::uint64_t from,
                                         std::uint64_t to, const DecodeOptions& options,
                                         DamageBudget& budget);

 private:
  bool can_decode(const FrameHeader& header, unsigned max_window_log) const;
  // The stored size of such a frame at the start of `stored`; 0 if there is none.
  std::uint64_t whole_record(ByteView stored, const DecodeOptions& options, std::uint64_t& work);

  FrameDecoder decoder_;
  Dictionary dictionary_;
  std::vector<std::byte> head_;
};

}  // namespace fonds::zstd
