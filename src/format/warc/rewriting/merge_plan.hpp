// What archives that are merged have in common, and which of them has to be compressed anew.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "format/warc/rewriting/merge_join.hpp"
#include "format/warc/rewriting/merge_stored.hpp"

namespace fonds::warc {

struct MergeInput {
  std::shared_ptr<TeeSource> tee;     // of a pipe
  std::optional<std::uint64_t> size;  // stored; not of a pipe
  std::uint64_t head = 0;             // bytes of the zstd dictionary frame at its start
  std::string dictionary = {};        // SHA-256 of the dictionary; empty: none
  bool recompress = false;            // its frames need another dictionary than the merged file's

  // What a first reading has shown.
  std::set<std::uint64_t> changed_groups = {};  // by where they begin
  std::set<RecordPlace> left_out = {};
  bool head_damaged = false;  // what stands before the first record
};

struct MergePlan {
  std::vector<Archive> archives;   // those that have any bytes
  std::vector<MergeInput> inputs;  // of each
  EncodeOptions encode = {};
  bool encodable = false;        // there is an encoder for what the archives are
  bool raw = false;              // nothing is encoded: bytes are copied as they are
  Buffer dictionary_frame = {};  // of the merged file, as it is stored in its archive
};

// Errors: BadArgument for archives of different codecs; Corrupt for a dictionary that cannot be
// read; Unsupported for a pipe where it has to be read twice; those of reading.
Result<MergePlan> plan_merge(std::span<const Archive> archives, const RewriteOptions& options);

}  // namespace fonds::warc
