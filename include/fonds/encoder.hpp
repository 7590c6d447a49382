// Making units: gzip members, zstd frames, lz4 frames, or plain bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

// A zstd dictionary in the format of RFC 8878, section 5, that can govern a WARC-Zstandard file.
// Values share one immutable content; threads may share it.
class ZstdDictionary {
 public:
  // Takes a copy of the dictionary that `bytes` are, or hold: as one zstd frame, or at the start of
  // a `.warc.zst` file. Errors: BadArgument for bytes that are no such dictionary, and for one with
  // the ID 0, which no frame can name; LimitExceeded above 8 MiB, stored or decoded.
  static Result<ZstdDictionary> parse(ByteView bytes);

  ByteView bytes() const;    // decoded; lives as long as any copy of this
  std::uint32_t id() const;  // never 0

 private:
  struct Content;
  explicit ZstdDictionary(std::shared_ptr<const Content> content) : content_(std::move(content)) {}
  std::shared_ptr<const Content> content_;
};

struct EncodeOptions {
  enum class Extension : std::uint8_t {
    None,
    SizePrefix,  // before each zstd frame the stored and decoded size of it
    SeekTable,   // at the end of the file, in zstd's seekable format
  };

  std::string codec = "none";     // "none", "gzip", "zstd", "lz4"
  std::optional<int> level = {};  // gzip 0 to 12 (6), zstd -7 to 22 (3), lz4 1 to 12 (1)
  bool one_unit = false;          // gzip, lz4: everything in one member or frame
  bool continues = false;         // the sink stands behind units: nothing belongs at a file's start
  bool skip_lengths = false;      // gzip: the extra field "sl" of WARC 00.11 in each member
  std::optional<ZstdDictionary> dictionary = {};  // zstd; the first frame holds it
  bool raw_dictionary = false;                    // hold it uncompressed
  Extension extension = Extension::None;          // zstd
  // zstd: units of more decoded bytes are cut into frames of so many; 64 KiB to 1 GiB.
  std::uint64_t frame_bytes = std::uint64_t{32} << 20;
  unsigned threads = 1;  // 0: one for each processor
  // Bytes of units in the hands of threads; but one unit, or frame of a unit, may always be held.
  // What compressing itself needs (zstd 22: some 100 MB for each thread) comes on top.
  std::uint64_t memory_budget = std::uint64_t{1} << 30;
};

// Writes units one after the other into a sink. Threads may compress whole units; what is written
// does not depend on their number, nor on how the bytes of a unit come.
//
// Errors of every call: those of the sink; BadArgument for a call that is out of order; after an
// error every further call returns the same one. An error may concern a unit of an earlier call.
// Without finish() the output is incomplete.
class Encoder {
 public:
  virtual ~Encoder() = default;
  // `decoded_size`: of the unit, if it is known. Large lz4 frames can only tell their size if it
  // is.
  virtual Status begin_unit(std::optional<std::uint64_t> decoded_size = {}) = 0;
  // More decoded bytes of the unit.
  virtual Status write(ByteView decoded) = 0;
  // Errors: BadArgument if begin_unit() promised another size.
  virtual Status end_unit() = 0;
  // Stored bytes that are whole units already, copied from another archive. Within a unit to which
  // nothing is written they are that unit, also over several calls; outside they belong to none, as
  // an extension frame does. Errors: BadArgument for bytes that are visibly not units of this
  // codec, and for zstd frames that this file's dictionary does not fit.
  virtual Status put_stored(ByteView stored) = 0;
  // Writes what is left, and what closes the file. An archive without units becomes one empty unit.
  virtual Status finish() = 0;

  // Called in order when the place of a unit is known: its number from 0, its stored offset as the
  // sink counts, its stored length. Threads are no concern of it: it is called within the calls
  // above. With `one_unit` it is called once.
  std::function<void(std::uint64_t unit, std::uint64_t stored_offset, std::uint64_t stored_length)>
      on_unit;
};

// `sink` must outlive the encoder. Errors: BadArgument for an unknown codec, a level outside of its
// codec's range, and options that the codec does not have.
Result<std::unique_ptr<Encoder>> make_encoder(ByteSink& sink, const EncodeOptions& options);

// The levels of a codec, and the one that is used when none is given. Nothing: it has none.
struct LevelRange {
  int lowest, highest, usual;
};
std::optional<LevelRange> level_range(std::string_view codec);

}  // namespace fonds
