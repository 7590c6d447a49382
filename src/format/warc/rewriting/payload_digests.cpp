#include "format/warc/rewriting/payload_digests.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/common/http_message.hpp"

namespace fonds::warc {

void PayloadDigests::begin(std::string_view stored, bool sha1) {
  stored_ = parse_digest(stored);
  stored_good_ = stored_.state == LabelledDigest::State::Good;
  stored_right_ = false;
  const bool other = stored_good_ && stored_.algorithm != DigestAlgorithm::Sha1;
  wants_sha1_ = sha1 || (stored_good_ && !other);
  if (!other) {
    stored_hasher_.reset();
  } else if (!stored_hasher_ || stored_hasher_->algorithm() != stored_.algorithm) {
    stored_hasher_.emplace(stored_.algorithm);
  }
  length_ = 0;
  sha1_.reset();
}

void PayloadDigests::update(ByteView payload) {
  length_ += payload.size();
  sha256_.update(payload);
  if (wants_sha1_) {
    sha1_hasher_.update(payload);
  }
  if (stored_hasher_) {
    stored_hasher_->update(payload);
  }
}

Status PayloadDigests::end(std::string_view reading) {
  // The length behind it makes clear where the payload ends.
  sha256_.update(as_bytes(reading));
  sha256_.update(as_bytes(fmt::format("{:016x}", reading.size())));
  const DigestValue key = sha256_.finish();
  if (wants_sha1_) {
    sha1_ = sha1_hasher_.finish();
  }
  if (key.size != key_.size() || (sha1_ && sha1_->size == 0)) {
    return fail(ErrorCode::Unsupported,
                "the cryptography library is set up without SHA-256 or SHA-1");
  }
  std::copy_n(key.bytes.begin(), key_.size(), key_.begin());
  if (stored_hasher_) {
    stored_right_ = stored_hasher_->finish() == stored_.value;
  } else if (stored_good_) {
    stored_right_ = sha1_ && *sha1_ == stored_.value;
  }
  return {};
}

std::string labelled_sha1(const DigestValue& sha1) {
  return "sha1:" + to_base32(ByteView(sha1.bytes).first(sha1.size));
}

std::string reading_of(std::string_view type, const http::Head* head) {
  std::string reading(type);
  if (head != nullptr) {
    for (const std::string_view name : {"Transfer-Encoding", "Content-Encoding"}) {
      reading += '\n';
      reading += to_lower(head->joined(name));
    }
  }
  return reading;
}

}  // namespace fonds::warc
