#include "query/json_filters.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fonds/query.hpp>

#include "query/json_scanner.hpp"
#include "query/json_time.hpp"
#include "query/value_match.hpp"

namespace fonds::query {
namespace {

// The same for paths that are the same, and for no others.
std::string identity_of(const Path& path) {
  std::string identity = {static_cast<char>(path.space), path.marked ? '!' : ' '};
  for (const PathStep& step : path.steps) {
    identity += step.wildcard ? "*" : std::to_string(step.key.size()) + ":" + step.key;
  }
  return identity;
}

// Each level of a text takes memory for each path that leads into it.
constexpr std::size_t kDeepest = 100'000;

Path without_prefix(Path path, std::size_t prefix) {
  const std::size_t left_out = std::min(prefix, path.steps.size());
  path.steps.erase(path.steps.begin(), path.steps.begin() + static_cast<std::ptrdiff_t>(left_out));
  return path;
}

}  // namespace

// Lists ask many values of one path, which is followed once.
JsonFilters::JsonFilters(const std::vector<const Filter*>& filters, const ParseOptions& options,
                         std::size_t prefix, const std::optional<Path>& time) {
  std::unordered_map<std::string, std::size_t> known;
  for (const Filter* const filter : filters) {
    Path path = without_prefix(filter->path, prefix);
    const auto [place, is_new] = known.try_emplace(identity_of(path), paths_.size());
    if (is_new) {
      paths_.push_back(std::move(path));
      filters_of_path_.emplace_back();
    }
    filters_of_path_[place->second].push_back(static_cast<std::uint32_t>(filters_.size()));
    filters_.emplace_back(*filter, options);
  }
  if (time) {
    has_time_ = true;
    paths_.push_back(*time);
    filters_of_path_.emplace_back();
  }
  all_paths_.resize(paths_.size());
  std::iota(all_paths_.begin(), all_paths_.end(), 0U);
  std::vector<const Path*> followed;
  for (const Path& path : paths_) {
    followed.push_back(&path);
  }
  tracker_ = PathTracker(std::move(followed));
  start();
}

// Asks all filters whose path ends here, and that were not satisfied before.
template <typename Matches>
void JsonFilters::find(Matches matches) {
  tracker_.for_each_end([&](std::uint32_t path) {
    for (const std::uint32_t filter : filters_of_path_[path]) {
      found_[filter] = found_[filter] || matches(filters_[filter]);
    }
  });
}

void JsonFilters::find_container() {
  find([](const ValueMatch& match) { return match.exists(); });
}

bool JsonFilters::is_time_here(std::string_view open) const {
  bool ends = false;
  if (has_time_) {
    tracker_.for_each_end([&](std::uint32_t path) { ends = ends || path + 1 == paths_.size(); });
  }
  return ends && open.find('[') == std::string_view::npos;
}

std::optional<std::size_t> JsonFilters::search(std::span<const std::uint32_t> asked,
                                               std::string_view json, bool ask_root) {
  JsonScanner scanner(json);
  tracker_.start(asked);
  std::string open;
  while (true) {
    const JsonToken token = scanner.next();
    if (token == JsonToken::Damaged) {
      return scanner.at();
    }
    if (token == JsonToken::End) {
      return std::nullopt;
    }
    if (token == JsonToken::Key) {
      tracker_.enter(tracker_.nowhere() ? std::string_view()
                                        : unquoted_json(scanner.spelled(), scratch_));
      continue;
    }
    if (opens(token)) {
      if (ask_root || !open.empty()) {
        find_container();
      }
      if (open.size() == kDeepest) {
        return scanner.at();
      }
      open += token == JsonToken::BeginObject ? '{' : '[';
      continue;
    }
    if (closes(token)) {
      open.pop_back();
    } else {
      const std::string_view spelled = scanner.spelled();
      const auto ns = is_time_here(open) ? instant_of_json(token, spelled, scratch_) : std::nullopt;
      find([&](const ValueMatch& match) {
        return ns ? match.instant(*ns, spelled) : matches_scalar(match, token, spelled, scratch_);
      });
    }
    // A value has ended; elements of arrays were not entered.
    if (open.ends_with('{')) {
      tracker_.leave();
    }
  }
}

bool JsonFilters::ask(std::string_view json) {
  start();
  if (search(all_paths_, json, true)) {
    start();
    return false;
  }
  return true;
}

}  // namespace fonds::query
