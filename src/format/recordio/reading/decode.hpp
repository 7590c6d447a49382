// From a stored block to its items: transformers undone, tables checked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/block.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/items.hpp"
#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {

// How the blocks of a file are transformed.
struct Transformation {
  std::vector<std::string> entries;  // as in the header
  // Nothing says it: each block is tried as zstd, as it stands, and as flate.
  bool guess = false;
  friend bool operator==(const Transformation&, const Transformation&) = default;
};

// Undoes blocks, one after the other. One thread at a time.
class BlockDecoder {
 public:
  // Of blocks without transformers `items` looks into the block's own pieces, and `content` is left
  // empty (v2); else it looks into `content`, which is replaced. Nothing if the block is good.
  std::optional<Fault> decode(const StoredBlock& block, const Transformation& transformation,
                              std::uint64_t most, Buffer& content, Items& items);
  struct HeaderLimits {
    std::uint64_t stored = 0;
    std::size_t transformers = 0;
  };
  // What a header block says.
  std::optional<Fault> parse_header(const StoredBlock& block, const HeaderLimits& limits,
                                    HeaderList& list);
  // The whole content of a header or trailer block, or of a body block, undone.
  std::optional<Fault> undo(const StoredBlock& block, const Transformation& transformation,
                            std::uint64_t most, Buffer& content);
  // The transformers that the block which decode() found good was undone with.
  const std::vector<std::string>& transformers() const { return transformers_; }
  // A warning about the block that decode() found good: a code and its message.
  const std::optional<Fault>& oddity() const { return oddity_; }

 private:
  std::optional<Fault> take_stack(const Transformation& transformation);
  std::optional<Fault> decode_v2(const StoredBlock& block, const Transformation& transformation,
                                 std::uint64_t most, Buffer& content, Items& items);
  std::optional<Fault> guess_v2(const StoredBlock& block, std::uint64_t most, Buffer& content,
                                Items& items);
  std::optional<Fault> decode_packed(const StoredBlock& block, const Transformation& transformation,
                                     std::uint64_t most, Buffer& content, Items& items);
  ByteView joined(const StoredBlock& block);

  Stack stack_;
  std::vector<std::string> stack_of_;
  Buffer joined_;
  std::vector<std::string> transformers_;
  std::optional<Fault> oddity_;
};

// The error that a fault becomes for callers that cannot go on behind it.
ErrorCode error_code(std::string_view finding_code) noexcept;

}  // namespace fonds::recordio
