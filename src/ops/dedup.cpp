#include "ops/dedup.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/byte_source.hpp>

#include "index/capture.hpp"
#include "index/capture_search_file.hpp"
#include "index/line_file.hpp"

namespace fonds::ops {
namespace {

// "20170306040206" as W3C-DTF; what is no timestamp stays.
std::string date_of(const std::string& timestamp) {
  const auto date = parse_positional_date(timestamp).value;
  return date ? date->to_string() : timestamp;
}

bool holds_a_payload(const index::Capture& capture) {
  return capture.mime != "warc/revisit" && capture.method.empty() && !capture.digest.empty() &&
         capture.digest != "-";
}

Status read_index(const std::string& path, const DedupOptions& options,
                  const std::function<Status(const KnownPayload&)>& take) {
  FONDS_TRY(auto source, open_source(path));
  FONDS_TRY(const index::CaptureFile file, index::open_capture_file(std::move(source)));
  const auto lines = file.lines->lines();
  while (true) {
    FONDS_TRY(const bool more, lines->next());
    if (!more) {
      return {};
    }
    const auto capture = index::parse_line(lines->line(), file.layout);
    if (!capture) {
      if (capture.error().code() != ErrorCode::Unsupported && options.rewrite.on_finding) {
        Location where = lines->where();
        where.source = path;
        options.rewrite.on_finding(
            make_finding("cdx-line", capture.error().message(), std::move(where)));
      }
      continue;
    }
    if (holds_a_payload(*capture)) {
      // Columns of a CDX have the value alone, which is SHA-1.
      const bool labelled = capture->digest.find(':') != std::string::npos;
      FONDS_CHECK(take({.digest = labelled ? capture->digest : "sha1:" + capture->digest,
                        .uri = capture->url,
                        .date = date_of(capture->timestamp)}));
    }
  }
}

}  // namespace

Result<RewriteReport> dedup(std::span<const Archive> archives, ByteSink& sink,
                            std::span<const std::string> indexes, const DedupOptions& options) {
  if (archives.empty()) {
    return fail(ErrorCode::BadArgument, "there is no archive to look for duplicates in");
  }
  for (const Archive& archive : archives) {
    if (archive.format != archives.front().format) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("is {}, the first archive is {}; fonds convert joins both",
                              archive.format->name(), archives.front().format->name()),
                  {.source = archive.source->name()});
    }
  }
  const FormatWriting* const writing = archives.front().format->writing();
  if (writing == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{} archives cannot be written", archives.front().format->name()),
                {.source = archives.front().source->name()});
  }
  DedupOptions all = options;
  if (!indexes.empty()) {
    all.known = [&](const std::function<Status(const KnownPayload&)>& take) -> Status {
      if (options.known) {
        FONDS_CHECK(options.known(take));
      }
      for (const std::string& path : indexes) {
        FONDS_CHECK(read_index(path, options, take));
      }
      return {};
    };
  }
  return writing->dedup(archives, sink, all);
}

}  // namespace fonds::ops
