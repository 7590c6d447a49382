// Finding single records: keys, and the companions of an archive that tell where its records are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/codec.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>
#include <fonds/seek_index.hpp>

namespace fonds {

struct Archive;

// What names a record: index:N, offset:N[+M], block:OFFSET/ITEM, id:X, uri:X[@TIME], or a bare id
// or URI.
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

// Where an index says that the record of a key is. Nothing of it is certain: whoever follows it
// asks `judge` about each record that is met from the place on, and with nullptr at the end.
struct RecordHint {
  Place place;  // with `resume`: `inner` decoded bytes behind the point
  std::shared_ptr<const SeekPoint> resume = {};
  enum class Verdict : std::uint8_t {
    Here,     // the record that the index means
    GoOn,     // not yet
    Next,     // not by this hint, but the next one may lead there
    NotHere,  // there is no such record where the index would have it
    Wrong,    // the index does not belong to the archive
  };
  std::function<Verdict(const Record*)> judge;
};

// A companion that tells where records are. Stateless, for many threads.
class RecordIndex {
 public:
  virtual ~RecordIndex() = default;
  virtual const std::string& name() const = 0;  // its path
  // Where the key's record may be, the best first; empty if the index does not tell of such keys,
  // or has none like it. Errors: Io; Corrupt if it cannot be read.
  virtual Result<std::vector<RecordHint>> find(const Archive& archive, const Key& key) const = 0;
};

// What lies beside an archive, or was named.
struct Companions {
  std::vector<std::shared_ptr<const RecordIndex>> records;
  std::shared_ptr<const SeekIndex> seek;  // for ReadOptions::seek
};
// The files beside an archive with its name and an ending of a companion: .chk.lz4, .gzidx, .cdxj,
// .cdx, .idx (ZipNum), .offsets (RecordIO).
std::vector<std::string> companion_paths(const Archive& archive);
// Opens the companions with the archive's name or, if there are some, the files of
// `given`. What is wrong with one is told to `finding`, and it is left out. Errors: of
// `given` files, NotFound, Io, and Unsupported for what is no index.
Result<Companions> open_companions(const Archive& archive, std::span<const std::string> given,
                                   const std::function<void(const Finding&)>& finding);

// A record that was asked for, and the reader that stands at it.
struct OpenRecord {
  std::unique_ptr<RecordReader> reader;
  Record* record = nullptr;  // lives until the reader's next call
};

}  // namespace fonds
