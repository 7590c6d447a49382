// Joining, cutting and repairing archives by their container's own rules: `fonds merge`, `split`,
// `repair`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>

#include "io/file_sink.hpp"

namespace fonds::ops {

// Joins archives of one format into one. Errors: BadArgument if the formats differ; Unsupported if
// the format cannot; those of reading and writing; Corrupt or Truncated at the first damage unless
// skip_damaged.
Result<RewriteReport> merge(std::span<const Archive> archives, ByteSink& sink,
                            const RewriteOptions& options);

// Cuts an archive into parts of at most `size` stored bytes where that can be. Errors: as merge().
Result<RewriteReport> split(const Archive& archive, const NextPart& next_part,
                            const SplitOptions& options);

// Writes all that can be read as a valid archive. Errors: Unsupported if the format cannot; those
// of reading and writing. Damage is none.
Result<RewriteReport> repair(const Archive& archive, ByteSink& sink, const RewriteOptions& options);

// The files of a split archive, PREFIX-00000.rio and so on. They appear under their names all
// together with commit(); without it nothing is left behind.
class PartFiles {
 public:
  // `ending` with its dot. Files that are there are replaced only if `replace`.
  PartFiles(std::string prefix, std::string ending, bool replace)
      : prefix_(std::move(prefix)), ending_(std::move(ending)), replace_(replace) {}
  PartFiles(const PartFiles&) = delete;
  PartFiles& operator=(const PartFiles&) = delete;
  ~PartFiles();

  // Completes the part in hand and begins the next. Errors: Io; BadArgument if its file is there
  // already.
  Result<Part> next(std::string_view sequence);
  // Errors: Io; BadArgument if a file came to be there meanwhile.
  Status commit();
  std::size_t count() const { return names_.size(); }

 private:
  Status complete();

  std::string prefix_, ending_;
  bool replace_;
  std::vector<std::string> names_;  // of parts begun
  std::size_t done_ = 0;            // parts that are complete, under their provisional names
  std::optional<FileSink> sink_;    // of the part in hand
};

// What the parts of an archive of this name end with: its own ending, or that of its format.
std::string part_ending(const Archive& archive);

}  // namespace fonds::ops
