#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/json_scanner.hpp"
#include "query/path_tracker.hpp"
#include "query/value_match.hpp"

namespace fonds::query {
namespace {

void collect(const Node& node, std::vector<const Filter*>& out) {
  if (node.kind == Node::Kind::Filter) {
    out.push_back(&node.filter);
  }
  for (const Node& child : node.children) {
    collect(child, out);
  }
}

// The same for paths that are the same, and for no others.
std::string identity_of(const Path& path) {
  std::string identity(1, static_cast<char>(path.space));
  for (const PathStep& step : path.steps) {
    identity += step.wildcard ? "*" : std::to_string(step.key.size()) + ":" + step.key;
  }
  return identity;
}

// The filters of each path. Lists ask many values of one path, which is followed once.
struct PathFilters {
  std::vector<const Path*> paths;
  std::vector<std::vector<std::uint32_t>> filters;

  explicit PathFilters(const std::vector<const Filter*>& all) {
    std::unordered_map<std::string, std::size_t> known;
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      const Path& path = all[i]->path;
      const auto [place, is_new] = known.try_emplace(identity_of(path), paths.size());
      if (is_new) {
        paths.push_back(&path);
        filters.emplace_back();
      }
      filters[place->second].push_back(i);
    }
  }
};

// Whether a filter looks at this tree of keys. An unmarked lone `*` covers what people see and what
// libraries added.
bool covers(const Path& path, Namespace space) {
  return path.space == space || (space == Namespace::Generated && path.any() && !path.marked);
}

bool opens(JsonToken token) {
  return token == JsonToken::BeginObject || token == JsonToken::BeginArray;
}
bool closes(JsonToken token) {
  return token == JsonToken::EndObject || token == JsonToken::EndArray;
}

tl::unexpected<Error> no_object(std::string_view name, std::size_t at) {
  return fail(ErrorCode::Corrupt, "the " + std::string(name) + " is no JSON object",
              {.decoded_offset = at});
}

}  // namespace

// All filters are followed through the text at once; each is true as soon as one of its values is
// found. Then the tree is asked.
struct RecordMatch::State {
  explicit State(const Query& query)
      : root(query.root), filters(filters_of(root)), by_path(filters), tracker(by_path.paths) {
    for (const Filter* filter : filters) {
      matchers.emplace_back(*filter, query.options);
    }
    for (const Namespace space : {Namespace::User, Namespace::Generated, Namespace::Archive}) {
      for (std::uint32_t path = 0; path < by_path.paths.size(); ++path) {
        if (covers(*by_path.paths[path], space)) {
          of_space[static_cast<std::size_t>(space)].push_back(path);
        }
      }
    }
  }

  static std::vector<const Filter*> filters_of(const Node& node) {
    std::vector<const Filter*> filters;
    collect(node, filters);
    return filters;
  }

  Status search(Namespace space, std::string_view name, std::string_view json) {
    const std::vector<std::uint32_t>& asked = of_space[static_cast<std::size_t>(space)];
    JsonScanner scanner(json);
    if (const JsonToken first = scanner.next(); first != JsonToken::BeginObject) {
      return no_object(name, first == JsonToken::Damaged ? scanner.at() : 0);
    }
    tracker.start(asked);
    if (space == Namespace::User) {
      found_container();  // what `*` alone finds in every record
    }
    std::string open = "{";
    while (true) {
      const JsonToken token = scanner.next();
      if (token == JsonToken::Damaged) {
        return no_object(name, scanner.at());
      }
      if (token == JsonToken::End) {
        return {};
      }
      if (token == JsonToken::Key) {
        tracker.enter(tracker.nowhere() ? std::string_view()
                                        : unquoted_json(scanner.spelled(), scratch));
        continue;
      }
      if (opens(token)) {
        found_container();
        open += token == JsonToken::BeginObject ? '{' : '[';
        continue;
      }
      if (closes(token)) {
        open.pop_back();
      } else {
        found_scalar(token, scanner.spelled());
      }
      // A value has ended; elements of arrays were not entered.
      if (open.ends_with('{')) {
        tracker.leave();
      }
    }
  }

  // Asks all filters whose path ends here, and that were not satisfied before.
  template <typename Matches>
  void ask(Matches matches) {
    tracker.for_each_end([&](std::uint32_t path) {
      for (const std::uint32_t filter : by_path.filters[path]) {
        found[filter] = found[filter] || matches(matchers[filter]);
      }
    });
  }

  void found_container() {
    ask([](const ValueMatch& match) { return match.exists(); });
  }

  void found_scalar(JsonToken token, std::string_view spelled) {
    ask([&](const ValueMatch& match) { return matches_scalar(match, token, spelled, scratch); });
  }

  // `next` is the number of the first filter of the node, and becomes that of the one behind it.
  bool holds(const Node& node, std::size_t& next) const {
    if (node.kind == Node::Kind::Filter) {
      return found[next++];
    }
    bool all = true;
    bool some = false;
    for (const Node& child : node.children) {
      const bool child_holds = holds(child, next);
      all = all && child_holds;
      some = some || child_holds;
    }
    return node.kind == Node::Kind::Not ? !some : node.kind == Node::Kind::And ? all : some;
  }

  Node root;
  std::vector<const Filter*> filters;  // of `root`, in order
  std::vector<ValueMatch> matchers;    // of these
  PathFilters by_path;
  std::vector<std::uint32_t> of_space[3];  // paths
  PathTracker tracker;
  std::vector<bool> found;
  std::string scratch;
};

RecordMatch::RecordMatch(const Query& query) : state_(std::make_unique<State>(query)) {}
RecordMatch::~RecordMatch() = default;
RecordMatch::RecordMatch(RecordMatch&&) noexcept = default;
RecordMatch& RecordMatch::operator=(RecordMatch&&) noexcept = default;

Result<bool> RecordMatch::matches(std::string_view record, std::string_view generated,
                                  std::string_view archive) {
  State& state = *state_;
  state.found.assign(state.filters.size(), false);
  FONDS_CHECK(state.search(Namespace::User, "record", record));
  if (!generated.empty()) {
    FONDS_CHECK(state.search(Namespace::Generated, "text of generated keys", generated));
  }
  if (!archive.empty()) {
    FONDS_CHECK(state.search(Namespace::Archive, "text of archive properties", archive));
  }
  std::size_t next = 0;
  return state.holds(state.root, next);
}

Result<bool> matches_json(const Query& query, std::string_view record, std::string_view generated,
                          std::string_view archive) {
  return RecordMatch(query).matches(record, generated, archive);
}

}  // namespace fonds::query
