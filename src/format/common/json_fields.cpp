#include "format/common/json_fields.hpp"

#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "query/json_scanner.hpp"
#include "query/path_text.hpp"

namespace fonds {
namespace {

using query::JsonToken;

constexpr std::size_t kLongestPath = std::size_t{64} << 10;
constexpr std::uint64_t kOverhead = 256;  // of a node, beside its key

std::string_view type_of(JsonToken token, std::string_view spelled) {
  switch (token) {
    case JsonToken::BeginObject:
      return "object";
    case JsonToken::BeginArray:
      return "array";
    case JsonToken::String:
      return "string";
    case JsonToken::Number:
      return spelled.find_first_of(".eE") == std::string_view::npos ? "integer" : "float";
    case JsonToken::Null:
      return "null";
    default:
      return "boolean";
  }
}

}  // namespace

Result<std::size_t> JsonFieldCounts::node(std::size_t parent, std::string_view key,
                                          std::string_view type) {
  identity_ = fmt::format("{} {} ", parent, type);
  identity_ += key;
  const auto [place, fresh] = known_.try_emplace(identity_, nodes_.size());
  if (fresh) {
    held_ += kOverhead + 2 * key.size();
    if (held_ > memory_) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("{} different keys do not fit into the memory limit", nodes_.size()));
    }
    nodes_.push_back({.parent = parent,
                      .key = std::string(key),
                      .type = type,
                      .depth = parent == 0 ? 0 : nodes_[parent].depth + 1,
                      .length = nodes_[parent].length + key.size() + 1});
  }
  return place->second;
}

Status JsonFieldCounts::add(std::string_view json) {
  query::JsonScanner scanner(json);
  std::vector<std::size_t> around = {0};  // the objects that are open
  std::string scratch;
  std::string key;
  std::size_t arrays = 0;  // and objects in them
  ++event_;
  if (scanner.next() != JsonToken::BeginObject) {
    return {};
  }
  while (!around.empty()) {
    const JsonToken token = scanner.next();
    if (token == JsonToken::Damaged || token == JsonToken::End) {
      return {};
    }
    if (arrays > 0) {
      arrays += opens(token) ? 1 : 0;
      arrays -= closes(token) ? 1 : 0;
      continue;
    }
    if (token == JsonToken::Key) {
      key = query::unquoted_json(scanner.spelled(), scratch);
      continue;
    }
    if (token == JsonToken::EndObject) {
      around.pop_back();
      continue;
    }
    FONDS_TRY(const std::size_t id, node(around.back(), key, type_of(token, scanner.spelled())));
    if (nodes_[id].last_event != event_) {
      nodes_[id].last_event = event_;
      ++nodes_[id].events;
    }
    if (token == JsonToken::BeginObject) {
      around.push_back(id);
    }
    arrays = token == JsonToken::BeginArray ? 1 : 0;
  }
  return {};
}

std::string JsonFieldCounts::path_of(std::size_t node) const {
  std::vector<std::string_view> keys;
  if (nodes_[node].length > kLongestPath) {
    return {};
  }
  for (; node != 0; node = nodes_[node].parent) {
    keys.push_back(nodes_[node].key);
  }
  std::reverse(keys.begin(), keys.end());
  return query::path_text("", keys);
}

Status JsonFieldCounts::give(const std::function<Status(const EventField&)>& out) const {
  std::vector<std::vector<std::size_t>> children(nodes_.size());
  for (std::size_t id = 1; id < nodes_.size(); ++id) {
    children[nodes_[id].parent].push_back(id);
  }
  std::vector<std::size_t> waiting(children[0].rbegin(), children[0].rend());
  while (!waiting.empty()) {
    const std::size_t id = waiting.back();
    waiting.pop_back();
    const Node& node = nodes_[id];
    const std::string path = path_of(id);
    FONDS_CHECK(out({.path = path,
                     .key = node.key,
                     .type = node.type,
                     .depth = node.depth,
                     .leaf = node.type != "object",
                     .events = node.events}));
    waiting.insert(waiting.end(), children[id].rbegin(), children[id].rend());
  }
  return {};
}

}  // namespace fonds
