#include "format/warc/rewriting/known_payloads.hpp"

#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {
namespace {

constexpr std::uint64_t kEntry = 160;  // bytes of an entry of a table, about, without its texts
constexpr std::uint64_t kNumber = 40;

std::uint64_t hash(std::string_view text) { return std::hash<std::string_view>{}(text); }
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return (a ^ (b + 0x9e3779b97f4a7c15U + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdU;
}
std::string_view octets(const DigestValue& value) {
  return as_text(ByteView(value.bytes).first(value.size));
}

}  // namespace

std::size_t KnownPayloads::KeyHash::operator()(const PayloadKey& key) const noexcept {
  std::size_t hashed = 0;
  std::memcpy(&hashed, key.data(), sizeof(hashed));
  return hashed;
}

std::uint64_t KnownPayloads::capture_of(std::string_view uri, const Date& date) {
  return mix(hash(uri), static_cast<std::uint64_t>(date.seconds));
}

Status KnownPayloads::take(std::uint64_t bytes) {
  taken_ += bytes;
  if (taken_ > budget_) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the payloads to compare with take more than {} bytes; --memory allows "
                            "more",
                            budget_));
  }
  return {};
}

Result<bool> KnownPayloads::add(const KnownPayload& payload) {
  const LabelledDigest digest = parse_digest(payload.digest);
  const auto date = parse_warc_date(payload.date).value;
  if (digest.state != LabelledDigest::State::Good || digest.algorithm != DigestAlgorithm::Sha1 ||
      !date || payload.uri.empty()) {
    return false;
  }
  FONDS_CHECK(take(kNumber));
  listed_.insert(mix(capture_of(payload.uri, *date), hash(octets(digest.value))));
  const auto [entry, fresh] = others_.try_emplace(std::string(octets(digest.value)));
  if (fresh) {
    FONDS_CHECK(take(kEntry + payload.uri.size() + payload.date.size()));
    entry->second = {{}, payload.uri, date->to_string(), payload.digest};
  }
  return true;
}

Status KnownPayloads::see(const Header& header) {
  id_leads_here_ = !header.id.empty() && ids_.insert(hash(header.id)).second;
  capture_leads_here_ = !header.uri.empty() && header.date.value &&
                        captures_.insert(capture_of(header.uri, *header.date.value)).second;
  return take((id_leads_here_ ? kNumber : 0) + (capture_leads_here_ ? kNumber : 0));
}

std::optional<OriginalRecord> KnownPayloads::reference(const Header& header) const {
  if (!id_leads_here_ && !capture_leads_here_) {
    return std::nullopt;
  }
  OriginalRecord record;
  record.id = id_leads_here_ ? header.id : std::string_view();
  record.uri = header.get(Known::TargetUri);
  record.date = header.date_raw;
  return record;
}

Status KnownPayloads::add(const PayloadKey& key, const Header& header) {
  auto record = reference(header);
  if (!record) {
    return {};
  }
  FONDS_CHECK(take(kEntry + record->id.size() + record->uri.size()));
  payloads_.try_emplace(key, std::move(*record));
  return {};
}

const OriginalRecord* KnownPayloads::find(const PayloadKey& key) const {
  const auto found = payloads_.find(key);
  return found == payloads_.end() ? nullptr : &found->second;
}

const OriginalRecord* KnownPayloads::find_other(const DigestValue& sha1,
                                                const Header& header) const {
  const auto found = others_.find(std::string(octets(sha1)));
  if (found == others_.end() || !header.date.value) {
    return nullptr;
  }
  const std::uint64_t own = mix(capture_of(header.uri, *header.date.value), hash(octets(sha1)));
  return listed_.contains(own) ? nullptr : &found->second;
}

Status KnownPayloads::add_response(const Header& header, std::string digest) {
  auto record = reference(header);
  return record ? add_response(header.uri, std::move(*record), std::move(digest)) : Status();
}

Status KnownPayloads::add_response(std::string_view uri, OriginalRecord record,
                                   std::string digest) {
  record.digest = std::move(digest);
  FONDS_CHECK(
      take(kEntry + record.id.size() + uri.size() + record.uri.size() + record.digest.size()));
  responses_.insert_or_assign(std::string(uri), std::move(record));
  return {};
}

const OriginalRecord* KnownPayloads::find_response(std::string_view uri) const {
  const auto found = responses_.find(std::string(uri));
  return found == responses_.end() ? nullptr : &found->second;
}

}  // namespace fonds::warc
