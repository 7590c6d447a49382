#include "query/record_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fonds/date.hpp>

#include "base/date_span.hpp"
#include "query/json_filters.hpp"
#include "query/text_stream.hpp"
#include "query/tree.hpp"

namespace fonds::query {
namespace {

// Of whole numbers those of 10, 13, 16 and 19 digits count from 1970.
bool is_instant(const Literal& literal) {
  const std::size_t digits = literal.typed.size();
  const bool since_1970 = digits == 10 || digits == 13 || digits == 16 || digits >= 18;
  return literal.instant || (literal.number && since_1970);
}

// What a literal means against a date: a span if it is a date as people write them. Of other whole
// numbers only those with the digits of a date.
std::optional<DateSpan> span_of_literal(const Literal& literal) {
  if (is_instant(literal)) {
    return std::nullopt;
  }
  const auto date = parse_user_date(literal.typed);
  return date ? std::optional(span_of(*date)) : std::nullopt;
}

bool stands(Comparison comparison, const DateSpan& literal, const FieldValue& value) {
  switch (comparison) {
    case Comparison::Equal:
      return literal.begin <= value.begin && value.end <= literal.end;
    case Comparison::Less:
      return value.begin < literal.begin;
    case Comparison::LessEqual:
      return value.begin < literal.end;
    case Comparison::Greater:
      return value.begin >= literal.end;
    case Comparison::GreaterEqual:
      return value.begin >= literal.begin;
  }
  return false;
}

// One value that a filter asks for.
struct Wanted {
  Wanted(const Filter& filter, const ParseOptions& options)
      : match(filter, options),
        comparison(filter.comparison),
        span(span_of_literal(filter.literal)),
        instant(is_instant(filter.literal)) {}

  bool matches(const FieldValue& value) const {
    switch (value.kind) {
      case FieldValue::Kind::Object:
        return match.exists();
      case FieldValue::Kind::Number:
        return match.number(value.text);
      case FieldValue::Kind::Text:
        return match.text(value.text) || (comparison != Comparison::Equal && in_range(value.text));
      case FieldValue::Kind::Time:
        return at_time(value) || match.text(value.text);
    }
    return false;
  }

  // Numbers that are neither dates nor instants compare with nothing.
  bool at_time(const FieldValue& value) const {
    return span ? stands(comparison, *span, value)
                : (instant || match.exists()) && match.instant(value.begin, {});
  }

  // Header fields are texts; one that spells a number lies where the number does.
  bool in_range(std::string_view text) const {
    return match.may_match_number() && !text.empty() &&
           text.find_first_not_of("+-.0123456789eE") == std::string_view::npos &&
           Number::parse(text) && match.number(text);
  }

  ValueMatch match;
  Comparison comparison;
  std::optional<DateSpan> span;
  bool instant;
};

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

bool is_content(const Path& path) {
  const PathStep& first = path.steps.front();
  return !first.wildcard && (first.key == "payload" || first.key == "body");
}

// Whether the node is a list of values, `key: (a b c)`, of a field that is no content.
bool is_list(const Node& node) {
  if (node.kind != Node::Kind::Or) {
    return false;
  }
  const Filter& first = node.children.front().filter;
  return std::all_of(node.children.begin(), node.children.end(), [&](const Node& child) {
    return child.kind == Node::Kind::Filter && same_path(child.filter.path, first.path) &&
           !is_content(child.filter.path);
  });
}

}  // namespace

// A filter, or a list of values of one field: any of them will do.
struct RecordPlan::Leaf {
  void add(const Filter& filter_asked, const ParseOptions& options) {
    filter = filter_asked;
    Wanted one(filter, options);
    exists = exists || one.match.exists();
    const auto exact = one.match.exact_text();
    if (exact && filter.comparison == Comparison::Equal) {
      texts.emplace(*exact);
    } else {
      no_texts.push_back(wanted.size());
    }
    wanted.push_back(std::move(one));
  }

  bool matches(const FieldValue& value) const {
    if (value.kind == FieldValue::Kind::Text) {
      return texts.contains(value.text) ||
             std::any_of(no_texts.begin(), no_texts.end(),
                         [&](std::size_t i) { return wanted[i].matches(value); });
    }
    return std::any_of(wanted.begin(), wanted.end(),
                       [&](const Wanted& one) { return one.matches(value); });
  }

  Filter filter;  // the last of them
  std::vector<Wanted> wanted;
  std::unordered_set<std::string, TextHash, std::equal_to<>> texts;  // that alone would match
  std::vector<std::size_t> no_texts;                                 // the others
  bool exists = false;
  FieldStage stage = FieldStage::Header;
  bool everywhere = false;  // `*`: every record
  bool found = false;
  bool failed = false;  // the rest of the content cannot change that it was not found
};

RecordPlan::RecordPlan(const Query& query) : options_(query.options) { add(query.root); }
RecordPlan::~RecordPlan() = default;

void RecordPlan::add(const Node& node) {
  const std::size_t at = steps_.size();
  if (node.kind == Node::Kind::Filter || is_list(node)) {
    const Path& path =
        node.kind == Node::Kind::Filter ? node.filter.path : node.children.front().filter.path;
    const auto number = static_cast<std::uint32_t>(leaves_.size());
    Leaf& leaf = leaves_.emplace_back();
    if (node.kind == Node::Kind::Filter) {
      leaf.add(node.filter, options_);
    }
    for (const Node& child : node.children) {
      leaf.add(child.filter, options_);
    }
    leaf.everywhere = path.any() && path.space == Namespace::User && !path.marked && leaf.exists;
    of_path_[path_number(path)].push_back(number);
    steps_.push_back({.kind = Node::Kind::Filter, .leaf = number});
  } else {
    steps_.push_back({.kind = node.kind});
    for (const Node& child : node.children) {
      add(child);
    }
  }
  steps_[at].end = static_cast<std::uint32_t>(steps_.size());
}

std::uint32_t RecordPlan::path_number(const Path& path) {
  // Alternatives often ask one path, one after the other.
  if (!paths_.empty() && same_path(paths_.back(), path)) {
    return static_cast<std::uint32_t>(paths_.size() - 1);
  }
  paths_.push_back(path);
  of_path_.emplace_back();
  told_.push_back(false);
  return static_cast<std::uint32_t>(paths_.size() - 1);
}

void RecordPlan::learn_stages(const FieldReader& reader) {
  bool content = false;
  for (std::size_t path = 0; path < paths_.size(); ++path) {
    const FieldStage stage = reader.stage(path);
    content = content || stage == FieldStage::Content;
    for (const std::uint32_t leaf : of_path_[path]) {
      leaves_[leaf].stage = stage;
      // Every record has content, if only an empty one.
      leaves_[leaf].everywhere =
          leaves_[leaf].everywhere ||
          (stage == FieldStage::Content && leaves_[leaf].exists && paths_[path].steps.size() == 1 &&
           paths_[path].steps.front().key == "payload");
    }
  }
  if (content) {
    make_content();
  }
}

void RecordPlan::begin() {
  for (Leaf& leaf : leaves_) {
    leaf.found = leaf.everywhere;
    leaf.failed = false;
  }
}

void RecordPlan::value(std::size_t wanted, std::string_view /*name*/, const FieldValue& value) {
  told_[wanted] = true;
  for (const std::uint32_t number : of_path_[wanted]) {
    Leaf& leaf = leaves_[number];
    leaf.found = leaf.found || leaf.matches(value);
  }
}

Truth RecordPlan::evaluate(std::uint32_t number, FieldStage stage) const {
  const Step& step = steps_[number];
  if (step.kind == Node::Kind::Filter) {
    const Leaf& leaf = leaves_[step.leaf];
    if (leaf.found) {
      return Truth::True;
    }
    return leaf.failed || leaf.stage <= stage ? Truth::False : Truth::Unknown;
  }
  if (step.kind == Node::Kind::Not) {
    const Truth inner = evaluate(number + 1, stage);
    return inner == Truth::Unknown ? inner : inner == Truth::True ? Truth::False : Truth::True;
  }
  const Truth decisive = step.kind == Node::Kind::And ? Truth::False : Truth::True;
  Truth all = step.kind == Node::Kind::And ? Truth::True : Truth::False;
  for (std::uint32_t child = number + 1; child < step.end; child = steps_[child].end) {
    const Truth truth = evaluate(child, stage);
    if (truth == decisive) {
      return truth;
    }
    if (truth == Truth::Unknown) {
      all = Truth::Unknown;
    }
  }
  return all;
}

// What is asked of the content: texts as it comes, JSON once it is whole.
struct RecordPlan::Content {
  Content(const std::vector<const Filter*>& texts, std::vector<std::uint32_t> of_texts,
          const std::vector<const Filter*>& values, std::vector<std::uint32_t> of_values,
          const ParseOptions& options)
      : text(texts, options),
        json(values, options, 1),
        text_leaves(std::move(of_texts)),
        json_leaves(std::move(of_values)) {}

  TextStream text;
  JsonFilters json;
  std::vector<std::uint32_t> text_leaves, json_leaves;
  bool reads_text = false, holds = false, begun = false, too_long = false;
  std::uint64_t memory = 0;
  std::string held;
};

void RecordPlan::make_content() {
  std::vector<const Filter*> texts;
  std::vector<const Filter*> values;
  std::vector<std::uint32_t> text_leaves;
  std::vector<std::uint32_t> json_leaves;
  for (std::uint32_t i = 0; i < leaves_.size(); ++i) {
    const Path& path = leaves_[i].filter.path;
    if (leaves_[i].stage != FieldStage::Content) {
      continue;
    }
    if (path.steps.front().key == "body") {
      values.push_back(&leaves_[i].filter);
      json_leaves.push_back(i);
    } else if (path.steps.size() == 1) {
      texts.push_back(&leaves_[i].filter);
      text_leaves.push_back(i);
    }
  }
  content_ = std::make_unique<Content>(texts, std::move(text_leaves), values,
                                       std::move(json_leaves), options_);
}

void RecordPlan::begin_content(std::uint64_t memory) {
  Content& content = *content_;
  content.text.start();
  content.reads_text = !content.text_leaves.empty();
  content.holds = !content.json_leaves.empty();
  content.begun = content.too_long = false;
  content.memory = memory;
  content.held.clear();
}

bool RecordPlan::take_content(ByteView piece) {
  Content& content = *content_;
  if (content.reads_text) {
    content.reads_text = content.text.feed(as_text(piece));
    learn_texts();
  }
  if (content.holds) {
    hold(as_text(piece));
  }
  return (content.reads_text || content.holds) && after(FieldStage::Http) == Truth::Unknown;
}

void RecordPlan::end_content() {
  Content& content = *content_;
  if (content.reads_text) {
    content.text.finish();
    learn_texts();
  }
  if (content.holds && content.begun) {
    content.json.ask(content.held);
    for (std::size_t i = 0; i < content.json_leaves.size(); ++i) {
      leaves_[content.json_leaves[i]].found |= content.json.matched(i);
    }
  }
}

void RecordPlan::learn_texts() {
  const Content& content = *content_;
  for (std::size_t i = 0; i < content.text_leaves.size(); ++i) {
    Leaf& leaf = leaves_[content.text_leaves[i]];
    leaf.found = leaf.found || content.text.state(i) == TextStream::State::Matched;
    leaf.failed = content.text.state(i) == TextStream::State::Failed;
  }
}

// Of a body that does not begin like JSON nothing is kept.
void RecordPlan::hold(std::string_view piece) {
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  Content& content = *content_;
  content.too_long = piece.size() > content.memory - content.held.size();
  if (!content.too_long) {
    content.held += piece;
    if (!content.begun) {
      const std::size_t blanks =
          std::string_view(content.held).starts_with(kMark) ? kMark.size() : 0;
      content.held.erase(
          0, std::min(content.held.find_first_not_of(" \t\r\n", blanks), content.held.size()));
      content.begun = !content.held.empty() && !kMark.starts_with(content.held);
      content.holds =
          !content.begun || std::string_view("{[\"-0123456789tfn").find(content.held.front()) !=
                                std::string_view::npos;
    }
  }
  if (content.too_long || !content.holds) {
    content.holds = false;
    content.held.clear();
    for (const std::uint32_t leaf : content.json_leaves) {
      leaves_[leaf].failed = true;
    }
  }
}

bool RecordPlan::too_long() const { return content_ != nullptr && content_->too_long; }

}  // namespace fonds::query
