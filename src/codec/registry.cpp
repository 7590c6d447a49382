// The one list of codecs.
#include <array>
#include <span>

#include <fonds/codec.hpp>

#include "codec/bzip2/codec.hpp"
#include "codec/gzip/codec.hpp"
#include "codec/lz4/codec.hpp"
#include "codec/none/codec.hpp"
#include "codec/xz/codec.hpp"
#include "codec/zstd/codec.hpp"

namespace fonds {

std::span<const Codec* const> codecs() {
  static const std::array<const Codec*, 6> all = {&gzip::gzip_codec(), &zstd::zstd_codec(),
                                                  &lz4::lz4_codec(),   &bzip2::bzip2_codec(),
                                                  &xz::xz_codec(),     &none::none_codec()};
  return all;
}

const Codec& probe_codec(ByteView head) {
  const Codec* best = codecs().back();
  int bits = 0;
  for (const Codec* codec : codecs()) {
    if (const int speaks = codec->probe(head); speaks > bits) {
      best = codec;
      bits = speaks;
    }
  }
  return *best;
}

}  // namespace fonds
