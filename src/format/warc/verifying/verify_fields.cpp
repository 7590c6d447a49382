// What the rules of all dialects share.
#include "format/warc/verifying/verify_fields.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/finding.hpp>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/reading/reader_detail.hpp"
#include "format/warc/verifying/verify_facts.hpp"
#include "format/warc/verifying/verify_syntax.hpp"

namespace fonds::warc {

RecordType record_type(std::string_view name) noexcept {
  static constexpr std::array<std::pair<std::string_view, RecordType>, 8> kTypes = {
      {{"response", RecordType::Response},
       {"request", RecordType::Request},
       {"metadata", RecordType::Metadata},
       {"revisit", RecordType::Revisit},
       {"resource", RecordType::Resource},
       {"warcinfo", RecordType::Warcinfo},
       {"conversion", RecordType::Conversion},
       {"continuation", RecordType::Continuation}}};
  for (const auto& [text, type] : kTypes) {
    if (text == name) {
      return type;
    }
  }
  return RecordType::Other;
}

std::uint64_t hash_of_id(std::string_view id) noexcept {
  constexpr std::string_view kUuid = "urn:uuid:";
  if (id.size() > kUuid.size() && id.starts_with(kUuid)) {
    id.remove_prefix(kUuid.size());
  }
  return hash_of(id);
}

namespace verify {

using detail::quoted;

namespace {

constexpr std::uint64_t kLargestText = std::uint64_t{1} << 20;

// Whether the tags of an XML document that may be cut off at neither end match each other.
// Declarations, comments and attributes are passed over.
bool tags_match(std::string_view xml) {
  std::vector<std::string_view> open;
  bool any = false;
  while (true) {
    const std::size_t at = xml.find('<');
    if (at == npos) {
      return any && open.empty();
    }
    xml.remove_prefix(at);
    const bool comment = xml.starts_with("<!--");
    const std::size_t end = comment ? xml.find("-->", 4) : xml.find('>');
    if (end == npos || open.size() > 64) {
      return false;
    }
    std::string_view tag = xml.substr(1, end - 1);
    xml.remove_prefix(end + 1);
    if (comment || tag.starts_with('?') || tag.starts_with('!')) {
      continue;
    }
    any = true;
    const bool closes = tag.starts_with('/');
    const bool alone = tag.ends_with('/');
    tag.remove_prefix(closes ? 1 : 0);
    tag = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    if (closes && (open.empty() || open.back() != tag)) {
      return false;
    }
    if (closes) {
      open.pop_back();
    } else if (!alone) {
      open.push_back(tag);
    }
  }
}

// ARC 1.1: behind the names of the columns stands an XML document.
void check_metadata(std::string_view text, Findings& out) {
  text = trim(text);
  if (text.empty()) {
    out.add("arc-metadata", "the version block of ARC 1.1 goes on with no XML document");
  } else if (text.find("arcmetadata") == npos) {
    out.add("arc-metadata", "the document in the version block is no arcmetadata");
  } else if (!tags_match(text)) {
    out.add("arc-metadata", "the tags of the document in the version block do not match");
  }
}

// ARC 1.x, version block: the version line, and the names of the columns.
void check_definition(std::string_view block, Findings& out) {
  static constexpr std::array<std::string_view, 2> kColumns = {
      "URL IP-address Archive-date Content-type Archive-length",
      "URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename "
      "Archive-length"};
  const std::size_t first = block.find('\n');
  const std::string_view version = detail::strip_line_end(block.substr(0, first));
  std::string_view names = first == npos ? std::string_view() : block.substr(first + 1);
  names = detail::strip_line_end(names.substr(0, names.find('\n')));
  std::string_view rest = version;
  const std::string_view major = detail::take_token(rest);
  const std::string_view reserved = detail::take_token(rest);
  if (!detail::is_digits(major) || !detail::is_digits(reserved) ||
      detail::take_token(rest).empty()) {
    out.add("arc-definition",
            "version line " + quoted(version) + " is not two numbers and the name of the maker");
    return;
  }
  if (!equals_ignoring_case(names, kColumns[major == "2" ? 1 : 0])) {
    out.add("arc-definition", "line " + quoted(names) + " does not name the columns of version " +
                                  std::string(major));
  }
  if (major == "1" && reserved == "1") {
    const std::size_t second = first == npos ? npos : block.find('\n', first + 1);
    check_metadata(second == npos ? std::string_view() : block.substr(second + 1), out);
  }
}

}  // namespace

void note_lack(Lacks& lacks, Recommended what, const Subject& subject) {
  Lack& lack = lacks[static_cast<std::size_t>(what)];
  if (lack.records == 0) {
    lack.first_ordinal = subject.ordinal;
    lack.first_stored_offset = subject.stored_offset;
  }
  ++lack.records;
}

void check_uri(std::string_view name, std::string_view uri, Findings& out) {
  if (!uri.empty() && !is_uri(uri)) {
    out.add("bad-uri", fmt::format("{} {} is no URI", name, quoted(uri)));
  }
}

void check_address(std::string_view name, std::string_view address, Findings& out) {
  if (!is_ip_address(address)) {
    out.add("bad-ip-address", fmt::format("{} {} is no address", name, quoted(address)));
  }
}

void check_media_type(std::string_view name, std::string_view type, Findings& out) {
  if (!is_media_type(type)) {
    out.add("bad-media-type", fmt::format("{} {} is no media type", name, quoted(type)));
  }
}

void check_block_type(const Header& header, std::string_view content_type, Findings& out) {
  const auto differs = [&](std::string_view wanted) {
    return fmt::format("the block is {}, but a {} record of {} should have {}",
                       quoted(content_type), header.type, quoted(header.uri), wanted);
  };
  const RecordType type = record_type(header.type);
  if (type == RecordType::Response || type == RecordType::Request) {
    // Both types of 00.11 are named after HTTP, and a request does not name its target.
    const bool web = header.dialect == Dialect::Positional ||
                     starts_with_ignoring_case(header.uri, "http:") ||
                     starts_with_ignoring_case(header.uri, "https:");
    if (web && (!same_media_type(content_type, "application/http") ||
                !equals_ignoring_case(media_parameter(content_type, "msgtype"), header.type))) {
      out.add("content-type-differs",
              differs(fmt::format("application/http;msgtype={}", header.type)));
    }
  } else if (type == RecordType::Resource) {
    if (starts_with_ignoring_case(header.uri, "dns:") &&
        !same_media_type(content_type, "text/dns")) {
      out.add("content-type-differs", differs("text/dns"));
    }
  } else if (type == RecordType::Warcinfo &&
             !same_media_type(content_type, "application/warc-fields")) {
    out.add_as(Severity::Note, "content-type-differs",
               fmt::format("the block is {}; application/warc-fields is recommended for warcinfo",
                           quoted(content_type)));
  }
}

void check_header(const Subject& subject, Lacks& lacks, Findings& out) {
  const Header& header = subject.header;
  if (!header.id.empty() && !is_uri(header.id)) {
    out.add("non-uri-id",
            fmt::format("record id {} is no URI", escape_for_terminal(to_utf8(header.id))));
  }
  // In 00.11 segments after the first are to have no field for one.
  const bool takes_digest =
      header.dialect == Dialect::Modern ||
      (header.dialect == Dialect::Positional && header.type != "continuation");
  if (takes_digest && header.block_length > 0 && header.block_digest.empty() &&
      header.payload_digest.empty()) {
    note_lack(lacks, Recommended::Digest, subject);
  }
  switch (header.dialect) {
    case Dialect::Modern:
      check_modern(subject, lacks, out);
      break;
    case Dialect::Positional:
      check_positional(subject, lacks, out);
      break;
    case Dialect::Arc:
      check_arc(subject, out);
      break;
  }
}

bool wants_block_text(const Header& header, std::uint64_t length) {
  return length <= kLargestText && header.length_state == Header::LengthState::Good &&
         (header.arc_header ||
          (length > 0 && header.type != "continuation" &&
           !(header.segment && (header.segment->code == 0 || header.segment->code == 'p')) &&
           same_media_type(header.content_type, "application/warc-fields")));
}

void check_closing(std::string_view closing, Findings& out) {
  if (!closing.starts_with("\r\n\r\n") && detail::count_line_ends(as_bytes(closing)).ends >= 2) {
    out.add("closing-line-ends", "the line ends behind the block are not CRLF");
  }
}

void check_block_text(const Header& header, std::string_view block, Findings& out) {
  if (header.arc_header) {
    check_definition(block, out);
    return;
  }
  if (const std::string_view line = bad_line_of_fields(block); !line.empty()) {
    out.add("warc-fields-syntax", "line " + quoted(line) + " of the block is no named field");
  }
}

}  // namespace verify
}  // namespace fonds::warc
