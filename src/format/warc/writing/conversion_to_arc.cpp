// From the dialects with named fields to ARC.
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_detail.hpp"
#include "format/warc/writing/conversion.hpp"
#include "format/warc/writing/conversion_detail.hpp"

namespace fonds::warc {

ExtraRecord make_version_block(std::string_view name, const Date& date) {
  ExtraRecord extra;
  extra.block =
      "1 1 InternetArchive\nURL IP-address Archive-date Content-type Archive-length\n"
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<arcmetadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\" "
      "xmlns:arc=\"http://archive.org/arc/1.0/\" xmlns=\"http://archive.org/arc/1.0/\">\n"
      "<arc:software>fonds</arc:software>\n<dc:format>ARC file version 1.1</dc:format>\n"
      "</arcmetadata>\n";
  extra.header = "filedesc://" + detail::uri_token(name) + " 0.0.0.0 " + detail::date_digits(date) +
                 " text/plain " + std::to_string(extra.block.size()) + "\n";
  return extra;
}

namespace detail {

namespace {

// What an ARC line has a column for.
bool is_column(std::string_view name) noexcept {
  switch (identify(name)) {
    case Known::Type:
    case Known::Date:
    case Known::ContentLength:
    case Known::ContentType:
    case Known::TargetUri:
    case Known::IpAddress:
      return true;
    default:
      return false;
  }
}

// The media type without its parameters, as one word; empty if that is no media type.
std::string media_type(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, text.find(';'))) {
    const auto octet = static_cast<unsigned char>(c);
    if (octet > 0x20 && octet < 0x7f) {
      out += c;
    } else if (!is_blank(c)) {
      return {};
    }
  }
  return out;
}

void skip(Job& job, std::string kind) {
  job.out.skip = true;
  job.lose(std::move(kind));
}

// No other header can be read out of what we write: the URL decides about the whole line.
bool reads_back(const std::string& line, const Job& job, std::string_view url, Start start) {
  Header read;
  ArcContext arc;
  return classify_start(as_bytes(line)) == start &&
         parse_header(as_bytes(line), start, true, arc, read) && read.complete && read.uri == url &&
         read.length_state == Header::LengthState::Good &&
         read.block_length == job.facts.block_length;
}

}  // namespace

Result<void> modern_to_arc(Job& job) {
  const Header& header = job.header;
  const bool filedesc = keeps_version_block(header);
  if (header.type == "warcinfo" && job.scope.is_warcinfo_of_arc(header.id)) {
    job.out.skip = true;
    return {};
  }
  if (!filedesc && header.type != "response" && header.type != "resource") {
    skip(job, (header.type.empty() ? "untyped" : to_utf8(header.type)) + " records");
    return {};
  }
  const auto url = uri_token(header.uri);
  std::string type;
  if (filedesc) {
    type = "text/plain";
  } else if (header.type == "response") {
    type = media_type(job.facts.http_content_type);
  } else {
    type = media_type(header.content_type);
  }
  const auto date = date_digits(date_for_target(job));
  const auto line_with = [&](std::string_view ip) {
    return url + " " + std::string(ip) + " " + date + " " + (type.empty() ? "no-type" : type) +
           " " + std::to_string(job.facts.block_length) + "\n";
  };
  const Start start = filedesc ? Start::ArcVersion : Start::ArcRecord;
  const bool has_ip = !header.ip.empty() && is_token(header.ip);
  std::string line = line_with(has_ip ? header.ip : "0.0.0.0");
  if (has_ip && !reads_back(line, job, url, start)) {
    line = line_with("0.0.0.0");
    job.lose("address that is none");
  }
  if (!reads_back(line, job, url, start)) {
    skip(job, to_utf8(header.type) + " records without a URL for ARC");
    return {};
  }
  for (const auto& field : header.fields) {
    if (!is_column(field.name)) {
      job.lose("field " + to_utf8(field.name));
    }
  }
  job.out.header = std::move(line);
  return {};
}

}  // namespace detail

}  // namespace fonds::warc
