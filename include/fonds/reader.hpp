// Reading records one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/record.hpp>

namespace fonds {

struct ReadOptions {
  std::uint64_t memory_budget = std::uint64_t{1} << 30;  // decoded bytes held at once by one reader
  std::uint64_t max_window = std::uint64_t{128} << 20;   // bytes that a zstd frame may look back
  std::uint64_t max_header = std::uint64_t{8} << 20;     // octets of one record header
  bool skim =
      false;  // step over bodies without decoding them where the codec can; they go unchecked
  bool http =
      false;  // parse the HTTP heads of responses, so that Record::describe tells status and type
  bool http_requests = false;     // and those of requests
  bool search_damaged = false;    // also look for records inside suspect blocks (`--skip-damaged`)
  std::uint64_t start = 0;        // stored offset of a unit to begin at
  std::uint64_t start_inner = 0;  // decoded bytes to pass over there
  std::optional<std::uint64_t> stop_at =
      {};                  // deliver no record whose unit starts at or behind this offset
  std::string state = {};  // RecordReader::state() of a reader that came to `start`
  // See <fonds/seek_index.hpp>. With `resume` reading begins there: `start_inner` decoded bytes are
  // passed over from the point, and places count from it if it has none.
  std::shared_ptr<const SeekPoint> resume = {};
  std::shared_ptr<const SeekIndex> seek = {};  // by it long gzip members are decoded
  unsigned decode_threads = 1;                 // on so many threads
  std::shared_ptr<SeekCollector> collect = {};
  // RecordIO: the transformers of blocks whose file does not say ("flate", "zstd 5"), in the order
  // in which they were applied.
  std::vector<std::string> transformers = {};
  bool concatenated = false;  // RecordIO: a later header block begins another file, no damage
  bool check_all = false;     // also check what reading does not need (`verify`)
  // Events (FormatTraits::events):
  bool stored_order = false;  // as they lie in the archive, not as they were written to the log
  std::string input = {};     // only those of the input with this name
  bool as_json = false;       // one a line, also where the archive could give the original bytes
  // Only those with these numbers in the log, the second excluded.
  std::optional<std::pair<std::uint64_t, std::uint64_t>> range = {};
  std::stop_token stop = {};  // checked between records
};

// Reads the records of one archive in file order. Damage does not end reading: it becomes a finding
// of the record it touches, or of no record (loose_findings), and reading goes on at the next
// record that can be recognized. One thread at a time.
class RecordReader {
 public:
  virtual ~RecordReader() = default;

  // The next record, or nullptr at the end; it lives until the next call. What was not read of the
  // one before is passed over as by finish(). Errors: Io, LimitExceeded, Cancelled, Unsupported.
  // After an error every further call returns the same error.
  virtual Result<Record*> next() = 0;

  // Looks at the block of the current record: at least `at_least` bytes from the current position
  // in it, fewer only at its end. The view lives until the next call.
  virtual Result<ByteView> peek_block(std::size_t at_least) = 0;
  virtual void consume_block(std::size_t n) = 0;
  // Makes the current record tell of the HTTP head of its block, as ReadOptions::http and
  // http_requests do for every record; looks at the front of the block and consumes nothing.
  // Before anything of the block is consumed; without effect where records have no such heads.
  virtual Status read_http() { return {}; }

  // Passes over the rest of the current record and says what is known of it. Call at most once a
  // record.
  virtual Result<RecordEnd> finish() = 0;

  // Findings that belong to no record (before the first one, behind the last one); emptied by the
  // call.
  virtual std::vector<Finding> take_loose_findings() = 0;

  // After the end: where reading stopped; the place of the first record not delivered because of
  // stop_at, or the end of the file. Two readers that share a border agree on this place and on
  // `state()`, or the border was guessed wrong.
  virtual Place end_place() const = 0;
  // What later records are understood by (the definition of an ARC), as an opaque text.
  virtual std::string state() const = 0;
  // Stored bytes passed, for progress.
  virtual std::uint64_t stored_position() const = 0;
};

}  // namespace fonds
