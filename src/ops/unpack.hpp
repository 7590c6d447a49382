// The files that archives of events were made of: `fonds convert --to jsonl -o DIR`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds::ops {

struct UnpackOptions {
  RewriteOptions rewrite = {};  // `read`, `skip_damaged`, `strict` and `on_finding` count
  unsigned threads = 1;
  std::string directory = {};  // made if it is not there
  bool force = false;          // replace files
};

struct UnpackReport {
  std::uint64_t files = 0, records = 0;
  std::vector<std::string> remarks;  // for people
};

// Writes a file for each input that the archives tell of, under its name made safe, one event a
// line; events that belong to no input go into a file called after their archive. Inputs that go on
// in another archive become one file. manifest.jsonl tells of all files. They appear all together
// at the end, or not at all.
//
// Errors: those of reading and writing, Io if a file is there already; Corrupt at the first damage,
// which was told to on_finding, unless skip_damaged; NotFound if read.input names none; Unsupported
// for formats without events.
Result<UnpackReport> unpack(std::span<const Archive> archives, const UnpackOptions& options);

}  // namespace fonds::ops
