// Reads all records of an archive, on several threads where its bytes allow it, and hands the
// results over in file order. Output never depends on the number of threads.
//
// A file is cut into ranges. A worker guesses where the first unit of its range begins, reads up to
// the end of the range, and remembers where it came to. A range counts only if the range before
// came to just the place where it began (and to the same state); otherwise it is read again from
// there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/reader.hpp>
#include <fonds/record_index.hpp>

namespace fonds::ops {

// What reading a stretch of records gave. Ordinals in it are counted from the stretch's first
// record.
struct Stretch {
  std::string text;  // output for people or programs
  // Where in `text` the number of a record belongs: offset, ordinal.
  std::vector<std::pair<std::size_t, std::uint64_t>> numbers;
  std::vector<Finding> findings;  // where.ordinal likewise
  std::uint64_t records = 0;
  std::size_t beside = 0;  // bytes that the worker holds for this stretch besides

  // Hands over what is there if it is much; to be called between the pieces of a large record. The
  // record in hand keeps its place: its number is counted anew.
  Status spill_if_large() { return spill ? spill() : Status(); }
  std::function<Status()> spill;

  void clear();
  // Marks that the number of the record with this ordinal belongs at the end of `text`.
  void number_here(std::uint64_t ordinal) { numbers.emplace_back(text.size(), ordinal); }
  // The text with all numbers in it.
  std::string render(std::uint64_t first_ordinal) const { return render_padded(first_ordinal, 0); }
  // The same, each number filled up with blanks on the left to `width` characters.
  std::string render_padded(std::uint64_t first_ordinal, int width) const;
  bool empty() const { return text.empty() && findings.empty() && records == 0; }
};

// Works on the records of one stretch, on one thread.
class Worker {
 public:
  virtual ~Worker() = default;
  // Takes one record; must call reader.finish() for it. Appends to `out`. False: enough, read no
  // further.
  virtual Result<bool> take(RecordReader& reader, Record& record, Stretch& out) = 0;
};

struct ScanOptions {
  unsigned threads = 1;        // 0: one per core
  unsigned most_threads = 64;  // where each thread needs much memory
  std::uint64_t range =
      0;  // stored bytes that one thread takes at a time; 0: chosen by the size of the file
  std::shared_ptr<const Companions> companions = {};  // of the archive
  bool stops_early = false;                           // the worker will hardly need all records
  bool strict = false;  // a warning or an error that belongs to no record is enough
  ReadOptions read;     // memory_budget is that of all threads together
  std::function<void(std::uint64_t stored_position)>
      progress;  // called from any thread, not too often
};

// How many threads the options mean.
unsigned thread_count(const ScanOptions& options);

// Called in file order, from one thread at a time: a piece of output of the worker with the ordinal
// of the piece's first record. `worker_done` tells that this was its last piece and the worker will
// not be used again.
using StretchSink = std::function<Status(Stretch& piece, Worker& worker,
                                         std::uint64_t first_ordinal, bool worker_done)>;

// Returns the number of records. Errors: those of the readers and of the sink; Cancelled.
Result<std::uint64_t> scan(const Archive& archive, const ScanOptions& options,
                           const std::function<std::unique_ptr<Worker>()>& make_worker,
                           const StretchSink& sink);

}  // namespace fonds::ops
