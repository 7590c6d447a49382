// Chains of segments: which parts make up one logical record (WARC 1.1, 7; WARC 00.11, 2.7; rulings
// R9 and R23 of docs/formats/warc-00.11.md). Pure functions of what the headers say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

// What the header of a segment says.
struct SegmentPart {
  std::string id = {}, origin = {};  // without <>
  std::uint32_t number = 1;          // from 1
  char code = 0;                     // of 00.11; 0 in the others
  std::optional<std::uint64_t> total = {};
  std::string truncated = {};  // empty: it is not
  std::uint64_t length = 0;    // octets of the block

  // The first of several parts; one that names an origin continues another record.
  bool begins() const noexcept { return number == 1 && origin.empty(); }
};

// Nothing for a record that is no part of several.
std::optional<SegmentPart> segment_part(const Header& header, std::uint64_t block_length);

// The parts of one logical record, as positions in what chain_segments() was given.
struct SegmentChain {
  // Numbers 1, 2, 3, … without a gap; empty if the first part is not there.
  std::vector<std::size_t> parts;
  bool complete = false;             // the last of `parts` ends the record
  std::vector<std::size_t> orphans;  // behind a gap, behind the end, or of no beginning
  struct Repeated {
    std::size_t first, again;  // the same number; the first in input order counts
  };
  std::vector<Repeated> repeated;
  std::uint64_t length = 0;  // octets of the blocks of `parts`
};

// All chains, ordered by the id of their origin. Parts that share neither id nor origin are in
// different chains, and so is each first part without an id, which nothing can continue.
std::vector<SegmentChain> chain_segments(std::span<const SegmentPart> parts);

// A finding about one part.
struct SegmentIssue {
  std::string_view code;
  std::size_t part;
  std::string message;
};
// What is wrong with a chain: parts that are missing or do not belong, lengths that do not add up.
// Of repeated parts, whose blocks have to be compared, repeated_issue() tells.
std::vector<SegmentIssue> judge_chain(const SegmentChain& chain,
                                      std::span<const SegmentPart> parts);
SegmentIssue repeated_issue(const SegmentChain::Repeated& repeated, bool same_block,
                            std::span<const SegmentPart> parts);

}  // namespace fonds::warc
