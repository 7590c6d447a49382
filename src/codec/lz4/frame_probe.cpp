#include "codec/lz4/frame_probe.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/lz4/frame.hpp"
#include "codec/resync.hpp"

namespace fonds::lz4 {

bool FrameProbe::begins_record(ByteView stored, const RecordProbe& probe, std::uint64_t& work) {
  FrameHeader header;
  if (parse_frame_header(stored, header) != HeaderState::Good ||
      stored.size() < header.size + kBlockHeader) {
    return false;
  }
  const ByteView rest = stored.subspan(header.size);
  const Block block = parse_block(rest, header);
  if (!block.legal || block.end || block.stored > rest.size() ||
      !decoder_.start(plain_header(header).bytes)) {
    return false;
  }
  room_.resize(std::max(room_.size(), header.block_max));
  const std::size_t checksum = header.block_checksum ? kChecksum : 0;
  const auto step = decoder_.decode_block(rest.first(block.stored - checksum), room_);
  work += block.stored + step.written / 16;
  const ByteView head = ByteView(room_).first(std::min(step.written, kProbeHead));
  return step.state == BlockDecoder::State::Good && !head.empty() &&
         (probe.starts_record == nullptr || probe.starts_record(head));
}

std::uint64_t FrameProbe::whole_record(ByteView stored, const RecordProbe& probe,
                                       std::uint64_t most, std::uint64_t& work) {
  FrameHeader header;
  if (parse_frame_header(stored, header) != HeaderState::Good) {
    return 0;
  }
  const FrameInfo frame = scan_frame(stored, header);
  work += frame.blocks;
  const std::uint64_t size = header.content_size.value_or(frame.decoded_most);
  if (frame.state != FrameState::Complete || size > most) {
    return 0;
  }
  room_.resize(std::max(room_.size(), static_cast<std::size_t>(size) + header.block_max));
  const auto decoded =
      decoder_.decode_whole(stored.first(static_cast<std::size_t>(frame.size)), room_);
  work += frame.size + size / 16;
  if (!decoded) {
    return 0;
  }
  const ByteView head = ByteView(room_).first(std::min(*decoded, kProbeHead));
  return !head.empty() && (probe.starts_record == nullptr || probe.starts_record(head)) ? frame.size
                                                                                        : 0;
}

std::optional<std::uint64_t> FrameProbe::swallowed(const StoredView& stored, std::uint64_t from,
                                                   std::uint64_t to, const RecordProbe& probe,
                                                   std::uint64_t most, DamageBudget& budget) {
  return find_swallowed(stored, from, to, kFrameMagicText, budget,
                        [&](std::size_t at, std::uint64_t& work) {
                          return whole_record(stored.bytes.subspan(at), probe, most, work);
                        });
}

}  // namespace fonds::lz4
