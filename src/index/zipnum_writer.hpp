// Writes a sorted CDX or CDXJ as ZipNum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>

namespace fonds::index {

struct ZipNumOptions {
  std::string file;               // name of the file of blocks, as the secondary index tells it
  std::size_t block_lines = 300;  // at least 1
  bool classic = false;           // tabs instead of JSON
  bool digests = true;            // of the blocks; JSON only
};

// The same lines give the same octets with the same version of the compressor. One thread at a
// time.
class ZipNumWriter {
 public:
  // Blocks go to one sink, the secondary index to the other; both outlive the writer.
  ZipNumWriter(ByteSink& blocks, ByteSink& secondary, ZipNumOptions options);
  ~ZipNumWriter();

  // Takes a line without its line end, in sorted order. Legends and "!…" lines lie in a block
  // without being counted. A block ends early where its text would become larger than 16 MiB.
  // Errors: those of the sinks; LimitExceeded for a line of more than 32 MiB.
  Status add(std::string_view line);
  // Writes what is left. To be called once, at the end. Errors: those of the sinks.
  Status finish();

 private:
  struct Compressor;
  Status begin_secondary();
  Status end_block();
  ByteSink& blocks_;
  ByteSink& secondary_;
  ZipNumOptions options_;
  std::unique_ptr<Compressor> compressor_;
  std::string text_;   // of the block
  std::string first_;  // key and timestamp of its first line
  std::size_t lines_ = 0;
  std::uint64_t blocks_written_ = 0;
  bool begun_ = false;
};

}  // namespace fonds::index
