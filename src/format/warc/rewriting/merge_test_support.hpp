// Archives made in memory, for the tests of merging.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "codec/testing.hpp"
#include "format/warc/rewriting/merge.hpp"
#include "io/testing.hpp"

namespace fonds::warc {

// A record of WARC 1.1 with its closing line ends.
inline std::string warc_record(const std::string& type, const std::string& id,
                               const std::string& block, const std::string& more = {}) {
  return "WARC/1.1\r\nWARC-Type: " + type + "\r\nWARC-Record-ID: <urn:x:" + id +
         ">\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n" + more +
         "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + block + "\r\n\r\n";
}
inline std::string resource(const std::string& id, const std::string& block,
                            const std::string& more = {}) {
  return warc_record("resource", id, block, "WARC-Target-URI: http://a/" + id + "\r\n" + more);
}

using Strings = std::vector<std::string>;

inline std::string together(const Strings& records) {
  std::string all;
  for (const std::string& record : records) {
    all += record;
  }
  return all;
}

// One unit a record.
inline std::string encoded(const Strings& records, const EncodeOptions& options) {
  testing_io::TextSink sink;
  const auto encoder = *make_encoder(sink, options);
  for (const std::string& record : records) {
    EXPECT_TRUE(encoder->begin_unit(record.size()).has_value());
    EXPECT_TRUE(encoder->write(as_bytes(record)).has_value());
    EXPECT_TRUE(encoder->end_unit().has_value());
  }
  EXPECT_TRUE(encoder->finish().has_value());
  return sink.content;
}
inline std::string encoded(const Strings& records, const std::string& codec) {
  return encoded(records, EncodeOptions{.codec = codec});
}

inline std::string decoded(const std::string& stored) {
  const Archive archive = *open_archive(testing_codec::mapped(stored));
  return testing_codec::read_all(archive.codec(), archive.source).all();
}

struct Merged {
  std::string bytes;
  std::string error;
  ErrorCode code = ErrorCode::Internal;
  RewriteReport report;
  Strings findings;  // codes
  Strings lost;      // codes
  std::string text() const { return decoded(bytes); }
};

inline Merged merged_sources(const std::vector<std::shared_ptr<ByteSource>>& sources,
                             RewriteOptions options = {}) {
  std::vector<Archive> archives;
  for (const auto& source : sources) {
    archives.push_back(*open_archive(source, {.format = "warc"}));
  }
  Merged result;
  options.on_finding = [&](const Finding& finding) { result.findings.emplace_back(finding.code); };
  testing_io::TextSink sink;
  auto report = merge_archives(archives, sink, options);
  if (!report) {
    result.error = report.error().to_string();
    result.code = report.error().code();
    return result;
  }
  result.bytes = std::move(sink.content);
  result.report = std::move(*report);
  for (const Finding& finding : result.report.lost) {
    result.lost.emplace_back(finding.code);
  }
  return result;
}
inline Merged merged(const Strings& stored, const RewriteOptions& options = {}) {
  std::vector<std::shared_ptr<ByteSource>> sources;
  for (const std::string& bytes : stored) {
    sources.push_back(testing_codec::mapped(bytes));
  }
  return merged_sources(sources, options);
}
inline Merged merged_pipes(const Strings& stored, const RewriteOptions& options = {}) {
  std::vector<std::shared_ptr<ByteSource>> sources;
  for (const std::string& bytes : stored) {
    sources.push_back(testing_codec::piped(bytes, 77));
  }
  return merged_sources(sources, options);
}

}  // namespace fonds::warc
