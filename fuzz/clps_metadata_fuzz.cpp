// The header and the metadata section of clp-s archives.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include <fonds/bytes.hpp>

#include "format/clps/reading/sections.hpp"
#include "query/json_scanner.hpp"
#include "require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using fonds::fuzz::require;
  const fonds::ByteView bytes(reinterpret_cast<const std::byte*>(data), size);
  if (const auto header = fonds::clps::parse_header(bytes)) {
    require(fonds::clps::starts_archive(bytes));
    require(size >= fonds::clps::kHeaderSize);
  }
  constexpr std::uint64_t kRoom = std::uint64_t{64} << 20;
  const auto section = fonds::clps::parse_metadata(bytes, kRoom);
  if (!section) {
    require(section.error().where().decoded_offset.has_value());
    require(*section.error().where().decoded_offset <= size);
    return 0;
  }
  require(section->extra <= size);
  for (const auto& input : section->metadata.inputs) {
    require(input.begin <= input.end);
    require(fonds::query::is_json(input.properties));
  }
  std::set<std::uint64_t> ids;
  for (const auto& pattern : section->metadata.time_patterns) {
    require(ids.insert(pattern.id).second);
  }
  for (const auto& range : section->metadata.time_ranges) {
    require(range.nodes.size() <= size / 4 && range.key.size() <= size);
  }
  return 0;
}
