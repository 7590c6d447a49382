// From WARC 00.11 to the dialects with named fields.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc::detail {

namespace {

// The fields of 00.11 that WARC 1.1 has a place for, in the first occurrence.
enum Mapped : std::uint8_t {
  Type,
  ContentType,
  Revisit,
  IpAddress,
  Checksum,
  SegmentOriginId,
  WarcinfoId,
  Count
};
constexpr std::array<std::string_view, Count> kMappedNames = {
    "type",     "content-type",      "revisit",    "IP-Address",
    "Checksum", "Segment-Origin-ID", "Warcinfo-ID"};

// The note that modern_to_positional() writes beside WARC-Truncated.
bool is_truncation_note(const Header& header, const Field& field) {
  return equals_ignoring_case(field.name, "note") && field.value.starts_with("truncated: ") &&
         field.value.substr(11) == header.get(Known::Truncated);
}

class PositionalConversion {
 public:
  explicit PositionalConversion(Job& job)
      : job_(job),
        header_(job.header),
        type_(positional_type(job.header)),
        used_(job.header.fields.size(), 0) {
    first_.fill(npos);
    for (std::size_t i = 0; i < header_.fields.size(); ++i) {
      for (std::size_t k = 0; k < Count; ++k) {
        const auto& field = header_.fields[i];
        if (first_[k] == npos && equals_ignoring_case(field.name, kMappedNames[k])) {
          first_[k] = i;
        }
      }
    }
  }

  Result<void> run() {
    FONDS_TRY(id_, make_record_id());
    kind_ = kind();
    out_.line(version_of(job_.options.target));
    out_.field("WARC-Type", kind_);
    out_.id("WARC-Record-ID", id_);
    out_.field("WARC-Date", date());
    out_.field("Content-Length", job_.facts.block_length);
    add_content_type();
    add_target();
    add_address_and_digest();
    FONDS_CHECK(add_references());
    add_truncation();
    FONDS_CHECK(add_segment());
    FONDS_CHECK(add_warcinfo());
    add_modern_fields();
    add_legacy_fields();
    if (job_.options.legal_ids && !header_.id.empty() && id_ != header_.id &&
        find_field(header_, kOriginalId) == nullptr) {
      out_.field(kOriginalId, header_.id);
    }
    add_original_header();
    note_losses();
    out_.end();
    job_.out.header = out_.take();
    return {};
  }

 private:
  std::string_view value(Mapped name) const {
    return first_[name] == npos ? std::string_view{} : header_.fields[first_[name]].value;
  }
  void use(Mapped name) {
    if (first_[name] != npos) {
      used_[first_[name]] = 1;
    }
  }
  void use(const Field* field) {
    if (field != nullptr) {
      used_[static_cast<std::size_t>(field - header_.fields.data())] = 1;
    }
  }
  // A field of WARC 1.x under its own name (9.2), which is not to be passed on any more.
  std::string_view take(std::string_view name) {
    const Field* field = find_field(header_, name);
    if (field == nullptr || field->value.empty()) {
      return {};
    }
    use(field);
    return field->value;
  }

  Result<std::string> make_record_id() {
    // What was no token of a header-line.
    if (const auto named = strip_brackets(take("WARC-Record-ID")); !named.empty()) {
      return id_for_target(named, job_.options);
    }
    if (!header_.id.empty()) {
      return id_for_target(header_.id, job_.options);
    }
    job_.lose_unless_kept("id that was -");
    return make_id(IdScheme{}, "warc-00.11:" + std::string(job_.facts.sha1_hex) + ":" +
                                   std::to_string(job_.facts.decoded_offset));
  }

  // The type of 1.1. `data` also stands for the types that 00.11 has not; they have a named field.
  std::string_view kind() {
    if (header_.type == "resource" && (type_.token.empty() || !type_.dns_response)) {
      if (const auto named = take("WARC-Type"); !named.empty()) {
        return named;
      }
    }
    return header_.type;
  }
  bool is(std::string_view kind) const { return kind_ == kind; }

  // The header-line has 14 digits of it; a named field may hold what they leave out.
  std::string date() {
    const auto named = parse_warc_date(take("WARC-Date")).value;
    if (named && job_.options.target == Target::Warc11 && header_.date.value &&
        date_digits(*named) == date_digits(*header_.date.value)) {
      return named->to_string();
    }
    return date_for_target(job_).to_string();
  }

  void add_content_type() {
    const bool stated = !value(ContentType).empty();
    if (!header_.content_type.empty() && (job_.facts.block_length > 0 || stated)) {
      out_.field("Content-Type", header_.content_type);
    }
    if (stated) {
      use(ContentType);
    }
  }

  std::string target() {
    if (const auto named = take("WARC-Target-URI"); !named.empty()) {
      target_is_named_ = true;
      return std::string(strip_brackets(named));
    }
    if (is("warcinfo")) {
      return {};
    }
    std::string found;
    if (header_.type == "continuation") {
      found = job_.scope.target_of(header_.segment_origin);
    } else if (type_.http_response || type_.dns_response) {
      found = type_.first;
    } else if (type_.http_request) {
      found = job_.scope.target_of(type_.first);
    } else if (type_.reference) {
      found = reference_is_id() ? job_.scope.target_of(type_.first) : std::string(type_.first);
    }
    return found.empty() && !is("metadata") ? id_ : found;
  }
  // Whether metadata and conversion name a record, and not a URI.
  bool reference_is_id() const {
    return job_.scope.has(type_.first) || target_is_named_ ||
           find_field(header_, "WARC-Refers-To") != nullptr;
  }

  void add_target() {
    if (const auto uri = target(); !uri.empty()) {
      out_.field("WARC-Target-URI", std::string_view(uri_token(uri)));
    }
    if (header_.type != "continuation" && !type_.token.empty()) {
      use(Type);
    }
  }

  void add_address_and_digest() {
    const bool address =
        !is("warcinfo") && !is("conversion") && !is("continuation") && !value(IpAddress).empty();
    const bool digest = !value(Checksum).empty();
    const bool address_first = first_[IpAddress] < first_[Checksum];
    for (const bool second : {false, true}) {
      if (address && address_first != second) {
        out_.field("WARC-IP-Address", value(IpAddress));
        use(IpAddress);
      } else if (digest && address_first == second) {
        out_.field("WARC-Block-Digest", value(Checksum));
        use(Checksum);
      }
    }
  }

  Result<void> add_id(std::string_view name, std::string_view id) {
    FONDS_TRY(const auto legal, id_for_target(id, job_.options));
    out_.id(name, legal);
    return {};
  }

  Result<void> add_references() {
    const bool revisit = !header_.revisit_comparison.empty() && header_.type != "continuation";
    for (const auto id : header_.concurrent_to) {
      if (!id.empty()) {
        FONDS_CHECK(add_id("WARC-Concurrent-To", id));
      }
    }
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (is_concurrent_to(header_.fields[i].name)) {
        used_[i] = 1;
      }
    }
    const auto named_id = strip_brackets(take("WARC-Refers-To"));
    const auto named_uri = take("WARC-Refers-To-Target-URI");
    std::string_view id = named_id;
    std::string_view uri = named_uri;
    if (revisit) {
      const auto reference = type_.revisit_reference;
      const bool is_id = job_.scope.has(reference) || !named_id.empty() || !named_uri.empty();
      (is_id ? id : uri) = reference.empty() ? (is_id ? id : uri) : reference;
    } else if (header_.type != "continuation" && type_.reference && reference_is_id()) {
      id = type_.first.empty() ? id : type_.first;
    }
    if (!id.empty()) {
      FONDS_CHECK(add_id("WARC-Refers-To", id));
    }
    if (!uri.empty()) {
      out_.field("WARC-Refers-To-Target-URI", std::string_view(uri_token(strip_brackets(uri))));
    }
    if (revisit) {
      use(Revisit);
      add_profile();
    }
    return {};
  }

  void add_profile() {
    if (const auto named = take("WARC-Profile"); !named.empty()) {
      out_.field("WARC-Profile", strip_brackets(named));
      return;
    }
    if (header_.revisit_comparison == "same" && job_.facts.http_status == 304) {
      const auto version = version_of(job_.options.target).substr(5);
      out_.field("WARC-Profile", "http://netpreserve.org/warc/" + std::string(version) +
                                     "/revisit/server-not-modified");
      return;
    }
    out_.field("WARC-Profile",
               "urn:x-warc-00.11:revisit:" + std::string(header_.revisit_comparison));
  }

  void add_truncation() {
    const auto named = take("WARC-Truncated");
    if (!named.empty() || !header_.truncated.empty()) {
      out_.field("WARC-Truncated", named.empty() ? header_.truncated : named);
    }
  }

  Result<void> add_segment() {
    const auto named_number = take("WARC-Segment-Number");
    const bool later = header_.type == "continuation";
    const auto number = header_.segment ? header_.segment->number : 1;
    const bool first = header_.segment && header_.segment->code == 'p';
    if (later || first || number > 1) {
      out_.field("WARC-Segment-Number", std::uint64_t{number});
    } else if (!named_number.empty()) {
      out_.field("WARC-Segment-Number", named_number);
    }
    // Behind a named type the origin is a field of 00.11 all the same.
    if ((later || is("continuation")) && !header_.segment_origin.empty()) {
      FONDS_CHECK(add_id("WARC-Segment-Origin-ID", header_.segment_origin));
      use(SegmentOriginId);
    }
    const auto named_total = take("WARC-Segment-Total-Length");
    if (const auto total = job_.scope.total_length(header_, job_.facts)) {
      out_.field("WARC-Segment-Total-Length", *total);
    } else if (!named_total.empty()) {
      out_.field("WARC-Segment-Total-Length", named_total);
    }
    return {};
  }

  Result<void> add_warcinfo() {
    if (is("warcinfo") || header_.warcinfo_id.empty() || value(WarcinfoId).empty()) {
      return {};
    }
    use(WarcinfoId);
    return add_id("WARC-Warcinfo-ID", header_.warcinfo_id);
  }

  // Fields of WARC 1.x that a conversion to 00.11 kept by name.
  void add_modern_fields() {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      const auto& field = header_.fields[i];
      if (used_[i] != 0) {
        continue;
      }
      if (starts_with_ignoring_case(field.name, "WARC-") && is_field_name(field.name)) {
        if (equals_ignoring_case(field.name, kOriginalHeader)) {
          used_[i] = 1;  // is the last one
        } else if (!out_.has(field.name)) {
          out_.field(field.name, field.value);
          used_[i] = 1;
        }
      } else if (is_truncation_note(header_, field)) {
        used_[i] = 1;
      }
    }
  }
  void add_legacy_fields() {
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (used_[i] == 0) {
        const auto& field = header_.fields[i];
        out_.field(kLegacyField, std::string(field.name) + ": " + std::string(field.value));
        if (field.value.find_first_of("\r\n") != npos) {
          job_.lose_unless_kept("line end in a field");
        }
      }
    }
  }

  void add_original_header() {
    if (const auto* kept = find_field(header_, kOriginalHeader)) {
      out_.field(kOriginalHeader, kept->value);
    } else if (job_.options.original_header) {
      out_.field(kOriginalHeader, original_header_value(header_, job_.facts.raw_header));
    }
  }

  void note_losses() const {
    if (header_.type == "conversion" && !type_.second.empty()) {
      job_.lose_unless_kept("flag of a conversion");
    }
    for (const auto& issue : header_.issues) {
      if (issue.code == "extra-header-line-tokens" || issue.code == "extra-type-parameter" ||
          (issue.code == "unknown-type" && !type_.first.empty())) {
        job_.lose_unless_kept("odd parts of a header");
      }
    }
  }

  Job& job_;
  const Header& header_;
  PositionalType type_;
  std::vector<char> used_;  // fields that have been written
  std::array<std::size_t, Count> first_ = {};
  std::string id_;
  std::string_view kind_;
  bool target_is_named_ = false;
  HeaderText out_;
};

}  // namespace

Result<void> positional_to_modern(Job& job) { return PositionalConversion(job).run(); }

}  // namespace fonds::warc::detail
