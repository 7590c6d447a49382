// Archives as files, with their indexes beside them.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>

#include "archives/memory.hpp"
#include "ops/make_index.hpp"

namespace fonds::testing_archives {

inline void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  require(file.good(), "writing " + path);
}
inline std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Makes an index of this type of an archive, beside the file with this name, and returns its path;
// of ZipNum that of the secondary index. Errors: those of make_index().
inline Result<std::string> write_index_beside(const Archive& archive, const std::string& name,
                                              std::string_view type,
                                              const ops::IndexOptions& options) {
  const std::string path = name + std::string(ops::index_ending(type));
  TextSink sink;
  if (type == "zipnum") {
    TextSink blocks;
    const std::string block_file = name + std::string(ops::kZipNumBlocks);
    FONDS_CHECK(ops::make_zipnum_index({&archive, 1}, blocks, sink,
                                       block_file.substr(block_file.rfind('/') + 1), options));
    write_file(block_file, blocks.content);
  } else {
    FONDS_CHECK(ops::make_index(archive, type, sink, options));
  }
  write_file(path, sink.content);
  return path;
}

}  // namespace fonds::testing_archives
