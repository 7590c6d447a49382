// HTTP heads, chunks and codings of hostile blocks.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "format/common/http_message.hpp"

namespace {

using fonds::ByteView;
using fonds::http::Decoded;
using fonds::http::Expect;
using fonds::http::Head;
using fonds::http::Outcome;

constexpr std::uint64_t kMaxSize = std::uint64_t{1} << 20;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

bool is_inside(std::string_view part, std::string_view whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void check_head(const Head& head, std::string_view block, bool whole) {
  require(head.length <= block.size());
  if (head.kind == Head::Kind::None) {
    require(head.length == 0 && head.status == 0 && head.fields.empty() && !head.odd);
    require(head.complete || !whole);
    return;
  }
  require(head.length > 0);
  require(head.complete || head.length == block.size());
  require(head.status == 0 || (head.status >= 100 && head.status <= 999));
  require(is_inside(head.protocol, block) && is_inside(head.reason, block));
  require(is_inside(head.method, block) && is_inside(head.target, block));
  for (const auto& field : head.fields) {
    require(!field.name.empty() && is_inside(field.name, block));
    require(is_inside(field.value, block) || is_inside(field.value, head.unfolded));
    require(field.value.find('\n') == std::string_view::npos);
    require(head.has(field.name));
  }
  require(head.media_type().size() <= head.get("content-type").size());
}

void check_decoded(const fonds::Result<Decoded>& decoded) {
  if (!decoded) {
    require(decoded.error().code() == fonds::ErrorCode::LimitExceeded);
    return;
  }
  require(decoded->bytes.size() <= kMaxSize);
  require(!decoded->bad_chunks || decoded->outcome == Outcome::Damaged);
  require(!decoded->not_chunked || decoded->outcome >= Outcome::NotApplied);
  require(!decoded->coding_not_applied || decoded->outcome >= Outcome::NotApplied);
  require(!decoded->length_differs || decoded->outcome >= Outcome::Tolerated);
}

void check_body(const Head& head, ByteView body) {
  const auto payload = fonds::http::decode_transfer(head, body, kMaxSize);
  check_decoded(payload);
  if (payload && (!has_transfer_coding(head) || head.kind == Head::Kind::None)) {
    require(payload->bytes == fonds::as_text(body));
  }
  const auto decoded = fonds::http::decode_content(head, body, kMaxSize);
  check_decoded(decoded);
  if (payload && decoded) {
    require(payload->outcome <= decoded->outcome);
    require(payload->trailers == decoded->trailers || has_content_coding(head));
  }
}

void check_block(std::string_view block, Expect expect) {
  Head head;
  parse_head(fonds::as_bytes(block), expect, true, head);
  check_head(head, block, true);
  check_body(head, fonds::as_bytes(block.substr(head.length)));

  Head part;
  parse_head(fonds::as_bytes(block), expect, false, part);
  check_head(part, block, false);
  if (part.complete) {
    require(part.kind == head.kind && part.length == head.length &&
            part.fields.size() == head.fields.size());
  }
  if (head.kind != Head::Kind::None && head.complete) {
    // The octets after the head do not matter.
    parse_head(fonds::as_bytes(block.substr(0, head.length)), expect, false, part);
    require(part.complete && part.length == head.length && part.status == head.status);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view block = fonds::as_text(std::as_bytes(std::span(data, size)));
  check_block(block, Expect::Response);
  check_block(block, Expect::Request);
  check_block(block, Expect::Either);
  return 0;
}
