// What the check of single records remembers for the check of the whole: hashes, so that memory
// stays small.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "base/digest.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/segments.hpp"

namespace fonds::warc {

// One segment of a logical record (WARC 00.11 2.7; WARC 1.1, 7).
struct SegmentFact {
  SegmentPart part;
  std::string payload_digest;
  bool http = false;  // the block of the whole is an HTTP message
  bool kept = false;  // `block` holds the part's
  std::string block;
  std::uint64_t target = 0;  // hash of the target URI, 0 without one
  std::uint64_t ordinal = 0, stored_offset = 0;
  std::string source;  // filled when the parts are put together
};

// The types of records that the rules on references tell apart.
enum class RecordType : std::uint8_t {
  Other,
  Warcinfo,
  Response,
  Resource,
  Request,
  Metadata,
  Revisit,
  Conversion,
  Continuation
};
RecordType record_type(std::string_view name) noexcept;

inline constexpr std::int64_t kNoDate = std::numeric_limits<std::int64_t>::min();

// Of each record that has an id.
struct RecordFact {
  std::uint64_t id = 0;       // hash
  std::uint64_t target = 0;   // hash of the target URI; 0 without one
  std::uint64_t payload = 0;  // hash of the payload digest; 0 if it has none that can be understood
  std::int64_t seconds = kNoDate;
  std::uint64_t ordinal = 0, stored_offset = 0;
  std::uint32_t archive = 0;  // filled when the parts are put together, as in ReferenceFact
  RecordType type = RecordType::Other;
  std::uint8_t algorithm = 0;  // of the payload digest
};

// One field that names another record.
struct ReferenceFact {
  enum class Kind : std::uint8_t { ConcurrentTo, RefersTo, RelatedResource, WarcinfoId, kCount };
  std::uint64_t to = 0;  // hash of the id
  // What the record says of the other one (of a revisit), as in RecordFact; ConcurrentTo: its own
  // date.
  std::uint64_t target = 0, payload = 0;
  std::int64_t seconds = kNoDate;
  std::uint64_t ordinal = 0, stored_offset = 0;
  std::uint32_t archive = 0;
  Kind kind = Kind::ConcurrentTo;
  RecordType type = RecordType::Other;  // of the record with the field
  std::uint8_t algorithm = 0;
  bool identical = false;  // a revisit that promises the payload of the other one
};

// Hash of a text; 0 only for an empty one.
inline std::uint64_t hash_of(std::string_view text) noexcept {
  return text.empty() ? 0 : std::hash<std::string_view>{}(text) | 1U;
}
// Hash of a record id. `urn:uuid:` is left out, since ClueWeb09 leaves it out in WARC-Warcinfo-ID.
std::uint64_t hash_of_id(std::string_view id) noexcept;

// What the standard recommends and a record lacks. It is told once for each archive.
enum class Recommended : std::uint8_t {
  ResponseAddress,
  RequestAddress,
  RevisitRefersTo,
  RevisitTarget,
  RevisitDate,
  ConversionRefersTo,
  PositionalType,
  PositionalContentType,
  Digest,
  kCount
};
struct Lack {
  std::uint64_t records = 0;
  std::uint64_t first_ordinal = 0, first_stored_offset = 0;
};
using Lacks = std::array<Lack, static_cast<std::size_t>(Recommended::kCount)>;

struct VerifyFacts {
  std::uint64_t records = 0;
  bool begins_with_warcinfo = false;  // the first of these records is one
  bool begins_with_arc = false;       // the first of these records is of ARC
  std::uint64_t first_stored_offset = 0, first_inner = 0;
  std::uint64_t last_warcinfo = 0;  // hash of the WARC-Warcinfo-ID that was seen last
  Lacks lacks;
  std::vector<RecordFact> named;  // records with an id
  std::vector<ReferenceFact> references;
  std::vector<SegmentFact> segments;
};

// Adds what the checks over records need of this one. `payload`: its payload digest, which need not
// be good.
void remember(const WarcRecord& record, const LabelledDigest& payload, VerifyFacts& facts);

class VerifyPartWithFacts : public VerifyPart {
 public:
  VerifyFacts take() { return std::exchange(facts_, {}); }

 protected:
  VerifyFacts facts_;
};

}  // namespace fonds::warc
