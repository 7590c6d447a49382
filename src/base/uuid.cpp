#include "base/uuid.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include <fonds/bytes.hpp>

#include "base/digest.hpp"

namespace fonds {
namespace {

using Octets = std::array<std::byte, 16>;

std::string to_text(Octets octets, unsigned version) {
  octets[6] = (octets[6] & std::byte{0x0f}) | std::byte(version << 4U);
  octets[8] = (octets[8] & std::byte{0x3f}) | std::byte{0x80};
  const std::string hex = to_hex(octets);
  std::string text;
  text.reserve(36);
  for (std::size_t i = 0; i < hex.size(); ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) {
      text += '-';
    }
    text += hex[i];
  }
  return text;
}

std::optional<std::string> octets_of(std::string_view uuid) {
  if (uuid.size() != 36) {
    return std::nullopt;
  }
  std::string hex;
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen != (uuid[i] == '-')) {
      return std::nullopt;
    }
    if (!hyphen) {
      hex += uuid[i];
    }
  }
  return from_hex(hex);
}

}  // namespace

Result<std::string> random_uuid() {
  Octets octets = {};
  if (getentropy(octets.data(), octets.size()) != 0) {
    return fail(ErrorCode::Io,
                "no random octets: " + std::error_code(errno, std::generic_category()).message());
  }
  return to_text(octets, 4);
}

Result<std::string> named_uuid(std::string_view name_space, std::string_view name) {
  const auto prefix = octets_of(name_space);
  if (!prefix) {
    return fail(ErrorCode::BadArgument, "a name space of UUIDs has to be a UUID");
  }
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(*prefix));
  hasher.update(as_bytes(name));
  const DigestValue digest = hasher.finish();
  Octets octets = {};
  if (digest.size < octets.size()) {
    return fail(ErrorCode::Unsupported, "the cryptography library does not offer SHA-1");
  }
  for (std::size_t i = 0; i < octets.size(); ++i) {
    octets[i] = digest.bytes[i];
  }
  return to_text(octets, 5);
}

}  // namespace fonds
