#include "codec/zstd/codec.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "codec/resync.hpp"
#include "codec/zstd/decoder.hpp"
#include "codec/zstd/dictionary.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds::zstd {
namespace {

bool begins_with_dictionary(ByteView stored) {
  return stored.size() >= 4 && load_le32(stored) == kDictionaryFrameMagic;
}

// The dictionary at the head of `stored`, if there is one that can be used.
Dictionary head_dictionary(ByteView stored) {
  if (!begins_with_dictionary(stored)) {
    return {};  // without looking at the blocks of a first frame that may be the whole file
  }
  const FrameInfo first = scan_frame(stored);
  if (first.state != FrameState::Complete) {
    return {};
  }
  return load_dictionary(
      stored.first(static_cast<std::size_t>(first.size)).subspan(kSkippableHeader), 0,
      DecodeOptions{}.max_dictionary, [](const Finding&) {});
}

// The dictionary frame at the head of a source, or less than a frame where none stands there that
// may be loaded.
Result<std::vector<std::byte>> read_head_frame(ByteSource& source) {
  std::vector<std::byte> head(kSkippableHeader);
  FONDS_TRY(std::size_t n, source.read_at(0, head));
  head.resize(n);
  if (n < kSkippableHeader || !begins_with_dictionary(head)) {
    return head;
  }
  if (const std::uint64_t size = load_le32(ByteView(head).subspan(4));
      size <= DecodeOptions{}.max_dictionary) {
    head.resize(kSkippableHeader + static_cast<std::size_t>(size));
    FONDS_TRY(n, source.read_at(0, head));
    head.resize(n);
  }
  return head;
}

class ZstdCodec final : public Codec {
 public:
  std::string_view name() const override { return "zstd"; }

  int probe(ByteView head) const override {
    if (head.size() < 4) {
      return 0;
    }
    const std::uint32_t magic = load_le32(head);
    return magic == kFrameMagic ? 32 : (is_skippable_magic(magic) ? 28 : 0);
  }

  Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                          const DecodeOptions& options) const override {
    auto decoder = std::make_unique<ZstdDecoder>(std::move(source), options);
    FONDS_CHECK(decoder->open());
    return std::unique_ptr<Decoder>(std::move(decoder));
  }

  std::vector<std::pair<std::string, std::string>> describe(ByteSource& source) const override {
    if (!source.random_access()) {
      return {};
    }
    const auto head = read_head_frame(source);
    if (!head) {
      return {};
    }
    if (!begins_with_dictionary(*head)) {
      return {{"dictionary", "none"}};
    }
    const DictionaryInfo info = head_dictionary(*head).info;
    if (!info.usable) {
      return {{"dictionary", "unusable"}};
    }
    return {{"dictionary", info.compressed ? "compressed" : "raw"},
            {"dictionary_id", std::to_string(info.id)},
            {"dictionary_size", std::to_string(info.decoded_size)}};
  }

  std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                          const RecordProbe& probe) const override {
    to = std::min<std::uint64_t>(to, stored.size());
    FrameProbe frames;
    if (from >= to || !frames.ready()) {
      return to;
    }
    frames.use(head_dictionary(stored));
    return find_in_view(stored, from, to, kFrameMagicText,
                        [&](std::size_t at, std::uint64_t& work) {
                          return frames.begins_record(stored.subspan(at), probe,
                                                      DecodeOptions{}.max_window_log, work);
                        });
  }
};

}  // namespace

const Codec& zstd_codec() {
  static const ZstdCodec codec;
  return codec;
}

}  // namespace fonds::zstd
