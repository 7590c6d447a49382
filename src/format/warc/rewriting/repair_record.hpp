// What is wrong with a record, and its header put right. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/record.hpp>

#include "format/warc/reading/record.hpp"

namespace fonds::warc {

// What has to be changed of a record.
struct RecordChange {
  bool lost = false;         // the header is cut: nothing of the record can be kept
  bool cut = false;          // the block ends early: it becomes a truncated record
  bool length = false;       // the header tells another length than the block has
  bool close = false;        // what should close the record is missing
  bool alone = false;        // it must not share its unit with others
  std::uint64_t octets = 0;  // of the block that are there
  std::string digest;        // of these octets, labelled; if `cut` and the header has such a one

  bool header() const { return cut || length; }
  bool any() const { return lost || header() || close || alone; }
};

// What reading a block to its end told.
struct BlockRead {
  std::byte last_octet{'\n'};
  bool right = false, wrong = false;  // by its digest; neither if it has none that can be compared
  std::string digest;                 // of what was read, labelled as the header's
};

// What is wrong with a record that was read to its end.
RecordChange judge_record(const WarcRecord& record, const RecordEnd& end, const BlockRead& block);
bool has_finding(const RecordEnd& end, std::string_view code);

// Whether only the LF is missing that should stand between ARC records: no damage at an end.
bool lacks_only_separator(const WarcRecord& record, const RecordChange& change);

// The header as it should be. What `change` does not name stays, but for line ends where fields are
// changed. A digest of the whole block moves to another field where the block is cut.
std::string repaired_header(const WarcRecord& record, const RecordChange& change);

// What stands behind its block from now on.
std::string closing_of(const WarcRecord& record, const RecordChange& change, const RecordEnd& end);

// A digest as a header has it, with the label of `like`.
std::string labelled(std::string_view like, ByteView value, bool base32);

}  // namespace fonds::warc
