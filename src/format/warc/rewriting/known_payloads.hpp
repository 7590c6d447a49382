// The payloads that were seen, and the records that hold them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <fonds/date.hpp>
#include <fonds/dedup.hpp>
#include <fonds/error.hpp>

#include "base/digest.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

// A record that holds a payload. An id or a date that leads elsewhere is left out.
struct OriginalRecord {
  std::string id, uri, date;
  std::string digest;  // of the payload, labelled; empty: not computed
};

// SHA-256 of a payload and of what it is to be read by: two payloads of the same octets are two if
// one is chunked by its HTTP head and the other is not.
using PayloadKey = std::array<std::byte, 32>;

class KnownPayloads {
 public:
  explicit KnownPayloads(std::uint64_t budget) : budget_(budget) {}

  // A payload of another archive. Those whose digest is not SHA-1 are passed over: false. Errors:
  // LimitExceeded.
  Result<bool> add(const KnownPayload& payload);
  bool has_others() const { return !others_.empty(); }

  // To be called for each record in order, before it is looked for or added. What it says of itself
  // may lead to the record only if no record before says the same.
  Status see(const Header& header);
  // The record in hand is the first with this payload. Errors: LimitExceeded.
  Status add(const PayloadKey& key, const Header& header);
  const OriginalRecord* find(const PayloadKey& key) const;
  // Of another archive, by the SHA-1; nothing if that archive holds the record in hand itself.
  const OriginalRecord* find_other(const DigestValue& sha1, const Header& header) const;

  // The newest response to a URI, with the digest of its payload: the record in hand, or the one
  // that holds its payload. Errors: LimitExceeded.
  Status add_response(const Header& header, std::string digest);
  Status add_response(std::string_view uri, OriginalRecord record, std::string digest);
  const OriginalRecord* find_response(std::string_view uri) const;

 private:
  struct KeyHash {
    std::size_t operator()(const PayloadKey& key) const noexcept;
  };
  Status take(std::uint64_t bytes);
  // What leads to the record in hand; nothing if nothing does.
  std::optional<OriginalRecord> reference(const Header& header) const;
  static std::uint64_t capture_of(std::string_view uri, const Date& date);

  std::uint64_t budget_, taken_ = 0;
  std::unordered_map<PayloadKey, OriginalRecord, KeyHash> payloads_;
  std::unordered_map<std::string, OriginalRecord> others_;  // by octets of the SHA-1
  std::unordered_set<std::uint64_t> listed_;                // captures with their digests
  std::unordered_set<std::uint64_t> ids_, captures_;
  std::unordered_map<std::string, OriginalRecord> responses_;  // by URI
  bool id_leads_here_ = false, capture_leads_here_ = false;
};

}  // namespace fonds::warc
