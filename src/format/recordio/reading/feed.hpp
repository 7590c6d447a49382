// Gives the body blocks of a file in order, decoded. Header, trailer and damage are dealt with on
// the way.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/decode.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/items.hpp"
#include "format/recordio/reading/walk.hpp"

namespace fonds::recordio {

struct FeedOptions {
  ReaderOptions read;
  std::uint64_t start = 0;  // where a block begins
  std::optional<std::uint64_t> stop_at = {};
  std::string state = {};  // Feed::state() of a feed that came to `start`
};

// A block on its way: stored, then decoded.
struct FedBlock {
  StoredBlock stored;
  std::shared_ptr<const Transformation> transformation;
  std::uint64_t most = 0;      // bytes that it may decode to
  std::uint64_t position = 0;  // behind it
  Buffer copy;                 // the payload of a block that waits and whose pieces will not
  Buffer content;              // what it was made from, if it is transformed
  Items items;
  std::optional<Fault> fault, oddity;
  std::vector<Finding> before;  // what was found on the way to it
};

class DecodePool;

// One thread calls. With ReaderOptions::threads more than one, so many others decode ahead.
class Feed {
 public:
  // Recognizes the file. Errors: Io.
  static Result<std::unique_ptr<Feed>> open(std::shared_ptr<ByteSource> source,
                                            const FeedOptions& options);
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;
  ~Feed();

  // The next good body block or legacy record, which lives until the next call; nullptr at the end.
  // Errors: Io.
  Result<FedBlock*> next();
  // Goes to the first body block, so that the header is known. Before the first next(). Errors: Io.
  Status meet_header();
  // What meet_header() found on its way; next() gives it too.
  const std::vector<Finding>& header_findings() const { return met_ ? met_->before : ahead_; }
  // What was found on the way to the block, or the end, that next() gave last; emptied by the call.
  std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }

  // Before the first next().
  Result<bool> bytes_there() {
    FONDS_TRY(const ByteView head, walk_.peek(1));
    return !head.empty();
  }
  Magic first_magic() const { return first_magic_; }  // what the file begins with
  Kind kind() const { return kind_; }                 // None: nothing that could be recognized
  const HeaderList& header() const { return header_; }
  const Transformation& transformation() const { return *transformation_; }
  std::uint64_t first_block() const { return first_block_; }  // behind the header block
  // Where the next block begins that next() has not given; the end of the file once a trailer has
  // ended reading.
  std::uint64_t position() const { return position_; }
  // What later blocks are understood by.
  std::string state() const { return begun_ ? state_with(*transformation_) : std::string(); }
  // The same, for blocks that are transformed in another way.
  std::string state_with(const Transformation& transformation) const;

 private:
  Feed(std::shared_ptr<ByteSource> source, const FeedOptions& options);
  Status begin();
  Result<Kind> recognize();
  bool set_state(std::string_view state);
  Result<bool> step(FedBlock& block);
  void note_oddities(const StoredBlock& block);
  void take_header(const StoredBlock& block);
  Result<bool> take_trailer(const StoredBlock& block);
  std::optional<Fault> decode_trailer(const StoredBlock& block, Items& items, Buffer& content);
  void lose_header();
  Status at_end();
  void report(std::string_view code, std::string message, std::uint64_t offset);
  void report_damage(const Fault& fault, const ByteRange& stored);
  bool settle(FedBlock& block);
  Result<FedBlock*> next_here();
  Result<FedBlock*> next_from_pool();
  Status fill_pool();
  void recycle();
  std::uint64_t pool_share() const;
  std::size_t most_waiting() const;

  std::shared_ptr<ByteSource> source_;
  FeedOptions options_;
  std::uint64_t max_block_;
  Kind kind_ = Kind::None;
  Magic first_magic_ = Magic::None;
  BlockWalk walk_;
  BlockDecoder decoder_;
  HeaderList header_;
  std::shared_ptr<const Transformation> transformation_;
  bool begun_ = false;    // the first block, or what is in its place, has been seen
  bool settled_ = false;  // a good header, or a body block, has been met: a header is a second one
  bool trailer_seen_ = false;
  bool over_ = false;  // the walk has ended
  std::uint64_t first_block_ = 0;
  std::uint64_t position_ = 0, end_ = 0;
  std::vector<Finding> findings_;
  std::vector<Finding> ahead_;     // found by the walk, not given yet
  std::unique_ptr<FedBlock> met_;  // by meet_header()
  std::unique_ptr<FedBlock> given_;
  std::deque<std::unique_ptr<FedBlock>> waiting_;  // in file order
  std::vector<std::unique_ptr<FedBlock>> free_;
  std::optional<Error> ahead_error_;  // of the walk, told when its turn comes
  std::unique_ptr<DecodePool> pool_;  // the last, so that its threads end first
};

}  // namespace fonds::recordio
