#include "format/clps/compat_term.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace fonds::clps::compat {
namespace {

using query::Comparison;

constexpr std::int64_t kMillisecond = 1'000'000;
constexpr std::int64_t kSecond = 1'000'000'000;

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

Operand::Operand(const query::Filter& filter, const query::ParseOptions& options,
                 bool milliseconds)
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
      integer_ = milliseconds ? *literal.instant / kMillisecond : *literal.instant;
      real_ = static_cast<double>(*literal.instant) / static_cast<double>(kSecond);
      types_ = kInteger | kFloat | kTime;
      break;
  }
}

std::optional<std::int64_t> Operand::range_integer() const {
  if (kind_ == Kind::Time) {
    return *filter_.literal.instant / kMillisecond;
  }
  return (types_ & kInteger) != 0 ? std::optional(integer_) : std::nullopt;
}

bool Operand::compares(std::int64_t stored) const { return holds(comparison(), stored, integer_); }
bool Operand::compares(double stored) const { return holds(comparison(), stored, real_); }

bool Key::has_wildcard() const {
  return std::any_of(steps.begin(), steps.end(), [](const auto& step) { return step.wildcard; });
}

bool operator==(const Key& a, const Key& b) {
  return a.space == b.space &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [](const auto& x, const auto& y) {
                      return x.wildcard == y.wildcard && x.key == y.key;
                    });
}

Status append_product(const std::vector<Alternatives>& parts, Alternatives& out) {
  Conjunction base;
  std::vector<const Alternatives*> choices;
  std::size_t count = 1;
  std::size_t width = 0;
  for (const Alternatives& part : parts) {
    if (part.size() == 1) {
      base.insert(base.end(), part.front().begin(), part.front().end());
    } else {
      choices.push_back(&part);
    }
    count *= part.size();
    width += part.front().size();
    if (count * width + out.size() > kMostTerms) {
      return fail(ErrorCode::LimitExceeded,
                  "the query has too many combinations of alternatives for --compat clp-s");
    }
  }
  std::vector<std::size_t> chosen(choices.size());
  for (std::size_t n = 0; n < count; ++n) {
    Conjunction conjunction = base;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      const Conjunction& more = (*choices[i])[chosen[i]];
      conjunction.insert(conjunction.end(), more.begin(), more.end());
    }
    out.push_back(std::move(conjunction));
    for (std::size_t i = choices.size(); i > 0 && ++chosen[i - 1] == choices[i - 1]->size(); --i) {
      chosen[i - 1] = 0;
    }
  }
  return {};
}

namespace {

// The order in which alternatives and checks come out matters: see split_negated().
class Builder {
 public:
  Builder(Terms& terms, const query::ParseOptions& options, bool milliseconds)
      : terms_(terms), options_(options), milliseconds_(milliseconds) {}

  Result<Alternatives> build(const query::Node& node, bool negated) {
    switch (node.kind) {
      case query::Node::Kind::Filter:
        return Alternatives{{term(node.filter, negated)}};
      case query::Node::Kind::Not:
        return build(node.children.front(), !negated);
      default:
        break;
    }
    const bool conjunction = (node.kind == query::Node::Kind::And) != negated;
    Alternatives all;
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      FONDS_TRY(Alternatives next, build(node.children[i], negated));
      if (i == 0) {
        all = std::move(next);
        continue;
      }
      // The original takes operators two by two, from the left.
      std::vector<Alternatives> both;
      both.push_back(std::move(all));
      both.push_back(std::move(next));
      FONDS_TRY(all, conjunction ? all_of(std::move(both)) : any_of(std::move(both)));
    }
    return all;
  }

  static Result<Alternatives> all_of(std::vector<Alternatives> parts) {
    // What is a conjunction already goes to the front, the last one first; single checks follow,
    // then what has alternatives.
    Conjunction joined;
    std::vector<Alternatives> ordered(1);
    for (Alternatives& part : parts) {
      if (part.size() == 1 && part.front().size() > 1) {
        joined.insert(joined.begin(), part.front().begin(), part.front().end());
      }
    }
    for (Alternatives& part : parts) {
      if (part.size() == 1 && part.front().size() == 1) {
        joined.push_back(part.front().front());
      } else if (part.size() > 1) {
        ordered.push_back(std::move(part));
      }
    }
    ordered.front().push_back(std::move(joined));
    Alternatives made;
    FONDS_CHECK(append_product(ordered, made));
    return made;
  }

  static Result<Alternatives> any_of(std::vector<Alternatives> parts) {
    Alternatives made;
    std::size_t terms = 0;
    for (const bool single : {false, true}) {
      for (Alternatives& part : parts) {
        if ((part.size() == 1) != single) {
          continue;
        }
        for (const Conjunction& conjunction : part) {
          terms += conjunction.size();
        }
        made.insert(single ? made.end() : made.begin(), part.begin(), part.end());
      }
    }
    if (terms > kMostTerms) {
      return fail(ErrorCode::LimitExceeded, "the query has too many filters for --compat clp-s");
    }
    return made;
  }

  Term term(const query::Filter& filter, bool negated) {
    Term made;
    made.negated = negated;
    made.operand = &terms_.operands.emplace_back(filter, options_, milliseconds_);
    made.key = std::make_shared<Key>(Key{filter.path.space, filter.path.steps});
    return made;
  }

 private:
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
  Result<Alternatives> run(const Alternatives& from) {
    Alternatives made;
    for (const Conjunction& conjunction : from) {
      std::vector<Alternatives> parts;
      bool possible = true;
      for (const Term& term : conjunction) {
        parts.push_back(narrow(term));
        possible = possible && !parts.back().empty();
      }
      if (conjunction.size() > 1) {
        added_.clear();
      }
      if (possible) {
        FONDS_CHECK(append_product(parts, made));
      }
    }
    return made;
  }

 private:
  Alternatives narrow(Term term) {
    const Operand& operand = *term.operand;
    if (operand.kind() == Operand::Kind::Any && operand.equal()) {
      return {{term}};
    }
    term.types = operand.types();
    if (term.types == 0) {
      return {};
    }
    const bool text = (term.types & kText) != 0;
    const bool word = (term.types & kWord) != 0;
    if (!term.negated || !operand.equal() || text == word) {
      return {{term}};
    }
    const Types other = text ? kWord : kText;
    for (const auto& [key, types] : added_) {
      if (types == other && key->steps.size() == term.key->steps.size() &&
          Key{term.key->space, key->steps} == *term.key) {
        return {{term}};
      }
    }
    added_.emplace_back(term.key, other);
    Term exists = term;
    exists.check = Term::Check::Exists;
    exists.negated = false;
    exists.types = other;
    return {{term}, {exists}};
  }

  std::vector<std::pair<std::shared_ptr<const Key>, Types>> added_;
};

// Filters on `*` and `null` ask whether there are values.
Alternatives to_existence(Term term) {
  if (term.check != Term::Check::Compare) {
    return {{term}};
  }
  const Operand& operand = *term.operand;
  if (operand.kind() == Operand::Kind::Any) {
    term.check = term.negated ? Term::Check::Absent : Term::Check::Exists;
    term.negated = false;
    return {{term}};
  }
  if (operand.kind() != Operand::Kind::Null) {
    return {{term}};
  }
  Term exists = term;
  exists.check = Term::Check::Exists;
  exists.negated = false;
  if (term.negated) {
    exists.types = kAll & ~kNull;
    return {{exists}};
  }
  exists.types = kNull;
  term.types &= kArray | kText | kWord;
  return {{exists}, {term}};
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
  FONDS_TRY(terms->alternatives, builder.build(root, false));
  FONDS_TRY(terms->alternatives, Splitter().run(terms->alternatives));
  if (terms->alternatives.empty()) {
    return fail(ErrorCode::BadArgument, "nothing can match this query");
  }
  FONDS_TRY(terms->alternatives, replace_terms(terms->alternatives, to_existence));
  std::optional<Error> error;
  FONDS_TRY(terms->alternatives,
            replace_terms(terms->alternatives, [&](const Term& term) -> Alternatives {
              if (term.key->space != query::Namespace::Archive) {
                return {{term}};
              }
              auto ranges = input_ranges(archive, term);
              if (!ranges) {
                error = std::move(ranges.error());
                return {};
              }
              return std::move(*ranges);
            }));
  if (error) {
    return tl::unexpected(std::move(*error));
  }
  return terms;
}

}  // namespace fonds::clps::compat
