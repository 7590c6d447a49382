// From the dialects with named fields to WARC 00.11.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {

Result<std::string> data_length_digits(const PositionalSlots& slots, std::size_t header_length,
                                       std::uint64_t block_length) {
  if (block_length > std::numeric_limits<std::uint64_t>::max() - header_length) {
    return fail(ErrorCode::LimitExceeded, "header and block have more octets than 64 bits count");
  }
  auto digits = std::to_string(block_length + header_length);
  if (digits.size() > slots.length_room) {
    return fail(ErrorCode::LimitExceeded, "data-length " + digits + " needs more than the " +
                                              std::to_string(slots.length_room) +
                                              " digits reserved for it");
  }
  digits.insert(0, slots.length_room - digits.size(), '0');
  return digits;
}

namespace detail {

Result<void> finish_positional(Job& job, std::string_view date, std::string_view id, char status,
                               std::uint32_t number, std::string_view rest) {
  const std::string before = "warc/00.11 ";
  std::string behind = " ";
  behind += date;
  behind += ' ';
  behind += id;
  behind += ' ';
  const std::size_t status_behind = behind.size();
  behind += status;
  behind += std::to_string(number);
  behind += "\r\n";
  behind += rest;
  PositionalSlots slots;
  slots.length_at = before.size();
  // The length counts its own digits: the least room that holds it is the right one.
  slots.length_room = std::max<std::size_t>(job.options.length_room, 1);
  constexpr std::size_t kMostDigits = 20;
  for (;; ++slots.length_room) {
    const std::size_t length = before.size() + slots.length_room + behind.size();
    auto digits = data_length_digits(slots, length, job.facts.block_length);
    if (!digits && slots.length_room >= kMostDigits) {
      return tl::unexpected(std::move(digits.error()));
    }
    if (digits) {
      slots.status_at = before.size() + slots.length_room + status_behind;
      job.out.header = before;
      job.out.header += *digits;
      job.out.header += behind;
      job.out.slots = slots;
      return {};
    }
  }
}

namespace {

// Names that 00.11 gives a meaning of its own.
bool is_structural(std::string_view name) noexcept {
  for (const std::string_view own : {"type", "content-type", "revisit", "IP-Address", "Checksum",
                                     "Segment-Origin-ID", "Warcinfo-ID"}) {
    if (equals_ignoring_case(name, own)) {
      return true;
    }
  }
  return false;
}

bool is_positional_name(std::string_view name) noexcept {
  for (const char c : name) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet < 0x20 || octet == 0x7f || c == ':') {
      return false;
    }
  }
  return !name.empty() && name == trim_blanks(name);
}

class ToPositional {
 public:
  explicit ToPositional(Job& job) : job_(job), header_(job.header) {}

  Result<void> run() {
    later_ = header_.type == "continuation" && header_.segment && header_.segment->number > 1;
    FONDS_TRY(id_, make_record_id());
    add_type();
    add_structural_fields();
    if (!only_origin()) {
      add_named_fields();
    }
    if (const auto* kept = find_field(header_, kOriginalHeader)) {
      out_.field(kOriginalHeader, kept->value);
    } else if (job_.options.original_header) {
      out_.field(kOriginalHeader, original_header_value(header_, job_.facts.raw_header));
    }
    out_.end();
    const auto date = date_digits(date_for_target(job_));
    const auto rest = out_.take();
    return finish_positional(job_, date, id_.empty() ? "-" : id_, status(), number(), rest);
  }

 private:
  // A token of the header-line; what cannot be one gets an id made of it and keeps its field.
  Result<std::string> make_record_id() {
    if (header_.id.empty() && !(header_.segment && header_.segment->number == 1)) {
      return std::string();
    }
    if (is_token(header_.id)) {
      FONDS_TRY(auto id, id_for_target(header_.id, job_.options));
      id_is_exact_ = id == header_.id;
      return id;
    }
    id_is_exact_ = false;
    return make_id(IdScheme{}, "warc-id:" + std::string(header_.id));
  }

  // A later segment has no other fields of its own, if WARC-Original-Header keeps all of them.
  bool only_origin() const {
    return later_ && job_.options.original_header &&
           find_field(header_, kOriginalHeader) == nullptr;
  }

  // Segments that 00.11 can tell by its status.
  bool numbered() const {
    return header_.segment &&
           (later_ || (header_.segment->number == 1 && header_.type != "continuation"));
  }
  std::uint32_t number() const { return numbered() ? header_.segment->number : 1; }
  char status() const {
    if (numbered() && !header_.segment_total) {
      return 'p';
    }
    if (header_.truncated.empty()) {
      return 'w';
    }
    return header_.truncated == "time" ? 't' : 'z';
  }
  bool truncation_is_exact() const {
    return header_.truncated.empty() ||
           (status() != 'p' && (header_.truncated == "time" || header_.truncated == "length"));
  }

  // A parameter; `-` for what cannot be one. What differs from the field gets named.
  static std::string parameter(std::string_view text) {
    auto token = uri_token(text);
    return is_token(token) ? token : std::string("-");
  }
  static bool is_parameter(std::string_view text) { return is_token(text); }

  void add_type() {
    const auto type = header_.type;
    if (later_) {
      return;
    }
    const auto uri = header_.uri;
    if (type == "response" &&
        (starts_with_ignoring_case(uri, "http:") || starts_with_ignoring_case(uri, "https:"))) {
      out_.field("type", "http-response " + parameter(uri));
      target_is_said_ = is_parameter(uri);
    } else if (type == "request") {
      const auto first =
          header_.concurrent_to.empty() ? std::string_view{} : header_.concurrent_to.front();
      said_concurrent_ = is_parameter(first);
      out_.field("type", "http-request " + (said_concurrent_ ? std::string(first) : "-"));
    } else if (type == "resource" && starts_with_ignoring_case(uri, "dns:")) {
      out_.field("type", "dns-response " + parameter(uri));
      target_is_said_ = is_parameter(uri);
    } else if (type == "metadata" || type == "conversion") {
      add_reference_type(type);
    } else if (type == "revisit") {
      add_revisit(uri);
    } else if (type == "warcinfo") {
      out_.field("type", type);
    } else {
      add_other_type(type);
    }
  }

  void add_reference_type(std::string_view type) {
    std::string reference = "-";
    if (is_parameter(header_.refers_to)) {
      reference = header_.refers_to;
      // Without a target by name it would be read as one if the record is not there.
      refers_to_is_said_ = !header_.uri.empty();
    } else if (header_.refers_to.empty() && !header_.uri.empty()) {
      reference = parameter(header_.uri);
      target_is_said_ = is_parameter(header_.uri);
    }
    out_.field("type", std::string(type) + " " + reference + (type == "conversion" ? " -" : ""));
  }

  void add_revisit(std::string_view uri) {
    out_.field("type", "http-response " + parameter(uri));
    target_is_said_ = is_parameter(uri);
    std::string reference = "-";
    if (is_parameter(header_.refers_to)) {
      reference = header_.refers_to;
      refers_to_is_said_ = !header_.refers_to_uri.empty();
    } else if (header_.refers_to.empty() && is_parameter(header_.refers_to_uri)) {
      reference = header_.refers_to_uri;
      refers_to_uri_is_said_ = true;
    }
    constexpr std::string_view kLegacy = "urn:x-warc-00.11:revisit:";
    const auto step = header_.profile.substr(header_.profile.rfind('/') + 1);
    std::string comparison =
        step.ends_with("identical-payload-digest") || step == "server-not-modified" ? "same"
                                                                                    : "different";
    for (const std::string_view word : {"same", "different", "patch"}) {
      if (header_.profile == std::string(kLegacy) + std::string(word)) {
        comparison = word;
        profile_is_said_ = true;
      }
    }
    out_.field("revisit", reference + " " + comparison);
  }

  // Types that 00.11 has not are data; an unknown one is written as it is unless that would mean
  // something.
  void add_other_type(std::string_view type) {
    static constexpr std::string_view kKnown[] = {"response",      "resource",     "continuation",
                                                  "http-response", "http-request", "dns-response",
                                                  "dns-request",   "data"};
    const bool known = std::any_of(std::begin(kKnown), std::end(kKnown),
                                   [type](auto name) { return equals_ignoring_case(name, type); });
    const bool is_data = known || !is_token(type);
    out_.field("type", is_data ? std::string_view("data") : type);
    if (is_data && !type.empty() && type != "resource") {
      out_.field("WARC-Type", type);
    }
  }

  void add_structural_fields() {
    if (!header_.content_type.empty() && !only_origin()) {
      out_.field("content-type", header_.content_type);
    }
    if (!only_origin()) {
      if (!header_.ip.empty()) {
        out_.field("IP-Address", header_.ip);
      }
      if (!header_.block_digest.empty()) {
        out_.field("Checksum", header_.block_digest);
      }
    }
    if (header_.type == "continuation" && !header_.segment_origin.empty()) {
      add_id("Segment-Origin-ID", header_.segment_origin);
    }
    if (only_origin()) {
      return;
    }
    if (!header_.warcinfo_id.empty()) {
      add_id("Warcinfo-ID", header_.warcinfo_id);
    }
    if (!truncation_is_exact()) {
      out_.field("note", "truncated: " + std::string(header_.truncated));
    }
  }
  void add_id(std::string_view name, std::string_view id) {
    const auto legal = id_for_target(id, job_.options);
    out_.field(name, legal ? std::string_view(*legal) : id);
  }

  // Whether the field's first occurrence is said by header-line, type and the fields above.
  bool is_said(Known known) const {
    switch (known) {
      case Known::Type:
      case Known::ContentLength:
      case Known::ContentType:
      case Known::IpAddress:
      case Known::BlockDigest:
      case Known::WarcinfoId:
        return true;
      case Known::RecordId:
        return id_is_exact_;
      case Known::Date:
        return header_.date.value && header_.date.value->precision == Date::Precision::Second;
      case Known::TargetUri:
        return target_is_said_ ||
               (later_ && job_.scope.target_of(header_.segment_origin) == header_.uri);
      case Known::RefersTo:
        return refers_to_is_said_;
      case Known::RefersToTargetUri:
        return refers_to_uri_is_said_;
      case Known::Truncated:
        return truncation_is_exact();
      case Known::Profile:
        return profile_is_said_;
      case Known::SegmentNumber:
        return numbered();
      case Known::SegmentOriginId:
        return header_.type == "continuation";
      default:
        return false;
    }
  }

  // A field kept by a conversion from 00.11 gets its own name back.
  bool add_legacy_field(std::string_view value) {
    const std::size_t colon = value.find(':');
    const auto name = value.substr(0, colon);
    if (colon == npos || !is_positional_name(name) || is_structural(name) ||
        starts_with_ignoring_case(name, "WARC-")) {
      return false;
    }
    out_.field(name, trim_blanks(value.substr(colon + 1)));
    return true;
  }

  void add_named_fields() {
    std::uint32_t seen = 0;
    bool first_concurrent = true;
    for (const auto& field : header_.fields) {
      const Known known = identify(field.name);
      if (known != Known::kCount) {
        const auto bit = std::uint32_t{1} << static_cast<unsigned>(known);
        const bool first = (seen & bit) == 0;
        seen |= bit;
        if ((first && is_said(known)) || known == Known::ContentLength) {
          continue;
        }
      } else if (is_concurrent_to(field.name) && !field.value.empty()) {
        const bool said = first_concurrent && said_concurrent_;
        first_concurrent = false;
        if (said) {
          continue;
        }
      } else if (equals_ignoring_case(field.name, kOriginalHeader) ||
                 (equals_ignoring_case(field.name, kLegacyField) &&
                  add_legacy_field(field.value))) {
        continue;
      }
      add_named(field);
    }
  }
  void add_named(const Field& field) {
    if (!is_positional_name(field.name)) {
      job_.lose_unless_kept("field with a name that WARC 00.11 cannot have");
    } else if (is_structural(field.name)) {
      out_.field(kLegacyField, std::string(field.name) + ": " + std::string(field.value));
    } else {
      out_.field(field.name, field.value);
    }
  }

  Job& job_;
  const Header& header_;
  HeaderText out_;
  std::string id_;
  bool later_ = false;  // a segment that 00.11 can tell as such
  bool id_is_exact_ = true;
  bool target_is_said_ = false, refers_to_is_said_ = false, refers_to_uri_is_said_ = false;
  bool profile_is_said_ = false, said_concurrent_ = false;
};

}  // namespace

Result<void> modern_to_positional(Job& job) { return ToPositional(job).run(); }

}  // namespace detail

}  // namespace fonds::warc
