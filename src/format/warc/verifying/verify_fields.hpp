// The rules on the header of one record, by dialect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/finding.hpp>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/verifying/verify_facts.hpp"

namespace fonds::warc::verify {

// Where the findings of one record go. Control characters of archive text, and what else ends a
// line for some, are escaped in messages.
class Findings {
 public:
  Findings(std::vector<Finding>& out, Location where) : out_(&out), where_(std::move(where)) {}

  void add(std::string_view code, std::string message) {
    out_->push_back(make_finding(
        code, is_plain_ascii(message) ? std::move(message) : escape_for_terminal(message), where_));
  }
  // With a lower severity than the list says.
  void add_as(Severity severity, std::string_view code, std::string message) {
    add(code, std::move(message));
    out_->back().severity = severity;
  }

 private:
  std::vector<Finding>* out_;
  Location where_;
};

// A record as the rules on headers see it.
struct Subject {
  const Header& header;
  std::uint64_t ordinal = 0, stored_offset = 0;
  bool stored_plain = false;  // the file is not compressed: stored offsets are decoded ones
  bool crlf = false;          // the header ends in CRLF
};

// Reports what the header, which must be complete, has against the rules of its dialect; what
// parsing has reported as an issue is left out. Allocates only for what it reports.
void check_header(const Subject& subject, Lacks& lacks, Findings& out);

// Reports a block of named fields, or of an ARC version block, that does not follow its grammar.
void check_block_text(const Header& header, std::string_view block, Findings& out);
// True if check_block_text() wants to see the block.
bool wants_block_text(const Header& header, std::uint64_t length);

// Reports line ends between a block of WARC and the next record that are not two CRLF. Where there
// are too few, the reader has reported that.
void check_closing(std::string_view closing, Findings& out);

// Private to verify_fields*.cpp.
void check_modern(const Subject& subject, Lacks& lacks, Findings& out);
void check_positional(const Subject& subject, Lacks& lacks, Findings& out);
void check_arc(const Subject& subject, Findings& out);
void note_lack(Lacks& lacks, Recommended what, const Subject& subject);
// WARC 1.1, 6.3.2, 6.4.4 and 6.5.2: what the type and the scheme of the target ask of Content-Type.
void check_block_type(const Header& header, std::string_view content_type, Findings& out);
void check_uri(std::string_view name, std::string_view uri, Findings& out);
void check_address(std::string_view name, std::string_view address, Findings& out);
void check_media_type(std::string_view name, std::string_view type, Findings& out);

}  // namespace fonds::warc::verify
