// limit_zstd FILE UNITS: libzstd alone, frame by frame into one reused buffer of the known size.
// The dictionary in the first frame, if any, is digested once.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <zstd.h>

#include "support.hpp"

namespace {

using fonds::bench::ByteView;
using fonds::bench::fail;
using Dictionary = std::unique_ptr<ZSTD_DDict, size_t (*)(ZSTD_DDict*)>;

bool starts_with_magic(ByteView bytes, std::uint32_t magic) {
  std::uint32_t found = 0;  // the files are little-endian, and so are the machines measured
  if (bytes.size() < sizeof(found)) {
    return false;
  }
  std::memcpy(&found, bytes.data(), sizeof(found));
  return found == magic;
}

// The dictionary of `.warc.zst`: a skippable frame of its own kind, raw or compressed.
Dictionary load_dictionary(ByteView file) {
  constexpr std::uint32_t kDictionaryFrame = 0x184D2A5DU;
  if (!starts_with_magic(file, kDictionaryFrame)) {
    return {nullptr, ZSTD_freeDDict};
  }
  const std::size_t size = ZSTD_findFrameCompressedSize(file.data(), file.size());
  if (ZSTD_isError(size) != 0 || size < 8) {
    fail("the dictionary frame is damaged");
  }
  ByteView content = file.subspan(8, size - 8);
  std::vector<std::byte> inflated;
  if (starts_with_magic(content, ZSTD_MAGICNUMBER)) {
    inflated.resize(std::size_t{8} << 20U);
    const std::size_t length =
        ZSTD_decompress(inflated.data(), inflated.size(), content.data(), content.size());
    if (ZSTD_isError(length) != 0) {
      fail("the dictionary cannot be decoded");
    }
    content = ByteView(inflated).first(length);
  }
  return {ZSTD_createDDict(content.data(), content.size()), ZSTD_freeDDict};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace fonds::bench;
  if (argc != 3) {
    fail("usage: limit_zstd FILE UNITS");
  }
  const MappedFile file(argv[1]);
  const std::vector<Unit> units = load_units(argv[2], file.bytes());
  std::vector<std::byte> out(largest_unit(units));
  const Dictionary dictionary = load_dictionary(file.bytes());
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  if (dictionary) {
    ZSTD_DCtx_refDDict(context.get(), dictionary.get());
  }
  unsigned long long decoded = 0;
  for (const Unit& unit : units) {
    const std::size_t length =
        ZSTD_decompressDCtx(context.get(), out.data(), out.size(),
                            file.bytes().data() + unit.stored_offset, unit.stored_length);
    if (length != unit.decoded_length) {
      fail("a zstd frame cannot be decoded");
    }
    decoded += length;
  }
  std::printf("{\"records\": %zu, \"bytes\": %llu}\n", units.size(), decoded);
  return 0;
}
