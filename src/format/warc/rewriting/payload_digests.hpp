// The digests by which payloads are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/rewriting/known_payloads.hpp"

namespace fonds::warc {

// Hashes the payload of a record as stored (docs/formats/warc.md, "Digests"). Reusable.
class PayloadDigests {
 public:
  // `stored`: the digest that the record has of its payload.
  void begin(std::string_view stored, bool sha1);
  void update(ByteView payload);
  // `reading`: what the payload is to be read by, a part of the key. Errors: Unsupported if the
  // cryptography library lacks SHA-256 or SHA-1.
  Status end(std::string_view reading);

  const PayloadKey& key() const { return key_; }
  const std::optional<DigestValue>& sha1() const { return sha1_; }
  std::uint64_t length() const { return length_; }
  // The stored digest is that of the payload.
  bool stored_is_right() const { return stored_right_; }
  // The stored digest can be understood, and is that of something else.
  bool stored_is_wrong() const { return stored_good_ && !stored_right_; }

 private:
  Hasher sha256_{DigestAlgorithm::Sha256};
  Hasher sha1_hasher_{DigestAlgorithm::Sha1};
  std::optional<Hasher> stored_hasher_;  // of another algorithm
  LabelledDigest stored_;
  bool wants_sha1_ = false, stored_good_ = false, stored_right_ = false;
  std::uint64_t length_ = 0;
  PayloadKey key_ = {};
  std::optional<DigestValue> sha1_;
};

// "sha1:…" as headers have it.
std::string labelled_sha1(const DigestValue& sha1);
// What the payload of a record with this head is to be read by.
std::string reading_of(std::string_view type, const http::Head* head);

}  // namespace fonds::warc
