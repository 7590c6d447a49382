// References between records, over all archives of a run, by hashes of their ids.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fonds/finding.hpp>

#include "format/warc/verifying/verify_facts.hpp"

namespace fonds::warc::verify {

// Keeps 56 bytes for each record with an id and each reference, and up to three times as much for a
// moment when room is made. Of what there is no room for nothing is said, but that it was not
// looked at.
class References {
 public:
  using Report = std::function<void(Finding)>;

  explicit References(std::uint64_t memory) : memory_(memory) {}

  void begin(std::string source);
  void add(VerifyFacts&& facts, std::uint64_t first_ordinal);
  // Reports ids that the archive has twice, and what its references to its own records are.
  void end(const Report& out);
  // Reports what references to other archives are, and which lead nowhere; forgets everything.
  void finish(const Report& out);

 private:
  struct Outside {
    std::uint64_t count = 0, first_ordinal = 0, first_stored_offset = 0;
  };

  void report_repeated(const Report& out);
  void judge(const ReferenceFact& reference, const RecordFact& record, const Report& out) const;
  void judge_revisit(const ReferenceFact& reference, const RecordFact& record,
                     const Report& out) const;
  Location place_of(const ReferenceFact& reference) const;
  bool has_room() const;

  std::uint64_t memory_;  // bytes that may be used
  std::vector<std::string> sources_;
  std::vector<RecordFact> records_;        // of the archive, until end()
  std::vector<ReferenceFact> references_;  // of the archive, until end()
  std::vector<RecordFact> all_records_;    // of the archives before
  std::vector<ReferenceFact> open_;        // to no record of their own archive
  std::uint64_t last_warcinfo_ = 0;
  std::uint64_t left_out_ = 0;  // records for which there was no room
};

}  // namespace fonds::warc::verify
