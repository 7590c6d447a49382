#include "index/companion_names.hpp"

#include <algorithm>
#include <unordered_set>

namespace fonds::index {

void drop_companions(std::vector<std::string>& names) {
  constexpr std::array<std::string_view, 2> kBlocks = {".cdx.gz", ".cdxj.gz"};
  const std::unordered_set<std::string> all(names.begin(), names.end());
  std::erase_if(names, [&](const std::string& name) {
    const auto belongs = [&](std::string_view ending) {
      return name.ends_with(ending) && all.contains(name.substr(0, name.size() - ending.size()));
    };
    return std::ranges::any_of(kCompanionEndings, belongs) || std::ranges::any_of(kBlocks, belongs);
  });
}

}  // namespace fonds::index
