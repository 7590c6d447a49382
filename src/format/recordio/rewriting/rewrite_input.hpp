// A file as rewriting sees it: its header, then stored blocks and lost ranges in file order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "codec/decoded_source.hpp"
#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/decode.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/items.hpp"
#include "format/recordio/reading/walk.hpp"

namespace fonds::recordio {

// Whether blocks that the one list of transformers made can be read by the other. Readers pass over
// the arguments of flate and zstd.
bool reads_alike(const std::vector<std::string>& a, const std::vector<std::string>& b);

// Every block is undone and its table checked before it is given. One thread at a time.
class RewriteInput {
 public:
  // Goes to the first block, so that the header is known. Errors: Io; Unsupported if the bytes are
  // no RecordIO.
  static Result<std::unique_ptr<RewriteInput>> open(const Archive& archive,
                                                    const RewriteOptions& options);
  RewriteInput(const RewriteInput&) = delete;
  RewriteInput& operator=(const RewriteInput&) = delete;

  bool empty() const { return empty_; }  // no bytes at all: a good file of no layout
  bool legacy() const { return kind_ == Kind::Legacy; }
  // The size in stored bytes, where it is known.
  std::optional<std::uint64_t> size() const { return decoded_ ? std::nullopt : walk_.size(); }
  // Whether the same bytes can be had again by another object.
  bool repeatable() const { return archive_.source->random_access(); }
  const std::string& name() const { return archive_.source->name(); }
  // All bytes, where they can be looked at in any order.
  std::optional<ByteView> view() const { return source_->view(); }
  const Archive& archive() const { return archive_; }

  // v2: the header block of the file. If it is not good, `header()` has what could be read of it.
  enum class HeaderState : std::uint8_t { Good, Damaged, Missing };
  HeaderState header_state() const { return header_state_; }
  const HeaderList& header() const { return header_; }
  ByteView header_block() const { return header_block_.view(); }  // as stored, if it is good

  // Block: a body block or legacy record. Header: another good header block, behind the first.
  enum class Step : std::uint8_t { Block, Trailer, Header, Lost, End };
  // What is given lives until the next call. Errors: Io, Cancelled.
  Result<Step> next();

  const ByteRange& range() const { return range_; }  // stored; not for End
  const Fault& fault() const { return *fault_; }     // of what is lost, or was not checked

  // Of blocks and trailers.
  Result<ByteView> stored() { return walk_.stored(); }
  // The block could not be undone for reasons that need be no damage: unknown transformer, limit.
  bool unchecked() const { return fault_.has_value(); }
  Items& items() { return items_; }  // not of unchecked blocks
  const std::vector<std::string>& transformers() const { return block_transformers_; }
  // By which the next block will be undone; empty also if nothing says it.
  const std::vector<std::string>& transformers_now() const { return transformers_; }
  // What is lost is a block whose chunks are as they should be.
  bool chunks_are_good() const { return !walk_damage_; }
  // Whether bytes follow behind what was given last.
  Result<std::uint64_t> bytes_left() { return walk_.bytes_left(); }

  // What was odd about the bytes that a compressed file was made from.
  std::vector<Finding> take_source_findings();

 private:
  struct Met {
    Step step;
    ByteRange range;
    std::optional<Fault> fault;
    bool walk_damage;
  };
  RewriteInput(const Archive& archive, const RewriteOptions& options,
               std::shared_ptr<ByteSource> source, std::shared_ptr<DecodedSource> decoded);
  Status begin();
  Status meet_header();
  Result<Step> step();
  Result<Step> take_block();
  Result<Step> take_header();
  void lose_header();
  std::optional<Fault> undo(const StoredBlock& block);
  void tell_progress();

  Archive archive_;
  RewriteOptions options_;
  std::shared_ptr<DecodedSource> decoded_;  // of a file that was compressed as a whole
  std::shared_ptr<ByteSource> source_;
  std::uint64_t max_block_, max_header_;
  std::size_t max_transformers_;
  BlockWalk walk_;
  BlockDecoder decoder_;
  Kind kind_ = Kind::None;
  bool empty_ = false;
  bool begun_ = false;
  HeaderState header_state_ = HeaderState::Missing;
  HeaderList header_;
  Buffer header_block_;
  std::vector<Met> met_;  // by begin(), not given yet; the last is to be given first
  std::vector<std::string> transformers_;  // of what follows
  bool guess_ = false;
  std::vector<std::string> block_transformers_;
  ByteRange range_;
  std::optional<Fault> fault_;
  Items items_;
  Buffer content_;
  bool walk_damage_ = false;
  std::uint64_t told_ = 0;
};

}  // namespace fonds::recordio
