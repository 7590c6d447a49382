// What a rewritten file begins with, and its blocks: copied where they fit, else made anew.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>
#include <fonds/writing.hpp>

#include "format/recordio/rewriting/rewrite_input.hpp"

namespace fonds::recordio {

struct OutputPlan {
  bool legacy = false;
  // The rest is of v2 only.
  std::vector<std::string> transformers;
  std::vector<HeaderEntry> entries;
  Buffer header;     // its chunks
  bool sure = true;  // that blocks which cannot be undone were made by the transformers
};

// The chunks of a header block with just these entries.
Buffer header_block(const std::vector<HeaderEntry>& entries);

class RewriteOutput {
 public:
  // `by_blocks`: blocks made anew are as large as the old ones were, not by the options. Sink and
  // plan must outlive this. Errors: Io; BadArgument for options that have no meaning.
  static Result<RewriteOutput> create(ByteSink& sink, const OutputPlan& plan,
                                      const WriteOptions& options, bool by_blocks);

  // Takes the block that `from` has given, if it can be read with the plan's transformers or be
  // made so; else tells what is in the way.
  Result<std::optional<Fault>> put_block(RewriteInput& from);
  // Copies a stored body block that was at `offset` before and has the plan's transformers.
  Status put_stored(ByteView stored, std::uint64_t offset);
  // Adds an item to the block in hand.
  Status put_item(ByteView item);
  Status close_block();
  // Takes the trailer that `from` has given, to be put behind all blocks, in place of one taken
  // before. Tells what is in the way if it can neither be copied nor made anew.
  Result<std::optional<Fault>> take_trailer(RewriteInput& from);
  // Where the trailer was that has been taken.
  std::optional<ByteRange> trailer() const;
  // What was copied from an input may go, but for its trailer.
  Status end_of_input() { return write_records(); }
  // Writes the trailer, and what closes the file.
  Status finish();

  std::uint64_t position() const;  // as if all were written that was taken
  // Whether a block was put elsewhere than it had been, or made anew.
  bool moved() const { return moved_; }

 private:
  RewriteOutput(ByteSink& sink, const OutputPlan& plan, std::uint64_t max_item, bool by_blocks)
      : sink_(&sink), plan_(&plan), max_item_(max_item), by_blocks_(by_blocks) {}
  struct Trailer {
    ByteRange range;
    bool as_it_is = false;               // else `bytes` are its item
    std::shared_ptr<ByteSource> mapped;  // what `view` looks into, if not into `bytes`
    ByteView view;
    Buffer bytes;
  };
  Result<std::optional<Fault>> put_items(Items& items);
  Status copy_record(RewriteInput& from);
  Status write_records();

  ByteSink* sink_;
  const OutputPlan* plan_;
  std::uint64_t max_item_;
  bool by_blocks_;
  bool moved_ = false;
  bool can_make_ = false;         // blocks from items
  std::optional<Writer> writer_;  // v2
  std::uint64_t start_ = 0;       // legacy: where the sink stood
  ByteView records_;              // legacy: records that lie side by side, not written yet
  std::optional<Trailer> trailer_;
};

}  // namespace fonds::recordio
