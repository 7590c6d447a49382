// Rules on the named fields of WARC 0.12 to 1.1. Clauses are those of WARC 1.1.
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/core.h>

#include <fonds/date.hpp>
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

constexpr std::size_t kFields = static_cast<std::size_t>(Known::kCount);
using Mask = std::uint32_t;
static_assert(kFields <= 32);

constexpr std::array<std::string_view, kFields> kFieldNames = {"WARC-Type",
                                                               "WARC-Record-ID",
                                                               "WARC-Date",
                                                               "Content-Length",
                                                               "Content-Type",
                                                               "WARC-Target-URI",
                                                               "WARC-Block-Digest",
                                                               "WARC-Payload-Digest",
                                                               "WARC-IP-Address",
                                                               "WARC-Refers-To",
                                                               "WARC-Refers-To-Target-URI",
                                                               "WARC-Refers-To-Date",
                                                               "WARC-Truncated",
                                                               "WARC-Warcinfo-ID",
                                                               "WARC-Filename",
                                                               "WARC-Profile",
                                                               "WARC-Segment-Number",
                                                               "WARC-Segment-Origin-ID",
                                                               "WARC-Segment-Total-Length",
                                                               "WARC-TREC-ID",
                                                               "WARC-Identified-Payload-Type"};

constexpr std::string_view name_of(Known field) {
  return kFieldNames[static_cast<std::size_t>(field)];
}

template <typename... Fields>
constexpr Mask mask(Fields... fields) {
  return (Mask{0} | ... | (Mask{1} << static_cast<unsigned>(fields)));
}

// Fields that 1.1 has added; before it they were extensions, which no rule forbids.
constexpr Mask kNewIn11 = mask(Known::RefersToTargetUri, Known::RefersToDate);
constexpr Mask kReference = mask(Known::RefersTo) | kNewIn11;
constexpr Mask kLaterSegments = mask(Known::SegmentOriginId, Known::SegmentTotalLength);
constexpr Mask kPayload = mask(Known::PayloadDigest, Known::IdentifiedPayloadType);

// What the fields of clause 5 say of the types. Of the fields that every record must have, the
// parser reports which are missing.
struct TypeRules {
  Mask required = 0;
  Mask forbidden = 0;
  bool concurrent = true;  // WARC-Concurrent-To may be there
  bool segments = true;    // clause 7: nothing is said against segments of such records
};

constexpr Mask kNotOnCaptures = kReference | kLaterSegments | mask(Known::Filename, Known::Profile);

constexpr std::array<TypeRules, 9> kRules = {{
    {},  // other types: nothing is known of them
    {.forbidden = (kNotOnCaptures & ~mask(Known::Filename)) | kPayload |
                  mask(Known::IpAddress, Known::TargetUri, Known::WarcinfoId),
     .concurrent = false,
     .segments = false},                                                // warcinfo
    {.required = mask(Known::TargetUri), .forbidden = kNotOnCaptures},  // response
    {.required = mask(Known::TargetUri), .forbidden = kNotOnCaptures},  // resource
    {.required = mask(Known::TargetUri),
     .forbidden = kNotOnCaptures,
     .segments = false},  // request
    {.forbidden = (kNotOnCaptures & ~mask(Known::RefersTo)) | kPayload, .segments = false},
    {.required = mask(Known::TargetUri, Known::Profile),
     .forbidden = kLaterSegments | mask(Known::Filename),
     .segments = false},  // revisit
    {.required = mask(Known::TargetUri),
     .forbidden = (kNotOnCaptures & ~mask(Known::RefersTo)) | mask(Known::IpAddress),
     .concurrent = false},  // conversion
    {.required = mask(Known::TargetUri, Known::SegmentNumber),
     .forbidden = kReference | mask(Known::IpAddress, Known::Filename, Known::Profile),
     .concurrent = false},  // continuation
}};

// Clause 7: what the segments after the first should leave to it.
constexpr Mask kOfFirstSegment = mask(Known::ContentType, Known::IdentifiedPayloadType);

class Modern {
 public:
  Modern(const Subject& subject, Lacks& lacks, Findings& out)
      : subject_(subject),
        header_(subject.header),
        lacks_(lacks),
        out_(out),
        type_(record_type(header_.type)),
        is_11_(header_.major > 1 || (header_.major == 1 && header_.minor >= 1)) {}

  void check() {
    check_text();
    check_presence();
    check_uris();
    check_dates();
    check_values();
    check_segment();
    if (type_ == RecordType::Revisit) {
      check_revisit();
    }
    check_recommended();
  }

 private:
  std::string_view get(Known field) const { return header_.get(field); }

  void check_text() {
    for (const Field& field : header_.fields) {
      if (!is_token(field.name)) {
        out_.add("bad-field-name", "field name " + quoted(field.name) + " is no token");
      }
      if (has_control(field.value)) {
        out_.add("bad-field-value",
                 fmt::format("the value of {} holds a control character", quoted(field.name)));
      }
    }
  }

  // Which fields are there, which must be, and which must not.
  void check_presence() {
    const TypeRules& rules = kRules[static_cast<std::size_t>(type_)];
    Mask there = 0;  // also without a value
    Mask filled = 0;
    for (std::size_t i = 0; i < kFields; ++i) {
      there |= static_cast<Mask>(header_.known[i].data() != nullptr) << i;
      filled |= static_cast<Mask>(!header_.known[i].empty()) << i;
    }
    each(rules.required & ~filled, [&](Known field) {
      out_.add("missing-mandatory-field",
               fmt::format("a {} record needs {}", header_.type, name_of(field)));
    });
    const Mask forbidden = is_11_ ? rules.forbidden : rules.forbidden & ~kNewIn11;
    each(forbidden & there, [&](Known field) {
      out_.add("forbidden-field",
               fmt::format("a {} record must not have {}", header_.type, name_of(field)));
    });
    if (!rules.concurrent && !header_.concurrent_to.empty()) {
      out_.add("forbidden-field",
               fmt::format("a {} record must not have WARC-Concurrent-To", header_.type));
    }
    if (type_ == RecordType::Continuation) {
      each(kOfFirstSegment & there, [&](Known field) {
        out_.add("segment-field",
                 fmt::format("{} belongs to the first segment only", name_of(field)));
      });
    }
    const bool block =
        header_.length_state == Header::LengthState::Good && header_.block_length > 0;
    if ((filled & mask(Known::ContentType)) == 0 && block && type_ != RecordType::Continuation) {
      out_.add("missing-content-type",
               fmt::format("a block of {} octets has no Content-Type", header_.block_length));
    }
  }

  template <typename Do>
  static void each(Mask fields, const Do& act) {
    for (std::size_t i = 0; fields != 0; ++i, fields >>= 1U) {
      if ((fields & 1U) != 0) {
        act(static_cast<Known>(i));
      }
    }
  }

  void check_uris() {
    check_id(Known::RecordId, false);
    for (const Known field : {Known::RefersTo, Known::WarcinfoId, Known::SegmentOriginId}) {
      check_id(field, true);
    }
    if (!header_.concurrent_to.empty()) {
      for (const Field& field : header_.fields) {
        if (detail::is_concurrent_to(field.name)) {
          check_id("WARC-Concurrent-To", field.value, true);
        }
      }
    }
    for (const Known field : {Known::TargetUri, Known::RefersToTargetUri, Known::Profile}) {
      const std::string_view value = get(field);
      const std::string_view inner = strip_brackets(value);
      // WARC 1.0 has brackets around every URI by its grammar, around ids only in its examples.
      if (is_11_ && inner.size() != value.size()) {
        out_.add("uri-brackets",
                 fmt::format("{} {} stands in brackets", name_of(field), quoted(value)));
      }
      check_uri(name_of(field), inner, out_);
    }
  }

  void check_id(Known field, bool syntax) { check_id(name_of(field), get(field), syntax); }
  void check_id(std::string_view name, std::string_view value, bool syntax) {
    if (value.empty()) {
      return;
    }
    const std::string_view inner = strip_brackets(value);
    if (inner.size() == value.size()) {
      out_.add("uri-brackets", fmt::format("{} {} stands in no brackets", name, quoted(value)));
    }
    if (syntax) {
      check_uri(name, inner, out_);
    }
  }

  void check_dates() {
    const int minor = is_11_ ? 1 : 0;
    const DateQuirks& quirks = header_.date.quirks;
    if (header_.date.value && !quirks.invalid && !quirks.day_of_year && !quirks.not_14_digits &&
        !is_strict_warc_date(header_.date_raw, minor)) {
      add_date("WARC-Date", header_.date_raw);
    }
    if (!header_.refers_to_date.empty() && !is_strict_warc_date(header_.refers_to_date, minor)) {
      add_date("WARC-Refers-To-Date", header_.refers_to_date);
    }
  }
  void add_date(std::string_view name, std::string_view date) {
    out_.add("date-form", fmt::format("{} {} does not have the form of {}", name, quoted(date),
                                      is_11_ ? "W3C-DTF in UTC" : "YYYY-MM-DDThh:mm:ssZ"));
  }

  void check_values() {
    if (const auto ip = get(Known::IpAddress); !ip.empty()) {
      check_address(name_of(Known::IpAddress), ip, out_);
    }
    if (const auto type = get(Known::ContentType); !type.empty()) {
      check_media_type(name_of(Known::ContentType), type, out_);
      check_block_type(header_, type, out_);
    }
    if (const auto type = get(Known::IdentifiedPayloadType); !type.empty()) {
      check_media_type(name_of(Known::IdentifiedPayloadType), type, out_);
    }
    check_truncated();
    for (const Known field : {Known::SegmentNumber, Known::SegmentTotalLength}) {
      const std::string_view value = get(field);
      const auto length = detail::parse_length(value);
      if (value.data() != nullptr && (length.state != Header::LengthState::Good || length.plus)) {
        out_.add("bad-field-value",
                 fmt::format("{} {} is no number", name_of(field), quoted(value)));
      }
    }
  }

  void check_truncated() {
    static constexpr std::array<std::string_view, 4> kReasons = {"length", "time", "disconnect",
                                                                 "unspecified"};
    const std::string_view reason = get(Known::Truncated);
    if (reason.data() == nullptr) {
      return;
    }
    for (const std::string_view known : kReasons) {
      if (reason == known) {
        return;
      }
    }
    if (is_token(reason)) {
      out_.add("unknown-truncated-reason",
               fmt::format("WARC-Truncated {} is no reason of the standard", quoted(reason)));
    } else {
      out_.add("bad-field-value", fmt::format("WARC-Truncated {} is no token", quoted(reason)));
    }
  }

  void check_segment() {
    if (!header_.segment || detail::parse_length(get(Known::SegmentNumber)).value == 0) {
      return;
    }
    const bool continuation = type_ == RecordType::Continuation;
    if (continuation != (header_.segment->number > 1)) {
      out_.add("segment-number-mismatch", fmt::format("WARC-Segment-Number is {} on a {} record",
                                                      header_.segment->number, header_.type));
    }
    if (!kRules[static_cast<std::size_t>(type_)].segments) {
      out_.add("segmented-type",
               fmt::format("segments of {} records are not recommended", header_.type));
    }
  }

  void check_revisit() {
    const std::string_view profile = header_.profile;
    if (profile.empty()) {
      return;
    }
    const std::string_view last = profile.substr(profile.rfind('/') + 1);
    const bool identical =
        last == "identical-payload-digest" || last == "uri-agnostic-identical-payload-digest";
    if (!identical && last != "server-not-modified" &&
        !profile.starts_with("urn:x-warc-00.11:revisit:")) {
      out_.add("unknown-profile", fmt::format("WARC-Profile {} is not known", quoted(profile)));
    }
    if (!identical) {
      return;
    }
    if (get(Known::PayloadDigest).empty()) {
      out_.add("missing-mandatory-field",
               fmt::format("the profile {} needs WARC-Payload-Digest", last));
    }
    if (header_.block_length > 0 && get(Known::Truncated) != "length") {
      out_.add("revisit-not-truncated",
               "the block lacks its body, but WARC-Truncated does not say length");
    }
  }

  void check_recommended() {
    const auto lacks = [&](Known field, Recommended what) {
      if (get(field).empty()) {
        note_lack(lacks_, what, subject_);
      }
    };
    switch (type_) {
      case RecordType::Response:
      case RecordType::Request:
        if (starts_with_ignoring_case(header_.uri, "http")) {
          lacks(Known::IpAddress, type_ == RecordType::Response ? Recommended::ResponseAddress
                                                                : Recommended::RequestAddress);
        }
        break;
      case RecordType::Revisit:
        lacks(Known::RefersTo, Recommended::RevisitRefersTo);
        if (is_11_ && !header_.profile.ends_with("/server-not-modified")) {
          lacks(Known::RefersToTargetUri, Recommended::RevisitTarget);
        }
        if (is_11_) {
          lacks(Known::RefersToDate, Recommended::RevisitDate);
        }
        break;
      case RecordType::Conversion:
        lacks(Known::RefersTo, Recommended::ConversionRefersTo);
        break;
      default:
        break;
    }
  }

  const Subject& subject_;
  const Header& header_;
  Lacks& lacks_;
  Findings& out_;
  RecordType type_;
  bool is_11_;
};

}  // namespace

void check_modern(const Subject& subject, Lacks& lacks, Findings& out) {
  Modern(subject, lacks, out).check();
}

}  // namespace fonds::warc::verify
