#include "codec/lz4/codec.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/bytes.hpp"
#include "codec/lz4/decoder.hpp"
#include "codec/lz4/frame.hpp"
#include "codec/resync.hpp"

namespace fonds::lz4 {
namespace {

class Lz4Codec final : public Codec {
 public:
  std::string_view name() const override { return "lz4"; }

  // Skippable frames are zstd's as well; what follows them decides.
  int probe(ByteView head) const override {
    while (head.size() >= 8 && is_skippable_magic(load_le32(head))) {
      const std::uint64_t size = 8 + std::uint64_t{load_le32(head.subspan(4))};
      head = head.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(size, head.size())));
    }
    if (head.size() < 4) {
      return 0;
    }
    const std::uint32_t magic = load_le32(head);
    return magic == kFrameMagic || magic == kLegacyMagic ? 32 : 0;
  }

  Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                          const DecodeOptions& options) const override {
    auto decoder = std::make_unique<Lz4Decoder>(std::move(source), options);
    if (!decoder->ready()) {
      return fail(ErrorCode::Internal, "no memory for an lz4 decoder");
    }
    return std::unique_ptr<Decoder>(std::move(decoder));
  }

  std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                          const RecordProbe& probe) const override {
    to = std::min<std::uint64_t>(to, stored.size());
    FrameProbe frames;
    if (from >= to || !frames.ready()) {
      return to;
    }
    return find_in_view(stored, from, to, kFrameMagicText,
                        [&](std::size_t at, std::uint64_t& work) {
                          return frames.begins_record(stored.subspan(at), probe, work);
                        });
  }
};

}  // namespace

const Codec& lz4_codec() {
  static const Lz4Codec codec;
  return codec;
}

}  // namespace fonds::lz4
