// The header of a record that becomes a revisit. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/rewriting/known_payloads.hpp"

namespace fonds::warc {

enum class RevisitProfile : std::uint8_t { IdenticalPayload, NotModified };

struct RevisitPlan {
  RevisitProfile profile = RevisitProfile::IdenticalPayload;
  OriginalRecord original = {};
  std::string payload_digest = {};  // labelled; empty: the one that is there stays
  std::string_view http_head = {};  // what stays of the block
};

// The profile's URI for a record of this version.
std::string profile_uri(RevisitProfile profile, int major, int minor);

// The header of a complete record of WARC 0.12 to 1.1 as that of a revisit: its id, its date and
// all fields that a revisit may have stay.
std::string make_revisit(ByteView raw_header, const Header& header, const RevisitPlan& plan);

}  // namespace fonds::warc
