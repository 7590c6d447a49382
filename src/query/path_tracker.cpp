#include "query/path_tracker.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <fonds/query.hpp>

namespace fonds::query {

void PathTracker::start(std::span<const std::uint32_t> paths) {
  progress_.clear();
  levels_.clear();
  for (const std::uint32_t path : paths) {
    add(0, path, 0);
  }
  levels_.push_back({0, progress_.size()});
}

// A wildcard may stand for no key, so who comes to one is behind it as well. Progress of one path
// is added in about the order of its steps: what is there already is among the last three.
void PathTracker::add(std::size_t level_begin, std::uint32_t path, std::uint32_t step) {
  const std::size_t recent = std::min<std::size_t>(progress_.size() - level_begin, 3);
  const bool known = std::any_of(
      progress_.end() - static_cast<std::ptrdiff_t>(recent), progress_.end(),
      [&](const PathProgress& progress) { return progress.path == path && progress.step == step; });
  if (!known) {
    progress_.push_back({path, step});
  }
  const auto& steps = paths_[path]->steps;
  if (step < steps.size() && steps[step].wildcard) {
    add(level_begin, path, step + 1);
  }
}

void PathTracker::enter(std::string_view key) {
  const Level from = levels_.back();
  const std::size_t begin = progress_.size();
  for (std::size_t i = from.begin; i < from.end; ++i) {
    const PathProgress progress = progress_[i];
    const auto& steps = paths_[progress.path]->steps;
    if (progress.step == steps.size()) {
      continue;
    }
    if (steps[progress.step].wildcard) {
      add(begin, progress.path, progress.step);
    } else if (steps[progress.step].key == key) {
      add(begin, progress.path, progress.step + 1);
    }
  }
  levels_.push_back({begin, progress_.size()});
}

void PathTracker::leave() {
  levels_.pop_back();
  progress_.resize(levels_.empty() ? 0 : levels_.back().end);
}

}  // namespace fonds::query
