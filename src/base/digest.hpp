// Labelled digests as WARC files write them: "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ" and the many
// other forms. What is accepted: docs/formats/warc.md, "Digests".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>

namespace fonds {

enum class DigestAlgorithm : std::uint8_t {
  Md5,
  Sha1,
  Sha256,
  Sha384,
  Sha512,
  Blake2b512,
  Blake2s256,
  Sha3_256
};

// A digest value of up to 64 bytes.
struct DigestValue {
  std::array<std::byte, 64> bytes = {};
  std::size_t size = 0;
  friend bool operator==(const DigestValue& a, const DigestValue& b);
};

struct LabelledDigest {
  enum class State : std::uint8_t { Good, Unsupported, Malformed };
  State state = State::Malformed;
  DigestAlgorithm algorithm = DigestAlgorithm::Sha1;  // if Good
  DigestValue value;                                  // if Good
};

// Parses "label:value". The label in any letter case, with or without a hyphen ("sha-1" = "sha1").
// The value: strip trailing '='; by the algorithm's size of n bytes, length 2n = hex, ceil(8n/5) =
// Base32, ceil(8n/6) = Base64 (also with '-' and '_'). MD5's 32 characters are hex unless padded
// with '='; 26 are unpadded Base32. Malformed: no colon, empty, or a length or letter that no
// encoding of the algorithm has. Unsupported: a label that is not known.
LabelledDigest parse_digest(std::string_view text);

// Hashes bytes with one algorithm; reusable. Not copyable. One thread at a time.
class Hasher {
 public:
  explicit Hasher(DigestAlgorithm algorithm);
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;
  void update(ByteView bytes);
  // The value, and starts anew. Size 0 if the cryptography library does not offer the algorithm (as
  // some are configured not to offer MD5).
  DigestValue finish();
  DigestAlgorithm algorithm() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string to_hex(ByteView bytes);     // lower case
std::string to_base32(ByteView bytes);  // RFC 4648, upper case, padded
std::string to_base64(ByteView bytes);  // RFC 4648, padded
// Nothing if a character does not belong to the encoding, or if the length is one that no octets
// have. Padding may be there, complete, or not. Bits that fill no octet at the end are ignored.
std::optional<std::string> from_hex(std::string_view text);
std::optional<std::string> from_base32(std::string_view text);
std::optional<std::string> from_base64(std::string_view text);  // also the URL-safe alphabet

}  // namespace fonds
