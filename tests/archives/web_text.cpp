#include "archives/web_text.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/bytes.hpp>

#include "base/digest.hpp"

namespace fonds::testing_archives {
namespace {

// "20240203040506"
std::string digits_of(std::string_view date) {
  std::string digits;
  std::ranges::copy_if(date, std::back_inserter(digits),
                       [](char c) { return c >= '0' && c <= '9'; });
  return digits;
}

}  // namespace

std::string http_message(std::string_view first_line, std::string_view headers,
                         std::string_view body) {
  return fmt::format("{}\r\n{}\r\n{}", first_line, headers, body);
}

std::string sha1_of(std::string_view bytes) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(bytes));
  const DigestValue value = hasher.finish();
  return "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
}

std::string modern_text(const WebRecord& record, std::string_view version) {
  std::string text = fmt::format("WARC/{}\r\nWARC-Type: {}\r\nWARC-Record-ID: <{}>\r\n", version,
                                 record.type, record.id);
  text += "WARC-Date: " + record.date + "\r\n";
  if (!record.uri.empty()) {
    text += "WARC-Target-URI: " + record.uri + "\r\n";
  }
  text += "Content-Type: " + record.content + "\r\n";
  for (const auto& [name, value] : record.more) {
    if (version != "1.1" && name.starts_with("WARC-Refers-To-")) {
      continue;
    }
    const std::string profile = fmt::format("http://netpreserve.org/warc/{}/revisit/", version);
    text += fmt::format("{}: {}{}\r\n", name, name == "WARC-Profile" ? profile : "", value);
  }
  return text +
         fmt::format("Content-Length: {}\r\n\r\n{}\r\n\r\n", record.block.size(), record.block);
}

std::string positional_text(const WebRecord& record) {
  const std::string fields = fmt::format("type: {}\r\nsubject-uri: {}\r\ncontent-type: {}\r\n\r\n",
                                         record.type, record.uri, record.content);
  const std::size_t rest = fields.size() + record.block.size();
  // The length counts the line itself, and so its own digits.
  std::string line;
  for (std::size_t length = rest, before = 0; length != before;) {
    before = length;
    line = fmt::format("warc/00.11 {} {} {} w1\r\n", length, digits_of(record.date), record.id);
    length = line.size() + rest;
  }
  return line + fields + record.block + "\r\n\r\n";
}

std::string arc_text(const WebRecord& record, std::string_view version) {
  const bool of_file = record.uri.starts_with("filedesc:");
  return fmt::format("{} {} {} {} {}{}\n{}\n", record.uri, of_file ? "0.0.0.0" : "192.0.2.1",
                     digits_of(record.date), record.content.substr(0, record.content.find(';')),
                     version == "2" ? "200 - - 0 own.arc " : "", record.block.size(), record.block);
}

WebRecord arc_version_block(std::string_view version, std::string_view maker,
                            std::string_view date) {
  const bool two = version == "2";
  WebRecord record;
  record.type = "warcinfo";
  record.uri = "filedesc://own.arc";
  record.date = date;
  record.content = "text/plain";
  record.block =
      fmt::format("{} {} {}\nURL IP-address Archive-date Content-type {}Archive-length\n\n",
                  version.substr(0, 1), two ? "0" : version.substr(2), maker,
                  two ? "Result-code Checksum Location Offset Filename " : "");
  return record;
}

}  // namespace fonds::testing_archives
