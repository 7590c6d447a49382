// Good archives for the tests of rules: a test changes one thing in one record and sees which
// findings come.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "codec/testing.hpp"
#include "ops/verify.hpp"

namespace fonds::warc {

using Codes = std::vector<std::string>;

// A header without its length and its empty line, and a block.
struct GoodRecord {
  std::string header, block;
};

// One change: `from` stands once in the header or the block of the record and becomes `to`; an
// empty `from` stands at the end of the header.
struct RuleCase {
  std::string name;
  std::size_t record;
  std::string from, to;
  Codes codes;
};
inline std::ostream& operator<<(std::ostream& out, const RuleCase& one) { return out << one.name; }

inline void change(GoodRecord& sample, const RuleCase& one) {
  if (one.from.empty()) {
    sample.header += one.to;
    return;
  }
  std::string& text =
      sample.header.find(one.from) != std::string::npos ? sample.header : sample.block;
  const std::size_t at = text.find(one.from);
  ASSERT_NE(at, std::string::npos) << one.from;
  ASSERT_EQ(text.find(one.from, at + 1), std::string::npos) << one.from;
  text.replace(at, one.from.size(), one.to);
}

// Codes of all findings, sorted. Left out is that the payload of a revisit is elsewhere, which is
// said of each, and that records have no digest.
inline Codes verify_all(const std::vector<std::string>& archives) {
  Codes codes;
  ops::Verifier verifier({}, {}, false, [&](const Finding& finding) {
    if (finding.code != "revisit-payload-not-checked" && finding.code != "digest-absent") {
      codes.emplace_back(finding.code);
    }
  });
  for (const std::string& text : archives) {
    const auto archive = open_archive(testing_codec::mapped(text));
    EXPECT_TRUE(archive.has_value());
    if (archive) {
      EXPECT_TRUE(verifier.check(*archive).has_value());
    }
  }
  verifier.finish();
  std::sort(codes.begin(), codes.end());
  return codes;
}

inline std::string test_name(const testing::TestParamInfo<RuleCase>& info) {
  return info.param.name;
}

}  // namespace fonds::warc
