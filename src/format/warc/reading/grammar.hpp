// Record headers of the WARC family: pure functions from octets to structs, for the positional
// draft 00.11, the dialects with named fields (0.12 to 1.1) and ARC. Facts: docs/formats/warc.md
// and docs/formats/arc.md; rulings R1…: docs/formats/warc-00.11.md, "Rulings".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/record.hpp>  // Field

#include "base/text.hpp"

namespace fonds::warc {

enum class Dialect : std::uint8_t { Modern, Positional, Arc };

// What stands at a place where a record may begin (CR, LF and BOM already skipped).
enum class Start : std::uint8_t {
  None,        // no record
  Modern,      // WARC/x.y alone on its line
  Positional,  // warc/jj.nn and the five columns of 00.11
  OldDraft,    // warc/0.9, 0.10: other columns; to be refused
  ArcVersion,  // filedesc:
  ArcRecord,   // a line that parses as an ARC URL-record
};
// `head` begins at the place and holds the whole first line, or 64 KiB of it, or all there is.
Start classify_start(ByteView head);

// Named fields that the reader needs by name; the first occurrence counts.
enum class Known : std::uint8_t {
  Type,
  RecordId,
  Date,
  ContentLength,
  ContentType,
  TargetUri,
  BlockDigest,
  PayloadDigest,
  IpAddress,
  RefersTo,
  RefersToTargetUri,
  RefersToDate,
  Truncated,
  WarcinfoId,
  Filename,
  Profile,
  SegmentNumber,
  SegmentOriginId,
  SegmentTotalLength,
  TrecId,
  IdentifiedPayloadType,
  kCount
};

// Something odd in a header: a code of the list of findings and what was seen.
struct Issue {
  std::string_view code;
  std::string message;
};

struct Segment {
  std::uint32_t number = 0;
  char code = 0;  // 'p' 'w' 't' 'z' in 00.11; 0 in the others
};

// The ARC definition that governs the records after it.
struct ArcContext {
  int major = 1, minor = 0;
  bool have_filedesc = false;
  std::size_t columns = 5;  // 5 or 10, by the fields-line
  friend bool operator==(const ArcContext&, const ArcContext&) = default;
};

// A parsed header. All views point into the octets that were parsed, into `owned`, or to static
// text; they live until the next parse into the same struct or until the octets go. The struct is
// reused between records.
struct Header {
  Dialect dialect = Dialect::Modern;
  Start start = Start::None;
  bool complete = false;   // the header's end was seen
  std::size_t length = 0;  // octets of the header with its empty line (ARC: the URL-record line)
  std::string_view
      version;  // "WARC/1.0" (letters as in the model: upper case), "warc/00.11", "ARC/1.1"
  int major = 0, minor = 0;
  bool lf_only = false;  // lines end in LF

  std::string_view type;  // model name: "response", …; an unknown type as written; empty: none
  std::string_view
      stored_type;       // as the file says it; empty where the model's name is what the file says
  std::string_view id;   // without <>; empty: none
  std::string_view uri;  // target, without <>, blanks as %20
  std::string_view date_raw;
  ParsedDate date;
  std::string_view content_type;  // effective type of the block; empty: none
  std::string_view ip;            // empty: none
  std::string_view block_digest, payload_digest;
  std::string_view refers_to, refers_to_uri, refers_to_date;
  std::vector<std::string_view> concurrent_to;
  std::string_view profile, truncated, warcinfo_id, filename, trec_id, payload_type;
  std::optional<Segment> segment;
  std::string_view segment_origin;
  std::optional<std::uint64_t> segment_total;
  std::string_view revisit_comparison;  // 00.11: same, different, patch
  int arc_status = 0;                   // Result-code of ARC 2
  bool arc_header = false;              // an ARC version block

  // Length of the block in octets. Missing: no length field. Bad: negative, text, too large for 64
  // bits; counts as 0, for an ARC version block as the octets of its two definition lines.
  enum class LengthState : std::uint8_t { Good, Missing, Bad } length_state = LengthState::Missing;
  std::uint64_t block_length = 0;
  std::vector<std::uint64_t> other_lengths;  // of repeated, differing Content-Length fields
  std::uint64_t data_length = 0;             // 00.11: header + block

  std::vector<Field>
      fields;  // named fields (ARC: columns by name) in stored order, unfolded, trimmed
  std::vector<Issue> issues;

  std::array<std::string_view, static_cast<std::size_t>(Known::kCount)> known = {};
  std::string_view get(Known field) const { return known[static_cast<std::size_t>(field)]; }
  std::deque<std::string> owned;  // unfolded and changed text

  void clear();
};

// Parses the record header at the start of `octets`, which classify_start() called `start`.
//
// `whole` says that the data ends where `octets` end. Returns true if the header is there to its
// end, or if `whole` and as much as there is was parsed (then header.complete may be false).
// Returns false if more octets are needed. Of a record of Start::OldDraft only the version is read;
// of Start::None nothing. Both return true. ARC: `arc` is read, and set by a version block (its two
// definition lines lie in the block, so up to 8 KiB behind the header line are waited for). It is
// unchanged if the result is false.
bool parse_header(ByteView octets, Start start, bool whole, ArcContext& arc, Header& header);

// Searches for the next place in `octets`, from `from` on, at which a record begins, by the
// evidence rules of docs/formats/warc.md "Finding the next record". `line_start` says that
// octets[0] begins a line. ARC lines are looked for only with `arc`. Returns npos if there is none.
// `incomplete_from` is set to the first offset at which a record could begin that more octets would
// show (octets.size() if none): search again from there with more.
std::size_t find_record_start(ByteView octets, std::size_t from, bool line_start, bool arc,
                              bool whole, std::size_t& incomplete_from);

// Where in a header of named fields, parsed from `octets`, the header of another record begins, as
// if damage had taken the end of the first one; npos if it does not seem so. ARC lines are looked
// for only with `arc`.
std::size_t find_torn_header(ByteView octets, const Header& header, bool arc);

// RecordProbe::starts_record of the family.
bool starts_record(ByteView head);

}  // namespace fonds::warc
