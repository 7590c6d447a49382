// Test data and short forms for the tests of the grammar.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <zlib.h>

#include <fonds/bytes.hpp>

#include "format/warc/reading/grammar.hpp"
#include "test_paths.hpp"

namespace fonds::warc {

inline std::string fixture_path(const std::string& name) {
  const char* folder = std::getenv("FONDS_FIXTURES");  // NOLINT(concurrency-mt-unsafe)
  return std::string(folder != nullptr ? folder : FONDS_TEST_DATA) + "/warc/" + name;
}

inline std::string read_fixture(const std::string& name) {
  std::ifstream file(fixture_path(name), std::ios::binary);
  if (!file) {
    throw std::runtime_error("no fixture " + name);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// All members of a gzip file, inflated.
inline std::string inflate_members(std::string stored) {
  std::string out;
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) {
    throw std::runtime_error("inflateInit2");
  }
  stream.next_in = reinterpret_cast<Bytef*>(stored.data());
  stream.avail_in = static_cast<uInt>(stored.size());
  char buffer[4096];
  while (stream.avail_in > 0) {
    stream.next_out = reinterpret_cast<Bytef*>(buffer);
    stream.avail_out = sizeof buffer;
    const int result = inflate(&stream, Z_NO_FLUSH);
    if (result != Z_OK && result != Z_STREAM_END) {
      inflateEnd(&stream);
      throw std::runtime_error("inflate");
    }
    out.append(buffer, sizeof buffer - stream.avail_out);
    if (result == Z_STREAM_END) {
      inflateReset(&stream);
    }
  }
  inflateEnd(&stream);
  return out;
}

inline std::string read_decoded_fixture(const std::string& name) {
  auto stored = read_fixture(name);
  return name.ends_with(".gz") ? inflate_members(std::move(stored)) : stored;
}

// A header together with the octets its views point into.
struct Parsed {
  std::string octets;
  Start start = Start::None;
  bool done = false;
  Header header;
};

// Parses `octets` as all the data there is.
inline void parse_into(Parsed& out, std::string octets, ArcContext& arc, bool whole = true) {
  out.octets = std::move(octets);
  out.start = classify_start(as_bytes(out.octets));
  out.done = parse_header(as_bytes(out.octets), out.start, whole, arc, out.header);
}
inline void parse_into(Parsed& out, std::string octets, bool whole = true) {
  ArcContext arc;
  parse_into(out, std::move(octets), arc, whole);
}

inline std::vector<std::string> codes(const Header& header) {
  std::vector<std::string> result;
  for (const auto& issue : header.issues) {
    result.emplace_back(issue.code);
  }
  std::sort(result.begin(), result.end());
  return result;
}

using Codes = std::vector<std::string>;

}  // namespace fonds::warc
