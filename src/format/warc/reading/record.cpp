#include "format/warc/reading/record.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {
namespace {

void text_if(AttributeSink& out, std::string_view name, std::string_view value) {
  if (!value.empty()) {
    out.text(name, value);
  }
}

void describe_segment(AttributeSink& out, const Header& header) {
  if (!header.segment && header.segment_origin.empty() && !header.segment_total) {
    return;
  }
  out.begin_object("segment");
  if (header.segment) {
    out.number("number", header.segment->number);
    if (header.segment->code != 0) {
      out.text("code", std::string_view(&header.segment->code, 1));
    }
  }
  text_if(out, "origin", header.segment_origin);
  if (header.segment_total) {
    out.number("total_length", *header.segment_total);
  }
  out.end_object();
}

void describe_http(AttributeSink& out, const http::Head& head) {
  const std::string_view content_type = head.get("Content-Type");
  if (head.status == 0 && content_type.empty()) {
    return;
  }
  out.begin_object("http");
  if (head.status != 0) {
    out.number("status", static_cast<std::uint64_t>(head.status));
  }
  text_if(out, "content_type", content_type);
  out.end_object();
}

void describe_fields(AttributeSink& out, const Header& header) {
  out.begin_list("headers");
  for (const Field& field : header.fields) {
    out.begin_list({});
    out.text({}, field.name);
    out.text({}, field.value);
    out.end_list();
  }
  out.end_list();
  out.number("header_length", header.length);
}

}  // namespace

bool is_http(const Header& header) {
  if (!header.content_type.empty()) {
    return starts_with_ignoring_case(header.content_type, "application/http");
  }
  const bool message =
      header.type == "response" || header.type == "request" || header.type == "revisit";
  return message && (starts_with_ignoring_case(header.uri, "http:") ||
                     starts_with_ignoring_case(header.uri, "https:"));
}

void WarcRecord::describe(AttributeSink& out, bool with_headers) const {
  text_if(out, "version", header.version);
  text_if(out, "type", header.type);
  text_if(out, "stored_type", header.stored_type);
  text_if(out, "id", header.id);
  text_if(out, "uri", header.uri);
  if (header.date.value) {
    const std::string date = header.date.value->to_string();
    out.text("date", date);
    if (date != header.date_raw) {
      text_if(out, "date_raw", header.date_raw);
    }
  } else {
    text_if(out, "date_raw", header.date_raw);
  }
  text_if(out, "content_type", header.content_type);
  text_if(out, "ip", header.ip);
  text_if(out, "truncated", header.truncated);
  describe_segment(out, header);
  text_if(out, "block_digest", header.block_digest);
  text_if(out, "payload_digest", header.payload_digest);
  text_if(out, "refers_to", header.refers_to);
  text_if(out, "refers_to_uri", header.refers_to_uri);
  text_if(out, "refers_to_date", header.refers_to_date);
  if (!header.concurrent_to.empty()) {
    out.begin_list("concurrent_to");
    for (const std::string_view id : header.concurrent_to) {
      out.text({}, id);
    }
    out.end_list();
  }
  text_if(out, "profile", header.profile);
  text_if(out, "warcinfo_id", header.warcinfo_id);
  text_if(out, "filename", header.filename);
  text_if(out, "trec_id", header.trec_id);
  if (has_http) {
    describe_http(out, http);
  }
  if (with_headers) {
    describe_fields(out, header);
  }
}

}  // namespace fonds::warc
