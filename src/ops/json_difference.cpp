#include "ops/json_difference.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/nearest_double.hpp"

namespace fonds::ops {
namespace {

using query::JsonToken;

constexpr std::size_t kShown = 60;

std::string shown(std::string_view text) {
  return text.size() <= kShown ? std::string(text) : fmt::format("{}…", text.substr(0, kShown));
}

std::string_view name_of(JsonToken kind) {
  switch (kind) {
    case JsonToken::BeginObject:
      return "an object";
    case JsonToken::BeginArray:
      return "an array";
    case JsonToken::String:
      return "a string";
    case JsonToken::Number:
      return "a number";
    case JsonToken::True:
      return "true";
    case JsonToken::False:
      return "false";
    default:
      return "null";
  }
}

}  // namespace

// Makes a tree of the tokens of a text.
class JsonDifference::TreeMaker {
 public:
  explicit TreeMaker(Tree& tree) : tree_(tree) {
    tree_.nodes.clear();
    tree_.children.clear();
    tree_.unescaped.clear();
    tree_.unescaped_bytes = 0;
  }

  void begin(bool object) { levels_.push_back({open_.size(), std::exchange(key_, {}), object}); }

  // The nodes that are open since begin() become the children of a new one.
  void end() {
    const Level level = levels_.back();
    levels_.pop_back();
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(level.first);
    if (level.object) {
      std::stable_sort(begin, open_.end(), [&](std::size_t x, std::size_t y) {
        return tree_.nodes[x].key < tree_.nodes[y].key;
      });
    }
    Node node;
    node.kind = level.object ? JsonToken::BeginObject : JsonToken::BeginArray;
    node.first = tree_.children.size();
    for (auto child = begin; child != open_.end(); ++child) {
      const bool replaced = level.object && child + 1 != open_.end() &&
                            tree_.nodes[*child].key == tree_.nodes[*(child + 1)].key;
      if (!replaced) {
        tree_.children.push_back(*child);
      }
    }
    node.count = tree_.children.size() - node.first;
    open_.erase(begin, open_.end());
    key_ = level.key;
    add(node);
  }

  void key(std::string_view spelled) { key_ = unquoted(spelled); }
  void string(std::string_view spelled) {
    add({.kind = JsonToken::String, .text = unquoted(spelled)});
  }
  void add(Node node) {
    node.key = std::exchange(key_, {});
    tree_.nodes.push_back(node);
    open_.push_back(tree_.nodes.size() - 1);
  }

 private:
  struct Level {
    std::size_t first;  // in open_
    std::string_view key;
    bool object;
  };

  std::string_view unquoted(std::string_view spelled) {
    const std::string_view plain = query::unquoted_json(spelled, scratch_);
    if (plain.data() != scratch_.data()) {
      return plain;
    }
    tree_.unescaped_bytes += sizeof(std::string) + plain.size();
    return tree_.unescaped.emplace_back(plain);
  }

  Tree& tree_;
  std::vector<Level> levels_;
  std::vector<std::size_t> open_;  // nodes whose container is not complete
  std::string scratch_;
  std::string_view key_;
};

Result<bool> JsonDifference::parse(std::string_view text, Tree& tree) const {
  TreeMaker maker(tree);
  query::JsonScanner scanner(text);
  while (true) {
    if (tree.held() > memory_ / 2) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("a record has more values than {} bytes hold; --memory raises the "
                              "limit",
                              memory_));
    }
    switch (const JsonToken token = scanner.next(); token) {
      case JsonToken::BeginObject:
      case JsonToken::BeginArray:
        maker.begin(token == JsonToken::BeginObject);
        break;
      case JsonToken::EndObject:
      case JsonToken::EndArray:
        maker.end();
        break;
      case JsonToken::Key:
        maker.key(scanner.spelled());
        break;
      case JsonToken::String:
        maker.string(scanner.spelled());
        break;
      case JsonToken::Number:
        maker.add({.kind = token, .text = scanner.spelled()});
        break;
      case JsonToken::True:
      case JsonToken::False:
      case JsonToken::Null:
        maker.add({.kind = token});
        break;
      case JsonToken::End:
        return true;
      case JsonToken::Damaged:
        return false;
    }
  }
}

bool JsonDifference::same_number(std::string_view a, std::string_view b) const {
  if (a == b) {
    return true;
  }
  if (!loose_) {
    return false;
  }
  const double x = nearest_double(a), y = nearest_double(b);
  return x == y || fmt::format("{:f}", x) == b || fmt::format("{:f}", y) == a;
}

std::optional<std::string> JsonDifference::differs(const Node& a, const Node& b) const {
  if (a.kind != b.kind) {
    return fmt::format("{} in the input, {} in the archive", name_of(a.kind), name_of(b.kind));
  }
  const bool same = a.kind == JsonToken::Number   ? same_number(a.text, b.text)
                    : a.kind == JsonToken::String ? a.text == b.text
                                                  : true;
  if (!same) {
    return fmt::format("{} in the input, {} in the archive", shown(a.text), shown(b.text));
  }
  if (a.kind == JsonToken::BeginArray && a.count != b.count) {
    return fmt::format("{} elements in the input, {} in the archive", a.count, b.count);
  }
  return std::nullopt;
}

// As the query language writes it, with the places in arrays.
std::string JsonDifference::path_of(const std::vector<Pair>& pairs, const Tree& tree) {
  std::string path;
  for (const Pair& pair : pairs) {
    const std::size_t at = pair.next - 1;
    if (pair.a->kind == JsonToken::BeginArray) {
      path += fmt::format("[{}]", at);
    } else if (at < pair.a->count) {
      path += path.empty() ? "" : ".";
      path += shown(tree.nodes[tree.children[pair.a->first + at]].key);
    }
  }
  return path;
}

Result<std::optional<std::string>> JsonDifference::find(std::string_view input,
                                                        std::string_view archived) {
  using Told = std::optional<std::string>;
  if (input == archived) {
    return Told();
  }
  FONDS_TRY(const bool has_input, parse(input, a_));
  FONDS_TRY(const bool has_archived, parse(archived, b_));
  if (!has_input || !has_archived) {
    return Told("no JSON");
  }
  std::vector<Pair> pairs;
  const Node* x = &a_.nodes.back();
  const Node* y = &b_.nodes.back();
  while (true) {
    if (const auto how = differs(*x, *y)) {
      const std::string path = path_of(pairs, a_);
      return Told(path.empty() ? *how : fmt::format("{}: {}", path, *how));
    }
    pairs.push_back({x, y});
    while (!pairs.empty() &&
           pairs.back().next == std::max(pairs.back().a->count, pairs.back().b->count)) {
      pairs.pop_back();
    }
    if (pairs.empty()) {
      return Told();
    }
    Pair& pair = pairs.back();
    const std::size_t at = pair.next++;
    const auto child = [at](const Tree& tree, const Node& node) {
      return at < node.count ? &tree.nodes[tree.children[node.first + at]] : nullptr;
    };
    x = child(a_, *pair.a);
    y = child(b_, *pair.b);
    const bool object = pair.a->kind == JsonToken::BeginObject;
    if (object && (x == nullptr || y == nullptr || x->key != y->key)) {
      // Keys are sorted: the smaller one is missing on the other side.
      const bool in_input = y == nullptr || (x != nullptr && x->key < y->key);
      pairs.pop_back();
      const std::string path = path_of(pairs, a_);
      return Told(fmt::format("{}{}the key {} is only {}", path, path.empty() ? "" : ": ",
                              shown(in_input ? x->key : y->key),
                              in_input ? "in the input" : "in the archive"));
    }
  }
}

}  // namespace fonds::ops
