#include "ops/record_output.hpp"

#include <array>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "format/common/item_line.hpp"

namespace fonds::ops {
namespace {

std::string length_prefix(std::uint64_t length) {
  std::string prefix;
  for (unsigned shift = 0; shift < 64; shift += 8) {
    prefix += static_cast<char>((length >> shift) & 0xffU);
  }
  return prefix;
}

// The length that the output of the record will have, where its header tells.
std::optional<std::uint64_t> promised_length(const CatOptions& options, const Record& record) {
  const bool is_block = options.part == RecordPart::Block ||
                        (options.part == RecordPart::Record && record.raw_header().empty());
  return is_block ? record.length() : std::nullopt;
}

}  // namespace

Result<std::vector<Finding>> RecordOutput::write(RecordReader& reader, Record& record,
                                                 const ByteOutput& out) {
  std::vector<Finding> findings;
  FONDS_TRY(RecordEnd end, write_framed(reader, record, out, findings));
  findings.insert(findings.end(), std::make_move_iterator(end.findings.begin()),
                  std::make_move_iterator(end.findings.end()));
  // The number is taken last: output that was handed over on the way makes the count begin anew.
  for (Finding& finding : findings) {
    finding.where.source = archive_.source->name();
    finding.where.ordinal = record.ordinal;
  }
  return findings;
}

Result<RecordEnd> RecordOutput::write_framed(RecordReader& reader, const Record& record,
                                             const ByteOutput& out,
                                             std::vector<Finding>& findings) {
  if (options_.separator == Separator::LengthPrefixed || options_.separator == Separator::Jsonl) {
    return write_held(reader, record, out, findings);
  }
  FONDS_TRY(RecordEnd end, write_part(reader, record, out, findings));
  if (options_.separator != Separator::None) {
    constexpr std::array kLf = {std::byte{10}};
    constexpr std::array kNull = {std::byte{0}};
    FONDS_CHECK(out(options_.separator == Separator::Newline ? kLf : kNull));
  }
  return end;
}

// The record's part and the line ends that close it.
Result<RecordEnd> RecordOutput::write_part(RecordReader& reader, const Record& record,
                                           const ByteOutput& out, std::vector<Finding>& findings) {
  FONDS_CHECK(archive_.format->write_part(reader, record, options_.part, holding_limit(options_),
                                          out, findings));
  const bool closes = options_.part == RecordPart::Record &&
                      (options_.separator == Separator::None || !record.raw_header().empty());
  FONDS_TRY(RecordEnd end, reader.finish());
  if (closes) {
    FONDS_CHECK(out(as_bytes(end.closing)));
  }
  return end;
}

Result<RecordEnd> RecordOutput::write_held(RecordReader& reader, const Record& record,
                                           const ByteOutput& out, std::vector<Finding>& findings) {
  const bool jsonl = options_.separator == Separator::Jsonl;
  const std::uint64_t most = holding_limit(options_);
  const auto promised = jsonl ? std::nullopt : promised_length(options_, record);
  const ItemPlace place = jsonl ? item_place(record) : ItemPlace();
  std::uint64_t length = 0;
  bool streams = false;  // a record too large to be held, whose length is known
  held_.clear();
  const ByteOutput hold = [&](ByteView piece) -> Status {
    length += piece.size();
    if (streams) {
      return out(piece);
    }
    if (length <= most) {
      held_ += as_text(piece);
      return {};
    }
    if (promised) {
      streams = true;
      FONDS_CHECK(out(as_bytes(length_prefix(*promised))));
      FONDS_CHECK(out(as_bytes(held_)));
      return out(piece);
    }
    held_.clear();
    return {};
  };
  FONDS_TRY(RecordEnd end, write_part(reader, record, hold, findings));
  if (streams) {
    if (length != *promised) {
      return fail(ErrorCode::Corrupt,
                  fmt::format("gave {} bytes where its length says {}, which is written already",
                              length, *promised),
                  {.stored_offset = record.place.unit, .ordinal = record.ordinal});
    }
    return end;
  }
  if (length > most) {
    findings.push_back(
        make_finding("limit-exceeded",
                     fmt::format("the record has {} bytes, of which {} can be held at once; "
                                 "it is left out",
                                 length, most),
                     {.stored_offset = record.place.unit}));
    return end;
  }
  if (jsonl) {
    line_.clear();
    emit_item_line(line_, place, as_bytes(held_));
    FONDS_CHECK(out(as_bytes(line_)));
  } else {
    FONDS_CHECK(out(as_bytes(length_prefix(length))));
    FONDS_CHECK(out(as_bytes(held_)));
  }
  return end;
}

}  // namespace fonds::ops
