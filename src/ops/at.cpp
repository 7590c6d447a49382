// Archive::at().
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "index/companions.hpp"
#include "ops/find.hpp"

namespace fonds {

Result<OpenRecord> Archive::at(std::string_view key, const ReadOptions& options) const {
  if (!source->random_access()) {
    return fail(ErrorCode::Unsupported, "keys need a file; a pipe is read from start to end",
                {.source = source->name()});
  }
  FONDS_TRY(Key parsed, parse_key(key));
  const std::vector<Key> keys = {std::move(parsed)};
  const auto ignore = [](const Finding&) {};
  FONDS_TRY(auto companions, index::open_companions(*this, {}, ignore, keys));
  ops::ScanOptions scan;
  scan.read = options;
  scan.companions = std::make_shared<const Companions>(std::move(companions));
  ops::RecordFinder finder(*this, scan, keys, ignore);
  FONDS_TRY(auto found, finder.find(0));
  if (!found) {
    return fail(ErrorCode::NotFound, fmt::format("has no record {}", key),
                {.source = source->name()});
  }
  return std::move(found->open);
}

}  // namespace fonds
