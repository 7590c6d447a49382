#include "format/warc/writing.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/encoder.hpp>

#include "base/text.hpp"
#include "format/warc/repair.hpp"
#include "format/warc/writer.hpp"

namespace fonds::warc {
namespace {

constexpr std::array<std::pair<std::string_view, Target>, 6> kLayouts = {
    {{"1.1", Target::Warc11},
     {"1.0", Target::Warc10},
     {"0.18", Target::Warc018},
     {"00.11", Target::Warc0011},
     {"arc/1.1", Target::Arc11},
     {"arc", Target::Arc11}}};

Result<std::optional<Target>> parse_layout(std::string_view layout) {
  if (layout.empty()) {
    return std::optional<Target>();
  }
  for (const auto& [name, target] : kLayouts) {
    if (name == layout) {
      return std::optional(target);
    }
  }
  return fail(ErrorCode::BadArgument,
              fmt::format("'{}' cannot be written; warc/1.1, warc/1.0, warc/0.18, warc/00.11 and "
                          "arc/1.1 can",
                          layout));
}

// The time that is written into new records: that of the build, where one is prescribed
// (reproducible-builds.org).
Date now() {
  Date date;
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");  // NOLINT(concurrency-mt-unsafe)
  const auto prescribed = epoch == nullptr ? std::nullopt : parse_number(std::string_view(epoch));
  date.seconds = prescribed ? static_cast<std::int64_t>(*prescribed)
                            : std::chrono::duration_cast<std::chrono::seconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  date.precision = Date::Precision::Second;
  return date;
}

Result<EncodeOptions> encode_options(const WriteOptions& options) {
  EncodeOptions encode;
  if (options.compression.size() > 1) {
    return fail(ErrorCode::BadArgument, "a web archive has one compression, not several");
  }
  encode.codec = options.compression.empty() ? "gzip" : options.compression.front();
  encode.level = options.level;
  encode.one_unit = options.one_unit;
  encode.skip_lengths = options.skip_lengths;
  encode.threads = options.threads;
  encode.memory_budget = options.memory_budget / 2;
  if (options.dictionary) {
    FONDS_TRY(encode.dictionary, ZstdDictionary::parse(as_bytes(*options.dictionary)));
  }
  return encode;
}

}  // namespace

Result<std::unique_ptr<RecordWriter>> WarcWriting::create(ByteSink& sink,
                                                          const WriteOptions& options) const {
  if (options.block_bytes || options.block_items || options.trailer || !options.header.empty()) {
    return fail(ErrorCode::BadArgument,
                "blocks of items, header entries and trailers belong to RecordIO");
  }
  WriterOptions writer;
  FONDS_TRY(writer.target, parse_layout(options.layout));
  writer.conversion.original_header = options.original_header;
  writer.conversion.legal_ids = options.legal_ids;
  writer.conversion.now = now();
  writer.conversion.filename = options.file_name;
  writer.describe = options.describe;
  writer.leave_out_damaged = options.leave_out_damaged;
  writer.held = options.memory_budget / 8;
  FONDS_TRY(const EncodeOptions encode, encode_options(options));
  FONDS_TRY(auto encoder, make_encoder(sink, encode));
  return std::unique_ptr<RecordWriter>(
      std::make_unique<Writer>(std::move(encoder), std::move(writer)));
}

Result<RewriteReport> WarcWriting::repair(const Archive& archive, ByteSink& sink,
                                          const RewriteOptions& options) const {
  return repair_archive(archive, sink, options);
}

}  // namespace fonds::warc
