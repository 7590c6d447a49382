// limit_gzip FILE UNITS: libdeflate alone. Inflates every member into one reused buffer of exactly
// the known size, which checks CRC-32 and ISIZE.

#include <cstddef>
#include <cstdio>
#include <vector>

#include <libdeflate.h>

#include "support.hpp"

int main(int argc, char** argv) {
  using namespace fonds::bench;
  if (argc != 3) {
    fail("usage: limit_gzip FILE UNITS");
  }
  const MappedFile file(argv[1]);
  const std::vector<Unit> units = load_units(argv[2], file.bytes());
  std::vector<std::byte> out(largest_unit(units));
  libdeflate_decompressor* const inflater = libdeflate_alloc_decompressor();
  unsigned long long decoded = 0;
  for (const Unit& unit : units) {
    if (libdeflate_gzip_decompress(inflater, file.bytes().data() + unit.stored_offset,
                                   unit.stored_length, out.data(), unit.decoded_length,
                                   nullptr) != LIBDEFLATE_SUCCESS) {
      fail("a gzip member cannot be inflated");
    }
    decoded += unit.decoded_length;
  }
  libdeflate_free_decompressor(inflater);
  std::printf("{\"records\": %zu, \"bytes\": %llu}\n", units.size(), decoded);
  return 0;
}
