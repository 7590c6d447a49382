#include "codec/bzip2/codec.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <bzlib.h>

#include "codec/stream_decoder.hpp"

namespace fonds::bzip2 {
namespace {

constexpr std::string_view kMagic = "BZh";
// Behind the digit that gives the block size stands a block or, in an empty stream, the end.
constexpr std::string_view kBlock("\x31\x41\x59\x26\x53\x59", 6);
constexpr std::string_view kEnd("\x17\x72\x45\x38\x50\x90", 6);
// The library counts in unsigned int.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

bool begins_stream(ByteView stored) {
  const std::string_view text = as_text(stored);
  // A cut file is still bzip2.
  if (!text.starts_with(kMagic) || text.size() == kMagic.size()) {
    return text == kMagic;
  }
  if (text[3] < '1' || text[3] > '9') {
    return false;
  }
  const std::string_view next = text.substr(4, kBlock.size());
  return kBlock.starts_with(next) || kEnd.starts_with(next);
}

class Bzip2Engine final : public StreamEngine {
 public:
  Bzip2Engine() = default;
  Bzip2Engine(const Bzip2Engine&) = delete;
  Bzip2Engine& operator=(const Bzip2Engine&) = delete;
  ~Bzip2Engine() override { stop(); }

  std::string_view name() const override { return "bzip2"; }
  ByteView magic() const override { return as_bytes(kMagic); }
  bool begins(ByteView stored) const override { return begins_stream(stored); }
  std::size_t padding_unit() const override { return 0; }

  bool start() override {
    stop();
    stream_ = {};
    started_ = BZ2_bzDecompressInit(&stream_, 0, 0) == BZ_OK;
    return started_;
  }

  Step step(ByteView in, MutableByteView out) override {
    in = in.first(std::min(in.size(), kMostBytes));
    out = out.first(std::min(out.size(), kMostBytes));
    // The library does not write to its input.
    stream_.next_in = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
    stream_.avail_in = static_cast<unsigned>(in.size());
    stream_.next_out = reinterpret_cast<char*>(out.data());
    stream_.avail_out = static_cast<unsigned>(out.size());
    const int verdict = BZ2_bzDecompress(&stream_);
    return {
        verdict == BZ_STREAM_END ? State::End : (verdict == BZ_OK ? State::More : State::Corrupt),
        in.size() - stream_.avail_in, out.size() - stream_.avail_out};
  }

 private:
  void stop() {
    if (started_) {
      BZ2_bzDecompressEnd(&stream_);
      started_ = false;
    }
  }

  bz_stream stream_ = {};
  bool started_ = false;
};

class Bzip2Codec final : public Codec {
 public:
  std::string_view name() const override { return "bzip2"; }
  int probe(ByteView head) const override {
    return begins_stream(head) ? static_cast<int>(8 * std::min<std::size_t>(head.size(), 10)) : 0;
  }

  Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                          const DecodeOptions& options) const override {
    return std::unique_ptr<Decoder>(
        std::make_unique<StreamDecoder>(std::move(source), options, std::make_unique<Bzip2Engine>(),
                                        std::make_unique<Bzip2Engine>()));
  }

  std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                          const RecordProbe& probe) const override {
    Bzip2Engine engine;
    return find_stream(engine, stored, from, to, probe);
  }
};

}  // namespace

const Codec& bzip2_codec() {
  static const Bzip2Codec codec;
  return codec;
}

}  // namespace fonds::bzip2
