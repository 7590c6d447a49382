// Any octets as a header, and each change that leaves a record what it is: fields edited, segments
// made and joined, lengths repaired. What comes out is one whole header that tells the wanted
// length once, and its other fields are as they were. The first four octets choose; the block
// follows the header.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>

#include "base/digest.hpp"
#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/repair_record.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/edits.hpp"
#include "format/warc/writing/segmenting.hpp"
#include "one_header.hpp"
#include "require.hpp"

namespace {

using fonds::as_bytes;
using fonds::equals_ignoring_case;
using fonds::fuzz::Parsed;
using fonds::fuzz::require;
using namespace fonds::warc;  // NOLINT(google-build-using-namespace)

struct Chosen {
  explicit Chosen(const std::uint8_t* data)
      : flags(data[0]), length(std::uint64_t{data[1]} << (data[2] % 40)), digits(data[3] % 24) {}
  unsigned flags;
  std::uint64_t length;
  std::size_t digits;
  ArcContext arc() const {
    return {.have_filedesc = (flags & 1) != 0, .columns = (flags & 2) != 0 ? 10U : 5U};
  }
};

// A CR that ends no line is changed by an edit, and with it the field it stands in.
bool has_bare_cr(std::string_view text) {
  for (std::size_t at = 0; (at = text.find('\r', at)) != fonds::npos; ++at) {
    if (at + 1 == text.size() || text[at + 1] != '\n') {
      return true;
    }
  }
  return false;
}

std::vector<std::pair<std::string, std::string>> fields_but(
    const Header& header, std::initializer_list<std::string_view> names) {
  std::vector<std::pair<std::string, std::string>> kept;
  for (const fonds::Field& field : header.fields) {
    const bool named = std::any_of(names.begin(), names.end(), [&](std::string_view name) {
      return equals_ignoring_case(name, field.name);
    });
    if (!named) {
      kept.emplace_back(field.name, field.value);
    }
  }
  return kept;
}

// The made header, behind which a block begins.
Parsed parse_made(const std::string& made, std::uint64_t length, const ArcContext& arc = {}) {
  Parsed back(made + "block", arc);
  const Header& header = back.header;
  require(header.complete && header.length == made.size());
  require(header.length_state == Header::LengthState::Good && header.block_length == length);
  require(header.other_lengths.empty());
  const auto named = std::count_if(header.fields.begin(), header.fields.end(), [](const auto& f) {
    return equals_ignoring_case(f.name, "Content-Length");
  });
  require(header.dialect != Dialect::Modern || named == 1);
  return back;
}

void require_kept(const Parsed& source, const Parsed& made,
                  std::initializer_list<std::string_view> changed) {
  if (source.header.dialect != Dialect::Arc && !has_bare_cr(source.raw())) {
    require(fields_but(source.header, changed) == fields_but(made.header, changed));
  }
}

void check_edit(const Parsed& source, const Chosen& chosen) {
  if (source.header.dialect != Dialect::Modern) {
    return;
  }
  const std::vector<FieldEdit> edits = {{"Content-Length", std::to_string(chosen.length)},
                                        {"WARC-Date", std::nullopt},
                                        {"X-New", "a\r\nb"}};
  const Parsed made = parse_made(edit_header(as_bytes(source.raw()), {}, edits), chosen.length);
  require_kept(source, made, {"Content-Length", "WARC-Date", "X-New"});
  require(made.header.date_raw.empty());
  require(edit_header(as_bytes(made.raw()), {}, edits) == made.raw());
}

void check_whole(const Parsed& source, const Chosen& chosen) {
  HeaderChange change;
  change.whole = HeaderChange::Whole{.block_length = chosen.length};
  change.whole->truncated = (chosen.flags & 4) == 0   ? ""
                            : (chosen.flags & 8) == 0 ? "time"
                                                      : "disconnect";
  if ((chosen.flags & 16) != 0) {
    change.whole->block_digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
  }
  change.warcinfo_id = (chosen.flags & 32) != 0 ? "urn:uuid:1" : "";
  const std::string text = changed_header(source.header, as_bytes(source.raw()), change);
  const Parsed made = parse_made(text, chosen.length);
  if (source.header.dialect == Dialect::Positional) {
    require(made.header.segment && made.header.segment->number == 1);
    require(made.header.segment->code != 'p' && made.header.id == source.header.id);
    require_kept(source, made, {"Checksum", "note", "Warcinfo-ID"});
    return;
  }
  require(!made.header.segment && !made.header.segment_total);
  require(made.header.truncated == change.whole->truncated);
  require_kept(source, made,
               {"Content-Length", "WARC-Segment-Number", "WARC-Segment-Total-Length",
                "WARC-Truncated", "WARC-Block-Digest", "WARC-Warcinfo-ID"});
}

void check_warcinfo(const Parsed& source) {
  if (source.header.length_state != Header::LengthState::Good ||
      !source.header.other_lengths.empty() || source.header.block_length >> 62 != 0) {
    return;
  }
  const HeaderChange change = {.whole = {}, .warcinfo_id = "urn:uuid:1"};
  const std::string text = changed_header(source.header, as_bytes(source.raw()), change);
  const Parsed made(text + "block", {});
  require(made.header.complete && made.header.length == text.size());
  require(made.header.block_length == source.header.block_length);
  require(made.header.warcinfo_id == "urn:uuid:1");
  require_kept(source, made, {"WARC-Warcinfo-ID", "Warcinfo-ID"});
}

Piece piece_of(const PieceHeaders& headers, std::uint32_t number, std::uint64_t length, bool last,
               bool truncated) {
  Piece piece = {.number = number, .length = length, .last = last};
  if (const auto algorithm = headers.digest_of(number, truncated)) {
    fonds::Hasher hasher(*algorithm);
    piece.digest = hasher.finish();
  }
  return piece;
}

void check_segments(const Parsed& source, const Chosen& chosen) {
  if (!cannot_be_segmented(source.header).empty()) {
    return;
  }
  const std::string raw = source.raw();
  const auto headers =
      PieceHeaders::make(source.header, as_bytes(raw), chosen.length * 3, chosen.digits);
  require(headers.has_value());
  std::deque<Parsed> made;  // views point into what does not move
  std::vector<SegmentPart> parts;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    const auto text =
        headers->segment(piece_of(*headers, number, chosen.length, number == 3, false));
    require(text.has_value());
    made.push_back(parse_made(*text, chosen.length));
    const auto part = segment_part(made.back().header, chosen.length);
    require(part && part->number == number);
    parts.push_back(*part);
  }
  const auto chains = chain_segments(parts);
  require(chains.size() == 1 && chains[0].complete && chains[0].parts.size() == 3);
  require(chains[0].length == chosen.length * 3 && judge_chain(chains[0], parts).empty());
  if (source.header.dialect == Dialect::Modern) {
    require_kept(source, made[0],
                 {"Content-Length", "WARC-Segment-Number", "WARC-Block-Digest", "WARC-Truncated",
                  "WARC-Segment-Total-Length", "WARC-Record-ID"});
    require(source.header.id.empty() || has_bare_cr(raw) || made[0].header.id == source.header.id);
  }
}

void check_truncated(const Parsed& source, const Chosen& chosen) {
  if (!cannot_be_cut(source.header).empty()) {
    return;
  }
  const std::string raw = source.raw();
  const auto headers =
      PieceHeaders::make(source.header, as_bytes(raw), chosen.length * 3, chosen.digits);
  require(headers.has_value());
  const auto text = headers->truncated(piece_of(*headers, 1, chosen.length, true, true));
  require(text.has_value());
  const Parsed made = parse_made(*text, chosen.length);
  require(has_bare_cr(raw) ||
          (made.header.type == source.header.type && made.header.id == source.header.id));
  if (source.header.dialect == Dialect::Modern) {
    require(!made.header.truncated.empty());
  } else {
    require(made.header.segment && made.header.segment->code != 'w');
  }
}

void check_positional_id(const Parsed& source, const Chosen& chosen) {
  if (source.header.dialect != Dialect::Positional) {
    return;
  }
  const std::string raw = source.raw();
  const auto text = with_positional_id(as_bytes(raw), "urn:uuid:2", chosen.length);
  if (!text) {
    require(text.error().code() == fonds::ErrorCode::BadArgument);
    return;
  }
  const Parsed made = parse_made(*text, chosen.length);
  require(made.header.id == "urn:uuid:2");
  require_kept(source, made, {});
}

void check_repaired(const std::string& octets, const Chosen& chosen) {
  WarcRecord record;
  record.raw = octets;
  ArcContext arc = chosen.arc();
  require(parse_header(as_bytes(record.raw), classify_start(as_bytes(record.raw)), true, arc,
                       record.header));
  RecordChange change;
  change.octets = chosen.length;
  change.cut = (chosen.flags & 4) != 0;
  change.length = true;
  if (change.cut && (chosen.flags & 8) != 0) {
    change.digest = "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";
  }
  const std::string text = repaired_header(record, change);
  if (record.header.arc_header) {
    return;  // its length is told by its definition too, which lies in the block
  }
  const Parsed made = parse_made(text, chosen.length, chosen.arc());
  if (!has_bare_cr(fonds::as_text(record.raw_header()))) {
    require(made.header.type == record.header.type && made.header.id == record.header.id);
    require(made.header.uri == record.header.uri);
  }
  if (change.cut && record.header.dialect == Dialect::Modern) {
    require(!made.header.truncated.empty());
  }
  // What is right is not changed again.
  WarcRecord again;
  again.raw = text;
  arc = chosen.arc();
  require(parse_header(as_bytes(again.raw), classify_start(as_bytes(again.raw)), true, arc,
                       again.header));
  change.cut = false;
  require(repaired_header(again, change) == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 4) {
    return 0;
  }
  const Chosen chosen(data);
  const Parsed source({reinterpret_cast<const char*>(data) + 4, size - 4}, chosen.arc());
  if (!source.header.complete || source.header.start == Start::OldDraft) {
    return 0;
  }
  check_repaired(source.octets, chosen);
  if (source.header.dialect != Dialect::Arc) {
    check_edit(source, chosen);
    check_whole(source, chosen);
    check_warcinfo(source);
    check_segments(source, chosen);
    check_truncated(source, chosen);
    check_positional_id(source, chosen);
  }
  return 0;
}
