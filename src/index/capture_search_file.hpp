// One index file of captures, whatever it is: CDX, CDXJ, ZipNum.
#pragma once

#include <memory>
#include <string>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

#include "index/capture.hpp"
#include "index/line_file.hpp"

namespace fonds::index {

// Stateless, for many threads.
struct CaptureFile {
  std::string name;
  std::unique_ptr<SortedLines> lines;
  LineLayout layout;

  // Whether the lines begin with what key_range() gives bounds for. Without, all lines have to be
  // looked at.
  bool sorted_by_key() const { return layout.cdxj || layout.columns.starts_with('N'); }
};

// Recognizes the file from its content. Of a ZipNum the secondary index or, if that lies beside
// them, the blocks can be given. Errors: Unsupported if it is no index of captures, or a pipe;
// those of ZipNum blocks, of which the first is looked at.
Result<CaptureFile> open_capture_file(std::shared_ptr<ByteSource> source);

}  // namespace fonds::index
