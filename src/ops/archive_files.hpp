// Where the archives of events that a run makes come to lie: files, or directories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "io/file_sink.hpp"

namespace fonds::ops {

// Takes finished archives and lets them appear all together with commit(); without it nothing is
// left behind. Until then single files have no names, so that also a process that is killed leaves
// nothing; beyond the first most_nameless, and of archives that are directories, something with the
// ending `.tmp` may stay then.
class ArchiveFiles {
 public:
  struct Options {
    // One archive gets this name; several are called as parts of a split archive are, logs.clps
    // becoming logs-00000.clps, logs-00001.clps, … With a `/` at the end, or if it is a directory
    // that is no archive: archives in it, called by their ids.
    std::string output;
    bool directories = false;  // archives are directories
    bool replace = false;      // what is there already: files, and directories that are archives
    std::size_t most_nameless = 256;  // a descriptor is held for each
  };
  explicit ArchiveFiles(Options options) : options_(std::move(options)) {}
  ArchiveFiles(const ArchiveFiles&) = delete;
  ArchiveFiles& operator=(const ArchiveFiles&) = delete;
  ~ArchiveFiles();

  // To be called first. Errors: Io if the output cannot be written or is there already.
  Status open();
  // Errors: Io.
  Status add(const clps::WrittenArchive& archive);
  // Errors: Io; then none of the new archives stays.
  Status commit();
  // Of the archives, in order, once they have appeared.
  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Item {
    std::string id;
    std::unique_ptr<FileSink> sink;  // null for what lies at `provisional`
    std::string provisional;
  };
  std::string provisional(std::size_t number) const;
  std::string part_name(std::size_t number) const;
  std::string name_in_directory(const std::string& id);
  Status check_free(const std::string& name) const;
  Status write_file(const clps::WrittenArchive& archive, Item& item) const;
  Status write_directory(const clps::WrittenArchive& archive, const Item& item) const;
  Status appear(Item& item, const std::string& name) const;

  Options options_;
  bool in_directory_ = false, made_directory_ = false;
  std::set<std::string, std::less<>> taken_;
  std::vector<Item> items_;
  std::vector<std::string> names_;
};

// The bytes of an archive as a single file.
Status write_single_file(const clps::WrittenArchive& archive, ByteSink& sink);

}  // namespace fonds::ops
