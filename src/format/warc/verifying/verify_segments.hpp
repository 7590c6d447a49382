// Segments of logical records, over all archives of a run (WARC 1.1, 7; WARC 00.11, 2.7).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fonds/finding.hpp>

#include "format/warc/verifying/verify_facts.hpp"

namespace fonds::warc::verify {

class Segments {
 public:
  // `memory`: bytes that may be used, half of them for blocks, of which digests are taken. Where
  // the rest does not suffice for what is known of the segments, none are joined.
  explicit Segments(std::uint64_t memory) : memory_(memory) {}

  void add(std::vector<SegmentFact>&& segments, const std::string& source,
           std::uint64_t first_ordinal);
  // Joins what was added, reports what does not join, and forgets all of it.
  void finish(const std::function<void(Finding)>& out);

 private:
  std::vector<SegmentFact> segments_;
  std::uint64_t memory_;
  std::uint64_t kept_ = 0;      // octets of blocks
  std::uint64_t known_ = 0;     // bytes of all else
  std::uint64_t left_out_ = 0;  // segments for which there was no room
};

}  // namespace fonds::warc::verify
