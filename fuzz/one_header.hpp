// Headers of the WARC family that a fuzz target parsed or made.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/bytes.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"
#include "require.hpp"

namespace fonds::fuzz {

inline constexpr warc::Target kTargets[] = {warc::Target::Warc11, warc::Target::Warc10,
                                            warc::Target::Warc018, warc::Target::Warc0011,
                                            warc::Target::Arc11};

// A header with what it points into.
struct Parsed {
  Parsed(std::string text, warc::ArcContext arc) : octets(std::move(text)) {
    const warc::Start start = warc::classify_start(as_bytes(octets));
    require(warc::parse_header(as_bytes(octets), start, true, arc, header));
  }
  std::string raw() const { return octets.substr(0, header.length); }
  std::string octets;
  warc::Header header;
};

// What was made is one whole header of the target for a block of this length.
inline void expect_one(const std::string& made, std::string_view block, std::uint64_t length,
                       warc::Target target, bool restored) {
  const Parsed back(made + std::string(block), {});
  const warc::Header& header = back.header;
  require(header.complete && header.length == made.size() && warc::is_of(header, target));
  require(header.block_length == length && header.other_lengths.empty());
  // A version block that is restored may be one whose length cannot be read.
  require(header.length_state == warc::Header::LengthState::Good || restored);
}

}  // namespace fonds::fuzz
