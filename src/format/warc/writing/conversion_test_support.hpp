// Records of fixtures with the facts that a conversion wants, for the tests of the conversions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/digest.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {

// A record with what owns its views.
struct Sample {
  std::string octets;  // of the header, and behind it as much as the parser wanted
  std::string block;
  std::string sha1_hex;
  std::string http_content_type;
  Header header;
  RecordFacts facts;

  std::string raw_header() const { return octets.substr(0, header.length); }
};
using Samples = std::vector<std::unique_ptr<Sample>>;

inline std::string sha1_of(const std::string& octets) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(octets));
  const auto digest = hasher.finish();
  return to_hex(ByteView(digest.bytes).first(digest.size));
}

inline void fill_facts(Sample& sample, std::uint64_t archive, std::uint64_t offset) {
  sample.sha1_hex = sha1_of(sample.raw_header() + sample.block);
  auto& facts = sample.facts;
  facts.raw_header = as_bytes(sample.octets).first(sample.header.length);
  facts.block_length = sample.block.size();
  facts.archive = archive;
  facts.decoded_offset = offset;
  facts.sha1_hex = sample.sha1_hex;
  facts.block_head = as_bytes(sample.block);
  facts.has_status_line = sample.block.starts_with("HTTP/");
  if (facts.has_status_line) {
    facts.http_status =
        std::atoi(sample.block.c_str() +
                  std::min<std::size_t>(sample.block.size(), sample.block.find(' ') + 1));
    const auto at = sample.block.find("Content-Type: ");
    if (at != std::string::npos) {
      sample.http_content_type =
          sample.block.substr(at + 14, sample.block.find_first_of("\r\n", at) - at - 14);
    }
    facts.http_content_type = sample.http_content_type;
  }
}

// Parses the record at `at`; its block may be cut by the end of `data`.
inline std::unique_ptr<Sample> sample_at(const std::string& data, std::size_t at,
                                         std::uint64_t archive, ArcContext& arc) {
  auto sample = std::make_unique<Sample>();
  sample->octets = data.substr(at);
  const auto start = classify_start(as_bytes(sample->octets));
  parse_header(as_bytes(sample->octets), start, true, arc, sample->header);
  const auto length = std::min<std::uint64_t>(sample->header.block_length,
                                              sample->octets.size() - sample->header.length);
  sample->block = sample->octets.substr(sample->header.length, static_cast<std::size_t>(length));
  fill_facts(*sample, archive, at);
  return sample;
}

// What a reader does: line ends are passed over; where no record begins, the next place is
// searched.
inline Samples samples_of(const std::string& data, std::uint64_t archive = 0) {
  Samples result;
  ArcContext arc;
  std::size_t at = 0;
  while ((at = data.find_first_not_of("\r\n", at)) != npos) {
    if (classify_start(as_bytes(data).subspan(at)) == Start::None) {
      std::size_t incomplete = 0;
      at = find_record_start(as_bytes(data), at, false, true, true, incomplete);
      if (at == npos) {
        break;
      }
    }
    auto sample = sample_at(data, at, archive, arc);
    at += sample->header.length + sample->block.size();
    result.push_back(std::move(sample));
  }
  return result;
}

// A record made of a header and a block.
inline std::unique_ptr<Sample> sample_of(const std::string& header, const std::string& block) {
  ArcContext arc;
  return sample_at(header + block, 0, 0, arc);
}

// The fixtures that hold WARC or ARC, plain or in gzip: "0011/01-all-types.warc", …
inline std::vector<std::string> archive_fixtures() try {
  std::vector<std::string> result;
  for (const char* folder : {"0011", "own", "third-party"}) {
    for (const auto& entry : std::filesystem::directory_iterator(fixture_path(folder))) {
      const auto name = entry.path().filename().string();
      const bool plain = name.ends_with(".warc") || name.ends_with(".arc");
      const bool gzip = name.ends_with(".warc.gz") || name.ends_with(".arc.gz");
      // Damaged gzip is not what is tested here.
      const bool damaged = name.starts_with("gz-") || name.find("clipped") != std::string::npos;
      if ((plain || gzip) && !damaged) {
        result.push_back(std::string(folder) + "/" + name);
      }
    }
  }
  std::sort(result.begin(), result.end());
  return result;
} catch (const std::exception&) {
  return {};
}

inline std::string fixture_name(const testing::TestParamInfo<std::string>& test) {
  std::string name = test.param;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}

}  // namespace fonds::warc
