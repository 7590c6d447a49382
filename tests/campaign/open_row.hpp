// How the campaign opens and reads archives.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "archives/memory.hpp"
#include "campaign/rows.hpp"

namespace fonds::campaign {
using testing_archives::memory_of;
using testing_archives::require;
using testing_archives::TextSink;

// What readers may hold; the cap of a process lies above it.
inline constexpr std::uint64_t kMemory = std::uint64_t{32} << 20;

inline ReadOptions read_options_of(const Row& row, bool search_damaged) {
  ReadOptions options;
  options.memory_budget = kMemory;
  options.search_damaged = search_damaged;
  options.transformers = row.transformers;
  return options;
}

// A number for the decoded bytes of the reader's current record.
inline Result<std::uint64_t> digest_of(const Archive& archive, RecordReader& reader,
                                       const Record& record) {
  std::string content;
  std::vector<Finding> findings;
  FONDS_CHECK(archive.format->write_part(
      reader, record, RecordPart::Record, ~std::uint64_t{0},
      [&content](ByteView piece) {
        content += as_text(piece);
        return Status();
      },
      findings));
  return std::uint64_t{std::hash<std::string>()(content)};
}

}  // namespace fonds::campaign
