// Headers of WARC 00.11: a header-line of columns, then named fields. Rulings R1…:
// docs/formats/warc-00.11.md, "Rulings".
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"

namespace fonds::warc::detail {

namespace {

// What a record type of 00.11 means in the model (8.1).
struct TypeRule {
  std::string_view name;
  std::string_view model;
  std::string_view content_type;
  enum class Parameter : std::uint8_t { None, Target, Response, Reference } parameter;
  std::size_t parameters;
};
constexpr std::array<TypeRule, 8> kTypeRules = {{
    {"warcinfo", "warcinfo", "application/warc-fields", TypeRule::Parameter::None, 0},
    {"http-response", "response", "application/http;msgtype=response", TypeRule::Parameter::Target,
     1},
    {"http-request", "request", "application/http;msgtype=request", TypeRule::Parameter::Response,
     1},
    {"dns-response", "resource", "", TypeRule::Parameter::Target, 1},
    {"dns-request", "resource", "", TypeRule::Parameter::Target, 1},
    {"metadata", "metadata", "application/warc-fields", TypeRule::Parameter::Reference, 1},
    {"conversion", "conversion", "", TypeRule::Parameter::Reference, 2},
    {"data", "resource", "", TypeRule::Parameter::None, 0},
}};

// A URI of a parameter: without <>; `-` is none (R2, R21).
std::string_view reference(std::string_view token) noexcept {
  token = strip_brackets(token);
  return token == "-" ? std::string_view{} : token;
}

bool is_web_uri(std::string_view uri) noexcept {
  for (const std::string_view scheme : {"http:", "https:", "ftp:", "dns:"}) {
    if (starts_with_ignoring_case(uri, scheme)) {
      return true;
    }
  }
  return false;
}

// The fields of 00.11 whose first occurrence counts.
struct Fields {
  enum Name : std::uint8_t {
    Type,
    ContentType,
    Revisit,
    IpAddress,
    Checksum,
    SegmentOriginId,
    WarcinfoId,
    kCount
  };
  std::array<std::string_view, kCount> values = {};
  std::string_view operator[](Name name) const { return values[name]; }
};
struct FieldName {
  std::string_view name;
  Known known;
};
constexpr std::array<FieldName, Fields::kCount> kFieldNames = {{
    {"type", Known::Type},
    {"content-type", Known::ContentType},
    {"revisit", Known::kCount},
    {"IP-Address", Known::IpAddress},
    {"Checksum", Known::BlockDigest},
    {"Segment-Origin-ID", Known::SegmentOriginId},
    {"Warcinfo-ID", Known::WarcinfoId},
}};

// R12: relationship and uri, apart by blanks.
void check_related_resource(Header& header, std::string_view value) {
  const auto relationship = take_token(value);
  if (take_token(value).empty()) {
    if (relationship.find(',') != npos) {
      add_issue(header, "related-resource-comma",
                "Related-Resource " + quoted(relationship) + " has a comma in place of a blank");
    }
  } else if (take_token(value) == "-") {
    add_issue(header, "related-resource-trailing-dash", "Related-Resource ends in a third token");
  }
}

Fields note_fields(Header& header) {
  Fields result;
  std::array<unsigned, Fields::kCount> seen = {};
  // Fields that only WARC 1.1 has are written under its names (9.2), so they count first, and
  // 00.11's override them.
  note_known_fields(header);
  for (const auto& field : header.fields) {
    for (std::size_t i = 0; i < kFieldNames.size(); ++i) {
      if (field.name.size() != kFieldNames[i].name.size() ||
          !equals_ignoring_case(field.name, kFieldNames[i].name)) {
        continue;
      }
      ++seen[i];
      if (seen[i] == 1) {
        result.values[i] = field.value;
        if (kFieldNames[i].known != Known::kCount) {
          header.known[static_cast<std::size_t>(kFieldNames[i].known)] = field.value;
        }
      } else if (seen[i] == 2 && kFieldNames[i].known != Known::ContentType) {
        header.issues.push_back(
            {"duplicate-field", "field " + quoted(field.name) + " is repeated"});
      }
      break;
    }
    if (equals_ignoring_case(field.name, "Related-Resource")) {
      check_related_resource(header, field.value);
    }
  }
  return result;
}

void note_reference(Header& header, std::string_view token) {
  const auto uri = reference(token);
  (is_web_uri(uri) ? header.uri : header.refers_to) = uri;
}

void note_parameters(Header& header, const TypeRule& rule, std::string_view rest) {
  const auto first = take_token(rest);
  const auto second = rule.parameters == 2 ? take_token(rest) : std::string_view{};
  if ((rule.parameters >= 1 && first.empty()) || (rule.parameters == 2 && second.empty())) {
    add_issue(header, "missing-type-parameter",
              "type " + quoted(rule.name) + " has fewer than " + std::to_string(rule.parameters) +
                  " parameters");
  }
  if (!trim_blanks(rest).empty() || (rule.parameters == 0 && !first.empty())) {
    add_issue(header, "extra-type-parameter",
              "type " + quoted(rule.name) + " has more than " + std::to_string(rule.parameters) +
                  " parameters");
  }
  switch (rule.parameter) {
    case TypeRule::Parameter::None:
      break;
    case TypeRule::Parameter::Target:
      header.uri = reference(first);
      break;
    case TypeRule::Parameter::Reference:
      note_reference(header, first);
      break;
    case TypeRule::Parameter::Response:
      if (const auto uri = reference(first); !uri.empty()) {
        header.concurrent_to.insert(header.concurrent_to.begin(), uri);
      }
      break;
  }
}

// Sets the type by the `type` field and the parameters behind it. Returns the block's type if the
// record type has one.
std::string_view note_type(Header& header, std::string_view value) {
  const auto token = take_token(value);
  if (token.empty()) {
    header.type = "resource";  // the default type is `data` (R9)
    return {};
  }
  for (const auto& rule : kTypeRules) {
    if (!equals_ignoring_case(token, rule.name)) {
      continue;
    }
    header.type = rule.model;
    const std::string_view name = rule.name == "dns-request" ? "dns-response" : rule.name;
    header.stored_type = name == rule.model ? std::string_view{} : name;
    if (rule.name == "dns-request") {
      add_issue(header, "dns-request-alias", "type dns-request is read as dns-response");
    }
    note_parameters(header, rule, value);
    return rule.content_type;
  }
  header.type = token;
  add_issue(header, "unknown-type", "type " + quoted(token) + " is unknown");
  return {};
}

// R25: without one of the three words it is no revisit.
void note_revisit(Header& header, std::string_view value) {
  if (value.empty()) {
    return;
  }
  const auto written = value;
  const auto uri = reference(take_token(value));
  const auto word = take_token(value);
  for (const std::string_view comparison : {"same", "different", "patch"}) {
    if (equals_ignoring_case(word, comparison)) {
      header.revisit_comparison = comparison;
    }
  }
  if (header.revisit_comparison.empty()) {
    add_issue(header, "bad-revisit-comparison",
              "revisit " + quoted(written) + " ends in none of same, different, patch");
    return;
  }
  if (header.stored_type.empty() && !header.get(Known::Type).empty()) {
    header.stored_type = header.type;
  }
  header.type = "revisit";
  if (!uri.empty()) {
    (is_web_uri(uri) ? header.refers_to_uri : header.refers_to) = uri;
  }
}

// R9, R10, R22.
void note_segment(Header& header, std::string_view status, const Fields& fields) {
  char code = status.front();
  if (code < 'a') {
    code = static_cast<char>(code - 'A' + 'a');
    add_issue(header, "segment-code-case", "segment status is written " + quoted(status));
  }
  const auto number = parse_length(status.substr(1));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const bool fits = number.state == Header::LengthState::Good && number.value <= kMost;
  const auto stated = static_cast<std::uint32_t>(fits ? number.value : kMost);
  if (stated == 0) {
    add_issue(header, "segment-number-zero", "segment number 0 is read as 1");
  }
  header.segment = Segment{stated == 0 ? 1 : stated, code};
  header.segment_origin = strip_brackets(header.get(Known::SegmentOriginId));
  if (const auto total = parse_length(header.get(Known::SegmentTotalLength));
      total.state == Header::LengthState::Good) {
    header.segment_total = total.value;
  }
  if (header.truncated.empty() && (code == 't' || code == 'z')) {
    header.truncated = code == 't' ? "time" : "length";
  }
  if (stated < 2 && (stated == 1 || header.segment_origin.empty())) {
    return;
  }
  if (!fields[Fields::Type].empty()) {
    if (header.stored_type.empty()) {
      header.stored_type = header.type;
    }
    add_issue(
        header, "type-on-continuation",
        "segment " + std::to_string(stated) + " has the type " + quoted(fields[Fields::Type]));
  }
  header.type = "continuation";
  if (header.segment_origin.empty() && header.complete) {
    add_issue(header, "missing-segment-origin-id",
              "segment " + std::to_string(stated) + " without Segment-Origin-ID");
  }
}

void note_line(Header& header, const PositionalLine& line, const VersionToken& token) {
  header.major = token.major;
  header.minor = token.minor;
  const auto lower = to_lower(line.version);
  header.version = lower == "warc/00.11" ? std::string_view("warc/00.11") : own(header, lower);
  if (line.version != header.version) {
    add_issue(header, "version-token-case", "version is written " + quoted(line.version));
  }
  if (token.major != 0 || token.minor != 11) {
    add_issue(header, "unknown-version", "version " + quoted(line.version) + " is read as 00.11");
  }
  // R1, R18.
  const auto extra = trim_blanks(strip_line_end(line.rest.substr(0, line.rest.find('\n'))));
  if (!extra.empty()) {
    add_issue(header, "extra-header-line-tokens", "header line goes on with " + quoted(extra));
  }
  const auto length = parse_length(line.data_length);
  header.length_state = length.state;
  header.data_length = length.value;
  if (length.state == Header::LengthState::Bad) {
    add_issue(header, "bad-length", "data-length " + quoted(line.data_length) + " is no length");
  }
  header.date_raw = line.date;
  if (!line.date.empty()) {
    header.date = parse_positional_date(line.date);
    add_date_issues(header);
  }
  header.id = reference(line.id);
}

void note_data_length(Header& header) {
  if (header.data_length >= header.length) {
    header.block_length = header.data_length - header.length;
  } else if (header.complete && header.length_state == Header::LengthState::Good) {
    add_issue(header, "data-length-smaller-than-header",
              "data-length " + std::to_string(header.data_length) + ", but the header has " +
                  std::to_string(header.length) + " octets");
  }
}

void finish(Header& header, std::string_view status) {
  const auto fields = note_fields(header);
  header.truncated = header.get(Known::Truncated);
  const auto type_content = note_type(header, fields[Fields::Type]);
  note_revisit(header, fields[Fields::Revisit]);
  if (!status.empty()) {
    note_segment(header, status, fields);
  }
  // 2.5, in its order.
  if (const auto written = header.get(Known::ContentType); !written.empty()) {
    header.content_type = written;
  } else if (header.revisit_comparison == "patch") {
    header.content_type = "text/patch";
  } else if (!type_content.empty()) {
    header.content_type = type_content;
  } else if (header.type != "continuation") {
    header.content_type = "application/octet-stream";
  }
  header.ip = header.get(Known::IpAddress);
  header.block_digest = header.get(Known::BlockDigest);
  header.payload_digest = header.get(Known::PayloadDigest);
  header.warcinfo_id = strip_brackets(header.get(Known::WarcinfoId));
  header.profile = strip_brackets(header.get(Known::Profile));
  header.filename = header.get(Known::Filename);
  header.trec_id = header.get(Known::TrecId);
  header.payload_type = header.get(Known::IdentifiedPayloadType);
  header.refers_to_date = header.get(Known::RefersToDate);
  if (header.refers_to.empty()) {
    header.refers_to = strip_brackets(header.get(Known::RefersTo));
  }
  if (header.refers_to_uri.empty()) {
    header.refers_to_uri = uri_view(header, header.get(Known::RefersToTargetUri));
  }
}

// The next line from `pos` on, which moves behind its end. `crlf`: bare CR and LF are text (R7).
bool take_line(std::string_view text, bool crlf, std::size_t& pos, std::string_view& line) {
  std::size_t from = pos;
  while (from < text.size()) {
    const auto* end =
        static_cast<const char*>(std::memchr(text.data() + from, '\n', text.size() - from));
    if (end == nullptr) {
      return false;
    }
    const auto at = static_cast<std::size_t>(end - text.data());
    if (!crlf || (at > pos && text[at - 1] == '\r')) {
      line = text.substr(pos, at - pos);
      line = crlf ? line.substr(0, line.size() - 1) : strip_line_end(line);
      pos = at + 1;
      return true;
    }
    from = at + 1;
  }
  return false;
}

}  // namespace

bool parse_positional(std::string_view text, bool whole, Header& header) {
  header.dialect = Dialect::Positional;
  const std::size_t first_end = text.find('\n');
  if (first_end == npos && !whole) {
    return false;
  }
  PositionalLine columns;
  VersionToken token;
  parse_version_token(text, token);
  split_positional(text.substr(0, first_end == npos ? npos : first_end + 1), columns);
  header.lf_only = first_end != npos && (first_end == 0 || text[first_end - 1] != '\r');
  FieldLines fields(header);
  std::size_t pos = first_end == npos ? text.size() : first_end + 1;
  std::string_view line;
  while (!header.complete && take_line(text, !header.lf_only, pos, line)) {
    if (line.empty()) {
      header.complete = true;
    } else {
      fields.add(line);
    }
  }
  if (!header.complete) {
    if (!whole) {
      return false;
    }
    pos = text.size();
  }
  header.length = pos;
  if (header.lf_only) {
    add_issue(header, "lf-only-header", "header lines end in LF");
  }
  check_utf8(header, text.substr(0, pos));
  note_line(header, columns, token);
  finish(header, columns.status);
  note_data_length(header);
  return true;
}

}  // namespace fonds::warc::detail
