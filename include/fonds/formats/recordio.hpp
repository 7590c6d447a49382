// RecordIO (grailbio): blocks of items, in three layouts. Format facts: docs/formats/recordio.md.
//
// An item is what the user stored; a block is a group of items, the unit of compression and of
// seeking; v2 stores a block in chunks of 32 KiB. Objects of an application and how they become
// bytes stay with the application: wherever the Go library's callbacks had an object beside the
// bytes, there are only bytes here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

namespace fonds::recordio {

enum class Layout : std::uint8_t { V2, LegacyPlain, LegacyPacked };

// Names one item for good: the stored offset of its block (v2: of the block's first chunk; legacy:
// of the record, at its magic) and its 0-based number in the block.
struct Location {
  std::uint64_t block = 0;
  std::uint64_t item = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

// The types that a v2 header block can hold. Strings are raw bytes, mostly UTF-8.
using Value = std::variant<bool, std::int64_t, std::uint64_t, std::string>;

// Keys may repeat and may be empty; the order is kept. "transformer" and "trailer" are reserved:
// the writer makes them from its options and refuses them here.
struct HeaderEntry {
  std::string key;
  Value value;
  friend bool operator==(const HeaderEntry&, const HeaderEntry&) = default;
};

// Changes the bytes of whole blocks: compression, encryption. An object serves one thread at a
// time; each thread makes its own.
class Transformer {
 public:
  virtual ~Transformer() = default;
  // Replaces the content of `out`. Errors: BadArgument if the argument that the transformer was
  // made with has no meaning for writing; whatever the transformer fails with.
  virtual Status apply(ByteView in, Buffer& out) = 0;
  // Replaces the content of `out` by what `in` was made from. Errors: Corrupt or Truncated if `in`
  // was not made by apply(); LimitExceeded if the result would have more than `most` bytes (`out`
  // is never let grow beyond).
  virtual Status undo(ByteView in, std::uint64_t most, Buffer& out) = 0;
  // As undo(), but the first `enough` bytes of the result suffice (`out` may hold more). Faults
  // behind them may go unseen.
  virtual Status undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out);
  // Goes on with the last undo_prefix() or undo_more(), whose `in` and `out` are as they were, up
  // to `enough` bytes of the result.
  virtual Status undo_more(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out) {
    return undo_prefix(in, enough, most, out);
  }
  // What was odd in the last undo(), such as bytes behind the end of a deflate stream; empty if
  // nothing was.
  virtual std::string_view oddity() const { return {}; }
};
// Makes a transformer from the argument in the header: what follows the name and one blank.
using TransformerFactory =
    std::function<Result<std::unique_ptr<Transformer>>(std::string_view argument)>;

// Makes `name` known to all readers and writers of this process, in place of an older one of this
// name. "flate" and "zstd" are known from the start. May be called from any thread.
void register_transformer(std::string name, TransformerFactory factory);
// A transformer from two functions that need no argument.
TransformerFactory transformer_of(std::function<Status(ByteView in, Buffer& out)> apply,
                                  std::function<Status(ByteView in, Buffer& out)> undo);
// A transformer that runs programs by /bin/sh: each reads its standard input to the end and writes
// the result to its standard output, with the argument as $1. An empty command means that this
// direction is refused.
TransformerFactory transformer_of_commands(std::string apply, std::string undo);

struct ReaderOptions {
  // Decoded bytes held at once over all threads: blocks being decoded, waiting in order, or cached.
  std::uint64_t memory_budget = std::uint64_t{1} << 30;
  // Stored and decoded size of one block; at most half of memory_budget. Blocks without
  // transformers in a mapped file may be larger: of them only one item at a time is held.
  std::uint64_t max_block = std::uint64_t{512} << 20;
  std::uint64_t max_item = std::uint64_t{512} << 20;
  std::uint64_t max_header = std::uint64_t{16} << 20;  // stored bytes of the header block
  std::uint64_t max_trailer = std::uint64_t{512} << 20;
  std::size_t max_transformers = 16;
  unsigned threads = 1;         // that undo transformers; 1: none but the caller's
  bool concatenated = false;    // a later header block begins another file and is no damage
  bool behind_trailer = false;  // go on behind a trailer block
  bool search_bytes = true;     // after damage look for blocks off the 32 KiB grid too
  std::vector<std::string> transformers = {};  // where the file does not say (header lost; packed)
  // Part `part` of `parts`: the blocks that begin in [floor(part * n / parts), …) of the n chunks
  // behind the header block. Every block is in exactly one part. v2 only.
  std::uint64_t part = 0, parts = 1;
  // Told of damage and oddities, in file order; then reading goes on behind them. Unset: the first
  // finding of severity Error ends reading with an error.
  std::function<void(const Finding&)> on_finding = {};
};

// Reads items, in order or by location. One thread at a time.
class Reader {
 public:
  // Reads up to the first body block. Errors: Io, Unsupported if this is no RecordIO; Corrupt and
  // Truncated (a damaged header, or no good block before other damage) unless options.on_finding is
  // set.
  static Result<Reader> open(std::shared_ptr<ByteSource> source, ReaderOptions options = {});
  static Result<Reader> open(std::string_view path, ReaderOptions options = {});
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  Layout layout() const;                        // of the first block
  std::span<const HeaderEntry> header() const;  // all entries, the reserved ones too

  // Steps to the next item; false at the end. Errors: those of the source; damage (see
  // ReaderOptions::on_finding); after an error every further call returns the same error.
  Result<bool> next();
  ByteView item() const;  // of the current item; lives until the next call
  Location location() const;

  // The item at a location, through a cache of decoded blocks, without changing where next() goes
  // on. Reads and checks only the chunks that hold the block's table and the item, unless the block
  // is transformed. The view lives until the next call. Errors: NotFound if no block begins there
  // or it has no such item; Corrupt; Unsupported for a pipe.
  Result<ByteView> get(Location where);
  // next() goes on with the item at `where`, up to the end of the file. Errors: as get().
  Status seek(Location where);
  // The location of the item with this 0-based number, found by reading the tables of all blocks
  // before it. Errors: NotFound if there are fewer; Unsupported for a pipe.
  Result<Location> locate(std::uint64_t number);

  // The item of the trailer block, nothing if there is none; found from the end of the file.
  // Errors: Corrupt, Io, Unsupported for a pipe.
  Result<std::optional<std::vector<std::byte>>> trailer();

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a writer tells once a block has been handed to its sink (legacy plain: once its header
// has). In file order.
struct WrittenBlock {
  std::uint64_t offset = 0;  // stored
  std::uint64_t length = 0;  // stored, with chunk headers and padding or the 20 bytes before
  // The items, in order; views live during the call.
  std::span<const ByteView> items;
  // Packed, without transformer: where the items lie behind the table, one entry an item. With a
  // transformer one entry {0, transformed length}, as the Go library tells. Else empty.
  std::span<const ByteRange> in_items_area;
};

struct WriterOptions {
  Layout layout = Layout::V2;
  std::vector<HeaderEntry> header = {};  // v2
  std::vector<std::string> transformers =
      {};  // "zstd 5", "flate"; applied in this order. Packed: one
  // A block is closed after the item that brings it to so many bytes of items; 0: never. Packed:
  // before the item that would exceed it (0: 16 MiB); a larger item is refused.
  std::uint64_t max_block_bytes = std::uint64_t{1} << 20;
  std::uint64_t max_items = 16384;  // a block has at most so many; at most 10 Mi
  bool go_max_items = false;        // v2: close at max_items + 1, as the Go library does
  bool trailer = false;             // v2: promises a trailer
  bool skip_header = false;         // v2: the header block is there already
  // Blocks come by append_stored() only; the transformers may be unknown then.
  bool stored_only = false;
  std::uint64_t start = 0;  // stored offset of the first byte written, for locations
  unsigned threads = 1;     // that apply transformers; 1: none but the caller's
  std::uint64_t memory_budget = std::uint64_t{1} << 30;
  // After each block, in file order, from the thread that calls the writer. An error ends writing.
  std::function<Status(const WrittenBlock&)> on_block = {};
  // Packed: a block of items has been written, after on_block (the Go library's `Flushed`).
  std::function<Status()> on_flushed = {};
};

// Writes items into blocks. The sink must outlive the writer; committing it is the caller's. One
// thread at a time. After an error every further call returns the same error.
class Writer {
 public:
  // Errors: BadArgument for a reserved header key, an unknown transformer or level, a trailer or
  // header in a legacy layout. Nothing is written yet.
  static Result<Writer> create(ByteSink& sink, WriterOptions options = {});
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();

  // Adds an item; its bytes are copied. Errors: LimitExceeded, those of sink, transformers and
  // callbacks. Packed: an item above max_block_bytes is refused with LimitExceeded; that one error
  // does not stay, the block in hand is as before and other items may follow.
  Status append(ByteView item);
  // Closes the block in hand and waits until all blocks are in the sink. Without pending items
  // nothing is written, not even the header.
  Status flush();
  // Copies a stored block of another file with the same transformers as it is: whole chunks (v2) or
  // a whole legacy record of either kind. Flushes before. v2: a trailer block is taken too if it
  // was promised; nothing but finish() may follow it. on_block is told of no items but those of
  // plain records, and not of trailers. Errors: BadArgument if `block` is not one block, judged by
  // its headers alone.
  Status append_stored(ByteView block);
  // Flushes, writes the header if nothing else was written, and the trailer; `trailer` only if it
  // was promised. Every further call is a BadArgument. Promised, but not given: a file that readers
  // warn about.
  Status finish(std::optional<ByteView> trailer = std::nullopt);
  // Stored offset of the next block. With threads, blocks that have been closed since the last
  // flush() may not be counted.
  std::uint64_t position() const;

 private:
  struct State;
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What a writer that goes on with an existing file must know.
struct AppendPoint {
  std::uint64_t offset = 0;  // end of the last good block; what lies behind is to be cut away
  Layout layout = Layout::V2;
  std::vector<HeaderEntry> header;
  std::vector<std::string> transformers;
  bool trailer_promised = false;
  bool has_trailer = false;  // it lies at `offset`, and must be cut away too
};
// Finds where to go on after a crash. Errors: Corrupt if there is damage before the last good block
// (repair it first), Unsupported if this is no RecordIO.
Result<AppendPoint> find_append_point(std::shared_ptr<ByteSource> source,
                                      const ReaderOptions& options = {});

}  // namespace fonds::recordio
