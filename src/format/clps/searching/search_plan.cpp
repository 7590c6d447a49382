#include "format/clps/searching/search_plan.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace fonds::clps {
namespace {

// How dear looking at a column is, roughly; what takes a dictionary is dearer.
int cost_of(const ColumnTest& test) {
  switch (test.type) {
    case NodeType::VarString:
      return 2;
    case NodeType::ClpString:
    case NodeType::DictionaryFloat:
    case NodeType::DateString:
      return 3;
    case NodeType::UnstructuredArray:
      return 4;
    default:
      return 1;
  }
}

std::tuple<int, std::size_t> cost_of(const Condition& condition) {
  std::tuple<int, std::size_t> cost{0, 0};
  if (condition.kind == Condition::Kind::LogRange) {
    return {1, condition.log_column};
  }
  for (const ColumnTest& test : condition.columns) {
    cost = std::max(cost, {cost_of(test), test.column});
  }
  for (const Condition& child : condition.children) {
    cost = std::max(cost, cost_of(child));
  }
  return cost;
}

// `neutral`: the constant that changes nothing.
Condition combine(Condition::Kind kind, std::vector<Condition> children, bool neutral) {
  Condition all;
  all.kind = kind;
  for (Condition& child : children) {
    if (child.is(!neutral)) {
      return Condition::constant(!neutral);
    }
    if (child.kind == kind) {
      std::move(child.children.begin(), child.children.end(), std::back_inserter(all.children));
    } else if (!child.is(neutral)) {
      all.children.push_back(std::move(child));
    }
  }
  if (all.children.empty()) {
    return Condition::constant(neutral);
  }
  if (all.children.size() == 1) {
    Condition only = std::move(all.children.front());
    return only;
  }
  std::stable_sort(all.children.begin(), all.children.end(),
                   [](const Condition& a, const Condition& b) { return cost_of(a) < cost_of(b); });
  return all;
}

bool is_text(const ColumnTest& test) {
  return test.type == NodeType::VarString || test.type == NodeType::ClpString;
}

}  // namespace

bool is_cheaper(const ColumnTest& a, const ColumnTest& b) {
  return std::pair(cost_of(a), a.column) < std::pair(cost_of(b), b.column);
}

Condition all_of(std::vector<Condition> children) {
  return combine(Condition::Kind::And, std::move(children), true);
}

Condition any_of(std::vector<Condition> children) {
  return combine(Condition::Kind::Or, std::move(children), false);
}

Condition negation_of(Condition child) {
  switch (child.kind) {
    case Condition::Kind::False:
      return Condition::constant(true);
    case Condition::Kind::True:
      return Condition::constant(false);
    case Condition::Kind::Not: {
      Condition inner = std::move(child.children.front());
      return inner;
    }
    default:
      break;
  }
  Condition negation;
  negation.kind = Condition::Kind::Not;
  negation.children.push_back(std::move(child));
  return negation;
}

bool wants_texts_first(const Condition& condition) {
  const auto wants = [](const Condition& child) { return wants_texts_first(child); };
  switch (condition.kind) {
    case Condition::Kind::Columns:
      return std::any_of(condition.columns.begin(), condition.columns.end(), is_text);
    case Condition::Kind::And:
      return std::all_of(condition.children.begin(), condition.children.end(), wants);
    case Condition::Kind::Or:
    case Condition::Kind::Not:
      return std::any_of(condition.children.begin(), condition.children.end(), wants);
    default:
      return false;
  }
}

std::size_t first_columns(const Condition& condition) {
  if (condition.kind == Condition::Kind::And) {
    return first_columns(condition.children.front());
  }
  std::size_t last = condition.kind == Condition::Kind::LogRange ? condition.log_column : 0;
  for (const ColumnTest& test : condition.columns) {
    last = std::max(last, test.column);
  }
  for (const Condition& child : condition.children) {
    last = std::max(last, first_columns(child));
  }
  return last;
}

std::size_t last_column(const Condition& condition) {
  std::size_t last = condition.kind == Condition::Kind::LogRange ? condition.log_column : 0;
  for (const ColumnTest& test : condition.columns) {
    last = std::max(last, test.column);
  }
  for (const Condition& child : condition.children) {
    last = std::max(last, last_column(child));
  }
  return last;
}

Result<Condition> prune(Condition condition, const Archive& archive, const PruneOptions& options) {
  if (condition.kind == Condition::Kind::Columns) {
    const StringTest& strings = condition.filter->strings();
    bool no_variables = false;
    bool no_log_types = false;
    for (const ColumnTest& test : condition.columns) {
      if (test.type == NodeType::VarString && (options.decide || strings.decided_variables())) {
        FONDS_TRY(const VariableDecision* const decision, strings.variables(archive));
        no_variables = decision->count == 0 ||
                       (options.hints && !may_take_variable(archive, options.table, *decision));
      }
      if (test.type == NodeType::ClpString && (options.decide || strings.decided_log_types())) {
        FONDS_TRY(const LogTypeDecision* const decision, strings.log_types(archive));
        no_log_types = decision->none ||
                       (options.hints && !may_take_log_type(archive, options.table, *decision));
      }
    }
    std::erase_if(condition.columns, [&](const ColumnTest& test) {
      return (test.type == NodeType::VarString && no_variables) ||
             (test.type == NodeType::ClpString && no_log_types);
    });
    return condition.columns.empty() ? Condition::constant(false) : std::move(condition);
  }
  if (condition.children.empty()) {
    return condition;
  }
  std::vector<Condition> children;
  for (Condition& child : condition.children) {
    FONDS_TRY(Condition pruned, prune(std::move(child), archive, options));
    children.push_back(std::move(pruned));
  }
  switch (condition.kind) {
    case Condition::Kind::And:
      return all_of(std::move(children));
    case Condition::Kind::Or:
      return any_of(std::move(children));
    default:
      return negation_of(std::move(children.front()));
  }
}

}  // namespace fonds::clps
