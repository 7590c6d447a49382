// What the writers of the three layouts share: blocks of items in hand, their stored form, and the
// threads that make it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "base/guarded.hpp"  // IWYU pragma: export
#include "base/ordered_jobs.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {

// Items back to back, with room before them for what a stored block has in front, so that the two
// become one piece without copying the items.
class ItemBlock {
 public:
  void append(ByteView item) {
    if (sizes_.empty()) {
      bytes_.clear();
      bytes_.room(gap_);
      bytes_.commit(gap_);
    }
    bytes_.append(item);
    sizes_.push_back(item.size());
  }
  // As append(), if the memory at hand suffices and this is not the first item; else false.
  bool append_in_place(ByteView item) noexcept {
    if (sizes_.empty() || sizes_.size() == sizes_.capacity() ||
        item.size() > bytes_.capacity() - bytes_.size()) {
      return false;
    }
    bytes_.append(item);
    sizes_.push_back(item.size());
    return true;
  }
  void clear() noexcept { sizes_.clear(); }  // keeps the memory
  bool empty() const noexcept { return sizes_.empty(); }
  std::uint64_t count() const noexcept { return sizes_.size(); }
  const std::vector<std::uint64_t>& sizes() const noexcept { return sizes_; }
  // Views live until the next call that is not const.
  ByteView items() const noexcept {
    return sizes_.empty() ? ByteView{} : bytes_.view().subspan(gap_);
  }
  std::uint64_t items_size() const noexcept { return sizes_.empty() ? 0 : bytes_.size() - gap_; }
  std::size_t memory() const noexcept {
    return bytes_.capacity() + sizes_.capacity() * sizeof(std::uint64_t);
  }
  // `front` followed by the items. Not for an empty block.
  ByteView with_front(ByteView front);

 private:
  Buffer bytes_;
  std::size_t gap_ = 1024;  // bytes of bytes_ before the first item
  std::vector<std::uint64_t> sizes_;
};

// A block as it goes to the sink.
struct BlockForm {
  ByteView bytes;
  std::uint64_t transformed = 0;  // packed: bytes of the items area
};

// Makes the stored form of blocks. One thread at a time; each thread has its own.
class BlockEncoder {
 public:
  BlockEncoder(Layout layout, Stack stack) : layout_(layout), stack_(std::move(stack)) {}
  // The view looks into `out` or, for packed blocks without transformer, into `block`. `magic` is
  // Packed or, v2 only, Trailer. Errors: those of transformers.
  Result<BlockForm> encode(ItemBlock& block, Magic magic, Buffer& out);
  bool transforms() const { return !stack_.empty(); }

 private:
  Result<BlockForm> encode_v2(ItemBlock& block, Magic magic, Buffer& out);
  Result<BlockForm> encode_packed(ItemBlock& block, Buffer& out);

  Layout layout_;
  Stack stack_;
  Buffer front_, transformed_;
};

// Threads that encode blocks; what they make comes back in the order in which it went in. All
// members are for one thread, the writer's.
class EncoderPool {
 public:
  struct Job {
    ItemBlock block;  // empty once encoded, unless the items are kept
    Buffer stored;
    std::uint64_t transformed = 0;
  };
  using Jobs = OrderedJobs<Job>;

  // At most `threads` workers, started as blocks come. Blocks in flight take at most `memory`
  // bytes, but one block may always be. `keep_items`: a job has its items until it is popped.
  EncoderPool(Layout layout, std::vector<std::string> transformers, unsigned threads,
              std::uint64_t memory, bool keep_items);

  // Whether a job must be popped before this block may be submitted.
  bool full(const ItemBlock& block) const noexcept;
  // Takes the block and leaves an empty one. Errors: those of making transformers and threads.
  Status submit(ItemBlock& block);
  // As OrderedJobs.
  Jobs::Done front(bool wait) { return jobs_.front(wait); }
  void pop();
  bool failed() const noexcept { return jobs_.failed(); }

 private:
  Result<Jobs::Work> make_work();
  Status encode(BlockEncoder& encoder, Job& job);  // on a worker
  void keep(ItemBlock&& block);                    // for the next submit

  const Layout layout_;
  const std::vector<std::string> transformers_;
  const std::uint64_t most_kept_;  // bytes of a buffer
  const bool keep_items_;
  std::vector<std::unique_ptr<Job>> idle_;
  std::mutex mutex_;
  std::vector<ItemBlock> idle_blocks_;  // guarded by mutex_
  Jobs jobs_;                           // the last: its workers use what is above
};

// Whether `record` is one whole legacy record: known magic, right header CRC, right length.
bool is_legacy_record(ByteView record) noexcept;
// Whether `block` is the chunks of one v2 block with this magic, judged by their headers.
bool is_v2_block(ByteView block, Magic magic) noexcept;

}  // namespace fonds::recordio
