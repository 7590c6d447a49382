#include "codec/gzip/codec.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <fonds/seek_index.hpp>

#include "codec/gzip/decoder.hpp"
#include "codec/gzip/member_search.hpp"

namespace fonds::gzip {
namespace {

Status check_point(ByteSource& source, const SeekPoint& point) {
  const auto bad = [&](std::string message) {
    return fail(ErrorCode::Corrupt, std::move(message),
                {.source = source.name(), .stored_offset = point.stored_offset});
  };
  if (point.bits > 7) {
    return bad(fmt::format("seek point has {} bits of a byte to read, 7 are possible", point.bits));
  }
  if (point.bits > 0 && point.stored_offset == 0) {
    return bad(fmt::format("seek point has {} bits before the first byte", point.bits));
  }
  if (source.random_access()) {
    FONDS_TRY(const std::uint64_t size, source.size());
    if (point.stored_offset > size) {
      return bad(fmt::format("seek point lies behind the end of the source at {}", size));
    }
  }
  return {};
}

class GzipCodec final : public Codec {
 public:
  std::string_view name() const override { return "gzip"; }

  int probe(ByteView head) const override {
    const bool magic = head.size() >= 3 && head[0] == std::byte{0x1f} &&
                       head[1] == std::byte{0x8b} && head[2] == std::byte{8};
    return magic ? 24 : 0;
  }

  Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                          const DecodeOptions& options) const override {
    if (options.resume != nullptr) {
      FONDS_CHECK(check_point(*source, *options.resume));
    }
    return std::unique_ptr<Decoder>(std::make_unique<GzipDecoder>(std::move(source), options));
  }

  std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                          const RecordProbe& probe) const override {
    HeadInflater inflater;
    MemberHeader header;
    to = std::min<std::uint64_t>(to, stored.size());
    for (std::size_t at = from; (at = find_member_magic(stored, at, to)) != npos; ++at) {
      if (begins_record(stored, at, probe, inflater, header) && !inflater.output().empty()) {
        return at;
      }
    }
    return to;
  }
};

}  // namespace

const Codec& gzip_codec() {
  static const GzipCodec codec;
  return codec;
}

}  // namespace fonds::gzip
