// limit_stream FILE: ISA-L alone over a file that is one gzip member, into a 256 KiB buffer, with
// the CRC-32 and the length checked at the end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <vector>

#include <isa-l/igzip_lib.h>

#include "support.hpp"

int main(int argc, char** argv) {
  using namespace fonds::bench;
  if (argc != 2) {
    fail("usage: limit_stream FILE");
  }
  const MappedFile file(argv[1]);
  ByteView rest = file.bytes();
  std::vector<std::uint8_t> out(std::size_t{256} << 10U);
  const auto state = std::make_unique<inflate_state>();
  isal_inflate_init(state.get());
  state->crc_flag = ISAL_GZIP;
  unsigned long long decoded = 0;
  while (state->block_state != ISAL_BLOCK_FINISH) {
    if (state->avail_in == 0) {
      const std::size_t piece =
          std::min<std::size_t>(rest.size(), std::numeric_limits<std::uint32_t>::max());
      if (piece == 0) {
        fail("the gzip member is cut short");
      }
      // ISA-L's interface lacks const; it only reads from next_in.
      state->next_in =
          const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(rest.data()));
      state->avail_in = static_cast<std::uint32_t>(piece);
      rest = rest.subspan(piece);
    }
    state->next_out = out.data();
    state->avail_out = static_cast<std::uint32_t>(out.size());
    if (isal_inflate(state.get()) != ISAL_DECOMP_OK) {
      fail("the gzip member cannot be inflated");
    }
    decoded += out.size() - state->avail_out;
  }
  std::printf("{\"bytes\": %llu}\n", decoded);
  return 0;
}
