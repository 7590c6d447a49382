// ZipNum: a sorted CDX or CDXJ in compressed blocks, and a small secondary index with a line for
// each block. Layout: docs/formats/cdx.md, "ZipNum".
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

#include "index/line_file.hpp"

namespace fonds::index {

// What a line of a secondary index says of its block.
struct ZipNumBlock {
  std::string file;  // that holds the block, by its name or its name in a .loc; empty: not said
  std::uint64_t stored_offset = 0;
  std::uint64_t stored_length = 0;
  std::string digest;  // "sha256:…" of the stored octets; empty: not said
};
// Takes both flavours: tabs, or a JSON object. Errors: Corrupt, with what is wrong.
Result<ZipNumBlock> parse_zipnum_line(std::string_view line);

// Opens a file of blocks by the name that the secondary index has for it.
using OpenBlocks = std::function<Result<std::shared_ptr<ByteSource>>(const std::string& name)>;
// Finds them beside the secondary index, or where a .loc beside it ("cluster.loc", or with the name
// of the index) says: NotFound if nowhere.
OpenBlocks blocks_beside(const std::string& secondary_path);

class ZipNum final : public SortedLines {
 public:
  // Whether a file that begins with `head`, up to 64 KiB, is a secondary index.
  static bool recognize(std::string_view head);
  // Errors: Unsupported for a pipe; Io.
  static Result<std::unique_ptr<ZipNum>> open(std::shared_ptr<ByteSource> secondary,
                                              OpenBlocks open_blocks);

  // A block may have up to 64 MiB of text. What is wrong with one is an error of its cursor:
  // Corrupt if place, length, digest or first key are not what the secondary index says, or the
  // block itself is damaged; LimitExceeded. The place is that of the secondary line, or of the
  // block. Errors that are not only the block's: NotFound and Io, of the file that holds it.
  std::unique_ptr<LineCursor> lines() const override;
  Result<Start> lines_from(std::string_view key) const override;
  char delimiter() const override { return ' '; }
  const std::string& name() const { return secondary_.name(); }

 private:
  ZipNum(LineFile secondary, OpenBlocks open_blocks);
  LineFile secondary_;
  OpenBlocks open_blocks_;
  std::string default_file_;  // by the header of the secondary index
};

}  // namespace fonds::index
