// Joining, cutting and repairing archives by their container's own rules: `fonds merge`, `split`,
// `repair`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// How the files of a split archive are called:
// PREFIX[-SEQUENCE][-TIMESTAMP]-SERIAL[-CRAWLHOST]ENDING. Each sequence has serials of its own.
struct PartNames {
  std::string prefix;               // may begin with a directory
  std::string ending;               // with its dot
  std::string timestamp = {};       // 14 digits; empty: none
  bool timestamp_of_first = false;  // that of the first record of each part, where it has one
  std::string crawlhost = {};       // empty: none
  std::uint64_t first_serial = 0;
};

// The time of day as 14 digits, for PartNames.
std::string timestamp_of_now();

// The files of a split archive. They appear under their names all together with commit(); without
// it nothing is left behind. Until then they have no names, so that also a process that is killed
// leaves nothing; beyond the first kMostNameless, for which descriptors are held, they have
// provisional ones.
class PartFiles {
 public:
  static constexpr std::size_t kMostNameless = 256;

  // Files that are there are replaced only if `replace`.
  PartFiles(PartNames names, bool replace) : names_(std::move(names)), replace_(replace) {}
  PartFiles(std::string prefix, std::string ending, bool replace)
      : PartFiles({.prefix = std::move(prefix), .ending = std::move(ending)}, replace) {}
  PartFiles(const PartFiles&) = delete;
  PartFiles& operator=(const PartFiles&) = delete;
  ~PartFiles();

  // Completes the part in hand of this sequence and begins its next. Errors: Io; BadArgument if its
  // file is there already, or is another part of this archive.
  Result<Part> next(const PartStart& start);
  // Errors: Io; BadArgument if a file came to be there meanwhile; then none of them stays.
  Status commit();
  std::size_t count() const { return files_.size(); }

 private:
  struct File {
    std::string name;
    std::unique_ptr<FileSink> sink;  // null once it is complete under its provisional name
    bool nameless = true;
    bool settled = false;
  };
  struct Sequence {
    std::uint64_t parts = 0;
    std::size_t in_hand = 0;  // number of its file
  };
  std::string name_of(const PartStart& start, std::uint64_t serial) const;
  Status settle(File& file);
  Status appear(File& file);

  PartNames names_;
  bool replace_;
  std::vector<File> files_;
  std::map<std::string, Sequence, std::less<>> sequences_;
  std::set<std::string, std::less<>> taken_;
};

// What the names of the parts of an archive end with.
std::string part_ending(const Archive& archive, const SplitOptions& options);

}  // namespace fonds::ops
