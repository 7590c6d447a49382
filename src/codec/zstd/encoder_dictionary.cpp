// Dictionaries that others made, checked before anything is compressed with them.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "base/bytes.hpp"
#include "base/guarded.hpp"
#include "codec/zstd/dictionary.hpp"
#include "codec/zstd/frame.hpp"

namespace fonds {

struct ZstdDictionary::Content {
  std::vector<std::byte> bytes;
  std::uint32_t id = 0;
};

namespace {

tl::unexpected<Error> too_large() {
  return fail(ErrorCode::LimitExceeded,
              fmt::format("the dictionary has more than {} bytes, which readers need not support",
                          zstd::kCommonDictionary));
}

}  // namespace

Result<ZstdDictionary> ZstdDictionary::parse(ByteView bytes) {
  return guarded([&]() -> Result<ZstdDictionary> {
    if (bytes.size() >= zstd::kSkippableHeader && load_le32(bytes) == zstd::kDictionaryFrameMagic) {
      const std::uint64_t size = load_le32(bytes.subspan(4));
      bytes = bytes.subspan(zstd::kSkippableHeader);
      if (size > bytes.size()) {
        return fail(ErrorCode::BadArgument,
                    fmt::format("the dictionary frame asks for {} bytes, {} are there", size,
                                bytes.size()));
      }
      bytes = bytes.first(static_cast<std::size_t>(size));
    }
    if (bytes.size() > zstd::kCommonDictionary) {
      return too_large();
    }
    std::string reason = "it is neither a dictionary nor a zstd frame";
    const auto frame = zstd::parse_frame_header(bytes);
    const bool has_checksum = frame && frame->checksum;
    bool right = true;
    std::vector<std::byte> decoded;
    const zstd::Dictionary loaded = zstd::load_dictionary(
        bytes, 0, zstd::kCommonDictionary,
        [&](const Finding& found) {
          reason = found.message;
          // A right checksum tells that the content is right, whatever size the frame says.
          right = right && (has_checksum ? found.code != "zd-checksum"
                                         : found.code != "zd-size" || !frame->content_size);
        },
        &decoded);
    if (loaded.info.over_limit) {
      return too_large();
    }
    if (!loaded.info.usable || !right) {
      return fail(ErrorCode::BadArgument, fmt::format("no zstd dictionary: {}", reason));
    }
    if (loaded.info.id == 0) {
      return fail(ErrorCode::BadArgument,
                  "the dictionary has the ID 0, which no zstd frame can name");
    }
    auto content = std::make_shared<Content>();
    content->id = loaded.info.id;
    content->bytes =
        loaded.info.compressed ? std::move(decoded) : std::vector(bytes.begin(), bytes.end());
    return ZstdDictionary(std::move(content));
  });
}

ByteView ZstdDictionary::bytes() const { return content_->bytes; }
std::uint32_t ZstdDictionary::id() const { return content_->id; }

}  // namespace fonds
