#include "format/clps/writing/open_input.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "base/guarded.hpp"
#include "codec/nested.hpp"
#include "codec/none/codec.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
constexpr int kMaxLayers = 2;

}  // namespace

Result<std::unique_ptr<Decoder>> open_input(std::shared_ptr<ByteSource> source,
                                            const ReadOptions& options) {
  return guarded([&]() -> Result<std::unique_ptr<Decoder>> {
    const DecodeOptions decode = decode_options(options);
    const std::string name = source->name();
    std::unique_ptr<Decoder> decoder;
    if (source->random_access()) {
      std::vector<std::byte> head(kHead);
      std::size_t have = 0;
      while (have < head.size()) {
        FONDS_TRY(const std::size_t n, source->read_at(have, MutableByteView(head).subspan(have)));
        if (n == 0) {
          break;
        }
        have += n;
      }
      head.resize(have);
      FONDS_TRY(decoder, probe_codec(head).decode(source, decode));
    } else {
      // A pipe is looked at through the plain decoder, which keeps what it has shown.
      FONDS_TRY(decoder, none::none_codec().decode(std::move(source), {}));
      FONDS_TRY(const ByteView head, decoder->peek(kHead));
      if (const Codec& codec = probe_codec(head); codec.name() != "none") {
        FONDS_TRY(decoder, decode_nested(std::move(decoder), name, codec, decode));
      }
    }
    for (int layer = 1; layer < kMaxLayers; ++layer) {
      FONDS_TRY(const ByteView head, decoder->peek(kHead));
      const Codec& codec = probe_codec(head);
      if (codec.name() == "none") {
        break;
      }
      FONDS_TRY(decoder, decode_nested(std::move(decoder), name, codec, decode));
    }
    return decoder;
  });
}

}  // namespace fonds::clps
