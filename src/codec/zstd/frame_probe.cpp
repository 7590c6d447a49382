#include "codec/zstd/frame_probe.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "codec/resync.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::zstd {
namespace {

constexpr std::size_t kProbeHead = std::size_t{64} << 10;

// Behind the skippable frames that begin at `at` and before `to`: size prefixes part frames.
std::uint64_t behind_skippable(ByteView stored, std::uint64_t at, std::uint64_t to) {
  while (at < to) {
    const FrameInfo frame = scan_frame(stored.subspan(static_cast<std::size_t>(at)));
    if (frame.kind != FrameKind::Skippable || frame.state != FrameState::Complete) {
      break;
    }
    at += frame.size;
  }
  return at;
}

}  // namespace

bool FrameProbe::can_decode(const FrameHeader& header, unsigned max_window_log) const {
  return !header.reserved_bit && window_allowed(header.window_size, max_window_log) &&
         (!header.dictionary_id ||
          (dictionary_.info.usable && *header.dictionary_id == dictionary_.info.id));
}

void FrameProbe::use(const Dictionary& dictionary) {
  dictionary_ = dictionary;
  decoder_.use(dictionary_.digested.get());
}

bool FrameProbe::begins_record(ByteView stored, const RecordProbe& probe, unsigned max_window_log,
                               std::uint64_t& work) {
  const auto header = parse_frame_header(stored);
  if (!header || !can_decode(*header, max_window_log)) {
    return false;
  }
  head_.resize(std::max(head_.size(), kProbeHead));
  decoder_.start(*header);
  const ByteView blocks = stored.subspan(header->size);
  const auto step = decoder_.step(blocks.first(std::min(blocks.size(), kProbeStored)),
                                  MutableByteView(head_).first(kProbeHead));
  work += step.used + step.written / 16;
  const ByteView head = ByteView(head_).first(step.written);
  if (probe.starts_record != nullptr) {
    return !head.empty() && probe.starts_record(head);
  }
  return !head.empty() && step.state != FrameDecoder::State::Corrupt;
}

std::uint64_t FrameProbe::whole_record(ByteView stored, const DecodeOptions& options,
                                       std::uint64_t& work) {
  const auto header = parse_frame_header(stored);
  if (!header || !can_decode(*header, options.max_window_log)) {
    return 0;
  }
  const FrameInfo frame = scan_frame(stored);
  work += frame.blocks;
  const std::uint64_t size = header->content_size.value_or(frame.decoded_most);
  if (frame.state != FrameState::Complete || size > options.max_whole_unit) {
    return 0;
  }
  head_.resize(std::max({head_.size(), kProbeHead, static_cast<std::size_t>(size)}));
  const auto decoded =
      decoder_.decode_whole(stored.first(static_cast<std::size_t>(frame.size)), head_);
  work += frame.size + size / 16;
  if (!decoded) {
    return 0;
  }
  const ByteView head = ByteView(head_).first(std::min(*decoded, kProbeHead));
  const auto starts_record = options.probe.starts_record;
  return !head.empty() && (starts_record == nullptr || starts_record(head)) ? frame.size : 0;
}

std::optional<std::uint64_t> FrameProbe::swallowed(const StoredView& stored, std::uint64_t from,
                                                   std::uint64_t to, const DecodeOptions& options,
                                                   DamageBudget& budget) {
  return find_swallowed(
      stored, from, to, kFrameMagicText, budget, [&](std::size_t at, std::uint64_t& work) {
        const std::uint64_t size = whole_record(stored.bytes.subspan(at), options, work);
        return size == 0 ? 0 : behind_skippable(stored.bytes, at + size, to - stored.offset) - at;
      });
}

}  // namespace fonds::zstd
