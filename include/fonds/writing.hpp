// Making archives: writing records, joining, cutting, repairing, indexing.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

namespace fonds {

struct Archive;
class ItemMaker;      // <fonds/making.hpp>
struct MakeOptions;   // <fonds/making.hpp>
struct DedupOptions;  // <fonds/dedup.hpp>

struct WriteOptions {
  std::string layout = {};  // "legacy", "packed", …; empty: the format's usual one
  std::vector<std::string> compression =
      {};                         // in order of application; empty: the format's usual one
  std::optional<int> level = {};  // of each compression that takes one
  std::optional<std::uint64_t> block_bytes = {};  // of records in a block before compression
  std::optional<std::uint64_t> block_items = {};
  // Header entries: key, type ("string", "int64", "uint64", "bool"; empty: string), value as text.
  struct Entry {
    std::string key, type, value;
  };
  std::vector<Entry> header = {};
  std::optional<std::string> trailer = {};  // bytes of a trailer
  // Web archives.
  bool one_unit = false;        // all records in one gzip member or lz4 frame
  bool skip_lengths = false;    // gzip: the extra field "sl" of WARC 00.11
  bool original_header = true;  // between dialects: keep the header in WARC-Original-Header
  bool legal_ids = false;       // ids that are no URI become one, the old one is kept
  bool describe = true;         // a warcinfo in front says what was converted
  bool leave_out_damaged = false;
  std::optional<std::string> dictionary = {};     // zstd: bytes of one
  bool raw_dictionary = false;                    // zstd: stored uncompressed
  std::string extension = {};                     // zstd: "size-prefix", "seek-table"; empty: none
  std::optional<std::uint64_t> frame_bytes = {};  // zstd: records of more are cut into frames
  // Is given each unit instead of the sink: a writer that writes nothing shows what it would
  // compress. Of long units as many bytes as `sampled_bytes`.
  std::function<void(ByteView unit)> sample = {};
  std::size_t sampled_bytes = std::size_t{128} << 10;
  std::string file_name = {};  // of the archive, where its records tell it
  unsigned threads = 1;
  std::uint64_t memory_budget = std::uint64_t{1} << 30;
};

// What a container holds beside its records, and another of its kind can hold too.
struct Extras {
  std::vector<WriteOptions::Entry> header;  // without what a writer makes by itself
  std::optional<std::string> trailer;
};

// Where a record comes from.
struct RecordOrigin {
  std::uint64_t archive = 0;         // number of the archive among those that are read
  std::uint64_t decoded_offset = 0;  // in the archive, decompressed
};

// Writes the records of one archive. After an error every further call returns the same error.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;
  // Takes the current record of `reader` with what is left of its block; reader.finish() is the
  // caller's. Errors: those of reader and sink; Unsupported, LimitExceeded, BadArgument for a
  // record that the format cannot hold.
  virtual Status write(RecordReader& reader, const Record& record) = 0;
  // To be called before write(), for writers that make something of it.
  virtual void comes_from(const RecordOrigin& origin) { static_cast<void>(origin); }
  // To be called with what reader.finish() said of the record that was written.
  virtual Status close(const RecordEnd& end) {
    static_cast<void>(end);
    return {};
  }
  // Whether all records are to be shown by survey() before the first is written, for an archive
  // that begins with this one.
  virtual bool wants_survey(const Record& first) const {
    static_cast<void>(first);
    return false;
  }
  virtual void survey(const Record& record, const RecordOrigin& origin) {
    static_cast<void>(record);
    static_cast<void>(origin);
  }
  // What became of the record of the last write() and close(). Whole: its block is in the archive,
  // and its header where records keep theirs.
  enum class Fate : std::uint8_t { Whole, Changed, LeftOut };
  virtual Fate fate() const { return Fate::Whole; }
  // What could not be carried over so far: kind and number.
  virtual std::map<std::string, std::uint64_t, std::less<>> losses() const { return {}; }
  // Writes what closes the archive. The sink is committed by the caller.
  virtual Status finish() = 0;
};

// What came of rewriting an archive.
struct RewriteReport {
  std::uint64_t blocks_kept = 0, records_kept = 0;
  std::uint64_t lost_bytes = 0;
  std::uint64_t records_lost = 0;  // where that is known
  std::vector<Finding> lost;       // one a lost range; the message has its length
  // Of each entry of `lost`, stored bytes of the archive; of no length where what is missing is not
  // in the file.
  std::vector<ByteRange> lost_ranges;
  // What was done beside copying, by kind: "records got a WARC-Warcinfo-ID".
  std::map<std::string, std::uint64_t, std::less<>> changes;
};

// What rewriting may do.
struct RewriteOptions {
  ReadOptions read = {};
  bool skip_damaged = false;  // leave out what is damaged; else the first damage is an error
  bool strict = false;        // warnings count as damage
  bool whole_blocks = false;  // repair: do not save single items of damaged blocks
  // repair: WARC: records that share a gzip member get one each.
  bool unit_per_record = false;
  bool join_segments = false;  // merge: WARC: complete chains of segments become one record
  WriteOptions write = {};     // of what has to be written anew
  std::function<void(const Finding&)> on_finding = {};
  std::function<void(std::uint64_t stored_position)> progress = {};
};

// What a split archive is cut into.
struct SplitOptions {
  // Stored bytes of a part at most; one record or block may take more, see `oversize`.
  std::uint64_t size = std::uint64_t{1'000'000'000};
  // WARC: what becomes of a record that does not fit into a part of its own.
  enum class Oversize : std::uint8_t { Keep, Segment, Truncate } oversize = Oversize::Keep;
  bool by_type = false;             // WARC: parts of records of one media type each
  bool train_dictionaries = false;  // WARC, zstd: a dictionary made for each sequence of parts
  RewriteOptions rewrite = {};
};

struct Part {
  ByteSink* sink = nullptr;  // lives until the next part of this sequence is asked for
  std::string name;          // of the file, without its directory
};
// What is known of a part before it begins.
struct PartStart {
  std::string_view sequence = {};       // without by_type there is one, of the empty name
  std::optional<Date> first_date = {};  // of its first record
};
// Gives the next part of a sequence of parts; the one before of that sequence is complete.
// Errors: Io.
using NextPart = std::function<Result<Part>(const PartStart& start)>;

// What a format can do beyond reading. Members that a format does not override fail with
// Unsupported and one sentence.
class FormatWriting {
 public:
  virtual ~FormatWriting() = default;
  // `sink` must outlive the writer.
  virtual Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                                       const WriteOptions& options) const;
  // Joins archives into one without recompressing where the container's rules allow.
  virtual Result<RewriteReport> merge(std::span<const Archive> archives, ByteSink& sink,
                                      const RewriteOptions& options) const;
  // Cuts an archive into parts of at most `size` stored bytes where that can be, and of at least
  // one block.
  virtual Result<RewriteReport> split(const Archive& archive, const NextPart& next_part,
                                      const SplitOptions& options) const;
  // What the names of its parts end with (".warc.gz"): the archive's own ending, or the format's.
  virtual std::string part_ending(const Archive& archive, const SplitOptions& options) const;
  // Salvages everything readable into a valid archive.
  virtual Result<RewriteReport> repair(const Archive& archive, ByteSink& sink,
                                       const RewriteOptions& options) const;
  // Makes an archive of items that are no records yet. `sink` must outlive the maker.
  virtual Result<std::unique_ptr<ItemMaker>> make_items(ByteSink& sink,
                                                        const MakeOptions& options) const;
  // The same behind the last whole record of an archive, which is copied into `sink`, in its own
  // layout and compression. Errors: Corrupt at damage, unless skip_damaged: then what lies behind
  // the last whole record is left out and listed.
  virtual Result<std::unique_ptr<ItemMaker>> append_items(const Archive& archive, ByteSink& sink,
                                                          const MakeOptions& options) const;
  // Writes the records of all archives into one; payloads that were there before become references
  // to them.
  virtual Result<RewriteReport> dedup(std::span<const Archive> archives, ByteSink& sink,
                                      const DedupOptions& options) const;
  // Writes an index of this type ("offsets"). Returns the number of records. Empty type: the
  // format's usual one.
  virtual Result<std::uint64_t> index(const Archive& archive, std::string_view type, ByteSink& sink,
                                      const RewriteOptions& options) const;
  // The file name ending of an index of this type (".offsets"); empty if there is no such type.
  virtual std::string_view index_ending(std::string_view type) const;
};

}  // namespace fonds
