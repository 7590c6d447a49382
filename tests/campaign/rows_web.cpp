// Web archives: the dialects times what can compress them.
#include "campaign/rows_web.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>

#include <bzlib.h>
#include <fmt/core.h>
#include <lzma.h>
#include <zdict.h>

#include <fonds/encoder.hpp>

#include "base/digest.hpp"
#include "campaign/sink.hpp"
#include "codec/testing.hpp"

namespace fonds::campaign {
namespace {

// What a record is in every dialect.
struct Capture {
  std::string type, uri, content_type, block;
  int number = 0;
};

std::string http(std::string_view type, const std::string& body) {
  return fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n{}", type,
                     body.size(), body);
}

// Bytes that do not compress: deflate stores them.
std::string noise(std::size_t size, std::uint64_t seed) {
  std::string bytes;
  while (bytes.size() < size) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    bytes += static_cast<char>(seed >> 56U);
  }
  return bytes;
}

std::vector<Capture> captures() {
  std::vector<Capture> all;
  const auto add = [&all](std::string type, std::string content_type, std::string block) {
    const int n = static_cast<int>(all.size());
    all.push_back({std::move(type), fmt::format("http://example.com/{}/page-{}", n % 3, n),
                   std::move(content_type), std::move(block), n});
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

std::string digest_of(std::string_view block) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(block));
  const DigestValue value = hasher.finish();
  return to_base32(ByteView(value.bytes).first(value.size));
}

std::string modern(const Capture& capture, std::string_view version, bool digests) {
  std::string text = fmt::format(
      "WARC/{}\r\nWARC-Type: {}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-{:012}>\r\n"
      "WARC-Date: 2020-01-02T03:04:{:02}Z\r\nWARC-Target-URI: {}\r\nContent-Type: {}\r\n",
      version, capture.type, capture.number, capture.number % 60, capture.uri,
      capture.content_type);
  if (digests) {
    text += "WARC-Block-Digest: sha1:" + digest_of(capture.block) + "\r\n";
  }
  return text +
         fmt::format("Content-Length: {}\r\n\r\n{}\r\n\r\n", capture.block.size(), capture.block);
}

std::string positional(const Capture& capture) {
  const std::string fields = fmt::format("type: {}\r\nsubject-uri: {}\r\ncontent-type: {}\r\n\r\n",
                                         capture.type, capture.uri, capture.content_type);
  const std::string id = fmt::format("urn:uuid:00000000-0000-4000-8000-{:012}", capture.number);
  const std::size_t rest = fields.size() + capture.block.size();
  // The length counts the line itself, and so its own digits.
  std::string line;
  for (std::size_t length = rest, before = 0; length != before;) {
    before = length;
    line =
        fmt::format("warc/00.11 {} 202001020304{:02} {} w1\r\n", length, capture.number % 60, id);
    length = line.size() + rest;
  }
  return line + fields + capture.block + "\r\n\r\n";
}

std::string arc_head(std::string_view dialect) {
  const bool two = dialect == "arc-2";
  const std::string body =
      fmt::format("{} Own\nURL IP-address Archive-date Content-type {}Archive-length\n\n",
                  two                    ? "2 0"
                  : dialect == "arc-1.1" ? "1 1"
                                         : "1 0",
                  two ? "Result-code Checksum Location Offset Filename " : "");
  return two ? fmt::format(
                   "filedesc://own.arc 0.0.0.0 20200102030405 text/plain 200 - - 0 own.arc "
                   "{}\n{}\n",
                   body.size(), body)
             : fmt::format("filedesc://own.arc 0.0.0.0 20200102030405 text/plain {}\n{}\n",
                           body.size(), body);
}
std::string arc(const Capture& capture, bool two) {
  return fmt::format("{} 192.0.2.1 202001020304{:02} {} {}{}\n{}\n", capture.uri,
                     capture.number % 60,
                     capture.content_type.substr(0, capture.content_type.find(';')),
                     two ? "200 - - 0 own.arc " : "", capture.block.size(), capture.block);
}

std::vector<std::string> records_of(std::string_view dialect) {
  std::vector<std::string> records;
  const bool is_arc = dialect.starts_with("arc");
  if (is_arc) {
    records.push_back(arc_head(dialect));
  }
  for (const Capture& capture : captures()) {
    if (is_arc) {
      records.push_back(arc(capture, dialect == "arc-2"));
    } else if (dialect == "warc-00.11") {
      records.push_back(positional(capture));
    } else {
      const std::string_view version = dialect.substr(5);
      records.push_back(modern(capture, version, version.starts_with('1')));
    }
  }
  return records;
}

std::string encoded(const std::vector<std::string>& records, const EncodeOptions& options) {
  StringSink sink;
  auto encoder = make_encoder(sink, options);
  require(encoder.has_value(), "make_encoder");
  for (const std::string& record : records) {
    require((*encoder)->begin_unit(record.size()).has_value(), "begin_unit");
    require((*encoder)->write(as_bytes(record)).has_value(), "write");
    require((*encoder)->end_unit().has_value(), "end_unit");
  }
  require((*encoder)->finish().has_value(), "finish");
  return std::move(sink.content);
}

ZstdDictionary dictionary_for(const std::vector<std::string>& records) {
  std::string samples;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n < 200; ++n) {
    const std::string& record = records[n % records.size()];
    const std::size_t size = std::min<std::size_t>(record.size(), 400);
    samples += record.substr(0, size);
    sizes.push_back(size);
  }
  std::string bytes(2000, '\0');
  const std::size_t size = ZDICT_trainFromBuffer(bytes.data(), bytes.size(), samples.data(),
                                                 sizes.data(), static_cast<unsigned>(sizes.size()));
  require(ZDICT_isError(size) == 0, "ZDICT_trainFromBuffer");
  bytes.resize(size);
  auto dictionary = ZstdDictionary::parse(as_bytes(bytes));
  require(dictionary.has_value(), "ZstdDictionary::parse");
  return *dictionary;
}

std::string joined(const std::vector<std::string>& records) {
  std::string all;
  for (const std::string& record : records) {
    all += record;
  }
  return all;
}

std::string as_bzip2(std::string plain) {
  std::string out(plain.size() + plain.size() / 50 + 1000, '\0');
  auto size = static_cast<unsigned>(out.size());
  require(BZ2_bzBuffToBuffCompress(out.data(), &size, plain.data(),
                                   static_cast<unsigned>(plain.size()), 1, 0, 0) == BZ_OK,
          "bzip2");
  out.resize(size);
  return out;
}
std::string as_xz(const std::string& plain) {
  std::string out(plain.size() + 10000, '\0');
  std::size_t size = 0;
  require(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(),
                                  reinterpret_cast<std::uint8_t*>(out.data()), &size,
                                  out.size()) == LZMA_OK,
          "xz");
  out.resize(size);
  return out;
}

std::string stored(const std::vector<std::string>& records, std::string_view codec) {
  if (codec == "plain") {
    return joined(records);
  }
  if (codec == "bzip2") {
    return as_bzip2(joined(records));
  }
  if (codec == "xz") {
    return as_xz(joined(records));
  }
  EncodeOptions options;
  options.codec = std::string(codec.substr(0, codec.find('-')));
  options.one_unit = codec.ends_with("-one");
  if (codec.ends_with("-dictionary")) {
    options.dictionary = dictionary_for(records);
  }
  return encoded(records, options);
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
  row.lines = codec == "plain" && dialect.starts_with("arc");
  if (codec == "plain") {
    row.unknowable =
        dialect == "warc-1.1" || dialect == "warc-1.0" ? Unknowable::Digests : Unknowable::Plain;
  }
  return row;
}

}  // namespace

std::string web_archive(std::string_view dialect, std::string_view codec, bool short_ids) {
  std::vector<std::string> records = records_of(dialect);
  for (std::size_t n = 0; short_ids && n < records.size(); ++n) {
    const std::size_t from = records[n].find('<'), to = records[n].find('>');
    records[n].replace(from, to + 1 - from, fmt::format("<urn:x:{:017}>", n));
  }
  return stored(records, codec);
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
}

}  // namespace fonds::campaign
