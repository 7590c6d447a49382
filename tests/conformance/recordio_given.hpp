// What operations give of RecordIO archives, for the laws.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/format.hpp>

#include "conformance/recordio_archives.hpp"
#include "ops/cat.hpp"
#include "ops/find.hpp"
#include "ops/list.hpp"
#include "ops/rewrite.hpp"
#include "ops/verify.hpp"

namespace fonds::recordio::laws {

struct Given {
  std::string text;
  std::vector<std::string> findings;
  std::vector<Finding> raw;
  std::string error;
  friend bool operator==(const Given& a, const Given& b) {
    return a.text == b.text && a.findings == b.findings && a.error == b.error;
  }
};
inline void PrintTo(const Given& given, std::ostream* out) {
  *out << given.text.size() << " bytes, error \"" << given.error << "\", findings\n";
  for (const std::string& finding : given.findings) {
    *out << "  " << finding << "\n";
  }
}
inline void take(Given& given, const Finding& finding) {
  given.findings.push_back(shown(finding));
  given.raw.push_back(finding);
}
inline ops::Output into(Given& given) {
  return {[&given](std::string_view text) {
            given.text += text;
            return Status();
          },
          [&given](const Finding& finding) { take(given, finding); }};
}
template <typename Outcome>
inline void note(Given& given, const Outcome& outcome) {
  given.error = outcome ? "" : outcome.error().to_string();
}

inline Given listed(const Archive& archive, const ops::ScanOptions& scan, bool json) {
  Given given;
  ops::ListOptions options;
  options.scan = scan;
  options.json = json;
  options.full = json;
  options.hash = json;
  note(given, ops::list(archive, options, into(given)));
  return given;
}
inline Given content(const Archive& archive, const ops::ScanOptions& scan,
                     std::vector<Key> keys = {}) {
  Given given;
  ops::CatOptions options;
  options.scan = scan;
  options.separator = ops::Separator::LengthPrefixed;
  options.keys = std::move(keys);
  const auto missing = ops::cat(archive, options, into(given));
  note(given, missing);
  if (missing && !missing->empty()) {
    given.error = missing->front() + " is missing";
  }
  return given;
}
inline Given verified(const Archive& archive, const ops::ScanOptions& scan = {}) {
  Given given;
  ops::Verifier verifier(scan, {}, false, [&given](const Finding& found) { take(given, found); });
  note(given, verifier.check(archive));
  verifier.finish();
  return given;
}
inline Given verified(std::string_view bytes) { return verified(archive_of(bytes)); }

inline std::vector<std::string> codes_but_notes(const Given& given) {
  std::vector<std::string> codes;
  for (const Finding& finding : given.raw) {
    if (finding.severity != Severity::Note) {
      codes.emplace_back(finding.code);
    }
  }
  return codes;
}
inline std::vector<std::string> errors_of(const Given& given) {
  std::vector<std::string> errors;
  for (const Finding& finding : given.raw) {
    if (finding.severity == Severity::Error) {
      errors.push_back(shown(finding));
    }
  }
  return errors;
}

// Nothing if it is no RecordIO (any more).
inline std::optional<std::string> repaired_bytes(std::string_view bytes) {
  const auto archive = open_archive(in_memory(bytes), {.format = "recordio"});
  require(archive.has_value(), "open_archive");
  MemorySink sink;
  const auto report = ops::repair(*archive, sink, {});
  if (!report) {
    EXPECT_EQ(report.error().code(), ErrorCode::Unsupported) << report.error().to_string();
    return std::nullopt;
  }
  return sink.content;
}

inline std::vector<std::string> items_of(std::string_view bytes) {
  return read_archive(archive_of(bytes)).texts();
}

// What is missing of a location that leads to the damage.
inline std::string missing_in(const fonds::Location& where) {
  return where.source.empty() ? "no source" : where.stored_offset ? "" : "no stored offset";
}
inline void expect_located(const Error& error) {
  if (error.code() == ErrorCode::Corrupt || error.code() == ErrorCode::Truncated) {
    EXPECT_EQ(missing_in(error.where()), "") << error.to_string();
  }
}
template <typename T>
inline void expect_located(const Result<T>& result) {
  if (!result) {
    expect_located(result.error());
  }
}
inline void expect_located(const Finding& finding) {
  if (finding.severity == Severity::Error) {
    EXPECT_EQ(missing_in(finding.where), "") << shown(finding);
  }
}

}  // namespace fonds::recordio::laws
