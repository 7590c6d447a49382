// From ARC to the dialects with named fields.
#include <string>
#include <string_view>
#include <utility>

#include <fonds/date.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc::detail {

namespace {

// The warcinfo that tells of the conversion, before the record that keeps the version block.
// Returns its id.
Result<std::string> add_warcinfo(Job& job) {
  const auto& options = job.options;
  FONDS_TRY(auto id, make_id(options.new_ids, "arc-warcinfo:" + std::string(job.facts.sha1_hex) +
                                                  ":" + std::to_string(job.facts.archive) + ":" +
                                                  std::to_string(job.facts.decoded_offset)));
  HeaderText block;
  block.field("software", std::string_view(options.software));
  block.field("format", "WARC file version " + std::string(version_of(job.last_target).substr(5)));
  block.field("description", "converted from " + std::string(job.header.version));
  block.field("date", std::string_view(options.now.to_string()));
  if (!job.header.filename.empty()) {
    block.field("source", job.header.filename);
  }
  ExtraRecord extra;
  extra.block = block.take();
  ConversionOptions last = options;
  last.target = job.last_target;
  last.original_header = false;
  FONDS_TRY(auto made, make_header({.type = "warcinfo",
                                    .id = id,
                                    .date = options.now,
                                    .content_type = "application/warc-fields",
                                    .filename = options.filename,
                                    .block_length = extra.block.size()},
                                   last));
  extra.header = std::move(made.header);
  job.out.before.push_back(std::move(extra));
  return id;
}

// Columns that only WARC-Original-Header keeps.
void note_lost_columns(const Job& job, std::string_view type) {
  for (const auto& field : job.header.fields) {
    const bool version_2 = field.name == "Result-code" || field.name == "Checksum" ||
                           field.name == "Location" || field.name == "Offset" ||
                           field.name == "Filename";
    const bool of_payload =
        field.name == "Content-type" && type == "response" && !job.header.payload_type.empty();
    if ((version_2 && field.value != "-" && !field.value.empty()) || of_payload) {
      job.lose_unless_kept("column " + std::string(field.name));
    }
  }
}

}  // namespace

Result<void> arc_to_modern(Job& job) {
  const Header& header = job.header;
  std::string_view type = header.type;
  std::string_view content_type = header.content_type;
  std::string warcinfo;
  if (header.arc_header) {
    FONDS_TRY(warcinfo, add_warcinfo(job));
    type = "metadata";
  } else if (type == "response" && !job.facts.has_status_line) {
    type = "resource";
    content_type = header.payload_type;
  }
  if (content_type.empty()) {
    content_type = "application/octet-stream";
  }
  FONDS_TRY(const auto id, make_id(IdScheme{}, "arc:" + std::string(job.facts.sha1_hex) + ":" +
                                                   std::to_string(job.facts.decoded_offset)));
  HeaderText out;
  out.line(version_of(job.options.target));
  out.field("WARC-Type", type);
  out.id("WARC-Record-ID", id);
  out.field("WARC-Date", std::string_view(date_for_target(job).to_string()));
  out.field("Content-Length", job.facts.block_length);
  out.field("Content-Type", content_type);
  out.field("WARC-Target-URI", std::string_view(uri_token(header.uri)));
  if (uri_token(header.uri) != header.fields.front().value) {
    job.lose_unless_kept("blanks in a URL");
  }
  if (!header.ip.empty()) {
    out.field("WARC-IP-Address", header.ip);
  }
  if (!warcinfo.empty()) {
    out.id("WARC-Concurrent-To", warcinfo);
  }
  if (job.options.original_header) {
    out.field(kOriginalHeader,
              std::string_view(original_header_value(header, job.facts.raw_header)));
  }
  out.end();
  job.out.header = out.take();
  note_lost_columns(job, type);
  return {};
}

}  // namespace fonds::warc::detail
