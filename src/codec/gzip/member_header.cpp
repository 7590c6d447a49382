#include "codec/gzip/member_header.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include <libdeflate.h>

#include "base/bytes.hpp"

namespace fonds::gzip {

namespace {

constexpr std::size_t kFixedPart = 10;
constexpr std::array kMagic = {std::byte{0x1F}, std::byte{0x8B}, std::byte{0x08}};

constexpr unsigned kHeaderCrc = 1U << 1, kExtra = 1U << 2, kName = 1U << 3, kComment = 1U << 4;
constexpr unsigned kReserved = 0xE0;

unsigned load_le16(ByteView bytes) {
  return std::to_integer<unsigned>(bytes[0]) | std::to_integer<unsigned>(bytes[1]) << 8;
}

// Subfields that reach beyond the extra field end the search.
std::optional<SkipLengths> find_skip_lengths(ByteView extra) {
  while (extra.size() >= 4) {
    const std::size_t length = load_le16(extra.subspan(2));
    if (length > extra.size() - 4) {
      break;
    }
    if (extra[0] == std::byte{'s'} && extra[1] == std::byte{'l'} && length == 8) {
      return SkipLengths{.stored = load_le32(extra.subspan(4)),
                         .decoded = load_le32(extra.subspan(8))};
    }
    extra = extra.subspan(4 + length);
  }
  return std::nullopt;
}

// Moves `at` behind the text at stored[at] and its zero; false if there is none.
bool pass_text(ByteView stored, std::size_t& at) {
  const void* const zero =
      at < stored.size() ? std::memchr(stored.data() + at, 0, stored.size() - at) : nullptr;
  if (zero == nullptr) {
    return false;
  }
  at = static_cast<std::size_t>(static_cast<const std::byte*>(zero) - stored.data()) + 1;
  return true;
}

}  // namespace

HeaderState parse_member_header(ByteView stored, MemberHeader& header) {
  const HeaderState at_end =
      stored.size() < kLongestHeader ? HeaderState::NeedMore : HeaderState::Not;
  stored = stored.first(std::min(stored.size(), kLongestHeader));
  const std::size_t magic_there = std::min(stored.size(), kMagic.size());
  if (!std::equal(kMagic.begin(), kMagic.begin() + static_cast<std::ptrdiff_t>(magic_there),
                  stored.begin())) {
    return HeaderState::Not;
  }
  if (stored.size() < 4) {
    return at_end;
  }
  const unsigned flags = std::to_integer<unsigned>(stored[3]);
  if ((flags & kReserved) != 0) {
    return HeaderState::Not;
  }
  header = MemberHeader{};
  std::size_t at = kFixedPart;
  if ((flags & kExtra) != 0) {
    if (stored.size() < at + 2) {
      return at_end;
    }
    const std::size_t length = load_le16(stored.subspan(at));
    at += 2;
    if (stored.size() < at + length) {
      return at_end;
    }
    header.sl = find_skip_lengths(stored.subspan(at, length));
    at += length;
  }
  if (((flags & kName) != 0 && !pass_text(stored, at)) ||
      ((flags & kComment) != 0 && !pass_text(stored, at))) {
    return at_end;
  }
  if ((flags & kHeaderCrc) != 0) {
    if (stored.size() < at + 2) {
      return at_end;
    }
    header.bad_header_crc =
        (libdeflate_crc32(0, stored.data(), at) & 0xFFFFU) != load_le16(stored.subspan(at));
    at += 2;
  }
  if (stored.size() < at) {
    return at_end;
  }
  header.length = at;
  return HeaderState::Good;
}

}  // namespace fonds::gzip
