// The record of the WARC family as the reader fills it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <fonds/record.hpp>

#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

// True if the block is an HTTP message (docs/formats/http.md, "When a block is HTTP").
bool is_http(const Header& header);

class WarcRecord final : public Record {
 public:
  std::string_view format() const override {
    return header.dialect == Dialect::Arc ? std::string_view("arc") : std::string_view("warc");
  }
  std::string_view kind() const override { return header.type; }
  std::string_view id() const override { return header.id; }
  std::optional<Date> date() const override { return header.date.value; }
  std::span<const Field> fields() const override { return header.fields; }
  ByteView raw_header() const override {
    return as_bytes(std::string_view(raw).substr(0, header.length));
  }
  std::optional<std::uint64_t> length() const override { return block_length; }
  void describe(AttributeSink& out, bool with_headers) const override;

  Header header;
  std::string raw;  // octets from the record's start on; the header's views point into it
  std::optional<std::uint64_t> block_length;
  http::Head http;        // with ReadOptions::http, if the block has a head
  std::string http_head;  // its octets
  bool has_http = false;
};

}  // namespace fonds::warc
