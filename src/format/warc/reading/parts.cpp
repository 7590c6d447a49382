#include "format/warc/reading/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/reading/payload.hpp"
#include "format/warc/reading/record.hpp"

namespace fonds::warc {
namespace {

Location place_of(const WarcRecord& record) { return {.stored_offset = record.place.unit}; }

// Large pieces let the decoder see that it is not only the head that is wanted.
Status stream(RecordReader& reader, const ByteOutput& out) {
  constexpr std::size_t kPiece = std::size_t{64} << 10;
  while (true) {
    FONDS_TRY(const ByteView piece, reader.peek_block(kPiece));
    if (piece.empty()) {
      return {};
    }
    const std::size_t n = std::min(piece.size(), std::size_t{1} << 20);
    FONDS_CHECK(out(piece.first(n)));
    reader.consume_block(n);
  }
}

Status consume_head(RecordReader& reader, std::size_t length, const ByteOutput* out) {
  FONDS_TRY(const ByteView shown, reader.peek_block(length));
  const std::size_t n = std::min(length, shown.size());
  if (out != nullptr) {
    FONDS_CHECK((*out)(shown.first(n)));
  }
  reader.consume_block(n);
  return {};
}

std::string shown_coding(const http::Head& head) {
  return escape_for_terminal(to_utf8(head.joined("Content-Encoding")));
}

}  // namespace

void report_head(const http::Head& head, bool empty_block, const Location& where,
                 std::vector<Finding>& findings) {
  if (head.kind == http::Head::Kind::None) {
    if (!empty_block) {
      findings.push_back(make_finding(
          "http-no-status-line",
          "the block does not begin with an HTTP head; all of it is the payload", where));
    }
  } else if (head.odd) {
    findings.push_back(
        make_finding("http-head-odd", "the HTTP head departs from the standard", where));
  }
}

void report_transfer(const WarcRecord& record, const http::Decoded& decoded,
                     std::vector<Finding>& findings) {
  const Location where = place_of(record);
  if (decoded.not_chunked) {
    findings.push_back(
        make_finding("not-chunked", "Transfer-Encoding says chunked, the body is not", where));
  } else if (decoded.bad_chunks || decoded.outcome == http::Outcome::Damaged) {
    findings.push_back(
        make_finding("chunk-damaged", "the chunks of the body end or break too early", where));
  } else if (decoded.odd_chunks) {
    findings.push_back(make_finding(
        "chunks-odd", "the chunks of the body depart from the standard; nothing is lost", where));
  }
}

void report_length(const WarcRecord& record, const http::Head& head, std::uint64_t body_length,
                   std::vector<Finding>& findings) {
  if (record.header.truncated.empty() && http::length_differs(head, body_length)) {
    findings.push_back(make_finding(
        "http-length-differs",
        fmt::format("the HTTP Content-Length is {}, the body has {} octets",
                    escape_for_terminal(to_utf8(head.get("Content-Length"))), body_length),
        place_of(record)));
  }
}

void report_content(const WarcRecord& record, const http::Head& head, const http::Decoded& decoded,
                    std::vector<Finding>& findings) {
  const Location where = place_of(record);
  if (decoded.coding_not_applied) {
    findings.push_back(make_finding(
        "coding-not-applied",
        fmt::format("Content-Encoding says {}, the body is not", shown_coding(head)), where));
  }
  if (decoded.outcome == http::Outcome::UnknownCoding) {
    findings.push_back(
        make_finding("unknown-coding",
                     fmt::format("Content-Encoding {} is not known", shown_coding(head)), where));
  } else if (decoded.outcome == http::Outcome::Truncated) {
    findings.push_back(make_finding(
        "coding-truncated",
        fmt::format("the {} coding of the body ends too early", shown_coding(head)), where));
  }
}

Status write_record_part(RecordReader& reader, const WarcRecord& record, RecordPart part,
                         std::uint64_t max_payload, const ByteOutput& out,
                         std::vector<Finding>& findings) {
  if (part == RecordPart::Record || part == RecordPart::Header) {
    FONDS_CHECK(out(record.raw_header()));
  }
  if (part == RecordPart::Header) {
    return {};
  }
  const bool plain =
      part == RecordPart::Record || part == RecordPart::Block || !is_http(record.header);
  if (plain) {
    return part == RecordPart::Http ? Status() : stream(reader, out);
  }
  std::string octets;
  http::Head head;
  FONDS_CHECK(find_head(reader, record, octets, head));
  report_head(head, record.block_length == 0, place_of(record), findings);
  FONDS_CHECK(consume_head(reader, head.length, part == RecordPart::Http ? &out : nullptr));
  if (part == RecordPart::Http) {
    return {};
  }
  const bool transfer = http::has_transfer_coding(head);
  const bool content = part == RecordPart::Decoded && http::has_content_coding(head);
  if (part == RecordPart::Body || head.kind == http::Head::Kind::None || (!transfer && !content)) {
    return stream(reader, out);
  }
  FONDS_TRY(const ByteView body,
            reader.peek_block(static_cast<std::size_t>(std::min<std::uint64_t>(
                std::max(max_payload, max_payload + 1), record.block_length.value_or(0)))));
  auto decoded = body.size() > max_payload
                     ? Result<http::Decoded>(fail(ErrorCode::LimitExceeded, ""))
                 : content ? http::decode_content(head, body, max_payload)
                           : http::decode_transfer(head, body, max_payload);
  if (!decoded) {
    findings.push_back(make_finding(
        "limit-exceeded",
        fmt::format("the payload has more than {} bytes; --memory allows more", max_payload),
        place_of(record)));
    return {};
  }
  report_transfer(record, *decoded, findings);
  if (content) {
    report_content(record, head, *decoded, findings);
  }
  return out(as_bytes(decoded->bytes));
}

}  // namespace fonds::warc
