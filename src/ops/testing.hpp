// Small archives for the tests of operations.
#pragma once

#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "codec/gzip/testing.hpp"
#include "codec/testing.hpp"
#include "ops/list.hpp"

namespace fonds::testing_ops {

struct RecordText {
  std::string type = "resource";
  std::string id = {};
  std::string uri = {};
  std::string block = {};
  std::string more = {};  // further fields with their line ends
  std::string date = "2020-01-01T00:00:00Z";
};

inline std::string text_of(const RecordText& record) {
  std::string text = "WARC/1.1\r\nWARC-Type: " + record.type + "\r\nWARC-Record-ID: <" + record.id +
                     ">\r\nWARC-Date: " + record.date + "\r\n";
  if (!record.uri.empty()) {
    text += "WARC-Target-URI: " + record.uri + "\r\n";
  }
  return text + record.more + "Content-Length: " + std::to_string(record.block.size()) +
         "\r\n\r\n" + record.block + "\r\n\r\n";
}

inline std::string plain(const std::vector<RecordText>& records) {
  std::string all;
  for (const RecordText& record : records) {
    all += text_of(record);
  }
  return all;
}
inline std::string gzipped(const std::vector<RecordText>& records) {
  std::string all;
  for (const RecordText& record : records) {
    all += testing_gzip::member(text_of(record));
  }
  return all;
}

// What an operation gave.
struct Given {
  std::string text;
  std::vector<std::string> codes;
  std::vector<std::uint64_t> ordinals;  // of the findings; ~0 where there is none
};
inline ops::Output into(Given& given) {
  return {[&given](std::string_view text) {
            given.text += text;
            return Status();
          },
          [&given](const Finding& finding) {
            given.codes.emplace_back(finding.code);
            given.ordinals.push_back(finding.where.ordinal.value_or(~std::uint64_t{0}));
          }};
}

}  // namespace fonds::testing_ops
