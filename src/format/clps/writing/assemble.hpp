// The bytes of a finished archive.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "format/clps/writing/archive_builder.hpp"
#include "format/clps/writing/batch.hpp"

namespace fonds::clps::writing {

// Stores an archive's sections; columns are given up as they are compressed, on
// WriterOptions::threads threads. `number`: of the archive. Errors: LimitExceeded, Cancelled.
Result<WrittenArchive> assemble(BuiltArchive archive, const Rules& rules,
                                const WriterOptions& options, std::uint64_t number);

// Metadata section, plain: packets of the file list, times, inputs and others.
struct MetadataParts {
  std::array<std::uint64_t, kMembers> offsets = {};
  std::string times;
  const std::vector<BuiltInput>* inputs = nullptr;  // null: no range index
  std::string creator_id;
  // Packets of our own: type, payload.
  std::vector<std::pair<std::uint8_t, std::string>> own = {};
};
std::string metadata_section(const MetadataParts& parts);

// The entries of a JSON object that are no keys of the format: key, value as JSON text.
std::vector<std::pair<std::string, std::string>> user_properties(const std::string& json);

}  // namespace fonds::clps::writing
