// Web archives: the dialects times what can compress them.
#include "campaign/rows_web.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "archives/stored.hpp"
#include "archives/web_text.hpp"
#include "codec/testing.hpp"

namespace fonds::campaign {
using testing_archives::Storage;
using testing_archives::WebRecord;
using testing_codec::noise;

namespace {

std::string http(std::string_view type, const std::string& body) {
  return testing_archives::http_message(
      "HTTP/1.1 200 OK",
      fmt::format("Content-Type: {}\r\nContent-Length: {}\r\n", type, body.size()), body);
}

std::vector<WebRecord> captures() {
  std::vector<WebRecord> all;
  const auto add = [&all](std::string type, std::string content, std::string block) {
    const std::size_t n = all.size();
    all.push_back({.type = std::move(type),
                   .id = fmt::format("urn:uuid:00000000-0000-4000-8000-{:012}", n),
                   .uri = fmt::format("http://example.com/{}/page-{}", n % 3, n),
                   .date = fmt::format("2020-01-02T03:04:{:02}Z", n % 60),
                   .content = std::move(content),
                   .block = std::move(block)});
  };
  const std::string response = "application/http; msgtype=response";
  for (unsigned n = 0; n < 4; ++n) {
    add("response", response, http("text/html", testing_codec::sample_text(300 + 900 * n, n)));
    add("request", "application/http; msgtype=request",
        fmt::format("GET /page-{} HTTP/1.1\r\nHost: example.com\r\n\r\n", n));
    add("response", response, http("image/png", noise(100 + 700 * n, 77 + n)));
    add("resource", "text/plain", testing_codec::sample_text(40 * n, 99 + n));
    add("metadata", "application/warc-fields", fmt::format("via: http://example.com/{}\r\n", n));
  }
  add("resource", "application/octet-stream", noise(5000, 5));
  // A record that holds what looks like records.
  add("resource", "application/warc",
      "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:inner>\r\n"
      "WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Length: 5\r\n\r\ninner\r\n\r\n");
  add("response", response, http("text/html", testing_codec::sample_text(2000, 1234)));
  add("resource", "text/plain", "the last record");
  return all;
}

std::string text_of(const WebRecord& record, std::string_view dialect) {
  const std::string_view version = dialect.substr(dialect.find('-') + 1);
  return dialect.starts_with("arc") ? arc_text(record, version)
         : version == "00.11"       ? positional_text(record)
                                    : modern_text(record, version);
}

std::vector<std::string> texts_of(std::string_view dialect, bool short_ids) {
  std::vector<WebRecord> records = captures();
  for (std::size_t n = 0; n < records.size(); ++n) {
    if (dialect.starts_with("warc-1")) {
      records[n].more.emplace_back("WARC-Block-Digest",
                                   testing_archives::sha1_of(records[n].block));
    }
    if (short_ids) {
      records[n].id = fmt::format("urn:x:{:017}", n);
    }
  }
  if (dialect.starts_with("arc")) {
    records.insert(records.begin(), testing_archives::arc_version_block(dialect.substr(4), "Own",
                                                                        "2020-01-02T03:04:05Z"));
  }
  std::vector<std::string> texts;
  for (const WebRecord& record : records) {
    texts.push_back(text_of(record, dialect));
  }
  return texts;
}

Storage storage_of(std::string_view codec, const std::vector<std::string>& records) {
  Storage storage;
  storage.codec = codec == "plain" ? "none" : codec.substr(0, codec.find('-'));
  storage.one_unit = codec.ends_with("-one");
  if (codec.ends_with("-size-prefix") || codec.ends_with("-seek-table")) {
    storage.extension = codec.substr(codec.find('-') + 1);
  }
  if (codec.ends_with("-dictionary")) {
    storage.dictionary = testing_archives::dictionary_of(records);
  }
  return storage;
}

constexpr std::array<std::string_view, 8> kDialects = {
    "warc-1.1", "warc-1.0", "warc-0.18", "warc-0.17", "warc-00.11", "arc-1.0", "arc-1.1", "arc-2"};
constexpr std::array<std::string_view, 9> kCodecs = {
    "plain", "gzip", "gzip-one", "lz4", "lz4-one", "zstd", "zstd-dictionary", "bzip2", "xz"};

Row web_row(std::string_view dialect, std::string_view codec) {
  Row row;
  row.name = fmt::format("{}/{}", dialect, codec);
  row.bytes = web_archive(dialect, codec);
  row.head = codec == "zstd-dictionary";
  row.prefix = codec.ends_with("-size-prefix") ? 32 : 0;
  row.lines = codec == "plain" && dialect.starts_with("arc");
  if (codec == "plain") {
    row.unknowable =
        dialect == "warc-1.1" || dialect == "warc-1.0" ? Unknowable::Digests : Unknowable::Plain;
  }
  return row;
}

}  // namespace

std::string web_archive(std::string_view dialect, std::string_view codec, bool short_ids) {
  const std::vector<std::string> records = texts_of(dialect, short_ids);
  return testing_archives::stored(records, storage_of(codec, records));
}

void add_web_rows(std::vector<RowMaker>& all) {
  const auto add = [&all](std::string_view dialect, std::string_view codec) {
    all.push_back({fmt::format("{}/{}", dialect, codec),
                   [dialect, codec] { return web_row(dialect, codec); }});
  };
  for (const std::string_view dialect : kDialects) {
    for (const std::string_view codec : kCodecs) {
      // zstd is for WARC only.
      if (!dialect.starts_with("arc") || !codec.starts_with("zstd")) {
        add(dialect, codec);
      }
    }
  }
  add("warc-1.1", "zstd-size-prefix");
  add("warc-1.1", "zstd-seek-table");
}

}  // namespace fonds::campaign
