// limit_recordio_zstd FILE [joined]: libzstd alone over the blocks of a RecordIO v2 file that is
// known to be good, each into one reused buffer: no checksums, no items. With `joined` the payloads
// of all chunks are put together before the clock starts, and only libzstd is measured; without it
// reading and joining count too, which no reader can avoid.
//
// Prints the JSON line of recordio_driver, without records and items.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include <sys/resource.h>  // NOLINT(misc-include-cleaner): struct rusage
#include <zstd.h>

#include "support.hpp"

namespace {

using fonds::bench::ByteView;
using fonds::bench::fail;

constexpr std::size_t kChunk = 32768;
constexpr std::size_t kChunkHeader = 28;

// A little-endian number of the chunk header, on a little-endian machine.
std::uint32_t field(ByteView chunk, std::size_t offset) {
  std::uint32_t value = 0;
  std::memcpy(&value, chunk.data() + offset, sizeof(value));
  return value;
}

// Appends the payloads of the block at `at` to `out`; returns where the next block begins.
std::size_t join_block(ByteView file, std::size_t at, std::vector<std::byte>& out) {
  const std::size_t total = field(file.subspan(at), 20);
  if (total == 0 || total > (file.size() - at) / kChunk) {
    fail("a block does not fit into the file");
  }
  for (std::size_t n = 0; n < total; ++n, at += kChunk) {
    const ByteView chunk = file.subspan(at, kChunk);
    const std::size_t size = field(chunk, 16);
    if (size > kChunk - kChunkHeader) {
      fail("a chunk is too large");
    }
    const std::byte* const payload = chunk.data() + kChunkHeader;
    out.insert(out.end(), payload, payload + size);
  }
  return at;
}

class Decoder {
 public:
  // Discards what comes out.
  void decode(ByteView block) {
    const auto size = ZSTD_getFrameContentSize(block.data(), block.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
      fail("a block is no zstd frame that says its size");
    }
    if (out_.size() < size) {
      out_.resize(size);
    }
    const std::size_t length =
        ZSTD_decompressDCtx(context_.get(), out_.data(), out_.size(), block.data(), block.size());
    if (length != size) {
      fail("a zstd frame cannot be decoded");
    }
    decoded_ += length;
  }
  unsigned long long decoded() const { return decoded_; }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx};
  std::vector<std::byte> out_;
  unsigned long long decoded_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3 || (argc == 3 && std::string_view(argv[2]) != "joined")) {
    fail("usage: limit_recordio_zstd FILE [joined]");
  }
  const bool joined = argc == 3;
  fonds::bench::Times start = fonds::bench::times_now();
  const fonds::bench::MappedFile mapped(argv[1]);
  const ByteView file = mapped.bytes();
  Decoder decoder;
  std::vector<std::byte> payloads;
  std::vector<std::size_t> ends;
  std::size_t at = join_block(file, 0, payloads);  // the header block
  payloads.clear();
  while (at < file.size()) {
    at = join_block(file, at, payloads);
    if (joined) {
      ends.push_back(payloads.size());
    } else {
      decoder.decode(payloads);
      payloads.clear();
    }
  }
  if (joined) {
    start = fonds::bench::times_now();
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      decoder.decode(ByteView(payloads).subspan(begin, end - begin));
      begin = end;
    }
  }
  const fonds::bench::Times taken = fonds::bench::times_now() - start;
  std::printf(
      "{\"op\":\"limit\",\"decoded\":%llu,\"wall_s\":%.6f,\"user_s\":%.6f,\"sys_s\":%.6f,"
      "\"max_rss_KiB\":%llu}\n",
      decoder.decoded(), taken.wall, taken.user, taken.system,
      static_cast<unsigned long long>(fonds::bench::peak_kib()));
  return 0;
}
