// Transformers: names in a header become something that changes bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {

// Bytes that a block is thought to decode to before one was seen.
inline constexpr std::uint64_t kFirstGuess = std::uint64_t{64} << 10;

// The name in a header's transformer entry (what stands before the first blank), and the argument.
struct TransformerName {
  std::string_view name, argument;
};
TransformerName split_transformer(std::string_view entry) noexcept;

// The transformers of a file, in the order of writing. One thread at a time; each thread makes its
// own.
class Stack {
 public:
  // Errors: Unsupported with "unknown transformer NAME" if nobody registered it; those of its
  // factory.
  static Result<Stack> make(std::span<const std::string> entries);
  Stack() = default;
  bool empty() const { return stages_.empty(); }

  // The stored form of `in`, in `out`, which must not be what `in` looks into. With an empty stack
  // a copy.
  Status apply(ByteView in, Buffer& out);
  // The other way. `most` bounds every stage's result.
  Status undo(ByteView in, std::uint64_t most, Buffer& out);
  // As undo(), but the first `enough` bytes of the result suffice.
  Status undo_prefix(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out);
  // Goes on with the last undo_prefix() or undo_more(), whose `in` and `out` are as they were.
  Status undo_more(ByteView in, std::uint64_t enough, std::uint64_t most, Buffer& out);
  // What was odd in the last undo().
  std::string_view oddity() const;

 private:
  Status undo_stages(ByteView in, std::optional<std::uint64_t> enough, std::uint64_t most,
                     Buffer& out);
  // Gives back what large blocks took.
  void trim();

  std::vector<std::unique_ptr<Transformer>> stages_;
  Buffer between_[2];
};

// The error of a failed undo as a fault of the block: code transform-damaged ("deflate stream cut",
// "deflate data invalid", "zstd data invalid", or what a transformer of the application says) or
// limit-exceeded.
Fault transform_fault(const Error& error);

// As Go's strconv.Atoi reads it; nothing if it is no number.
std::optional<std::int64_t> parse_go_number(std::string_view text);

// Room for `size` bytes in an empty buffer, without a copy of what was there.
MutableByteView room_for(std::size_t size, Buffer& out);

// "flate": raw deflate; the argument is the level -2 to 9. "zstd": level -… to 22. Where undo()
// fails with Corrupt or Truncated, `out` holds what could be decoded before.
Result<std::unique_ptr<Transformer>> make_flate(std::string_view argument);
Result<std::unique_ptr<Transformer>> make_zstd(std::string_view argument);

}  // namespace fonds::recordio
