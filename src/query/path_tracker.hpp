// Follows many paths at once through a tree of keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/query.hpp>

namespace fonds::query {

// How far one path has come: `step` of its steps lead here.
struct PathProgress {
  std::uint32_t path = 0;
  std::uint32_t step = 0;
};

class PathTracker {
 public:
  PathTracker() = default;  // of no paths
  // Views the paths, which outlive the tracker.
  explicit PathTracker(std::vector<const Path*> paths) : paths_(std::move(paths)) {}

  // To the root, with the paths that are asked for.
  void start(std::span<const std::uint32_t> paths);
  // Elements of arrays have no key: nothing is entered for them.
  void enter(std::string_view key);
  void leave();

  // Paths that end here, each once.
  template <typename Function>
  void for_each_end(Function function) const {
    for (const PathProgress& progress : here()) {
      if (progress.step == paths_[progress.path]->steps.size()) {
        function(progress.path);
      }
    }
  }
  // No path ends here or leads on from here.
  bool nowhere() const { return here().empty(); }

 private:
  struct Level {
    std::size_t begin;
    std::size_t end;
  };
  std::span<const PathProgress> here() const {
    return std::span(progress_).subspan(levels_.back().begin,
                                        levels_.back().end - levels_.back().begin);
  }
  void add(std::size_t level_begin, std::uint32_t path, std::uint32_t step);

  std::vector<const Path*> paths_;
  std::vector<PathProgress> progress_;  // by levels
  std::vector<Level> levels_;
};

}  // namespace fonds::query
