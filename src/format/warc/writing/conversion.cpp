#include "format/warc/writing/conversion.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "base/uuid.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {

Dialect dialect_of(Target target) noexcept {
  switch (target) {
    case Target::Warc0011:
      return Dialect::Positional;
    case Target::Arc11:
      return Dialect::Arc;
    default:
      return Dialect::Modern;
  }
}

std::string_view version_of(Target target) noexcept {
  switch (target) {
    case Target::Warc11:
      return "WARC/1.1";
    case Target::Warc10:
      return "WARC/1.0";
    case Target::Warc018:
      return "WARC/0.18";
    case Target::Warc0011:
      return "warc/00.11";
    case Target::Arc11:
      return "ARC/1.1";
  }
  return {};
}

std::string_view closing_of(Target target) noexcept {
  return target == Target::Arc11 ? "\n" : "\r\n\r\n";
}

bool is_of(const Header& header, Target target) noexcept {
  return header.dialect == dialect_of(target) &&
         (header.dialect != Dialect::Modern || header.version == version_of(target));
}

bool stays(const Header& header, ByteView raw_header, Target target) noexcept {
  if (!is_of(header, target) || header.dialect != Dialect::Modern) {
    return is_of(header, target);
  }
  std::string_view line = as_text(raw_header);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  return line == version_of(target);
}

Result<std::string> make_id(const IdScheme& scheme, std::string_view content) {
  if (scheme.kind == IdScheme::Kind::Random) {
    FONDS_TRY(const auto uuid, random_uuid());
    return scheme.prefix + uuid;
  }
  FONDS_TRY(const auto uuid, named_uuid(kUuidNamespaceUrl, content));
  return scheme.prefix + uuid;
}

bool is_uri(std::string_view text) noexcept {
  static constexpr std::string_view kMarks = "-._~:/?#[]@!$&'()*+,;=";
  if (!detail::has_scheme(text)) {
    return false;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char lower = to_lower(text[i]);
    const bool plain = (lower >= 'a' && lower <= 'z') || is_digit(lower) ||
                       kMarks.find(lower) != std::string_view::npos;
    const bool escape = lower == '%' && i + 2 < text.size() && is_hex_digit(text[i + 1]) &&
                        is_hex_digit(text[i + 2]);
    if (!plain && !escape) {
      return false;
    }
  }
  return true;
}

bool needs_record_digest(const Header& header, Target target) noexcept {
  if (is_of(header, target)) {
    return false;
  }
  return header.dialect == Dialect::Arc ||
         (header.dialect == Dialect::Positional && header.id.empty());
}

bool keeps_version_block(const Header& header) noexcept {
  return header.type == "metadata" && detail::is_filedesc(header.uri) &&
         !header.concurrent_to.empty();
}

bool describes_conversion_from(const Header& header, Target target) noexcept {
  const Field* const field = detail::find_field(header, kConvertedFrom);
  return field != nullptr && header.type == "warcinfo" &&
         equals_ignoring_case(field->value, version_of(target));
}

bool needs_scope(Dialect source, Target target) noexcept {
  return dialect_of(target) != source &&
         (source == Dialect::Positional || dialect_of(target) == Dialect::Arc);
}

namespace detail {

void append_value(std::string& out, std::string_view value) {
  std::size_t at = 0;
  while (at < value.size()) {
    const std::size_t end = std::min(value.find_first_of("\r\n", at), value.size());
    out += value.substr(at, end - at);
    if (end == value.size()) {
      return;
    }
    out += ' ';
    at = std::min(value.find_first_not_of("\r\n", end), value.size());
  }
}

void HeaderText::line(std::string_view text) {
  append_value(text_, text);
  text_ += "\r\n";
}

namespace {
std::uint32_t bit_of(std::string_view name) noexcept {
  const Known known = identify(name);
  return known == Known::kCount ? 0 : std::uint32_t{1} << static_cast<unsigned>(known);
}
}  // namespace

void HeaderText::note(std::string_view name) noexcept { written_ |= bit_of(name); }
bool HeaderText::has(std::string_view name) const noexcept {
  return (written_ & bit_of(name)) != 0;
}

void HeaderText::field(std::string_view name, std::string_view value) {
  note(name);
  append_value(text_, name);
  text_ += ": ";
  append_value(text_, value);
  text_ += "\r\n";
}

void HeaderText::field(std::string_view name, std::uint64_t value) {
  field(name, std::string_view(std::to_string(value)));
}

void HeaderText::id(std::string_view name, std::string_view value) {
  note(name);
  append_value(text_, name);
  text_ += ": <";
  append_value(text_, value);
  text_ += ">\r\n";
}

std::string uri_token(std::string_view uri) {
  static constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(uri.size());
  for (const char c : uri) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet > 0x20 && octet != 0x7f) {
      out += c;
      continue;
    }
    out += '%';
    out += kHex[octet >> 4U];
    out += kHex[octet & 0xfU];
  }
  return out;
}

bool is_token(std::string_view text) noexcept {
  for (const char c : text) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet <= 0x20 || octet == 0x7f) {
      return false;
    }
  }
  return !text.empty() && text != "-" && strip_brackets(text) == text;
}

bool is_field_name(std::string_view name) noexcept {
  static constexpr std::string_view kSeparators = "()<>@,;:\\\"/[]?={} \t";
  for (const char c : name) {
    if (c < 0x21 || c > 0x7e || kSeparators.find(c) != std::string_view::npos) {
      return false;
    }
  }
  return !name.empty();
}

const Field* find_field(const Header& header, std::string_view name) noexcept {
  for (const auto& field : header.fields) {
    if (field.name.size() == name.size() && equals_ignoring_case(field.name, name)) {
      return &field;
    }
  }
  return nullptr;
}

std::string original_header_value(const Header& header, ByteView raw_header) {
  return std::string(header.version) + " " + to_base64(raw_header);
}

std::optional<std::string> restore_header(std::string_view value, Target target,
                                          const RecordFacts& facts) {
  const auto version = take_token(value);
  auto octets = from_base64(trim_blanks(value));
  if (!octets) {
    return std::nullopt;
  }
  // Nobody vouches for the field: a header that would give another block, or hold more than itself,
  // would bring in records of its own.
  Header header;
  ArcContext arc;
  const Start start = classify_start(as_bytes(*octets));
  const std::size_t length = octets->size();
  // A version block without a length has as much as is understood of it.
  if (start == Start::ArcVersion) {
    *octets += as_text(facts.block_head);
  }
  const bool fits = parse_header(as_bytes(*octets), start, true, arc, header) &&
                    start != Start::None && start != Start::OldDraft && is_of(header, target) &&
                    header.complete && header.length == length &&
                    header.block_length == facts.block_length && header.other_lengths.empty() &&
                    header.length_state != Header::LengthState::Missing;
  // The columns of an ARC line do not tell its version.
  const bool arc_version = header.dialect == Dialect::Arc && version.starts_with("ARC/");
  if (!fits || !(arc_version || equals_ignoring_case(version, header.version))) {
    return std::nullopt;
  }
  octets->resize(length);
  return octets;
}

Date date_for_target(const Job& job) {
  std::optional<Date> found = job.header.date.value;
  if (!found) {
    found = job.facts.date_before ? job.facts.date_before : Date{};
    job.lose_unless_kept("date that cannot be read");
  }
  if (job.header.date.quirks.invalid || job.header.date.quirks.not_14_digits) {
    job.lose_unless_kept("odd date");
  }
  Date date = *found;
  if (job.options.target == Target::Warc11 || date.precision == Date::Precision::Second) {
    return date;
  }
  // WARC 00.11 takes the other form as a named field.
  if (job.options.target != Target::Warc0011) {
    job.lose_unless_kept(date.precision == Date::Precision::Fraction ? "fraction of a date"
                                                                     : "precision of a date");
  }
  date.precision = Date::Precision::Second;
  date.nanoseconds = 0;
  date.fraction_digits = 0;
  return date;
}

std::string date_digits(Date date) {
  date.precision = Date::Precision::Second;
  std::string digits;
  for (const char c : date.to_string()) {
    if (is_digit(c)) {
      digits += c;
    }
  }
  return digits;
}

Result<std::string> id_for_target(std::string_view id, const ConversionOptions& options) {
  if (!options.legal_ids || is_uri(id)) {
    return std::string(id);
  }
  return make_id(IdScheme{}, "warc-id:" + std::string(id));
}

PositionalType positional_type(const Header& header) {
  PositionalType result;
  const auto reference = [](std::string_view& rest) {
    const auto token = strip_brackets(take_token(rest));
    return token == "-" ? std::string_view{} : token;
  };
  if (const auto* field = find_field(header, "type")) {
    auto rest = field->value;
    result.token = take_token(rest);
    result.first = reference(rest);
    result.second = reference(rest);
  }
  if (const auto* field = find_field(header, "revisit")) {
    auto rest = field->value;
    result.revisit_reference = reference(rest);
  }
  const auto is = [&result](std::string_view name) {
    return equals_ignoring_case(result.token, name);
  };
  result.http_response = is("http-response");
  result.http_request = is("http-request");
  result.dns_response = is("dns-response") || is("dns-request");
  result.reference = is("metadata") || is("conversion");
  return result;
}

namespace {

Result<void> convert_once(Job& job) {
  const Target target = job.options.target;
  if (const auto* kept = find_field(job.header, kOriginalHeader)) {
    if (auto octets = restore_header(kept->value, target, job.facts)) {
      job.out.header = std::move(*octets);
      job.out.restored = true;
      return {};
    }
  }
  switch (job.header.dialect) {
    case Dialect::Positional:
      return positional_to_modern(job);
    case Dialect::Arc:
      return arc_to_modern(job);
    case Dialect::Modern:
      break;
  }
  switch (dialect_of(target)) {
    case Dialect::Positional:
      return modern_to_positional(job);
    case Dialect::Arc:
      return modern_to_arc(job);
    case Dialect::Modern:
      break;
  }
  return modern_to_modern(job);
}

// Between 00.11 and ARC: through WARC 1.1.
Result<void> convert_twice(Job& job) {
  ConversionOptions options = job.options;
  options.target = Target::Warc11;
  Converted between;
  Job first{job.header, job.facts, job.scope, options, between, job.last_target};
  FONDS_CHECK(convert_once(first));
  job.out.before = std::move(between.before);
  job.out.losses = std::move(between.losses);
  Header header;
  ArcContext arc;
  const auto octets = as_bytes(between.header);
  parse_header(octets, Start::Modern, true, arc, header);
  RecordFacts facts = job.facts;
  facts.raw_header = octets;
  Job second{header, facts, job.scope, job.options, job.out, job.last_target};
  return convert_once(second);
}

}  // namespace

}  // namespace detail

Result<Converted> convert_header(const Header& header, const RecordFacts& facts,
                                 const ConversionScope& scope, const ConversionOptions& options) {
  const auto where = [&] {
    return Location{.decoded_offset = facts.decoded_offset, .record_id = std::string(header.id)};
  };
  if (header.start == Start::None || header.start == Start::OldDraft) {
    return fail(ErrorCode::Unsupported,
                "records of " + std::string(header.version) + " cannot be converted", where());
  }
  if (!header.complete || facts.raw_header.size() != header.length) {
    return fail(ErrorCode::Truncated, "the record's header is cut", where());
  }
  Converted out;
  if (stays(header, facts.raw_header, options.target)) {
    out.header = as_text(facts.raw_header);
    return out;
  }
  if (needs_record_digest(header, options.target) && facts.sha1_hex.empty()) {
    return fail(ErrorCode::BadArgument, "the id of the record needs a digest of it", where());
  }
  detail::Job job{header, facts, scope, options, out, options.target};
  const bool twice =
      header.dialect != Dialect::Modern && dialect_of(options.target) != Dialect::Modern;
  if (auto status = twice ? detail::convert_twice(job) : detail::convert_once(job); !status) {
    return tl::unexpected(std::move(status.error()).with(where()));
  }
  return out;
}

}  // namespace fonds::warc
