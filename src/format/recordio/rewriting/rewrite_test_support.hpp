// Archives in memory, and what a reader finds in them, for the tests of rewriting.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/recordio.hpp>
#include <fonds/writing.hpp>

#include "format/recordio/writing/writer_test_support.hpp"

namespace fonds::recordio {

inline Archive archive_of(std::string_view bytes, std::string name = "<memory>") {
  const ByteView view = as_bytes(bytes);
  auto archive = open_archive(memory_source({view.begin(), view.end()}, std::move(name)),
                              {.format = "recordio"});
  require(archive.has_value(), "open_archive");
  return *archive;
}

struct Contents {
  std::vector<std::string> items;
  std::vector<std::string> codes;  // of all findings
  std::size_t errors = 0;
};

inline Contents contents_of(std::string_view bytes) {
  Contents found;
  ReaderOptions options;
  options.on_finding = [&](const Finding& finding) {
    found.codes.emplace_back(finding.code);
    found.errors += finding.severity == Severity::Error ? 1U : 0U;
  };
  const ByteView view = as_bytes(bytes);
  auto reader = Reader::open(memory_source({view.begin(), view.end()}), options);
  require(reader.has_value(), "open");
  while (true) {
    const auto more = reader->next();
    require(more.has_value(), "next");
    if (!*more) {
      return found;
    }
    found.items.emplace_back(as_text(reader->item()));
  }
}

// A rewritten file, and what was said about it.
struct Rewritten {
  std::string bytes;
  RewriteReport report;
  std::vector<std::string> codes;  // given to on_finding
};

inline std::vector<std::string> lost_codes(const RewriteReport& report) {
  std::vector<std::string> codes;
  for (const Finding& finding : report.lost) {
    codes.emplace_back(finding.code);
  }
  return codes;
}

inline RewriteOptions noting(RewriteOptions options, std::vector<std::string>& codes) {
  options.on_finding = [&codes](const Finding& finding) { codes.emplace_back(finding.code); };
  return options;
}

inline Rewritten repaired(std::string_view bytes, const RewriteOptions& options = {}) {
  Rewritten result;
  MemorySink sink;
  const Archive archive = archive_of(bytes);
  auto report = archive.format->writing()->repair(archive, sink, noting(options, result.codes));
  require(report.has_value(), report ? "" : report.error().message().c_str());
  result.report = std::move(*report);
  result.bytes = std::move(sink.content);
  return result;
}

// Whether the items of `some` stand in `all` in this order.
inline bool is_part(const std::vector<std::string>& some, const std::vector<std::string>& all) {
  auto at = all.begin();
  for (const std::string& item : some) {
    at = std::find(at, all.end(), item);
    if (at == all.end()) {
      return false;
    }
    ++at;
  }
  return true;
}

}  // namespace fonds::recordio
