#include "codec/decoded_source.hpp"

#include <algorithm>

namespace fonds {

Result<std::uint64_t> DecodedSource::size() {
  return fail(ErrorCode::Unsupported, "the decoded size is not known", {.source = name_});
}

Result<std::size_t> DecodedSource::read_at(std::uint64_t /*offset*/, MutableByteView /*out*/) {
  return fail(ErrorCode::Unsupported, "compressed as a whole: can only be read from start to end",
              {.source = name_});
}

Result<std::size_t> DecodedSource::read_next(MutableByteView out) {
  while (true) {
    FONDS_TRY(const ByteView seen, decoder_->peek(1));
    if (!seen.empty()) {
      const std::size_t n = std::min(out.size(), seen.size());
      std::copy_n(seen.begin(), n, out.begin());
      decoder_->consume(n);
      return n;
    }
    FONDS_TRY(const bool more, decoder_->next_run());
    if (!more) {
      return 0;
    }
  }
}

}  // namespace fonds
