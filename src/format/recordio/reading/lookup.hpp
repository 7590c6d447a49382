// Single items by location, through a cache of blocks.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/decode.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {

// One thread at a time.
class Lookup {
 public:
  Lookup(std::shared_ptr<ByteSource> source, bool legacy, const ReaderOptions& options);
  // The item of a block that is transformed in this way; the view lives until the next call.
  // Errors: NotFound, Corrupt, LimitExceeded, Unsupported (unknown transformer; a source without
  // random access), Io.
  Result<ByteView> get(recordio::Location where, const Transformation& transformation);

 private:
  // A block that was asked for. Its table lies in `table`; what the table counts from lies either
  // in the chunks of the file (`in_file`) or in `content`, from `items_at` on.
  struct Block {
    std::uint64_t offset = 0;
    bool in_file = false;
    bool whole = false;  // `content` is all of the block, not only its beginning
    std::uint32_t chunks = 0;
    std::uint64_t payload_size = 0;
    std::vector<bool> checked;  // chunks whose CRC fits
    ByteView table;             // of the file, of `joined` or of `content`
    Buffer joined;              // chunk payloads that hold the table
    TableCheck sizes;
    std::uint64_t items_at = 0;
    Buffer content;
    std::uint64_t asked = 0,
                  copied = 0;   // how often, and bytes of items that lay in several chunks
    std::uint64_t counted = 0;  // of held_
    // Where every 64th size and item are, made when the block is asked for again.
    std::vector<std::pair<std::size_t, std::uint64_t>> marks;
    std::uint64_t weight() const;
  };
  using Blocks = std::list<Block>;

  Result<Block*> find(recordio::Location where);
  Status open_block(Block& block, std::uint64_t item);
  Status open_v2(Block& block, std::uint64_t item);
  Result<bool> open_in_file(Block& block, const ChunkHeader& first);
  Status open_transformed(Block& block, std::uint64_t item);
  Status undo_as_guessed(Block& block, const StoredBlock& stored);
  Status undo_up_to(Block& block, std::uint64_t item);
  Status join_chunks(Block& block);
  Status open_record(Block& block);
  Result<ByteView> chunk_payload(Block& block, std::uint32_t index);
  Result<ByteView> from_file(Block& block, ByteRange range);
  Result<ByteView> from_content(Block& block, ByteRange range) const;
  ByteRange locate(Block& block, std::uint64_t number);
  void mark(Block& block);
  void drop(Blocks::iterator block);
  void make_room();
  tl::unexpected<Error> broken(const Fault& fault, std::uint64_t offset) const;
  tl::unexpected<Error> wrong(ErrorCode code, std::string message, std::uint64_t offset) const;

  std::shared_ptr<ByteSource> source_;
  bool legacy_;
  const Transformation* transformation_ = nullptr;  // of the call in hand
  ReaderOptions options_;
  std::uint64_t most_;
  std::optional<ByteView> view_;
  std::optional<Stack> stack_;
  std::vector<std::string> stack_of_;
  BlockDecoder decoder_;
  Blocks blocks_;  // the one used last is first
  std::unordered_map<std::uint64_t, Blocks::iterator> by_offset_;
  std::uint64_t held_ = 0;  // bytes that blocks_ weigh, but for the one in use
  Buffer item_, joined_;
  Buffer spare_;  // the memory of a block that had to go
};

}  // namespace fonds::recordio
