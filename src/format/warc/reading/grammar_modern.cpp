// Headers of named fields: WARC 0.12 to 1.1.
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"

namespace fonds::warc::detail {

namespace {

constexpr std::array<std::string_view, 8> kTypes = {"warcinfo",   "response",    "resource",
                                                    "request",    "metadata",    "revisit",
                                                    "conversion", "continuation"};

std::string_view static_version(int major, int minor) noexcept {
  static constexpr std::array<std::string_view, 7> kDrafts = {
      "WARC/0.12", "WARC/0.13", "WARC/0.14", "WARC/0.15", "WARC/0.16", "WARC/0.17", "WARC/0.18"};
  if (major == 1 && minor >= 0 && minor <= 1) {
    return minor == 0 ? "WARC/1.0" : "WARC/1.1";
  }
  if (major == 0 && minor >= 12 && minor <= 18) {
    return kDrafts[static_cast<std::size_t>(minor - 12)];
  }
  return {};
}

void note_version(Header& header, std::string_view written, const VersionToken& token) {
  header.major = token.major;
  header.minor = token.minor;
  header.version = static_version(token.major, token.minor);
  if (written == header.version) {
    return;
  }
  if (written.substr(0, 4) != "WARC") {
    add_issue(header, "version-token-case", "version is written " + quoted(written));
  }
  const bool known = !header.version.empty();
  if (!known) {
    header.version =
        own(header, "WARC/" + std::to_string(token.major) + "." + std::to_string(token.minor));
  }
  if (!known || written.substr(4) != header.version.substr(4)) {
    add_issue(header, "unknown-version",
              "version " + quoted(written) + " is none of 0.12 to 0.18, 1.0 and 1.1");
  }
}

void read_version(Header& header, std::string_view line, VersionToken& token) {
  if (line == "WARC/1.0" || line == "WARC/1.1") {
    token.length = line.size();
    header.version = line == "WARC/1.0" ? "WARC/1.0" : "WARC/1.1";
    header.major = 1;
    header.minor = line.back() - '0';
    return;
  }
  parse_version_token(line, token);
  token.length = token.length == 0 ? line.size() : token.length;
  note_version(header, line.substr(0, token.length), token);
}

// A name by RFC 2616 that is followed by a colon at once: stricter than what a header may hold, so
// that text in a block is not taken for a field.
bool is_strict_field(std::string_view line, std::string_view& name) noexcept {
  static constexpr std::string_view kSeparators = "()<>@,;\\\"/[]?={} \t";
  const std::size_t colon = line.find(':');
  if (colon == npos || colon == 0) {
    return false;
  }
  name = line.substr(0, colon);
  for (const char c : name) {
    if (c < 0x21 || c > 0x7e || kSeparators.find(c) != std::string_view::npos) {
      return false;
    }
  }
  return true;
}

// Whether the header goes on behind an empty line: ClueWeb09 has records with an empty line before
// Content-Length. Yes if only fields follow up to the next empty line, one of them Content-Length.
// A block of named fields behind a header without a length must not be swallowed, nor may a long
// block be searched whole.
Verdict goes_on(std::string_view text) noexcept {
  const bool bounded = text.size() >= kLookAhead;
  text = text.substr(0, kLookAhead);
  bool found = false;
  for (bool first = true;; first = false) {
    const std::size_t end = text.find('\n');
    if (end == npos) {
      return bounded ? Verdict::No : Verdict::More;
    }
    const auto line = strip_line_end(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (line.empty()) {
      return found ? Verdict::Yes : Verdict::No;
    }
    std::string_view name;
    if (is_blank(line.front()) && !first) {
      continue;
    }
    if (!is_strict_field(line, name)) {
      return Verdict::No;
    }
    found = found || identify(name) == Known::ContentLength;
  }
}

void note_type(Header& header) {
  const auto written = header.get(Known::Type);
  header.type = written;
  if (written.empty()) {
    return;
  }
  for (const auto type : kTypes) {
    if (written == type) {
      header.type = type;
      return;
    }
  }
  for (const auto type : kTypes) {
    if (equals_ignoring_case(written, type)) {
      header.type = type;
      header.stored_type = written;
      add_issue(header, "type-case", "type is written " + quoted(written));
      return;
    }
  }
  add_issue(header, "unknown-type", "type " + quoted(written) + " is unknown");
}

void add_bad_length(Header& header, std::string_view text) {
  add_issue(header, "bad-length", "Content-Length " + quoted(text) + " is no length");
}

void note_content_length(Header& header) {
  const auto text = header.get(Known::ContentLength);
  const auto length = parse_length(text);
  header.length_state = length.state;
  header.block_length = length.value;
  if (length.state == Header::LengthState::Bad) {
    add_bad_length(header, text);
  } else if (length.plus) {
    add_issue(header, "odd-length", "Content-Length " + quoted(text) + " has a sign");
  }
}

void compare_lengths(Header& header) {
  bool first = true;
  for (const auto& field : header.fields) {
    if (identify(field.name) != Known::ContentLength) {
      continue;
    }
    if (first) {
      first = false;
      continue;
    }
    const auto other = parse_length(field.value);
    if (other.state == header.length_state && other.value == header.block_length &&
        (other.state != Header::LengthState::Bad ||
         field.value == header.get(Known::ContentLength))) {
      add_issue(header, "duplicate-field", "field " + quoted(field.name) + " is repeated");
      continue;
    }
    if (other.state == Header::LengthState::Good) {
      header.other_lengths.push_back(other.value);
    }
    add_issue(header, "duplicate-length-differs",
              "Content-Length is " + quoted(header.get(Known::ContentLength)) + " and " +
                  quoted(field.value));
  }
}

void note_segment(Header& header) {
  const auto number = parse_length(header.get(Known::SegmentNumber));
  if (number.state == Header::LengthState::Good &&
      number.value <= std::numeric_limits<std::uint32_t>::max()) {
    header.segment = Segment{static_cast<std::uint32_t>(number.value), 0};
    if (number.value == 0) {
      header.segment->number = 1;
      add_issue(header, "segment-number-zero", "segment number 0 is read as 1");
    }
  }
  header.segment_origin = strip_brackets(header.get(Known::SegmentOriginId));
  const auto total = parse_length(header.get(Known::SegmentTotalLength));
  if (total.state == Header::LengthState::Good) {
    header.segment_total = total.value;
  }
  if (header.type == "continuation" && header.segment_origin.empty() && header.complete) {
    add_issue(header, "missing-segment-origin-id", "continuation without WARC-Segment-Origin-ID");
  }
}

void require_mandatory(Header& header) {
  static constexpr std::array<std::pair<Known, std::string_view>, 4> kMandatory = {
      {{Known::Type, "WARC-Type"},
       {Known::RecordId, "WARC-Record-ID"},
       {Known::Date, "WARC-Date"},
       {Known::ContentLength, "Content-Length"}}};
  for (const auto& [field, name] : kMandatory) {
    if (header.get(field).empty()) {
      header.issues.push_back({"missing-mandatory-field", "no " + std::string(name)});
    }
  }
}

void finish(Header& header, bool content_length_repeated) {
  note_known_fields(header);
  note_type(header);
  note_content_length(header);
  if (content_length_repeated) {
    compare_lengths(header);
  }
  header.id = strip_brackets(header.get(Known::RecordId));
  header.uri = uri_view(header, header.get(Known::TargetUri));
  header.date_raw = header.get(Known::Date);
  if (!header.date_raw.empty()) {
    header.date = parse_warc_date(header.date_raw);
    add_date_issues(header);
  }
  header.content_type = header.get(Known::ContentType);
  header.ip = header.get(Known::IpAddress);
  header.block_digest = header.get(Known::BlockDigest);
  header.payload_digest = header.get(Known::PayloadDigest);
  header.refers_to = strip_brackets(header.get(Known::RefersTo));
  header.refers_to_uri = uri_view(header, header.get(Known::RefersToTargetUri));
  header.refers_to_date = header.get(Known::RefersToDate);
  header.profile = strip_brackets(header.get(Known::Profile));
  header.truncated = header.get(Known::Truncated);
  header.warcinfo_id = strip_brackets(header.get(Known::WarcinfoId));
  header.filename = header.get(Known::Filename);
  header.trec_id = header.get(Known::TrecId);
  header.payload_type = header.get(Known::IdentifiedPayloadType);
  note_segment(header);
  if (header.complete) {
    require_mandatory(header);
  }
}

}  // namespace

bool parse_modern(std::string_view text, bool whole, Header& header) {
  header.dialect = Dialect::Modern;
  FieldLines fields(header);
  VersionToken token;
  bool crlf = false;
  bool lf = false;
  bool blank_inside = false;
  unsigned lengths = 0;
  std::size_t pos = 0;
  while (!header.complete) {
    const auto* end =
        pos < text.size()
            ? static_cast<const char*>(std::memchr(text.data() + pos, '\n', text.size() - pos))
            : nullptr;
    if (end == nullptr && !whole) {
      return false;
    }
    const std::size_t stop =
        end == nullptr ? text.size() : static_cast<std::size_t>(end - text.data());
    const auto line = strip_line_end(text.substr(pos, stop - pos));
    const bool first = token.length == 0;
    if (first) {
      read_version(header, line, token);
    }
    if (end == nullptr) {
      pos = text.size();  // a line that is cut is no field
      break;
    }
    (line.size() == stop - pos ? lf : crlf) = true;
    pos = stop + 1;
    if (first) {
      if (line.empty()) {
        break;  // not reached behind classify_start()
      }
      continue;
    }
    if (!line.empty()) {
      const auto name = fields.add(line);
      lengths += name.size() == 14 && identify(name) == Known::ContentLength ? 1 : 0;
      continue;
    }
    const auto more = lengths == 0 ? goes_on(text.substr(pos)) : Verdict::No;
    if (more == Verdict::More && !whole) {
      return false;
    }
    blank_inside = blank_inside || more == Verdict::Yes;
    header.complete = more != Verdict::Yes;
  }
  header.length = pos;
  header.lf_only = lf && !crlf;
  if (lf) {
    if (crlf) {
      add_issue(header, "mixed-eol", "header lines end in CRLF and in LF");
    } else {
      add_issue(header, "lf-only-header", "header lines end in LF");
    }
  }
  if (blank_inside) {
    add_issue(header, "blank-line-in-header", "an empty line stands before Content-Length");
  }
  check_utf8(header, text.substr(0, pos));
  finish(header, lengths > 1);
  return true;
}

}  // namespace fonds::warc::detail
