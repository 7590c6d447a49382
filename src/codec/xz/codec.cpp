#include "codec/xz/codec.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <lzma.h>

#include "codec/stream_decoder.hpp"

namespace fonds::xz {
namespace {

constexpr std::string_view kMagic("\xfd\x37\x7a\x58\x5a\x00", 6);
constexpr std::uint64_t kMemoryLimit = std::uint64_t{512} << 20;

class XzEngine final : public StreamEngine {
 public:
  XzEngine() = default;
  XzEngine(const XzEngine&) = delete;
  XzEngine& operator=(const XzEngine&) = delete;
  ~XzEngine() override { lzma_end(&stream_); }

  std::string_view name() const override { return "xz"; }
  ByteView magic() const override { return as_bytes(kMagic); }
  bool begins(ByteView stored) const override { return as_text(stored).starts_with(kMagic); }
  // .xz file format, 2.2.
  std::size_t padding_unit() const override { return 4; }

  bool start() override { return lzma_stream_decoder(&stream_, kMemoryLimit, 0) == LZMA_OK; }

  Step step(ByteView in, MutableByteView out) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    stream_.avail_out = out.size();
    const lzma_ret verdict = lzma_code(&stream_, LZMA_RUN);
    return {state_of(verdict), in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

 private:
  static State state_of(lzma_ret verdict) {
    switch (verdict) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:
        return State::More;
      case LZMA_STREAM_END:
        return State::End;
      case LZMA_OPTIONS_ERROR:
        return State::Unsupported;
      case LZMA_MEMLIMIT_ERROR:
      case LZMA_MEM_ERROR:
        return State::OverLimit;
      default:
        return State::Corrupt;
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class XzCodec final : public Codec {
 public:
  std::string_view name() const override { return "xz"; }
  int probe(ByteView head) const override { return as_text(head).starts_with(kMagic) ? 48 : 0; }

  Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                          const DecodeOptions& options) const override {
    return std::unique_ptr<Decoder>(std::make_unique<StreamDecoder>(
        std::move(source), options, std::make_unique<XzEngine>(), std::make_unique<XzEngine>()));
  }

  std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                          const RecordProbe& probe) const override {
    XzEngine engine;
    return find_stream(engine, stored, from, to, probe);
  }
};

}  // namespace

const Codec& xz_codec() {
  static const XzCodec codec;
  return codec;
}

}  // namespace fonds::xz
