// How the archives of tables are stored: units in any codec.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fonds::testing_archives {

struct Storage {
  std::string codec = "none";   // of an encoder; "bzip2" and "xz", which have none, are one unit
  bool one_unit = false;        // gzip, lz4
  std::string dictionary = {};  // zstd: its bytes; empty: none
  std::string extension = {};   // zstd: "size-prefix", "seek-table"

  bool has_encoder() const { return codec != "bzip2" && codec != "xz"; }
};

// The same bytes at every call.
std::string stored(const std::vector<std::string>& units, const Storage& storage);
// All as one unit.
std::string stored_as_one(std::string_view bytes, std::string_view codec);

// A small zstd dictionary made of the beginnings of records.
std::string dictionary_of(const std::vector<std::string>& records);

}  // namespace fonds::testing_archives
