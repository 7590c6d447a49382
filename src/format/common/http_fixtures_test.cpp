// Every record of the HTTP fixture files against fixtures' own/expected.json.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>

#include "format/common/http_message.hpp"
#include "test_paths.hpp"

namespace fonds::http {
namespace {

struct Case {
  const char* file;
  std::size_t record;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.file << " record " << c.record; }

// A record of a well-formed WARC file.
struct Record {
  std::string type;
  std::string content_type;
  std::string block;
};

std::string fixture_path(const std::string& name) {
  const char* folder = std::getenv("FONDS_FIXTURES");
  folder = folder == nullptr ? FONDS_TEST_DATA : folder;
  return std::string(folder == nullptr ? "." : folder) + "/warc/own/" + name;
}

std::string read_file(const std::string& name) {
  std::ifstream in(fixture_path(name), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string field_of(std::string_view header, const std::string& name) {
  const std::size_t line = header.find("\r\n" + name + ": ");
  if (line == std::string_view::npos) {
    return {};
  }
  const std::size_t begin = line + name.size() + 4;
  return std::string(header.substr(begin, header.find("\r\n", begin) - begin));
}

std::vector<Record> split(std::string_view text) {
  std::vector<Record> records;
  while (!text.empty()) {
    const std::size_t header_end = text.find("\r\n\r\n") + 4;
    const std::string_view header = text.substr(0, header_end);
    const std::size_t length = std::stoul(field_of(header, "Content-Length"));
    records.push_back({field_of(header, "WARC-Type"), field_of(header, "Content-Type"),
                       std::string(text.substr(header_end, length))});
    text.remove_prefix(header_end + length + 4);
  }
  return records;
}

std::string sha1_hex(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int length = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha1(), nullptr);
  std::string hex;
  for (unsigned int i = 0; i < length; ++i) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[digest[i] >> 4];
    hex += kDigits[digest[i] & 15];
  }
  return hex;
}

std::string outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::Ok:
      return "ok";
    case Outcome::Tolerated:
      return "tolerated";
    case Outcome::NotApplied:
      return "not-applied";
    case Outcome::UnknownCoding:
      return "unknown-coding";
    case Outcome::Truncated:
      return "truncated";
    case Outcome::Damaged:
      return "damaged";
  }
  return "?";
}

// What the library makes of a record, in the shape of an entry of expected.json.
nlohmann::json seen(const Record& record) {
  Head head;
  const bool http = record.content_type.starts_with("application/http");
  if (http) {
    parse_head(as_bytes(record.block),
               record.type == "request" ? Expect::Request : Expect::Response, true, head);
  }
  const ByteView body = as_bytes(record.block).subspan(head.length);
  const auto payload = decode_transfer(head, body, 1 << 20);
  const auto decoded = decode_content(head, body, 1 << 20);
  if (!payload || !decoded) {
    return "error";
  }
  std::string outcome = outcome_name(decoded->outcome);
  if (!http) {
    outcome = "not-http";
  } else if (head.kind == Head::Kind::None) {
    outcome = "no-http-header";
  }
  return {{"status", head.status == 0 ? nlohmann::json() : nlohmann::json(head.status)},
          {"outcome", outcome},
          {"payload_length", payload->bytes.size()},
          {"payload_sha1", sha1_hex(payload->bytes)},
          {"decoded_length", decoded->bytes.size()},
          {"decoded_sha1", sha1_hex(decoded->bytes)},
          {"trailer_fields", decoded->trailers}};
}

nlohmann::json wanted(const nlohmann::json& entry) {
  nlohmann::json result;
  for (const char* key :
       {"status", "outcome", "payload_length", "payload_sha1", "decoded_length", "decoded_sha1"}) {
    result[key] = entry.at(key);
  }
  result["trailer_fields"] = entry.value("trailer_fields", nlohmann::json::array());
  return result;
}

nlohmann::json expectations(const std::string& file) {
  const auto all = nlohmann::json::parse(read_file("expected.json"));
  return (all.contains("files") ? all.at("files") : all).at(file).at("http");
}

class HttpFixture : public testing::TestWithParam<Case> {};

TEST_P(HttpFixture, RecordIsReadAsExpected) {
  const std::vector<Record> records = split(read_file(GetParam().file));
  const nlohmann::json entries = expectations(GetParam().file);
  ASSERT_LT(GetParam().record, records.size());
  EXPECT_EQ(seen(records[GetParam().record]), wanted(entries.at(GetParam().record)));
}

std::vector<Case> records_of(const char* file, std::size_t count) {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < count; ++i) {
    cases.push_back({file, i});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Variants, HttpFixture,
                         testing::ValuesIn(records_of("http-variants.warc", 18)));
INSTANTIATE_TEST_SUITE_P(Chunked, HttpFixture,
                         testing::ValuesIn(records_of("http-chunked.warc", 19)));
INSTANTIATE_TEST_SUITE_P(Encodings, HttpFixture,
                         testing::ValuesIn(records_of("http-content-encodings.warc", 14)));

TEST(HttpFixtures, TablesCoverEveryRecord) {
  EXPECT_EQ(expectations("http-variants.warc").size(), 18U);
  EXPECT_EQ(expectations("http-chunked.warc").size(), 19U);
  EXPECT_EQ(expectations("http-content-encodings.warc").size(), 14U);
}

}  // namespace
}  // namespace fonds::http
