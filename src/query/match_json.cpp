#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "query/json_filters.hpp"
#include "query/json_scanner.hpp"

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

// Whether a filter looks at this tree of keys. An unmarked lone `*` covers what people see and what
// libraries added.
bool covers(const Path& path, Namespace space) {
  return path.space == space || (space == Namespace::Generated && path.any() && !path.marked);
}

tl::unexpected<Error> no_object(std::string_view name, std::size_t at) {
  return fail(ErrorCode::Corrupt, "the " + std::string(name) + " is no JSON object",
              {.decoded_offset = at});
}

}  // namespace

// The filters are answered first, then the tree is asked.
struct RecordMatch::State {
  State(const Query& query, const std::optional<Path>& time)
      : root(query.root), filters(filters_of(root), query.options, 0, time) {
    for (const Namespace space : {Namespace::User, Namespace::Generated, Namespace::Archive}) {
      for (std::uint32_t path = 0; path < filters.paths().size(); ++path) {
        if (covers(filters.paths()[path], space)) {
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
    JsonScanner scanner(json);
    if (const JsonToken first = scanner.next(); first != JsonToken::BeginObject) {
      return no_object(name, first == JsonToken::Damaged ? scanner.at() : 0);
    }
    // `*` alone finds a record that is empty, but no empty tree of other keys.
    const auto damage =
        filters.search(of_space[static_cast<std::size_t>(space)], json, space == Namespace::User);
    return damage ? Status(no_object(name, *damage)) : Status();
  }

  // `next` is the number of the first filter of the node, and becomes that of the one behind it.
  bool holds(const Node& node, std::size_t& next) const {
    if (node.kind == Node::Kind::Filter) {
      return filters.matched(next++);
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
  JsonFilters filters;                     // of `root`, in order
  std::vector<std::uint32_t> of_space[3];  // paths
};

RecordMatch::RecordMatch(const Query& query, const std::optional<Path>& time)
    : state_(std::make_unique<State>(query, time)) {}
RecordMatch::~RecordMatch() = default;
RecordMatch::RecordMatch(RecordMatch&&) noexcept = default;
RecordMatch& RecordMatch::operator=(RecordMatch&&) noexcept = default;

Result<bool> RecordMatch::matches(std::string_view record, std::string_view generated,
                                  std::string_view archive) {
  State& state = *state_;
  state.filters.start();
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
