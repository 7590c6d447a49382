// Keys that name records: index:N, offset:N[+M], block:OFFSET/ITEM, id:X, uri:X[@TIME], or a bare
// id or URI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/date.hpp>
#include <fonds/format.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

struct Key {
  enum class Kind : std::uint8_t { Index, Offset, Block, Id, Uri, Bare } kind = Kind::Bare;
  std::string written;       // as it was given
  std::string text;          // id or URI
  std::uint64_t number = 0;  // index, or stored offset
  std::uint64_t inner = 0;   // decoded bytes from there, or the item of a block
  std::optional<Date> time;  // of a URI
};

// Errors: BadArgument with what is wrong.
Result<Key> parse_key(std::string_view text);

// Where a record is.
struct Found {
  Place place;
  std::uint64_t ordinal = 0;
};

// Looks for the record of each key in one pass; nothing where there is none. Of several records
// with one URI the one nearest to the key's time counts; without a time the first that is no
// request and no metadata. Errors: those of reading; Unsupported for a pipe, and for a key that the
// format's records do not have.
Result<std::vector<std::optional<Found>>> find_records(const Archive& archive,
                                                       const ScanOptions& options,
                                                       const std::vector<Key>& keys);

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

// A reader that stands before the record at `place`.
Result<std::unique_ptr<RecordReader>> open_at(const Archive& archive, const ReadOptions& options,
                                              Place place);

}  // namespace fonds::ops
