#include "format/clps/writing/identity.hpp"

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "base/uuid.hpp"
#include "format/clps/writing/octets.hpp"

namespace fonds::clps {
namespace {

// A version 8 UUID of the first 16 bytes of a hash.
std::string uuid_of(Hasher& hasher) {
  DigestValue value = hasher.finish();
  value.bytes[6] = (value.bytes[6] & std::byte{0x0F}) | std::byte{0x80};
  value.bytes[8] = (value.bytes[8] & std::byte{0x3F}) | std::byte{0x80};
  std::string text = to_hex(ByteView(value.bytes).first(16));
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
  return uuid_of(hasher);
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

std::string identity_of(const WrittenArchive& archive) {
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(as_bytes(archive.head));
  for (const auto& member : archive.members) {
    hasher.update(member);
  }
  return uuid_of(hasher);
}

}  // namespace writing
}  // namespace fonds::clps
