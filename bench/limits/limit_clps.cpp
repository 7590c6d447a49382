// limit_clps [--compress LEVEL] FILE OFFSET:LENGTH…: libzstd alone over these parts of a clp-s
// archive that is known to be good, each a run of frames, one after another into one reused buffer.
// How long their contents are, which the frames do not say, is found out and the buffer touched
// before the clock starts. With --compress the contents are compressed anew, and only that is
// timed.
//
// Prints the JSON line of recordio_driver, without records and items.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>
#include <system_error>
#include <vector>

#include <zstd.h>

#include "support.hpp"

namespace {

using fonds::bench::ByteView;
using fonds::bench::fail;

std::size_t number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail("a part is OFFSET:LENGTH");
  }
  return value;
}

// Adds the frames of the part `words` to `frames`.
void split(ByteView file, std::string_view words, std::vector<ByteView>& frames) {
  const std::size_t colon = std::min(words.find(':'), words.size() - 1);
  const std::size_t offset = number(words.substr(0, colon));
  const std::size_t length = number(words.substr(colon + 1));
  if (offset > file.size() || length > file.size() - offset) {
    fail("a part lies outside of the file");
  }
  for (ByteView rest = file.subspan(offset, length); !rest.empty();) {
    const std::size_t size = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(size) != 0) {
      fail("a part is no run of zstd frames");
    }
    frames.push_back(rest.first(size));
    rest = rest.subspan(size);
  }
}

class Decoder {
 public:
  // The length of the content.
  std::size_t measure(ByteView frame) {
    std::vector<std::byte> piece(ZSTD_DStreamOutSize());
    ZSTD_inBuffer in{frame.data(), frame.size(), 0};
    std::size_t total = 0;
    for (std::size_t left = 1; left != 0;) {
      ZSTD_outBuffer out{piece.data(), piece.size(), 0};
      left = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(left) != 0 || (left != 0 && in.pos == in.size && out.pos < out.size)) {
        fail("a zstd frame cannot be decoded");
      }
      total += out.pos;
    }
    return total;
  }

  // `out` must have room for the content; returns its length.
  std::size_t decode(ByteView frame, std::vector<std::byte>& out) {
    const std::size_t length =
        ZSTD_decompressDCtx(context_.get(), out.data(), out.size(), frame.data(), frame.size());
    if (ZSTD_isError(length) != 0) {
      fail("a zstd frame cannot be decoded");
    }
    return length;
  }

 private:
  std::unique_ptr<ZSTD_DCtx, std::size_t (*)(ZSTD_DCtx*)> context_{ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx};
};

class Encoder {
 public:
  explicit Encoder(int level) : level_(level) {}

  // Compresses `content` into a buffer that is used again.
  void encode(ByteView content) {
    out_.resize(std::max(out_.size(), ZSTD_compressBound(content.size())));
    if (ZSTD_isError(ZSTD_compressCCtx(context_.get(), out_.data(), out_.size(), content.data(),
                                       content.size(), level_)) != 0) {
      fail("a content cannot be compressed");
    }
  }

 private:
  int level_;
  std::vector<std::byte> out_;
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> context_{ZSTD_createCCtx(),
                                                                   ZSTD_freeCCtx};
};

}  // namespace

int main(int argc, char** argv) {
  const bool compress = argc > 2 && std::string_view(argv[1]) == "--compress";
  const int first = compress ? 3 : 1;
  if (argc < first + 2) {
    fail("usage: limit_clps [--compress LEVEL] FILE OFFSET:LENGTH…");
  }
  const fonds::bench::MappedFile mapped(argv[first]);
  std::vector<ByteView> frames;
  for (int n = first + 1; n < argc; ++n) {
    split(mapped.bytes(), argv[n], frames);
  }
  Decoder decoder;
  std::size_t largest = 1;
  for (const ByteView frame : frames) {
    largest = std::max(largest, decoder.measure(frame));
  }
  std::vector<std::byte> out(largest);
  Encoder encoder(compress ? static_cast<int>(number(argv[2])) : 0);

  unsigned long long decoded = 0;
  fonds::bench::Times taken = {};
  for (const ByteView frame : frames) {
    fonds::bench::Times start = fonds::bench::times_now();
    const std::size_t length = decoder.decode(frame, out);
    decoded += length;
    if (compress) {
      start = fonds::bench::times_now();
      encoder.encode(ByteView(out).first(length));
    }
    const fonds::bench::Times more = fonds::bench::times_now() - start;
    taken = {taken.wall + more.wall, taken.user + more.user, taken.system + more.system};
  }
  std::printf(
      "{\"op\":\"limit\",\"decoded\":%llu,\"wall_s\":%.6f,\"user_s\":%.6f,\"sys_s\":%.6f,"
      "\"max_rss_KiB\":%llu}\n",
      decoded, taken.wall, taken.user, taken.system,
      static_cast<unsigned long long>(fonds::bench::peak_kib()));
  return 0;
}
