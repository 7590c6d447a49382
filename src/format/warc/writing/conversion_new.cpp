// Headers of new records: made as WARC 1.1 and converted like any other.
#include <string>
#include <string_view>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {

Result<Converted> make_header(const NewRecord& record, const ConversionOptions& options) {
  detail::HeaderText out;
  const bool named = dialect_of(options.target) == Dialect::Modern;
  out.line(version_of(named ? options.target : Target::Warc11));
  const auto add = [&out](std::string_view name, std::string_view value) {
    if (!value.empty()) {
      out.field(name, value);
    }
  };
  const auto add_id = [&out](std::string_view name, std::string_view id) {
    if (!id.empty()) {
      out.id(name, id);
    }
  };
  Date date = record.date;
  if (options.target != Target::Warc11 && date.precision != Date::Precision::Second) {
    date = Date{.seconds = date.seconds};
  }
  add("WARC-Type", record.type);
  add_id("WARC-Record-ID", record.id);
  out.field("WARC-Date", std::string_view(date.to_string()));
  out.field("Content-Length", record.block_length);
  add("Content-Type", record.content_type);
  add("WARC-Target-URI", detail::uri_token(record.target_uri));
  add("WARC-IP-Address", record.ip);
  add("WARC-Block-Digest", record.block_digest);
  add("WARC-Payload-Digest", record.payload_digest);
  add_id("WARC-Concurrent-To", record.concurrent_to);
  add_id("WARC-Refers-To", record.refers_to);
  add_id("WARC-Warcinfo-ID", record.warcinfo_id);
  add("WARC-Filename", record.filename);
  add("WARC-Truncated", record.truncated);
  for (const auto& field : record.more) {
    add(field.name, field.value);
  }
  out.end();
  Converted made;
  made.header = out.take();
  if (named) {
    return made;
  }
  Header header;
  ArcContext arc;
  parse_header(as_bytes(made.header), Start::Modern, true, arc, header);
  ConversionOptions last = options;
  last.original_header = false;
  RecordFacts facts;
  facts.raw_header = as_bytes(made.header);
  facts.block_length = record.block_length;
  facts.http_content_type = record.content_type;
  return convert_header(header, facts, ConversionScope(), last);
}

}  // namespace fonds::warc
