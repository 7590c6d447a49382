// The header blocks of files that were put together.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/decode.hpp"
#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {

// Finds header blocks behind the first by stepping from block to block, so that a block in the
// middle can be read by its own.
class LaterHeaders {
 public:
  // Of a pipe nothing is found. Errors: Io.
  Status scan_up_to(const std::shared_ptr<ByteSource>& source, std::uint64_t offset,
                    const ReaderOptions& options);
  struct Header {
    std::uint64_t offset = 0;
    HeaderList list;
    Transformation transformation;
  };
  // The last one before `offset` that scan_up_to() has met; nullptr if there is none but the first.
  const Header* before(std::uint64_t offset) const;

 private:
  Status take(const std::shared_ptr<ByteSource>& source, const ReaderOptions& options);

  std::uint64_t scanned_ = 0;
  std::vector<Header> found_;  // ascending
};

}  // namespace fonds::recordio
