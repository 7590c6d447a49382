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
// The patch of WARC 00.11: instructions, not content, that nobody defined. Nothing of other
// records; else what it is to be applied to, which may be empty.
std::optional<std::string> patched_reference(const Record& record);

// The records of an archive that a revisit can mean.
class Originals {
 public:
  // Reads the archive once. Errors: those of reading.
  static Result<Originals> of(const Archive& archive, const ScanOptions& options);
  // How a revisit leads to its original (WARC 1.1, 6.7; docs/formats/warc.md "Revisits"): in this
  // order.
  enum class By : std::uint8_t {
    Id,
    Capture,  // URI and date
    Payload,  // the newest earlier record of the same URI with the same payload digest
  };
  std::optional<Found> find(const Original& revisit, By by) const;
  // The revisit that has this id; one revisit may name another as its original.
  std::optional<Found> find_revisit(std::string_view id) const;

 private:
  struct Entry {
    std::uint64_t id, uri, digest;  // hashes; 0: none
    std::int64_t seconds;
    Found found;
    bool primary;  // no metadata record
    bool revisit;
  };
  friend class OriginalWorker;
  const Entry* newest(const std::vector<std::size_t>& among, const Original& revisit) const;
  std::vector<Entry> entries_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_id_, by_uri_;
  std::unordered_map<std::uint64_t, Found> revisits_;  // by id
};

}  // namespace fonds::ops
