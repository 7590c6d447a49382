// Archives for the tests of repair, and what repair makes of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "base/digest.hpp"
#include "codec/testing.hpp"
#include "format/warc/rewriting/repair.hpp"
#include "io/testing.hpp"
#include "ops/verify.hpp"

namespace fonds::testing_repair {

inline std::string sha1(std::string_view text) {
  Hasher hasher(DigestAlgorithm::Sha1);
  hasher.update(as_bytes(text));
  const DigestValue value = hasher.finish();
  return "sha1:" + to_base32(ByteView(value.bytes).first(value.size));
}

// A record of WARC 1.1; `length` is what its header says.
inline std::string modern(std::string_view id, std::string_view block, std::string_view length,
                          std::string_view more = {}) {
  return "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:x:" + std::string(id) +
         ">\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://a.example/" +
         std::string(id) + "\r\nContent-Type: text/plain\r\n" + std::string(more) +
         "Content-Length: " + std::string(length) + "\r\n\r\n" + std::string(block) + "\r\n\r\n";
}
inline std::string modern(std::string_view id, std::string_view block) {
  return modern(id, block, std::to_string(block.size()));
}
inline std::string with_digest(std::string_view id, std::string_view block) {
  return modern(id, block, std::to_string(block.size()),
                "WARC-Block-Digest: " + sha1(block) + "\r\n");
}
inline std::string positional(std::string_view id, std::string_view block, int off_by = 0,
                              std::string_view status = "w1", std::string_view more = {}) {
  const std::string rest = " 20200102030405 urn:x:" + std::string(id) + " " + std::string(status) +
                           "\r\ntype:data\r\n" + std::string(more) + "\r\n";
  std::size_t length = 0;
  for (std::size_t digits = 1; digits < 9; ++digits) {
    length = 11 + digits + rest.size() + block.size();
    if (std::to_string(length).size() == digits) {
      break;
    }
  }
  return "warc/00.11 " + std::to_string(static_cast<int>(length) + off_by) + rest +
         std::string(block) + "\r\n\r\n";
}
inline std::string arc_start() {
  const std::string block = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
  return "filedesc://t.arc 0.0.0.0 20200102030405 text/plain " + std::to_string(block.size()) +
         "\n" + block + "\n";
}
inline std::string arc(std::string_view id, std::string_view block, std::string_view length) {
  return "http://a.example/" + std::string(id) + " 192.0.2.1 20200102030405 text/plain " +
         std::string(length) + "\n" + std::string(block) + "\n";
}
inline std::string arc(std::string_view id, std::string_view block) {
  return arc(id, block, std::to_string(block.size()));
}

// The units of texts, stored with a codec. The first of zstd with a dictionary is its frame.
inline std::vector<std::string> stored_units(const std::vector<std::string>& texts,
                                             const EncodeOptions& options) {
  testing_io::TextSink sink;
  const auto encoder = make_encoder(sink, options);
  EXPECT_TRUE(encoder.has_value());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  (*encoder)->on_unit = [&](std::uint64_t, std::uint64_t offset, std::uint64_t length) {
    places.emplace_back(offset, length);
  };
  for (const std::string& text : texts) {
    EXPECT_TRUE((*encoder)->begin_unit(text.size()).has_value());
    EXPECT_TRUE((*encoder)->write(as_bytes(text)).has_value());
    EXPECT_TRUE((*encoder)->end_unit().has_value());
  }
  EXPECT_TRUE((*encoder)->finish().has_value());
  std::vector<std::string> units;
  std::uint64_t at = 0;
  for (const auto& [offset, length] : places) {
    if (offset > at) {
      units.push_back(sink.content.substr(at, offset - at));
    }
    units.push_back(sink.content.substr(offset, length));
    at = offset + length;
  }
  return units;
}
inline std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) {
    all += part;
  }
  return all;
}

struct Repaired {
  std::string bytes;
  std::string error;
  RewriteReport report;
  std::vector<std::string> told;  // severity and code
  std::vector<std::pair<ByteRange, warc::Fate>> ranges;

  std::uint64_t changes(std::string_view kind) const {
    const auto found = report.changes.find(kind);
    return found == report.changes.end() ? 0 : found->second;
  }
  std::vector<std::string> lost() const {
    std::vector<std::string> codes;
    for (const Finding& finding : report.lost) {
      codes.emplace_back(finding.code);
    }
    return codes;
  }
};

inline Repaired repaired(std::shared_ptr<ByteSource> source, RewriteOptions options = {}) {
  Repaired result;
  const auto archive = open_archive(std::move(source));
  if (!archive) {
    result.error = archive.error().message();
    return result;
  }
  options.on_finding = [&](const Finding& finding) {
    result.told.push_back(std::string(to_string(finding.severity)) + " " +
                          std::string(finding.code));
  };
  testing_io::TextSink sink;
  auto report = warc::repair_archive(
      *archive, sink, options,
      [&](ByteRange range, warc::Fate fate) { result.ranges.emplace_back(range, fate); });
  if (!report) {
    result.error = report.error().message();
    return result;
  }
  result.report = std::move(*report);
  result.bytes = std::move(sink.content);
  return result;
}

// Asserts that it is the same where the archive is read by position.
inline Repaired repaired(std::string_view bytes, const RewriteOptions& options = {}) {
  Repaired mapped = repaired(testing_codec::mapped(bytes), options);
  const ByteView view = as_bytes(bytes);
  const Repaired unmapped = repaired(
      std::make_shared<testing_io::Unmapped>(std::vector(view.begin(), view.end())), options);
  EXPECT_EQ(unmapped.bytes, mapped.bytes);
  EXPECT_EQ(unmapped.error, mapped.error);
  EXPECT_EQ(unmapped.told, mapped.told);
  EXPECT_TRUE(std::ranges::equal(unmapped.ranges, mapped.ranges, [](const auto& a, const auto& b) {
    return a.first.offset == b.first.offset && a.first.length == b.first.length &&
           a.second == b.second;
  }));
  EXPECT_EQ(unmapped.lost(), mapped.lost());
  return mapped;
}

// Codes of the errors that are found in an archive, but for those that no repair can mend.
inline std::vector<std::string> errors_of(std::string_view bytes) {
  std::vector<std::string> codes;
  if (bytes.empty()) {
    return codes;
  }
  ops::Verifier verifier({}, {}, false, [&](const Finding& finding) {
    const bool beyond = finding.code == "digest-mismatch" || finding.code == "no-record" ||
                        finding.code == "zs-record" || finding.code == "zs-warc" ||
                        finding.code.starts_with("segment-") ||
                        finding.code.starts_with("revisit-");
    if (finding.severity == Severity::Error && !beyond) {
      codes.push_back(std::string(finding.code) + ": " + finding.message);
    }
  });
  const auto archive = open_archive(testing_codec::mapped(bytes));
  if (!archive) {
    return {archive.error().message()};
  }
  if (const auto checked = verifier.check(*archive); !checked) {
    codes.push_back(checked.error().message());
  }
  verifier.finish();
  return codes;
}

}  // namespace fonds::testing_repair
