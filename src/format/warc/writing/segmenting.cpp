#include "format/warc/writing/segmenting.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kMostDigits = 20;

// Named fields of 00.11 line by line: a field with its continuations, raw. Lines end as the
// header-line does, and in nothing else (ruling R7).
std::vector<std::string_view> raw_fields(std::string_view raw, bool lf_only) {
  const std::string_view line_end = lf_only ? "\n" : "\r\n";
  const auto end_from = [&](std::size_t from) {
    const std::size_t end = raw.find(line_end, from);
    return end == npos ? raw.size() : end + line_end.size();
  };
  std::vector<std::string_view> fields;
  for (std::size_t at = end_from(0); at < raw.size();) {
    const std::size_t end = end_from(at);
    const std::string_view line = raw.substr(at, end - at);
    if (line == line_end) {
      break;
    }
    const bool goes_on = line.front() == ' ' || line.front() == '\t';
    if (goes_on && !fields.empty()) {
      fields.back() = raw.substr(at - fields.back().size(), fields.back().size() + line.size());
    } else {
      fields.push_back(line);
    }
    at = end;
  }
  return fields;
}

bool is_field(std::string_view raw, std::string_view name) {
  const std::size_t colon = raw.find(':');
  return colon != npos && equals_ignoring_case(trim(raw.substr(0, colon)), name);
}

// A header of which all lines end in LF gets CRLF (ruling R7).
void append_lines(std::string& out, std::string_view raw, bool lf_only) {
  for (const char c : raw) {
    if (lf_only && c == '\n') {
      out += '\r';
    }
    out += c;
  }
}

std::string date_of(const Header& header) {
  return header.date.value ? detail::date_digits(*header.date.value)
                           : std::string(header.date_raw.empty() ? "-" : header.date_raw);
}

// A header of 00.11 from what stands behind its data-length, which counts its own digits.
Result<std::string> settle_length(std::string_view behind, std::size_t least_digits,
                                  std::uint64_t block_length) {
  constexpr std::string_view kBefore = "warc/00.11 ";
  PositionalSlots slots;
  slots.length_at = kBefore.size();
  for (slots.length_room = least_digits;; ++slots.length_room) {
    const std::size_t length = slots.length_at + slots.length_room + behind.size();
    auto digits = data_length_digits(slots, length, block_length);
    if (digits) {
      return fmt::format("{}{}{}", kBefore, *digits, behind);
    }
    if (slots.length_room >= kMostDigits) {
      return tl::unexpected(std::move(digits.error()));
    }
  }
}

}  // namespace

std::string_view cannot_be_cut(const Header& header) {
  if (header.dialect == Dialect::Arc) {
    return "records of ARC";
  }
  if (!header.complete || header.length_state != Header::LengthState::Good) {
    return "records whose length is not known";
  }
  const bool part = header.type == "continuation" || !header.segment_origin.empty() ||
                    (header.segment && (header.dialect == Dialect::Modern ||
                                        header.segment->number > 1 || header.segment->code == 'p'));
  if (part) {
    return "records that are segments already";
  }
  return {};
}

std::string_view cannot_be_segmented(const Header& header) {
  return header.type == "warcinfo" ? std::string_view("warcinfo records") : cannot_be_cut(header);
}

Result<PieceHeaders> PieceHeaders::make(const Header& header, ByteView raw,
                                        std::uint64_t block_length, std::size_t positional_digits) {
  PieceHeaders made(header, raw);
  made.block_length_ = block_length;
  made.digits_ = std::clamp<std::size_t>(positional_digits, 1, kMostDigits);
  made.had_digest_ = !header.block_digest.empty();
  const LabelledDigest old = parse_digest(header.block_digest);
  if (old.state == LabelledDigest::State::Good) {
    made.algorithm_ = old.algorithm;
    made.label_ = header.block_digest.substr(0, header.block_digest.find(':'));
  }
  made.id_ = header.id;
  if (made.id_.empty()) {
    Hasher hasher(DigestAlgorithm::Sha1);
    hasher.update(raw);
    const DigestValue digest = hasher.finish();
    FONDS_TRY(made.id_,
              make_id(IdScheme{}, fmt::format("segmented:{}:{}", block_length,
                                              to_hex(ByteView(digest.bytes).first(digest.size)))));
  }
  return made;
}

std::optional<DigestAlgorithm> PieceHeaders::digest_of(std::uint32_t number, bool truncated) const {
  const bool positional = header_->dialect == Dialect::Positional;
  const bool wanted = truncated || (positional && number == 1) ? had_digest_ : !positional;
  return wanted ? std::optional(algorithm_) : std::nullopt;
}

std::string PieceHeaders::digest_text(const DigestValue& digest) const {
  const ByteView bytes = ByteView(digest.bytes).first(digest.size);
  std::string text = algorithm_ == DigestAlgorithm::Sha1 ? to_base32(bytes) : to_hex(bytes);
  return fmt::format("{}:{}", label_, text);
}

Result<std::string> PieceHeaders::id_of(std::uint32_t number) const {
  return make_id(IdScheme{}, fmt::format("segment:{}:{}", number, id_));
}

Result<std::string> PieceHeaders::segment(const Piece& piece) const {
  if (header_->dialect == Dialect::Positional) {
    char status = 'p';
    if (piece.last) {
      status =
          header_->segment && header_->segment->code != 0 ? to_lower(header_->segment->code) : 'w';
    }
    return positional(piece, status, id_);
  }
  if (piece.number > 1) {
    return modern_later(piece);
  }
  std::vector<FieldEdit> edits = {{"Content-Length", std::to_string(piece.length)},
                                  {"WARC-Segment-Number", "1"},
                                  {"WARC-Block-Digest", digest_text(piece.digest)},
                                  {"WARC-Truncated", std::nullopt},
                                  {"WARC-Segment-Total-Length", std::nullopt}};
  if (header_->id.empty()) {
    edits.push_back({"WARC-Record-ID", "<" + id_ + ">"});
  }
  return edit_header(raw_, {}, edits);
}

Result<std::string> PieceHeaders::modern_later(const Piece& piece) const {
  const std::string_view raw = as_text(raw_);
  detail::HeaderText out;
  out.line(trim(raw.substr(0, raw.find('\n'))));
  out.field("WARC-Type", "continuation");
  FONDS_TRY(const std::string id, id_of(piece.number));
  out.id("WARC-Record-ID", id);
  out.field("WARC-Date", header_->get(Known::Date));
  out.field("Content-Length", piece.length);
  // The field is required, also where the record had none.
  const std::string_view target = header_->get(Known::TargetUri);
  out.field("WARC-Target-URI", target.empty() ? std::string_view(id_) : target);
  out.field("WARC-Segment-Number", std::uint64_t{piece.number});
  out.id("WARC-Segment-Origin-ID", id_);
  if (piece.last) {
    out.field("WARC-Segment-Total-Length", block_length_);
    if (!header_->truncated.empty()) {
      out.field("WARC-Truncated", header_->truncated);
    }
  }
  out.field("WARC-Block-Digest", std::string_view(digest_text(piece.digest)));
  if (!header_->warcinfo_id.empty()) {
    out.field("WARC-Warcinfo-ID", header_->get(Known::WarcinfoId));
  }
  out.end();
  return out.take();
}

Result<std::string> PieceHeaders::truncated(const Piece& piece) const {
  if (header_->dialect == Dialect::Positional) {
    return positional(piece, 'z', header_->id.empty() ? "-" : id_);
  }
  std::vector<FieldEdit> edits = {{"Content-Length", std::to_string(piece.length)},
                                  {"WARC-Truncated", "length"},
                                  {"WARC-Payload-Digest", std::nullopt}};
  if (had_digest_) {
    edits.push_back({"WARC-Block-Digest", digest_text(piece.digest)});
  }
  return edit_header(raw_, {}, edits);
}

Result<std::string> PieceHeaders::positional(const Piece& piece, char status,
                                             std::string id) const {
  std::string fields;
  if (piece.number > 1) {
    FONDS_TRY(id, id_of(piece.number));
    fields = fmt::format("Segment-Origin-ID: {}\r\n", id_);
  } else {
    bool digest_written = false;
    for (const std::string_view raw : raw_fields(as_text(raw_), header_->lf_only)) {
      const bool digest = is_field(raw, "Checksum");
      if (digest && !digest_written) {
        fields += fmt::format("Checksum: {}\r\n", digest_text(piece.digest));
      } else if (!digest) {
        append_lines(fields, raw, header_->lf_only);
      }
      digest_written = digest_written || digest;
    }
  }
  const std::string behind =
      fmt::format(" {} {} {}{}\r\n{}\r\n", date_of(*header_), id, status, piece.number, fields);
  return settle_length(behind, digits_, piece.length);
}

Result<std::string> with_positional_id(ByteView raw, std::string_view id,
                                       std::uint64_t block_length) {
  const std::string_view text = as_text(raw);
  const std::size_t end = text.find('\n');
  std::vector<std::string_view> columns;
  std::string_view line = trim(text.substr(0, end));
  while (!line.empty()) {
    const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
    columns.push_back(line.substr(0, blank));
    line = trim(line.substr(blank));
  }
  if (columns.size() < 5 || end == npos) {
    return fail(ErrorCode::BadArgument, "a header-line of WARC 00.11 has five columns");
  }
  const bool lf_only = end == 0 || text[end - 1] != '\r';
  std::string behind = fmt::format(" {} {} {}\r\n", columns[2], id, columns[4]);
  for (const std::string_view field : raw_fields(text, lf_only)) {
    append_lines(behind, field, lf_only);
  }
  behind += "\r\n";
  return settle_length(behind, 1, block_length);
}

}  // namespace fonds::warc
