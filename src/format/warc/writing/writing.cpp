#include "format/warc/writing/writing.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/encoder.hpp>

#include "base/clock.hpp"
#include "base/guarded.hpp"
#include "base/text.hpp"
#include "format/warc/rewriting/dedup.hpp"
#include "format/warc/rewriting/merge.hpp"
#include "format/warc/rewriting/repair.hpp"
#include "format/warc/rewriting/split.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

constexpr std::array<std::pair<std::string_view, Target>, 6> kLayouts = {
    {{"1.1", Target::Warc11},
     {"1.0", Target::Warc10},
     {"0.18", Target::Warc018},
     {"00.11", Target::Warc0011},
     {"arc/1.1", Target::Arc11},
     {"arc", Target::Arc11}}};

}  // namespace

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

Result<EncodeOptions::Extension> parse_extension(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, EncodeOptions::Extension>, 3> kNames = {
      {{"", EncodeOptions::Extension::None},
       {"size-prefix", EncodeOptions::Extension::SizePrefix},
       {"seek-table", EncodeOptions::Extension::SeekTable}}};
  for (const auto& [known, extension] : kNames) {
    if (known == name) {
      return extension;
    }
  }
  return fail(ErrorCode::BadArgument,
              fmt::format("'{}' is no extension; size-prefix and seek-table are", name));
}

// Shows the beginnings of units instead of compressing them.
class Sampler final : public Encoder {
 public:
  Sampler(std::function<void(ByteView)> sample, std::size_t most)
      : sample_(std::move(sample)), most_(most) {}
  Status begin_unit(std::optional<std::uint64_t> /*decoded_size*/) override {
    unit_.clear();
    return {};
  }
  Status write(ByteView decoded) override {
    unit_.append(decoded.first(std::min(decoded.size(), most_ - unit_.size())));
    return {};
  }
  Status end_unit() override {
    sample_(unit_.view());
    return {};
  }
  Status put_stored(ByteView /*stored*/) override { return {}; }
  Status finish() override { return {}; }

 private:
  std::function<void(ByteView)> sample_;
  std::size_t most_;
  Buffer unit_;
};

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
  encode.raw_dictionary = options.raw_dictionary;
  if (options.frame_bytes) {
    encode.frame_bytes = *options.frame_bytes;
  }
  FONDS_TRY(encode.extension, parse_extension(options.extension));
  if (encode.codec != "zstd" && (options.raw_dictionary || options.frame_bytes ||
                                 encode.extension != EncodeOptions::Extension::None)) {
    return fail(ErrorCode::BadArgument,
                fmt::format("stored dictionaries, extensions and frame sizes belong to zstd, not "
                            "to {}",
                            encode.codec));
  }
  if (options.raw_dictionary && !options.dictionary) {
    return fail(ErrorCode::BadArgument, "there is no dictionary that could be stored uncompressed");
  }
  if (options.dictionary) {
    FONDS_TRY(encode.dictionary, ZstdDictionary::parse(as_bytes(*options.dictionary)));
  }
  return encode;
}

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
  writer.conversion.now = time_of_writing();
  writer.conversion.filename = options.file_name;
  writer.describe = options.describe;
  writer.leave_out_damaged = options.leave_out_damaged;
  writer.held = options.memory_budget / 8;
  FONDS_TRY(const EncodeOptions encode, encode_options(options));
  if (options.sample) {
    return std::unique_ptr<RecordWriter>(std::make_unique<Writer>(
        std::make_unique<Sampler>(options.sample, options.sampled_bytes), std::move(writer)));
  }
  FONDS_TRY(auto encoder, make_encoder(sink, encode));
  return std::unique_ptr<RecordWriter>(
      std::make_unique<Writer>(std::move(encoder), std::move(writer)));
}

Result<RewriteReport> WarcWriting::dedup(std::span<const Archive> archives, ByteSink& sink,
                                         const DedupOptions& options) const {
  return dedup_archives(archives, sink, options);
}

Result<RewriteReport> WarcWriting::merge(std::span<const Archive> archives, ByteSink& sink,
                                         const RewriteOptions& options) const {
  return merge_archives(archives, sink, options);
}

Result<RewriteReport> WarcWriting::split(const Archive& archive, const NextPart& next_part,
                                         const SplitOptions& options) const {
  return guarded([&] { return split_archive(archive, next_part, options); });
}

std::string WarcWriting::part_ending(const Archive& archive, const SplitOptions& options) const {
  std::filesystem::path name(archive.source->name());
  if (const std::string last = name.extension().string();
      last == ".gz" || last == ".zst" || last == ".lz4" || last == ".bz2" || last == ".xz") {
    name = name.stem();
  }
  const std::string ending = name.extension() == ".arc" ? ".arc" : ".warc";
  const auto& given = options.rewrite.write.compression;
  const std::string_view codec =
      given.empty() ? split_compression(archive, options.train_dictionaries) : given.front();
  return ending + (codec == "gzip"   ? ".gz"
                   : codec == "zstd" ? ".zst"
                   : codec == "lz4"  ? ".lz4"
                                     : "");
}

Result<RewriteReport> WarcWriting::repair(const Archive& archive, ByteSink& sink,
                                          const RewriteOptions& options) const {
  return repair_archive(archive, sink, options);
}

}  // namespace fonds::warc
