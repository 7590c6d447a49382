// Rules on the headers of WARC 00.11 and of ARC.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/core.h>

#include <fonds/record.hpp>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/verifying/verify_facts.hpp"
#include "format/warc/verifying/verify_fields.hpp"
#include "format/warc/verifying/verify_syntax.hpp"

namespace fonds::warc::verify {
namespace {

using detail::quoted;
using detail::strip_brackets;
using detail::take_token;

// 2.3: the terms of Dublin Core that refine `relation`, or a dash.
bool is_relationship(std::string_view name) {
  static constexpr std::array<std::string_view, 16> kTerms = {
      "-",           "relation",   "source",   "conformsTo",     "hasFormat",    "hasPart",
      "hasVersion",  "isFormatOf", "isPartOf", "isReferencedBy", "isReplacedBy", "isRequiredBy",
      "isVersionOf", "references", "replaces", "requires"};
  return std::any_of(kTerms.begin(), kTerms.end(),
                     [&](std::string_view term) { return equals_ignoring_case(name, term); });
}

class Positional {
 public:
  Positional(const Subject& subject, Lacks& lacks, Findings& out)
      : subject_(subject), header_(subject.header), lacks_(lacks), out_(out) {}

  void check() {
    continuation_ = header_.type == "continuation";
    check_fields();
    check_segment();
    check_type();
    if (header_.type == "warcinfo" && !header_.warcinfo_id.empty()) {
      out_.add("forbidden-field", "a warcinfo record must not have Warcinfo-ID");
    }
    for (const std::string_view uri : {header_.uri, header_.refers_to_uri}) {
      check_uri("target", uri, out_);
    }
  }

 private:
  static bool is(const Field& field, std::string_view name) {
    return equals_ignoring_case(field.name, name);
  }

  void check_fields() {
    bool described = false;
    for (const Field& field : header_.fields) {
      if (has_control(field.name)) {
        out_.add("bad-field-name",
                 "field name " + quoted(field.name) + " holds a control character");
      }
      described = described || is(field, "content-type");
      check_field(field);
    }
    if (continuation_) {
      return;
    }
    if (header_.get(Known::Type).empty()) {
      note_lack(lacks_, Recommended::PositionalType, subject_);
    }
    if (!described && header_.block_length > 0) {
      note_lack(lacks_, Recommended::PositionalContentType, subject_);
    }
  }

  void check_field(const Field& field) {
    // 2.7: segments after the first should carry nothing but the id of the first. Warcinfo-ID may
    // be needed where files are joined; a type has a finding of its own.
    static constexpr std::array<std::string_view, 6> kOfFirst = {
        "content-type", "revisit", "note", "IP-Address", "Checksum", "Related-Resource"};
    if (continuation_) {
      for (const std::string_view name : kOfFirst) {
        if (is(field, name)) {
          out_.add("segment-field", fmt::format("{} belongs to the first segment only", name));
          return;
        }
      }
      if (!is(field, "Segment-Origin-ID") && !is(field, "Warcinfo-ID") && !is(field, "type")) {
        out_.add_as(Severity::Note, "segment-field",
                    fmt::format("a later segment should have no field {}", quoted(field.name)));
      }
    }
    if (is(field, "IP-Address")) {
      check_address("IP-Address", field.value, out_);
    } else if (is(field, "content-type")) {
      check_media_type("content-type", field.value, out_);
      if (!continuation_ && header_.revisit_comparison.empty()) {
        check_block_type(header_, field.value, out_);
      }
    } else if (is(field, "Related-Resource")) {
      check_related(field.value);
    } else if (is(field, "Segment-Origin-ID") || is(field, "Warcinfo-ID")) {
      const std::string_view inner = strip_brackets(field.value);
      if (inner.size() != field.value.size()) {
        out_.add("uri-brackets",
                 fmt::format("{} {} stands in brackets", field.name, quoted(field.value)));
      }
      check_uri(field.name, inner, out_);
    }
  }

  void check_related(std::string_view value) {
    const std::string_view written = value;
    if (const auto name = take_token(value); !is_relationship(name.substr(0, name.find(',')))) {
      out_.add_as(Severity::Note, "bad-field-value",
                  fmt::format("{} of Related-Resource is no relationship of Dublin Core terms",
                              quoted(name)));
    }
    const std::string_view uri = take_token(value);
    if (uri.empty() && written.find(',') == npos) {
      out_.add("bad-field-value",
               fmt::format("Related-Resource {} is no relationship and URI", quoted(written)));
    } else if (uri != "-") {
      check_uri("Related-Resource", strip_brackets(uri), out_);
    }
  }

  void check_segment() {
    if (!header_.segment) {
      return;
    }
    if (!continuation_ && !header_.segment_origin.empty()) {
      out_.add("forbidden-field", "a first segment must not have Segment-Origin-ID");
    }
    if (!continuation_ && header_.segment->code == 'p' && header_.id.empty()) {
      out_.add("segment-without-id",
               "the record goes on in further segments, which cannot name it");
    }
  }

  // 2.4: the parameters of the type.
  void check_type() {
    std::string_view value = header_.get(Known::Type);
    const std::string_view type = take_token(value);
    const std::string_view first = take_token(value);
    const std::string_view second = take_token(value);
    if (strip_brackets(first).size() != first.size()) {
      out_.add("uri-brackets", fmt::format("parameter {} stands in brackets", quoted(first)));
    }
    if (equals_ignoring_case(type, "conversion") && !second.empty() && second != "-" &&
        !equals_ignoring_case(second, "noenvelope")) {
      out_.add("bad-type-parameter",
               fmt::format("flag {} of conversion is neither noenvelope nor -", quoted(second)));
    }
    const bool dns =
        equals_ignoring_case(type, "dns-response") || equals_ignoring_case(type, "dns-request");
    if (dns && !header_.uri.empty() && !starts_with_ignoring_case(header_.uri, "dns:")) {
      out_.add("bad-type-parameter",
               fmt::format("{} of {} is no dns: URI", quoted(header_.uri), type));
    }
  }

  const Subject& subject_;
  const Header& header_;
  Lacks& lacks_;
  Findings& out_;
  bool continuation_ = false;
};

std::string_view column(const Header& header, std::string_view name) {
  for (const Field& field : header.fields) {
    if (field.name == name) {
      return field.value;
    }
  }
  return {};
}

// Content-type from the server with its parameters cut, or one of the words for none.
bool is_arc_type(std::string_view type) {
  for (const std::string_view word : {"no-type", "unk", "-"}) {
    if (equals_ignoring_case(type, word)) {
      return true;
    }
  }
  return type.find(';') == npos && is_media_type(type);
}

// ARC 2: the columns that version 1 does not have. A dash stands for none.
void check_second_version(const Header& header, Findings& out) {
  const std::string_view result = column(header, "Result-code");
  if (!result.empty() && result != "-" && (result.size() != 3 || !detail::is_digits(result))) {
    out.add("bad-field-value",
            fmt::format("Result-code {} is no status of three digits", quoted(result)));
  }
  if (const std::string_view location = column(header, "Location"); location != "-") {
    check_uri("Location", location, out);
  }
}

}  // namespace

void check_positional(const Subject& subject, Lacks& lacks, Findings& out) {
  Positional(subject, lacks, out).check();
}

void check_arc(const Subject& subject, Findings& out) {
  const Header& header = subject.header;
  check_uri("URL", header.arc_header ? std::string_view() : column(header, "URL"), out);
  if (header.fields.size() < 5) {
    out.add("arc-definition", "the filedesc line does not have the columns of a URL-record");
    return;
  }
  check_address("IP-address", column(header, "IP-address"), out);
  if (const std::string_view date = column(header, "Archive-date"); date.empty() || date == "-") {
    out.add("missing-mandatory-field", "the record has no Archive-date");
  }
  if (const std::string_view type = column(header, "Content-type"); !is_arc_type(type)) {
    out.add("arc-content-type",
            fmt::format("Content-type {} is no media type without parameters", quoted(type)));
  }
  if (header.arc_header && column(header, "Content-type") != "text/plain") {
    out.add("arc-definition", "the version block is not text/plain");
  }
  check_second_version(header, out);
  if (subject.crlf) {
    out.add("arc-line-ends", "the line of the URL-record ends in CRLF");
  }
  // The offset counts in the file without its compression.
  const std::string_view offset = column(header, "Offset");
  if (subject.stored_plain && detail::is_digits(offset) &&
      detail::parse_length(offset).value != subject.stored_offset) {
    out.add("arc-offset", fmt::format("the record begins at {}, its column Offset says {}",
                                      subject.stored_offset, quoted(offset)));
  }
}

}  // namespace fonds::warc::verify
