#include "format/common/event_lines.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include <fonds/bytes.hpp>
#include <fonds/finding.hpp>
#include <fonds/record.hpp>

namespace fonds {
namespace {

constexpr std::size_t kFlushAt = std::size_t{64} << 10;

// Appends the line of the current record.
Status append_line(RecordReader& reader, const EventSink& sink, std::string& lines) {
  while (true) {
    FONDS_TRY(const ByteView piece, reader.peek_block(1));
    if (piece.empty()) {
      break;
    }
    lines += as_text(piece);
    reader.consume_block(piece.size());
  }
  FONDS_TRY(const RecordEnd end, reader.finish());
  lines += end.closing.ends_with('\n') ? end.closing : end.closing + '\n';
  for (const Finding& finding : end.findings) {
    sink.finding(finding);
  }
  return {};
}

}  // namespace

Status write_lines(RecordReader& reader, const EventSink& sink) {
  if (sink.input) {
    FONDS_CHECK(sink.input(nullptr));
  }
  std::string lines;
  while (true) {
    auto record = reader.next();
    for (const Finding& finding : reader.take_loose_findings()) {
      sink.finding(finding);
    }
    const bool event = record && *record != nullptr;
    if (event) {
      FONDS_CHECK(append_line(reader, sink, lines));
    }
    if (lines.size() >= kFlushAt || (!event && !lines.empty())) {
      FONDS_TRY(const bool more, sink.lines(lines));
      lines.clear();
      if (!more) {
        return {};
      }
    }
    if (!record) {
      return tl::unexpected(std::move(record.error()));
    }
    if (!event) {
      return {};
    }
  }
}

}  // namespace fonds
