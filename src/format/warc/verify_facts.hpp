// What the check of single records remembers for the check of the whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

namespace fonds::warc {

// One segment of a logical record (WARC 00.11 2.7; WARC 1.1, 8).
struct SegmentFact {
  std::string id, origin, truncated, payload_digest;
  std::uint32_t number = 1;
  char code = 0;                       // of 00.11
  std::optional<std::uint64_t> total;  // WARC-Segment-Total-Length
  bool http = false;                   // the block of the whole is an HTTP message
  std::uint64_t length = 0;            // of the block
  bool kept = false;                   // `block` holds it
  std::string block;
  std::uint64_t ordinal = 0, stored_offset = 0;
  std::string source;  // filled when the parts are put together
};

struct IdFact {
  std::uint64_t hash = 0;  // of the record id
  std::uint64_t ordinal = 0, stored_offset = 0;
};

struct VerifyFacts {
  std::uint64_t records = 0;
  std::vector<IdFact> ids;
  std::vector<SegmentFact> segments;
};

class VerifyPartWithFacts : public VerifyPart {
 public:
  VerifyFacts take() { return std::exchange(facts_, {}); }

 protected:
  VerifyFacts facts_;
};

}  // namespace fonds::warc
