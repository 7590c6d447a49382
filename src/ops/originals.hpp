// The originals of revisits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/format.hpp>

#include "ops/find.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// What a revisit says about its original.
struct Original {
  std::string id, uri, date;  // Refers-To…
  std::string own_uri, payload_digest;
  std::uint64_t ordinal = 0;  // of the revisit
};
// The records of an archive that a revisit can mean.
class Originals {
 public:
  // Reads the archive once. Errors: those of reading.
  static Result<Originals> of(const Archive& archive, const ScanOptions& options);
  // The original of a revisit (WARC 1.1, 6.7; docs/formats/warc.md "Revisits"): by id, else by URI
  // and date, else the newest earlier record of the same URI with the same payload digest.
  std::optional<Found> find(const Original& revisit) const;

 private:
  struct Entry {
    std::uint64_t id, uri, digest;  // hashes; 0: none
    std::int64_t seconds;
    Found found;
    bool primary;  // no metadata record
  };
  friend class OriginalWorker;
  const Entry* newest(const std::vector<std::size_t>& among, const Original& revisit) const;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_id_, by_uri_;
};

}  // namespace fonds::ops
