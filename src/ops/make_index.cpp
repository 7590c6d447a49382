#include "ops/make_index.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "index/checkpoint_builder.hpp"
#include "index/gzidx_builder.hpp"
#include "index/zipnum_writer.hpp"
#include "ops/make_cdx.hpp"

namespace fonds::ops {
namespace {

// More makes the sort slower, not faster.
constexpr std::uint64_t kSortMemory = std::uint64_t{64} << 20;

enum class Needs : std::uint8_t { Captures, Gzip, Own };

struct Type {
  std::string_view name, ending;
  Needs needs;
};
constexpr std::array<Type, 7> kTypes = {{{"offsets", ".offsets", Needs::Own},
                                         {"cdxj", ".cdxj", Needs::Captures},
                                         {"cdx9", ".cdx", Needs::Captures},
                                         {"cdx11", ".cdx", Needs::Captures},
                                         {"zipnum", ".idx", Needs::Captures},
                                         {"checkpoint", ".chk.lz4", Needs::Gzip},
                                         {"gzidx", ".gzidx", Needs::Gzip}}};

const Type* find_type(std::string_view name) {
  for (const Type& type : kTypes) {
    if (type.name == name) {
      return &type;
    }
  }
  return nullptr;
}

bool can_have(const Archive& archive, const Type& type) {
  switch (type.needs) {
    case Needs::Captures:
      return archive.format->traits().captures;
    case Needs::Gzip:
      return archive.codecs.size() == 1 && archive.codec().name() == "gzip" &&
             (type.name == "gzidx" || archive.format->traits().captures);
    case Needs::Own:
      return archive.format->writing() != nullptr &&
             !archive.format->writing()->index_ending(type.name).empty();
  }
  return false;
}

std::string base_name(const Archive& archive) {
  return std::filesystem::path(archive.source->name()).filename().string();
}

CdxOptions cdx_options(std::string_view type, const IndexOptions& options) {
  CdxOptions cdx;
  cdx.scan = options.scan;
  cdx.type = type == "cdx9" ? CdxType::Cdx9 : type == "cdx11" ? CdxType::Cdx11 : CdxType::Cdxj;
  cdx.sort = options.sort;
  cdx.all = options.all;
  cdx.record_digest = options.record_digest;
  cdx.post_append = options.post_append;
  cdx.sort_memory = std::min(options.scan.read.memory_budget / 8, kSortMemory);
  return cdx;
}

std::vector<CdxInput> inputs(std::span<const Archive> archives) {
  std::vector<CdxInput> given;
  for (const Archive& archive : archives) {
    given.push_back({&archive, base_name(archive)});
  }
  return given;
}

// Findings may be of no interest.
std::function<void(const Finding&)> told_to(const IndexOptions& options) {
  return options.on_finding ? options.on_finding : [](const Finding&) {};
}

}  // namespace

Result<std::string_view> index_type(const Archive& archive, std::string_view type) {
  if (type.empty()) {
    type = archive.format->traits().captures ? "cdxj" : "offsets";
  }
  const Type* const known = find_type(type);
  if (known == nullptr) {
    return fail(ErrorCode::BadArgument,
                fmt::format("there is no index of type {}; cdxj, cdx9, cdx11, zipnum, checkpoint, "
                            "gzidx and offsets are known",
                            type));
  }
  if (!can_have(archive, *known)) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{} archives stored as {} have no index of type {}",
                            archive.format->name(), archive.codec().name(), type),
                {.source = archive.source->name()});
  }
  return known->name;
}

std::string_view index_ending(std::string_view type) {
  const Type* const known = find_type(type);
  return known == nullptr ? std::string_view() : known->ending;
}

Result<std::uint64_t> make_index(const Archive& archive, std::string_view type, ByteSink& sink,
                                 const IndexOptions& options) {
  if (type == "checkpoint") {
    index::CheckpointOptions checkpoint;
    checkpoint.read = options.scan.read;
    checkpoint.spacing = options.spacing > 0 ? options.spacing : checkpoint.spacing;
    checkpoint.id_field = options.id_field;
    checkpoint.sparse = options.sparse;
    checkpoint.reference = options.reference_layout;
    if (!options.reference_layout) {
      checkpoint.on_finding = options.on_finding;
    }
    checkpoint.progress = options.scan.progress;
    FONDS_TRY(const auto report, index::build_checkpoints(archive, sink, checkpoint));
    if (report.record_at_a_time && options.on_finding) {
      options.on_finding(make_finding(
          "chk-not-needed", "every record has a gzip member of its own; `--type cdxj` finds them",
          {.source = archive.source->name()}));
    }
    return report.checkpoints;
  }
  if (type == "gzidx") {
    return make_gzip_index(archive.source, sink, options);
  }
  if (type == "offsets") {
    RewriteOptions rewrite;
    rewrite.read = options.scan.read;
    rewrite.skip_damaged = true;  // reading commands go on behind damage
    rewrite.on_finding = options.on_finding;
    rewrite.progress = options.scan.progress;
    return archive.format->writing()->index(archive, type, sink, rewrite);
  }
  return make_joint_index({&archive, 1}, type, sink, options);
}

Result<std::uint64_t> make_joint_index(std::span<const Archive> archives, std::string_view type,
                                       ByteSink& sink, const IndexOptions& options) {
  const Output out = {[&](std::string_view text) { return sink.write(as_bytes(text)); },
                      told_to(options)};
  FONDS_TRY(const CdxTotals totals, make_cdx(inputs(archives), cdx_options(type, options), out));
  return totals.captures;
}

Result<std::uint64_t> make_zipnum_index(std::span<const Archive> archives, ByteSink& blocks,
                                        ByteSink& secondary, const std::string& name,
                                        const IndexOptions& options) {
  index::ZipNumWriter writer(
      blocks, secondary,
      {.file = name, .block_lines = options.block_lines, .classic = options.classic});
  FONDS_TRY(const CdxTotals totals,
            make_zipnum(inputs(archives), cdx_options("cdxj", options), writer, told_to(options)));
  return totals.captures;
}

Result<std::uint64_t> make_gzip_index(std::shared_ptr<ByteSource> source, ByteSink& sink,
                                      const IndexOptions& options) {
  index::GzidxOptions gzidx;
  if (options.spacing > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::BadArgument, "points of a .gzidx cannot be 4 GiB apart or more");
  }
  if (options.spacing > 0) {
    gzidx.spacing = static_cast<std::uint32_t>(options.spacing);
  }
  gzidx.on_finding = options.on_finding;
  gzidx.progress = options.scan.progress;
  FONDS_TRY(const auto report, index::build_gzidx(source, sink, gzidx));
  return report.points;
}

}  // namespace fonds::ops
