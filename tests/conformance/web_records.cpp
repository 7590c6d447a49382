#include "conformance/web_records.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "archives/web_text.hpp"
#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"

namespace fonds::laws {
using testing_archives::arc_version_block;
using testing_archives::http_message;
using testing_archives::sha1_of;
using testing_archives::WebRecord;

namespace {

std::string id_of(int n) { return fmt::format("urn:uuid:00000000-0000-4000-8000-{:012x}", n); }
std::string date_of(int n) { return fmt::format("2024-02-{:02}T03:04:{:02}Z", 1 + n / 60, n % 60); }

std::string http(int status, std::string_view headers, std::string_view body) {
  return http_message(fmt::format("HTTP/1.1 {} Status", status), headers, body);
}

std::string chunked(std::string_view body) {
  std::string out;
  while (!body.empty()) {
    const std::string_view piece = body.substr(0, 700);
    out += fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    body.remove_prefix(piece.size());
  }
  return out + "0\r\n\r\n";
}

std::string every_byte() {
  std::string bytes;
  for (int n = 0; n < 1024; ++n) {
    bytes += static_cast<char>(n);
  }
  // What a search for the next record could take for one.
  return bytes + "\r\n\r\nWARC/1.1\r\nWARC-Type: none\r\n\r\n\x1f\x8b\x08\x28\xb5\x2f\xfd\r\n\r\n";
}

class Maker {
 public:
  WebRecord& add(std::string type, std::string uri, std::string content, std::string block) {
    const int n = ++n_;
    records.push_back({std::move(type), id_of(n), std::move(uri), date_of(n), std::move(content),
                       std::move(block)});
    WebRecord& record = records.back();
    record.more.emplace_back("WARC-Block-Digest", sha1_of(record.block));
    return record;
  }
  WebRecord& response(std::string uri, int status, std::string_view headers,
                      std::string_view body) {
    WebRecord& record = add("response", std::move(uri), "application/http;msgtype=response",
                            http(status, headers, body));
    record.more.emplace_back("WARC-IP-Address", "192.0.2.1");
    record.more.emplace_back("WARC-Payload-Digest", sha1_of(body));
    return record;
  }
  std::vector<WebRecord> records;

 private:
  int n_ = 0;
};

constexpr std::string_view kHtml = "Content-Type: text/html\r\n";
constexpr std::string_view kPage = "<html><p>The first page, which is stored again later.</html>\n";

void add_responses(Maker& make) {
  make.response("http://example.com/", 200, kHtml, kPage);
  const std::string text = testing_codec::sample_text(5000, 7);
  const std::string small = testing_gzip::member(text);
  make.response("http://example.com/chunked", 200,
                "Content-Type: text/plain\r\nTransfer-Encoding: chunked\r\n", chunked(text));
  make.response("http://example.com/both", 200,
                "Content-Type: text/plain\r\nContent-Encoding: gzip\r\nTransfer-Encoding: "
                "chunked\r\n",
                chunked(small));
  const std::string json = R"({"error":"not found","code":404,"path":["a","b"]})";
  make.response("http://example.com/missing?q=%20&r=1", 404, "Content-Type: application/json\r\n",
                json);
  make.response("http://example.org/empty", 204, "", "");
  // The same payload under another address and at another time.
  make.response("http://example.net/again", 200, kHtml, kPage);
}

// ARC has that of the payload.
std::string arc_media_type(const WebRecord& record) {
  if (!record.block.starts_with("HTTP/")) {
    return record.content;
  }
  constexpr std::string_view kName = "Content-Type: ";
  const std::size_t at = record.block.find(kName);
  const std::size_t from = at + kName.size();
  return at == std::string::npos ? "no-type"
                                 : record.block.substr(from, record.block.find('\r', from) - from);
}

void add_small_ones(Maker& make, int count) {
  for (int n = 0; n < count; ++n) {
    const std::string text = testing_codec::sample_text(static_cast<std::size_t>(n * 53 % 900),
                                                        static_cast<std::uint64_t>(n) + 100);
    make.response(fmt::format("http://example.com/page/{}", n * 7 % 30), n % 5 == 0 ? 404 : 200,
                  kHtml, text);
  }
}

}  // namespace

std::vector<WebRecord> web_records(std::size_t large_block) {
  Maker make;
  make.add("warcinfo", "", "application/warc-fields",
           "software: laws\r\nformat: the table of the laws\r\n");
  add_responses(make);
  const WebRecord page = make.records[1];
  WebRecord& request = make.add("request", page.uri, "application/http;msgtype=request",
                                "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n");
  request.date = page.date;
  request.more.emplace_back("WARC-Concurrent-To", "<" + page.id + ">");
  WebRecord& metadata =
      make.add("metadata", page.uri, "application/warc-fields", "fetchTimeMs: 12\r\n");
  metadata.more.emplace_back("WARC-Refers-To", "<" + page.id + ">");
  make.add("resource", "file:///empty", "text/plain", "");
  make.add("resource", "file:///every-byte", "application/octet-stream", every_byte());
  if (large_block > 0) {
    make.add("resource", "file:///large", "text/plain",
             testing_codec::sample_text(large_block, 1234));
  }
  WebRecord& revisit =
      make.add("revisit", page.uri, "application/http;msgtype=response", http(200, kHtml, ""));
  revisit.more.emplace_back("WARC-Payload-Digest", sha1_of(kPage));
  revisit.more.emplace_back("WARC-Refers-To", "<" + page.id + ">");
  revisit.more.emplace_back("WARC-Refers-To-Target-URI", page.uri);
  revisit.more.emplace_back("WARC-Refers-To-Date", page.date);
  revisit.more.emplace_back("WARC-Truncated", "length");
  revisit.more.emplace_back("WARC-Profile", "identical-payload-digest");
  WebRecord& conversion = make.add("conversion", page.uri, "text/plain", "The first page\n");
  conversion.more.emplace_back("WARC-Refers-To", "<" + page.id + ">");
  add_small_ones(make, 24);
  return make.records;
}

std::vector<WebRecord> arc_records(std::size_t large_block) {
  Maker make;
  make.records.push_back(arc_version_block("1.0", "laws", date_of(1)));
  make.add("response", "dns:example.com", "text/dns",
           "20240201030405\nexample.com.\t60\tIN\tA\t192.0.2.1\n");
  add_responses(make);
  if (large_block > 0) {
    const std::string text = testing_codec::sample_text(large_block, 1234);
    make.response("http://example.com/large", 200, kHtml, text);
  }
  make.response("http://example.com/binary", 200, "Content-Type: image/gif\r\n", every_byte());
  add_small_ones(make, 24);
  for (WebRecord& record : make.records) {
    record.content = arc_media_type(record);
  }
  return make.records;
}

}  // namespace fonds::laws
