// Codecs: how the bytes of an archive are stored. A unit is what can be decoded alone: a gzip
// member, a zstd frame, an lz4 frame, a whole bzip2 or xz stream; plain bytes have no units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

namespace fonds {

struct SeekPoint;
class SeekCollector;
class SeekIndex;

// Where a decoded byte comes from: `unit` is the stored offset of the unit it lies in, `inner` how
// many decoded bytes of that unit come before it. Plain bytes: their own offset, and 0.
struct Place {
  std::uint64_t unit = 0;
  std::uint64_t inner = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// Bytes that can be looked at before they are consumed.
class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // At least `at_least` bytes from the current position, fewer only where the data ends. The view
  // lives until the next call on this stream. Errors: Io, LimitExceeded.
  virtual Result<ByteView> peek(std::size_t at_least) = 0;
  // Steps over `n` bytes that the last peek showed.
  virtual void consume(std::size_t n) = 0;
};

// What a format tells a decoder about its records, so that the decoder can find its feet in damaged
// data without knowing the format.
struct RecordProbe {
  // Whether a record can start at `head`, which holds up to 64 KiB of what follows there.
  bool (*starts_record)(ByteView head) = nullptr;
  // Whether a header, or another head that readers look at, ends in `decoded` behind its first
  // `known` bytes: a good place to stop decoding when bodies are skipped.
  bool (*ends_head)(ByteView decoded, std::size_t known) = nullptr;
  // The first offset in [from, to) at which a record seems to start in plain bytes; `to` if there
  // is none.
  std::uint64_t (*find_record)(ByteView plain, std::uint64_t from, std::uint64_t to) = nullptr;
};

struct DecodeOptions {
  std::uint64_t start = 0;  // stored offset at which a unit begins
  bool skim = false;        // decode only what is looked at; skim_unit() may then skip the rest
  RecordProbe probe = {};
  std::string state = {};  // Decoder::state() of a decoder that came to `start`
  std::size_t max_whole_unit = std::size_t{16} << 20;     // larger units are decoded as a stream
  std::uint64_t max_buffer = std::uint64_t{256} << 20;    // decoded bytes that one peek may hold
  unsigned max_window_log = 27;                           // zstd
  std::uint64_t max_dictionary = std::uint64_t{8} << 20;  // zstd, decoded
  bool salvage = false;  // go on inside a damaged unit where the codec can (lz4)
  // gzip only; other codecs pass over them.
  std::shared_ptr<const SeekPoint> resume = {};  // begin here, inside a member, not at `start`
  std::shared_ptr<const SeekIndex> seek = {};    // decode long members on `threads` threads by it
  unsigned threads = 1;
  std::shared_ptr<SeekCollector> collect = {};  // offer it the borders of long members
};

// Decodes units one after the other into one stream of bytes. Never fails on damage: damage becomes
// a finding, and where bytes are missing the stream has a gap. peek() never shows bytes from both
// sides of a gap; it comes back short there, and next_run() steps over.
//
// The bytes between two gaps are a run. Units of one run follow each other without loss (padding
// that belongs to no unit may have been passed over with a finding).
class Decoder : public ByteStream {
 public:
  // Place of the next byte. Exact after a peek that showed at least one byte; after a peek that
  // showed none it is the end of the run.
  virtual Place place() const = 0;
  // How many of the bytes that the last peek showed belong to the unit of the first one.
  virtual std::size_t shown_of_unit() const = 0;
  // Call when peek() shows nothing more: goes on behind the gap. False at the end of the data.
  // Errors: Io.
  virtual Result<bool> next_run() = 0;
  // Steps over `n` bytes, shown or not; fewer where the run ends. Returns how many were stepped
  // over.
  virtual Result<std::uint64_t> skip(std::uint64_t n);
  // With DecodeOptions::skim, at a place in a unit whose rest need not be seen: if the unit can be
  // found to end after exactly `inner_end` decoded bytes (counted from its start), goes to the
  // start of the next unit and returns true. Else changes nothing and returns false; then skip()
  // works. Content that was stepped over this way was not checked.
  virtual Result<bool> skim_unit(std::uint64_t inner_end);
  // Stored bytes that are done with: where the next unit would start, for progress and for the
  // stored length of the last unit.
  virtual std::uint64_t stored_position() const = 0;
  // What a decoder that starts at `place` must know of what came before it, for
  // DecodeOptions::state.
  virtual std::string state(const Place& place) const;
  // What was found since the last call, in stored order. Each has where.stored_offset.
  std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }
  bool has_findings() const { return !findings_.empty(); }

 protected:
  void report(std::string_view code, std::string message, std::uint64_t stored_offset);
  std::vector<Finding> findings_;
};

class Codec {
 public:
  virtual ~Codec() = default;
  virtual std::string_view name() const = 0;  // "none", "gzip", "zstd", "lz4", "bzip2", "xz"
  // How many bits of `head` speak for this codec; 0 = not this codec.
  virtual int probe(ByteView head) const = 0;
  // Starts decoding at DecodeOptions::start. Reads by itself what a start in the middle needs from
  // the head of the file (the dictionary frame of WARC-Zstandard).
  virtual Result<std::unique_ptr<Decoder>> decode(std::shared_ptr<ByteSource> source,
                                                  const DecodeOptions& options) const = 0;
  // Facts of the container, as names and values, for `info`: a dictionary, for instance.
  virtual std::vector<std::pair<std::string, std::string>> describe(ByteSource& source) const;
  // The first offset in [from, to) at which a unit seems to start that begins a record, for cutting
  // a file into parts; `to` if there is none. A guess: whoever uses it checks that the part before
  // ends just there.
  virtual std::uint64_t find_unit(ByteView stored, std::uint64_t from, std::uint64_t to,
                                  const RecordProbe& probe) const;
};

// All codecs; "none" is the last and matches everything.
std::span<const Codec* const> codecs();
// The codec that `head` speaks for.
const Codec& probe_codec(ByteView head);

}  // namespace fonds
