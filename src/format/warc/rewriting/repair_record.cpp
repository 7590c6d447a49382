#include "format/warc/rewriting/repair_record.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/reading/reader_detail.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {
namespace {

constexpr std::string_view kOriginalBlockDigest = "WARC-Original-Block-Digest";
constexpr std::string_view kOriginalPayloadDigest = "WARC-Original-Payload-Digest";
constexpr std::string_view kOriginalChecksum = "Original-Checksum";

// Whether a second length says something else, be it a number or not.
bool contradicts_itself(const Header& header) {
  const std::string_view first = header.get(Known::ContentLength);
  return header.dialect == Dialect::Modern &&
         std::ranges::any_of(header.fields, [first](const Field& field) {
           return detail::identify(field.name) == Known::ContentLength && field.value != first;
         });
}

bool states(const Header& header, std::uint64_t octets) {
  return header.length_state == Header::LengthState::Good && header.block_length == octets &&
         header.other_lengths.empty() && !contradicts_itself(header);
}

std::string modern_header(const WarcRecord& record, const RecordChange& change) {
  const Header& header = record.header;
  std::vector<FieldEdit> edits;
  edits.push_back({"Content-Length", std::to_string(change.octets)});
  if (change.cut) {
    if (header.truncated.empty()) {
      edits.push_back({"WARC-Truncated", "unspecified"});
    }
    if (!header.block_digest.empty()) {
      edits.push_back({"WARC-Block-Digest",
                       change.digest.empty() ? std::nullopt : std::optional(change.digest)});
      edits.push_back({kOriginalBlockDigest, std::string(header.block_digest)});
    }
    // That of a revisit is its original's.
    if (!header.payload_digest.empty() && header.type != "revisit") {
      edits.push_back({"WARC-Payload-Digest", std::nullopt});
      edits.push_back({kOriginalPayloadDigest, std::string(header.payload_digest)});
    }
  }
  return edit_header(record.raw_header(), {}, edits);
}

// The lines of a header of 00.11 as they are, but for the first and those of a cut record. Lines
// may hold bare CR and LF, so nothing else is touched.
std::string positional_fields(const WarcRecord& record, std::string_view fields,
                              const RecordChange& change) {
  if (!change.cut) {
    return std::string(fields);
  }
  const std::string_view line_end = record.header.lf_only ? "\n" : "\r\n";
  std::string out;
  while (!fields.empty()) {
    const std::size_t end = fields.find(line_end);
    const std::size_t n = end == npos ? fields.size() : end + line_end.size();
    const auto line = fields.substr(0, n);
    fields.remove_prefix(n);
    if (line == line_end) {
      break;
    }
    const auto name = detail::trim_blanks(line.substr(0, line.find(':')));
    const bool checksum = !detail::is_blank(line.front()) && equals_ignoring_case(name, "Checksum");
    out += checksum ? fmt::format("{}{}", kOriginalChecksum, line.substr(line.find(':')))
                    : std::string(line);
  }
  if (!change.digest.empty()) {
    out += fmt::format("Checksum: {}{}", change.digest, line_end);
  }
  out += fmt::format("note: cut short, found by fonds repair{}{}", line_end, line_end);
  return out;
}

// The length counts its own digits.
std::string positional_header(const WarcRecord& record, const RecordChange& change) {
  const auto raw = as_text(record.raw_header());
  detail::PositionalLine line;
  if (detail::split_positional(raw, line) != detail::Verdict::Yes) {
    return std::string(raw);
  }
  const auto offset = [&](std::string_view part) {
    return static_cast<std::size_t>(part.data() - raw.data());
  };
  const std::size_t length_at = offset(line.data_length);
  const std::size_t length_end = length_at + line.data_length.size();
  const std::size_t status_at = offset(line.status);
  std::size_t fields_at = raw.find('\n', status_at);
  fields_at = fields_at == npos ? raw.size() : fields_at + 1;
  std::string rest(raw.substr(length_end, fields_at - length_end));
  char& status = rest[status_at - length_end];
  if (change.cut && (to_lower(status) == 'w' || to_lower(status) == 'p')) {
    status = 'z';
  }
  rest += positional_fields(record, raw.substr(fields_at), change);
  const bool padded = line.data_length.starts_with('0');
  for (std::size_t digits = padded ? line.data_length.size() : 1;; ++digits) {
    const std::uint64_t length = length_at + digits + rest.size() + change.octets;
    std::string number = std::to_string(length);
    if (number.size() <= digits) {
      number.insert(0, digits - number.size(), '0');
      return std::string(raw.substr(0, length_at)) + number + rest;
    }
  }
}

// The length is the last column of the line.
std::string arc_header(const WarcRecord& record, const RecordChange& change) {
  const auto raw = as_text(record.raw_header());
  std::size_t end = raw.find_last_not_of("\r\n");
  end = end == npos ? 0 : end + 1;
  std::size_t begin = raw.substr(0, end).rfind(' ');
  begin = begin == npos ? end : begin + 1;
  // What the parser took for it.
  const auto& fields = record.header.fields;
  if (!fields.empty() && fields.back().value.data() >= raw.data() &&
      fields.back().value.data() + fields.back().value.size() <= raw.data() + raw.size()) {
    begin = static_cast<std::size_t>(fields.back().value.data() - raw.data());
    end = begin + fields.back().value.size();
  }
  return fmt::format("{}{}{}", raw.substr(0, begin), change.octets, raw.substr(end));
}

}  // namespace

bool has_finding(const RecordEnd& end, std::string_view code) {
  return std::any_of(end.findings.begin(), end.findings.end(),
                     [code](const Finding& finding) { return finding.code == code; });
}

RecordChange judge_record(const WarcRecord& record, const RecordEnd& end, const BlockRead& block) {
  const Header& header = record.header;
  RecordChange change;
  change.lost = !header.complete;
  if (change.lost) {
    return change;
  }
  change.octets = end.length.value_or(0);
  change.cut = has_finding(end, "truncated-block");
  change.alone = has_finding(end, "zr-one");
  const std::size_t line_ends = detail::count_line_ends(as_bytes(end.closing)).ends;
  change.close = header.dialect == Dialect::Arc
                     ? line_ends == 0 && block.last_octet != std::byte{'\n'}
                     : line_ends < 2;
  // A header without a length is readable where it stands, not where other bytes go.
  const bool missing = header.length_state == Header::LengthState::Missing;
  const bool wrong = missing ? contradicts_itself(header) : !states(header, change.octets);
  change.length =
      wrong || has_finding(end, "data-length-smaller-than-header") || (missing && change.any());
  if (change.cut) {
    change.digest = block.digest;
  }
  return change;
}

bool lacks_only_separator(const WarcRecord& record, const RecordChange& change) {
  return record.header.dialect == Dialect::Arc && change.close && !change.header() && !change.alone;
}

std::string repaired_header(const WarcRecord& record, const RecordChange& change) {
  if (!change.header()) {
    return std::string(as_text(record.raw_header()));
  }
  switch (record.header.dialect) {
    case Dialect::Modern:
      return modern_header(record, change);
    case Dialect::Positional:
      return positional_header(record, change);
    case Dialect::Arc:
      return arc_header(record, change);
  }
  return {};
}

std::string closing_of(const WarcRecord& record, const RecordChange& change, const RecordEnd& end) {
  // Of very many line ends only some are known.
  if (!change.close && end.closing.size() == end.trailing) {
    return end.closing;
  }
  return record.header.dialect == Dialect::Arc ? "\n" : "\r\n\r\n";
}

std::string labelled(std::string_view like, ByteView value, bool base32) {
  const auto label = like.substr(0, like.find(':'));
  return fmt::format("{}:{}", label, base32 ? to_base32(value) : to_hex(value));
}

}  // namespace fonds::warc
