// Whether archives of events hold what they were made of: `fonds verify --against`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

namespace fonds::ops {

struct AgainstReport {
  std::uint64_t records = 0;   // of the archives, compared
  std::uint64_t unparsed = 0;  // of them, those that keep as text what is no event
  std::uint64_t rejected = 0;  // stretches of the inputs that are no events and in no archive
  struct Difference {
    std::string input;  // "" where all inputs are over
    std::uint64_t offset = 0;
    std::string archive;       // "" where all archives are over
    std::uint64_t record = 0;  // its number in the archive
    std::string message;
  };
  std::optional<Difference> difference;  // the first one; what follows was not compared
};

// Compares the records of archives, in the order of the log, with the documents of inputs: texts,
// KV-IR streams, other such archives, and what a catalog tells of web archives (ops/catalog.hpp).
// Records are the same as JSON values are (ops/json_difference.hpp); the texts of numbers count,
// except in archives that have columns of numbers without them.
class Against {
 public:
  // Directories among `paths` stand for the files below. `read.decode_threads` rebuild records.
  Against(std::vector<std::string> paths, ReadOptions read);
  ~Against();

  // The next archive, in the order in which they were made. Errors: those of reading; Unsupported
  // for an archive that does not know the order of its log.
  Status check(const Archive& archive);
  // No more archives come: then all inputs must be over.
  Result<AgainstReport> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fonds::ops
