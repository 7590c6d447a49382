#include "format/clps/searching/compat_term.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "base/calendar.hpp"

namespace fonds::clps::compat {
namespace {

using query::Comparison;

// As a processor of the x86 family casts.
std::int64_t cast_to_integer(double value) {
  constexpr double kBeyond = 9223372036854775808.0;
  return value >= -kBeyond && value < kBeyond ? static_cast<std::int64_t>(value)
                                              : std::numeric_limits<std::int64_t>::min();
}

std::int64_t round_for(Comparison comparison, double value) {
  switch (comparison) {
    case Comparison::Less:
    case Comparison::GreaterEqual:
      return cast_to_integer(std::ceil(value));
    case Comparison::Greater:
    case Comparison::LessEqual:
      return cast_to_integer(std::floor(value));
    case Comparison::Equal:
      break;
  }
  return cast_to_integer(value);
}

bool has_wildcards(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '*' || pattern[i] == '?') {
      return true;
    }
    i += pattern[i] == '\\' ? 1 : 0;
  }
  return false;
}

Operand::Kind kind_of(const query::Literal& literal) {
  using Kind = Operand::Kind;
  return literal.instant   ? Kind::Time
         : literal.exists  ? Kind::Any
         : literal.number  ? (literal.number->as_int64() ? Kind::Integer : Kind::Real)
         : literal.boolean ? Kind::Boolean
         : literal.null    ? Kind::Null
                           : Kind::Text;
}

template <typename T>
bool holds(Comparison comparison, T stored, T operand) {
  switch (comparison) {
    case Comparison::Equal:
      return stored == operand;
    case Comparison::Less:
      return stored < operand;
    case Comparison::LessEqual:
      return stored <= operand;
    case Comparison::Greater:
      return stored > operand;
    case Comparison::GreaterEqual:
      return stored >= operand;
  }
  return false;
}

Types types_of_text(std::string_view pattern) {
  const bool blank = pattern.find(' ') != std::string_view::npos;
  return static_cast<Types>(kArray | (blank ? kText : kWord) |
                            (has_wildcards(pattern) ? kText : 0));
}

}  // namespace

Types type_of(NodeType type) {
  switch (type) {
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      return kInteger;
    case NodeType::Float:
    case NodeType::FormattedFloat:
    case NodeType::DictionaryFloat:
      return kFloat;
    case NodeType::ClpString:
      return kText;
    case NodeType::VarString:
      return kWord;
    case NodeType::Boolean:
      return kBoolean;
    case NodeType::UnstructuredArray:
      return kArray;
    case NodeType::NullValue:
      return kNull;
    case NodeType::DateString:
    case NodeType::Timestamp:
      return kTime;
    case NodeType::Object:
    case NodeType::StructuredArray:
    case NodeType::Metadata:
      break;
  }
  return 0;
}

Operand::Operand(const query::Filter& filter, const query::ParseOptions& options, bool milliseconds)
    : filter_(filter),
      match_(filter_, options),
      strings_(filter_, match_, options),
      octets_(filter_.literal.pattern.value_or(std::string()), options.ignore_case),
      right_(octets_.is_right()),
      kind_(kind_of(filter_.literal)) {
  const query::Literal& literal = filter_.literal;
  const auto if_equal = [this](int types) { return static_cast<Types>(equal() ? types : 0); };
  switch (kind_) {
    case Kind::Any:
      types_ = if_equal(kAll);
      break;
    case Kind::Integer:
      integer_ = *literal.number->as_int64();
      real_ = static_cast<double>(integer_);
      types_ = kInteger | kFloat | kTime | if_equal(kWord | kArray);
      break;
    case Kind::Real:
      real_ = literal.number->as_double();
      integer_ = round_for(comparison(), real_);
      types_ = kFloat | kTime | if_equal(kWord | kArray);
      if (!equal() || static_cast<double>(integer_) == real_) {
        types_ |= kInteger;
      }
      break;
    case Kind::Boolean:
      types_ = if_equal(kWord | kBoolean | kArray);
      break;
    case Kind::Null:
      types_ = if_equal(kWord | kNull | kArray);
      break;
    case Kind::Text:
      types_ = if_equal(types_of_text(pattern()));
      break;
    case Kind::Time:
      integer_ = milliseconds ? *literal.instant / kNsPerMs : *literal.instant;
      real_ = static_cast<double>(*literal.instant) / static_cast<double>(kNsPerSecond);
      types_ = kInteger | kFloat | kTime;
      break;
  }
}

std::optional<std::int64_t> Operand::range_integer() const {
  if (kind_ == Kind::Time) {
    return *filter_.literal.instant / kNsPerMs;
  }
  return (types_ & kInteger) != 0 ? std::optional(integer_) : std::nullopt;
}

bool Operand::compares(std::int64_t stored) const { return holds(comparison(), stored, integer_); }
bool Operand::compares(double stored) const { return holds(comparison(), stored, real_); }

bool Key::has_wildcard() const {
  return std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.wildcard; });
}

std::string spelling_of(const Key& key) {
  std::string text;
  for (const query::PathStep& step : key.steps) {
    text += step.wildcard ? '*' : '=';
    text += std::to_string(step.key.size());
    text += ':';
    text += step.key;
  }
  return text;
}

namespace {

using Product = std::deque<Term>;  // all must hold
// One of the products must hold.
struct Sum {
  std::deque<Product> products;
  std::size_t terms = 0;
};

// More products than this are refused.
constexpr std::size_t kMostProducts = std::size_t{1} << 15;

// Takes a query's operators apart, two by two from the left as the original does. The order in
// which products and terms come out is its order; it matters to Splitter.
class Builder {
 public:
  Builder(Terms& terms, const query::ParseOptions& options, bool milliseconds)
      : terms_(terms), options_(options), milliseconds_(milliseconds) {}

  Result<Sum> build(const query::Node& node, bool negated) {
    switch (node.kind) {
      case query::Node::Kind::Filter:
        return Sum{.products = {{term(node.filter, negated)}}, .terms = 1};
      case query::Node::Kind::Not:
        return build(node.children.front(), !negated);
      default:
        break;
    }
    const bool conjunction = (node.kind == query::Node::Kind::And) != negated;
    FONDS_TRY(Sum all, build(node.children.front(), negated));
    for (std::size_t i = 1; i < node.children.size(); ++i) {
      FONDS_TRY(Sum next, build(node.children[i], negated));
      const std::size_t products = conjunction ? all.products.size() * next.products.size()
                                               : all.products.size() + next.products.size();
      all.terms = conjunction ? all.terms * next.products.size() + next.terms * all.products.size()
                              : all.terms + next.terms;
      if (products > kMostProducts || all.terms > kMostTerms) {
        return fail(ErrorCode::LimitExceeded,
                    "the query has too many combinations of alternatives for --compat clp-s");
      }
      if (conjunction) {
        multiply(all.products, std::move(next.products));
      } else {
        add(all.products, std::move(next.products));
      }
    }
    return all;
  }

 private:
  static void add(std::deque<Product>& all, std::deque<Product> next) {
    all.insert(next.size() == 1 ? all.end() : all.begin(), std::make_move_iterator(next.begin()),
               std::make_move_iterator(next.end()));
  }

  // Single terms go behind what is joined, several before it; alternatives come last.
  static void multiply(std::deque<Product>& all, std::deque<Product> next) {
    if (next.size() == 1) {
      const Product& more = next.front();
      for (Product& product : all) {
        const bool behind = all.size() == 1 && more.size() == 1;
        product.insert(behind ? product.end() : product.begin(), more.begin(), more.end());
      }
      return;
    }
    std::deque<Product> made;
    for (const Product& left : all) {
      for (const Product& right : next) {
        Product& product = made.emplace_back(left);
        product.insert(product.end(), right.begin(), right.end());
      }
    }
    all = std::move(made);
  }

  Term term(const query::Filter& filter, bool negated) {
    Term made;
    made.negated = negated;
    made.operand = &terms_.operands.emplace_back(filter, options_, milliseconds_);
    made.key = std::make_shared<Key>(Key{filter.path.space, filter.path.steps});
    return made;
  }

  Terms& terms_;
  const query::ParseOptions& options_;
  bool milliseconds_;
};

// The bounds of the archive's timestamp column as filters, and the query.
Result<query::Node> with_bounds(const Archive& archive, const query::Query& query,
                                std::optional<std::int64_t> since,
                                std::optional<std::int64_t> until) {
  if (!since && !until) {
    return query.root;
  }
  const auto& ranges = archive.metadata().time_ranges;
  if (ranges.empty()) {
    return fail(ErrorCode::BadArgument, "the archive has no timestamp column");
  }
  FONDS_TRY(const query::Path path, query::parse_path(ranges.front().key, query::Meaning::ClpS));
  query::Node all;
  all.kind = query::Node::Kind::And;
  const auto add = [&](std::optional<std::int64_t> bound, Comparison comparison) {
    if (bound) {
      query::Node& filter = all.children.emplace_back();
      filter.filter.path = path;
      filter.filter.comparison = comparison;
      filter.filter.literal.instant = bound;
    }
  };
  add(since, Comparison::GreaterEqual);
  add(until, Comparison::LessEqual);
  all.children.push_back(query.root);
  return all;
}

// A negated filter that only one of the two kinds of strings can be compared with also holds for
// every string of the other kind. The original adds that but once for a key and kind among filters
// that stand together, also where it should for each of them.
class Splitter {
 public:
  Alternatives run(const Sum& from) {
    Alternatives made;
    for (const Product& product : from.products) {
      Conjunction conjunction;
      bool possible = true;
      for (const Term& term : product) {
        conjunction.push_back(narrow(term));
        possible = possible && !conjunction.back().empty();
      }
      if (product.size() > 1) {
        added_.clear();
      }
      if (possible) {
        made.push_back(std::move(conjunction));
      }
    }
    return made;
  }

 private:
  Factor narrow(Term term) {
    const Operand& operand = *term.operand;
    if (operand.kind() == Operand::Kind::Any && operand.equal()) {
      return {term};
    }
    term.types = operand.types();
    if (term.types == 0) {
      return {};
    }
    const bool text = (term.types & kText) != 0;
    const bool word = (term.types & kWord) != 0;
    if (!term.negated || !operand.equal() || text == word) {
      return {term};
    }
    const Types other = text ? kWord : kText;
    if (!added_.insert(spelling_of(*term.key) + static_cast<char>(other)).second) {
      return {term};
    }
    Term exists = term;
    exists.check = Term::Check::Exists;
    exists.negated = false;
    exists.types = other;
    return {term, exists};
  }

  std::set<std::string> added_;  // keys, with kinds of values
};

// Filters on `*` and `null` ask whether there are values.
Factor to_existence(Term term) {
  if (term.check != Term::Check::Compare) {
    return {term};
  }
  const Operand& operand = *term.operand;
  if (operand.kind() == Operand::Kind::Any) {
    term.check = term.negated ? Term::Check::Absent : Term::Check::Exists;
    term.negated = false;
    return {term};
  }
  if (operand.kind() != Operand::Kind::Null) {
    return {term};
  }
  Term exists = term;
  exists.check = Term::Check::Exists;
  exists.negated = false;
  if (term.negated) {
    exists.types = kAll & ~kNull;
    return {exists};
  }
  exists.types = kNull;
  term.types &= kArray | kText | kWord;
  return {exists, term};
}

// The parser's tree for a list without values: it finds nothing, which no written query does so.
bool finds_nothing(const query::Node& root) {
  return root.kind == query::Node::Kind::Filter &&
         root.filter.path.space == query::Namespace::Bang && root.filter.literal.at == 0;
}

}  // namespace

Result<std::unique_ptr<Terms>> make_terms(const Archive& archive, const query::Query& query,
                                          std::optional<std::int64_t> since,
                                          std::optional<std::int64_t> until) {
  auto terms = std::make_unique<Terms>();
  FONDS_TRY(const query::Node root, with_bounds(archive, query, since, until));
  if (finds_nothing(query.root)) {
    return terms;
  }
  Builder builder(*terms, query.options, archive.header().version < Version{0, 5, 0});
  FONDS_TRY(const Sum sum, builder.build(root, false));
  terms->alternatives = Splitter().run(sum);
  if (terms->alternatives.empty()) {
    return fail(ErrorCode::BadArgument, "nothing can match this query");
  }
  terms->alternatives = replace_terms(terms->alternatives, to_existence);
  std::optional<Error> error;
  terms->alternatives = replace_terms(terms->alternatives, [&](const Term& term) -> Factor {
    if (term.key->space != query::Namespace::Archive) {
      return {term};
    }
    auto ranges = input_ranges(archive, term);
    if (!ranges) {
      error = std::move(ranges.error());
      return {};
    }
    return std::move(*ranges);
  });
  if (error) {
    return tl::unexpected(std::move(*error));
  }
  return terms;
}

}  // namespace fonds::clps::compat
