// What is remembered of each record for the checks over records.
#include "format/warc/verifying/verify_facts.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/record.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/segments.hpp"

namespace fonds::warc {
namespace {

using Kind = ReferenceFact::Kind;

std::int64_t seconds_of(const ParsedDate& date) {
  return date.value ? date.value->seconds : kNoDate;
}

struct Digest {
  std::uint64_t hash = 0;
  std::uint8_t algorithm = 0;
};
Digest digest_of(const LabelledDigest& digest) {
  if (digest.state != LabelledDigest::State::Good) {
    return {};
  }
  const ByteView bytes(digest.value.bytes.data(), digest.value.size);
  return {hash_of(as_text(bytes)), static_cast<std::uint8_t>(digest.algorithm)};
}

void remember_references(const WarcRecord& record, const Digest& payload, VerifyFacts& facts) {
  const Header& header = record.header;
  ReferenceFact fact;
  fact.ordinal = record.ordinal;
  fact.stored_offset = record.place.unit;
  fact.type = record_type(header.type);
  const auto add = [&](Kind kind, std::string_view id) {
    fact.kind = kind;
    fact.to = hash_of_id(id);
    if (fact.to != 0) {
      facts.references.push_back(fact);
    }
  };
  fact.seconds = seconds_of(header.date);
  for (const std::string_view id : header.concurrent_to) {
    add(Kind::ConcurrentTo, id);
  }
  fact.seconds = kNoDate;
  // Nearly all records of an archive name the same warcinfo.
  const std::uint64_t to = hash_of_id(header.warcinfo_id);
  if (to != 0 && to != facts.last_warcinfo) {
    facts.last_warcinfo = to;
    add(Kind::WarcinfoId, header.warcinfo_id);
  }
  if (header.dialect == Dialect::Positional) {
    for (const Field& field : header.fields) {
      if (equals_ignoring_case(field.name, "Related-Resource")) {
        std::string_view rest = field.value;
        detail::take_token(rest);
        const std::string_view uri = detail::strip_brackets(detail::take_token(rest));
        if (uri != "-" && !starts_with_ignoring_case(uri, "http")) {
          add(Kind::RelatedResource, uri);
        }
      }
    }
  }
  if (header.refers_to.empty()) {
    return;
  }
  if (fact.type == RecordType::Revisit) {
    fact.target = hash_of(header.refers_to_uri);
    fact.payload = payload.hash;
    fact.algorithm = payload.algorithm;
    fact.identical = header.profile.ends_with("identical-payload-digest");
    if (!header.refers_to_date.empty()) {
      fact.seconds = seconds_of(parse_warc_date(header.refers_to_date));
    }
  }
  add(Kind::RefersTo, header.refers_to);
}

void remember_segment(const WarcRecord& record, VerifyFacts& facts) {
  const Header& header = record.header;
  auto part = segment_part(header, record.block_length.value_or(0));
  if (!part) {
    return;
  }
  SegmentFact fact;
  fact.part = std::move(*part);
  fact.payload_digest = header.payload_digest;
  fact.http = is_http(header);
  fact.target = hash_of(header.uri);
  fact.ordinal = record.ordinal;
  fact.stored_offset = record.place.unit;
  facts.segments.push_back(std::move(fact));
}

}  // namespace

void remember(const WarcRecord& record, const LabelledDigest& payload, VerifyFacts& facts) {
  const Header& header = record.header;
  if (facts.records++ == 0) {
    facts.begins_with_warcinfo = header.type == "warcinfo" || header.dialect == Dialect::Arc;
    facts.begins_with_arc = header.dialect == Dialect::Arc;
    facts.first_stored_offset = record.place.unit;
    facts.first_inner = record.place.inner;
  }
  const Digest digest = digest_of(payload);
  if (!header.id.empty()) {
    RecordFact fact;
    fact.id = hash_of_id(header.id);
    fact.target = hash_of(header.uri);
    fact.payload = digest.hash;
    fact.algorithm = digest.algorithm;
    fact.seconds = seconds_of(header.date);
    fact.ordinal = record.ordinal;
    fact.stored_offset = record.place.unit;
    fact.type = record_type(header.type);
    facts.named.push_back(fact);
  }
  remember_references(record, digest, facts);
  remember_segment(record, facts);
}

}  // namespace fonds::warc
