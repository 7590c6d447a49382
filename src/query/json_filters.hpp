// Several filters on one JSON text, each answered for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/query.hpp>

#include "query/path_tracker.hpp"

namespace fonds::query {

// Follows all filters through a text at once. Each is true as soon as one of its values is found.
// Made once, used for many texts; one thread at a time.
class JsonFilters {
 public:
  // Copies what it needs. Of each path the first `prefix` steps lead to the text and are left out:
  // of `body.a.b` one, and `body` itself is then the whole value. Values of the key `time`, but for
  // those in arrays, are compared as times.
  JsonFilters(const std::vector<const Filter*>& filters, const ParseOptions& options,
              std::size_t prefix = 0, const std::optional<Path>& time = {});
  JsonFilters(JsonFilters&&) = default;  // what is copied would follow the paths of the original
  JsonFilters& operator=(JsonFilters&&) = default;

  // Asks all filters of a JSON text of any kind. False if it is none: then no filter matched.
  bool ask(std::string_view json);
  // Whether the filter, by its place in the list, found a value.
  bool matched(std::size_t filter) const { return found_[filter]; }

  // The different paths of the filters, and last that of times, for those who do not ask all of
  // them of every text.
  const std::vector<Path>& paths() const { return paths_; }
  // Nothing is found yet.
  void start() { found_.assign(filters_.size(), false); }
  // Asks the filters of some paths (places in paths()). With `ask_root` the text's own value is one
  // that they may find. Returns where the JSON is damaged, or
  // nested more than 100 000 deep, which nobody reads.
  std::optional<std::size_t> search(std::span<const std::uint32_t> asked, std::string_view json,
                                    bool ask_root);

 private:
  template <typename Matches>
  void find(Matches matches);
  void find_container();
  bool is_time_here(std::string_view open) const;

  std::vector<ValueMatch> filters_;
  std::vector<Path> paths_;
  bool has_time_ = false;  // the last path, which no filter has
  std::vector<std::vector<std::uint32_t>> filters_of_path_;
  std::vector<std::uint32_t> all_paths_;
  PathTracker tracker_;
  std::vector<bool> found_;
  std::string scratch_;
};

}  // namespace fonds::query
