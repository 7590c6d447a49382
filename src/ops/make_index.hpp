// Companions of archives that tell where records are: `fonds index`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/format.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

struct IndexOptions {
  ScanOptions scan;
  std::function<void(const Finding&)> on_finding = {};
  // Checkpoints and .gzidx.
  std::uint64_t spacing = 0;      // bytes between points, stored or decoded; 0: the usual number
  std::string id_field = {};      // that names documents; empty: WARC-TREC-ID, else WARC-Record-ID
  bool sparse = false;            // zeros for bytes of windows that nothing refers to
  bool reference_layout = false;  // the points that the reference builder would choose
  // CDX and CDXJ.
  bool sort = true;
  bool all = false;               // requests, warcinfo and all others too
  bool post_append = false;       // joins requests that have a body with their responses
  bool record_digest = false;     // SHA-256 of each record as it is stored
  std::size_t block_lines = 300;  // ZipNum
  bool classic = false;           // ZipNum: a secondary index with tabs instead of JSON
};

// "offsets", "cdxj", "cdx9", "cdx11", "zipnum", "checkpoint" or "gzidx"; the usual one of the
// archive's format for an empty `type`. Errors: BadArgument for another word; Unsupported if the
// archive can have no such index.
Result<std::string_view> index_type(const Archive& archive, std::string_view type);
// The file name ending of a type: ".cdxj". Of zipnum that of the secondary index; its blocks have
// kZipNumBlocks.
std::string_view index_ending(std::string_view type);
inline constexpr std::string_view kZipNumBlocks = ".cdx.gz";

// Writes the index of one archive. Returns the number of records or points in it. Errors: those of
// reading and writing; BadArgument for what cannot be said in such an index.
Result<std::uint64_t> make_index(const Archive& archive, std::string_view type, ByteSink& sink,
                                 const IndexOptions& options);
// One CDX or CDXJ of several archives.
Result<std::uint64_t> make_joint_index(std::span<const Archive> archives, std::string_view type,
                                       ByteSink& sink, const IndexOptions& options);
// ZipNum: `name` is what the secondary index calls the file of blocks.
Result<std::uint64_t> make_zipnum_index(std::span<const Archive> archives, ByteSink& blocks,
                                        ByteSink& secondary, const std::string& name,
                                        const IndexOptions& options);
// The .gzidx of any gzip file.
Result<std::uint64_t> make_gzip_index(std::shared_ptr<ByteSource> source, ByteSink& sink,
                                      const IndexOptions& options);

}  // namespace fonds::ops
