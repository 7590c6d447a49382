#include "format/clps/writing/identity.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#define XXH_INLINE_ALL
#ifndef NDEBUG
#define XXH_NO_INLINE_HINTS 1  // at -Og gcc cannot inline all that the header demands
#endif
#include <xxhash.h>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "base/uuid.hpp"
#include "format/clps/writing/octets.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kUuidBytes = 16;

// A version 8 UUID of a hash.
std::string uuid_of(std::span<const std::byte, kUuidBytes> hash) {
  std::array<std::byte, kUuidBytes> bytes;
  std::copy(hash.begin(), hash.end(), bytes.begin());
  bytes[6] = (bytes[6] & std::byte{0x0F}) | std::byte{0x80};
  bytes[8] = (bytes[8] & std::byte{0x3F}) | std::byte{0x80};
  std::string text = to_hex(bytes);
  for (const std::size_t at : {20, 16, 12, 8}) {
    text.insert(at, 1, '-');
  }
  return text;
}

}  // namespace

std::string derived_creator_id(std::span<const std::string> input_names, Version version) {
  Hasher hasher(DigestAlgorithm::Sha256);
  for (const std::string& name : input_names) {
    hasher.update(as_bytes(name));
    hasher.update(as_bytes(std::string_view("\0", 1)));
  }
  std::string octets;
  writing::append_u16(octets, version.patch);
  octets += static_cast<char>(version.minor);
  octets += static_cast<char>(version.major);
  hasher.update(as_bytes(octets));
  const DigestValue value = hasher.finish();
  return uuid_of(std::span(value.bytes).first<kUuidBytes>());
}

Result<std::string> random_creator_id() { return fonds::random_uuid(); }

std::uint64_t WrittenArchive::size() const {
  std::uint64_t size = head.size();
  for (const auto& member : members) {
    size += member.size();
  }
  return size;
}

namespace writing {

// Not a hash that withstands attacks: those of all bytes of an archive took 3 % of making it.
std::string identity_of(const WrittenArchive& archive) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) {
    throw std::bad_alloc();
  }
  XXH3_128bits_reset(state.get());
  XXH3_128bits_update(state.get(), archive.head.data(), archive.head.size());
  for (const auto& member : archive.members) {
    XXH3_128bits_update(state.get(), member.data(), member.size());
  }
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state.get()));
  return uuid_of(std::as_bytes(std::span(hash.digest)));
}

}  // namespace writing
}  // namespace fonds::clps
