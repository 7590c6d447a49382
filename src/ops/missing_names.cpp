#include "ops/missing_names.hpp"

#include <algorithm>

namespace fonds::ops {

void MissingNames::add(const Archive& archive, const std::set<std::string>& names) {
  const std::string name = archive.source->name();
  const std::scoped_lock lock(mutex_);
  // Archives are read one after the other.
  if (archives_.empty() || archives_.back().archive != name) {
    archives_.push_back({name, archive.format, names});
    return;
  }
  std::erase_if(archives_.back().names,
                [&](const std::string& missing) { return !names.contains(missing); });
}

}  // namespace fonds::ops
