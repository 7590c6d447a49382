// What http_transfer.cpp and http_content.cpp share: a body on its way through its codings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "format/common/http_message.hpp"

namespace fonds::http::internal {

enum class Coding : std::uint8_t { Identity, Chunked, Gzip, Deflate, Brotli, Zstd, Unknown };

// The coding that one element of a coding list names; parameters are ignored.
Coding coding_named(std::string_view element);

// What undoing one coding gave. `bytes` has no meaning for NotApplied and UnknownCoding.
struct Stage {
  Outcome outcome = Outcome::Ok;
  std::string bytes;
};

class Unwrapping {
 public:
  // `body` must outlive this object.
  Unwrapping(ByteView body, std::uint64_t max_size) : view_(body), max_size_(max_size) {}
  Unwrapping(const Unwrapping&) = delete;
  Unwrapping& operator=(const Unwrapping&) = delete;

  // Undoes the codings of the comma-separated `list` from right to left.
  Status undo(std::string_view list);
  void note(Outcome outcome);
  Decoded& notes() { return result_; }
  // The body as it is now, with everything noted on the way. Ends this object's use.
  Result<Decoded> take();

 private:
  Status undo_one(Coding coding);

  ByteView view_;         // of the caller's body or of storage_
  std::string storage_;   // what the last coding gave
  bool stored_ = false;   // view_ is of storage_
  bool unknown_ = false;  // a coding was met that cannot be undone: nothing more can
  std::uint64_t max_size_;
  Decoded result_;
};

// The error for a result over the limit.
tl::unexpected<Error> too_large(std::uint64_t max_size);
tl::unexpected<Error> no_memory();

// Trailers and chunk flags go to `notes`.
Result<Stage> undo_chunked(ByteView input, std::uint64_t max_size, Decoded& notes);
// Gzip, Deflate, Brotli or Zstd.
Result<Stage> undo_compression(Coding coding, ByteView input, std::uint64_t max_size);

// Starts the unwrapping with what the head says about the body and undoes its transfer codings.
Status undo_transfer(const Head& head, ByteView body, Unwrapping& unwrapping);

}  // namespace fonds::http::internal
