// limit_recompress FILE UNITS gzip|zstd LEVEL OUT: inflates each gzip member with libdeflate and
// compresses it again alone, with libdeflate or libzstd, as little as any writer must do: checksum,
// content size, one buffer of each kind, written at once for each member.

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#include <libdeflate.h>
#include <zstd.h>

#include "support.hpp"

namespace {

using fonds::bench::ByteView;
using fonds::bench::fail;

class Compressor {
 public:
  Compressor(bool zstd, int level) : zstd_(zstd) {
    if (zstd_) {
      ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, level);
      ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
    } else {
      deflater_.reset(libdeflate_alloc_compressor(level));
    }
  }
  ByteView compress(ByteView decoded) {
    out_.resize(zstd_ ? ZSTD_compressBound(decoded.size())
                      : libdeflate_gzip_compress_bound(deflater_.get(), decoded.size()));
    const std::size_t size =
        zstd_ ? ZSTD_compress2(context_.get(), out_.data(), out_.size(), decoded.data(),
                               decoded.size())
              : libdeflate_gzip_compress(deflater_.get(), decoded.data(), decoded.size(),
                                         out_.data(), out_.size());
    if (size == 0 || (zstd_ && ZSTD_isError(size) != 0)) {
      fail("a member cannot be compressed");
    }
    return ByteView(out_).first(size);
  }

 private:
  bool zstd_;
  std::unique_ptr<ZSTD_CCtx, size_t (*)(ZSTD_CCtx*)> context_{ZSTD_createCCtx(), ZSTD_freeCCtx};
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> deflater_{
      nullptr, libdeflate_free_compressor};
  std::vector<std::byte> out_;
};

}  // namespace

int main(int argc, char** argv) {
  using namespace fonds::bench;
  if (argc != 6) {
    fail("usage: limit_recompress FILE UNITS gzip|zstd LEVEL OUT");
  }
  const MappedFile file(argv[1]);
  const std::vector<Unit> units = load_units(argv[2], file.bytes());
  std::vector<std::byte> decoded(largest_unit(units));
  libdeflate_decompressor* const inflater = libdeflate_alloc_decompressor();
  Compressor compressor(std::string_view(argv[3]) == "zstd", std::atoi(argv[4]));
  std::FILE* const out = std::fopen(argv[5], "wb");
  if (out == nullptr) {
    fail("the output cannot be created");
  }
  for (const Unit& unit : units) {
    if (libdeflate_gzip_decompress(inflater, file.bytes().data() + unit.stored_offset,
                                   unit.stored_length, decoded.data(), unit.decoded_length,
                                   nullptr) != LIBDEFLATE_SUCCESS) {
      fail("a gzip member cannot be inflated");
    }
    const ByteView stored =
        compressor.compress(ByteView(decoded).first(static_cast<std::size_t>(unit.decoded_length)));
    if (std::fwrite(stored.data(), 1, stored.size(), out) != stored.size()) {
      fail("the output cannot be written");
    }
  }
  libdeflate_free_decompressor(inflater);
  std::fclose(out);
  std::printf("{\"records\": %zu}\n", units.size());
  return 0;
}
