// What the rules of all dialects share.
#include "format/warc/verify_fields.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/finding.hpp>

#include "base/text.hpp"
#include "format/warc/grammar.hpp"
#include "format/warc/grammar_detail.hpp"
#include "format/warc/verify_facts.hpp"
#include "format/warc/verify_syntax.hpp"

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
