#include "format/clps/searching/search_columns.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/time_pattern.hpp"
#include "format/clps/reading/float_format.hpp"
#include "format/clps/searching/search_cells.hpp"

namespace fonds::clps {
namespace {

// Calls `test(row)` for the rows of `in`, and sets those in `out` that it is true of. Blocks of 64
// rows without one are passed over.
template <typename Test>
void select(const BitSet& in, BitSet& out, Test&& test) {
  const auto& from = in.words();
  auto& to = out.words();
  for (std::size_t w = 0; w < from.size(); ++w) {
    std::uint64_t found = 0;
    if (from[w] == ~std::uint64_t{0}) {
      for (std::size_t i = 0; i < 64; ++i) {
        found |= static_cast<std::uint64_t>(test(w * 64 + i) ? 1 : 0) << i;
      }
    } else {
      for (std::uint64_t left = from[w]; left != 0; left &= left - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(left));
        found |= static_cast<std::uint64_t>(test(w * 64 + i) ? 1 : 0) << i;
      }
    }
    to[w] |= found;
  }
}

// One comparison for both ends: values below `low` wrap around.
class Within {
 public:
  explicit Within(const Interval& interval)
      : low_(static_cast<std::uint64_t>(interval.low)),
        width_(static_cast<std::uint64_t>(interval.high) - low_),
        none_(interval.empty()) {}
  bool none() const { return none_; }
  bool operator()(std::uint64_t value) const { return value - low_ <= width_; }

 private:
  std::uint64_t low_, width_;
  bool none_;
};

// Whether some variable of a column may contain the piece.
bool may_hold(const Column& column, const LogTypeDecision& decision, Generation generation) {
  return decision.few.empty() ||
         std::any_of(decision.few.begin(), decision.few.end(), [&](std::uint64_t id) {
           const std::uint64_t word = generation == Generation::Old
                                          ? static_cast<std::uint64_t>(old_dictionary_variable(id))
                                          : id;
           return look_for(column.variables.data(), column.variables.size() / 8, word, ~word >> 1)
               .wanted;
         });
}

}  // namespace

void ColumnScan::damaged(const char* what, std::uint64_t row) {
  for (Damage& damage : damage_) {
    if (damage.what == what) {
      ++damage.cells;
      return;
    }
  }
  damage_.push_back({what, 1, row});
}

Status ColumnScan::run(const FilterTest& filter, const ColumnTest& test, const Column& column,
                       const BitSet& in, BitSet& out) {
  const bool counts_time = test.time;
  switch (column.type) {
    case NodeType::Integer:
    case NodeType::DeltaInteger:
      if (counts_time) {
        time_numbers(filter, test, column, in, out);
      } else {
        integers(filter.integers(), column, in, out);
      }
      return {};
    case NodeType::Float:
    case NodeType::FormattedFloat:
      if (counts_time) {
        time_numbers(filter, test, column, in, out);
      } else if (column.type == NodeType::Float) {
        plain_floats(filter, column, in, out);
      } else if (const Within within(filter.reals()); !within.none()) {
        select(in, out, [&](std::size_t row) {
          return within(
              static_cast<std::uint64_t>(ordered_bits(std::bit_cast<double>(column.word(row)))));
        });
      }
      return {};
    case NodeType::Boolean: {
      const bool yes = filter.match().boolean(true);
      const bool no = filter.match().boolean(false);
      select(in, out, [&](std::size_t row) { return column.truth(row) ? yes : no; });
      return {};
    }
    case NodeType::Timestamp:
      timestamps(filter, column, in, out);
      return {};
    case NodeType::DateString:
      dates(filter, column, in, out);
      return {};
    case NodeType::DictionaryFloat:
      return dictionary_floats(filter, test, column, in, out);
    case NodeType::VarString:
      return variables(filter, column, in, out);
    case NodeType::ClpString:
      return texts(filter, column, in, out);
    case NodeType::UnstructuredArray:
      return arrays(filter, test, column, in, out);
    default:
      return {};
  }
}

void ColumnScan::integers(const Interval& interval, const Column& column, const BitSet& in,
                          BitSet& out) {
  if (const Within within(interval); !within.none()) {
    select(in, out, [&](std::size_t row) { return within(column.word(row)); });
  }
}

void ColumnScan::plain_floats(const FilterTest& filter, const Column& column, const BitSet& in,
                              BitSet& out) {
  // Such a number is given back with six decimals, and that is what is asked. Only close to a bound
  // the rounding can matter.
  const Interval& interval = filter.reals();
  if (interval.empty()) {
    return;
  }
  select(in, out, [&](std::size_t row) {
    const double value = std::bit_cast<double>(column.word(row));
    const double slack = 1e-6 + std::fabs(value) * 1e-15;
    const std::int64_t lowest = ordered_bits(value - slack);
    const std::int64_t highest = ordered_bits(value + slack);
    if (highest < interval.low || lowest > interval.high) {
      return false;
    }
    if (lowest >= interval.low && highest <= interval.high) {
      return true;
    }
    scratch_.clear();
    print_plain_float(value, scratch_);
    double printed = value;
    std::from_chars(scratch_.data(), scratch_.data() + scratch_.size(), printed);
    return interval.contains(ordered_bits(printed));
  });
}

void ColumnScan::time_numbers(const FilterTest& filter, const ColumnTest& test,
                              const Column& column, const BitSet& in, BitSet& out) {
  const Within within(filter.instants());
  if (within.none()) {
    return;
  }
  const bool integer = test.type == NodeType::Integer || test.type == NodeType::DeltaInteger;
  select(in, out, [&](std::size_t row) {
    const std::uint64_t word = column.word(row);
    return within(
        static_cast<std::uint64_t>(integer ? instant_of_number(static_cast<std::int64_t>(word))
                                           : instant_of_number(std::bit_cast<double>(word))));
  });
}

void ColumnScan::timestamps(const FilterTest& filter, const Column& column, const BitSet& in,
                            BitSet& out) {
  integers(filter.instants(), column, in, out);
  if (!filter.instant_text()) {
    return;
  }
  PatternCache cache(*times_);
  select(in, out, [&](std::size_t row) {
    const TimePattern* const pattern = cache.time(column.second_word(row));
    if (pattern == nullptr) {
      damaged("its time pattern does not exist", row);
      return false;
    }
    scratch_.clear();
    if (!pattern->quoted()) {
      return false;
    }
    if (!pattern->print(static_cast<std::int64_t>(column.word(row)), scratch_)) {
      damaged("its time pattern cannot print the time", row);
      return false;
    }
    return filter.match().text(query::unquoted_json(scratch_, text_));
  });
}

void ColumnScan::dates(const FilterTest& filter, const Column& column, const BitSet& in,
                       BitSet& out) {
  const Within within(filter.instants());
  const bool text = filter.instant_text();
  if (within.none() && !text) {
    return;
  }
  PatternCache cache(*times_);
  select(in, out, [&](std::size_t row) {
    const DatePattern* const pattern = cache.date(column.second_word(row));
    if (pattern == nullptr) {
      damaged("its time pattern does not exist", row);
      return false;
    }
    const auto value = static_cast<std::int64_t>(column.word(row));
    if (!within.none() && within(static_cast<std::uint64_t>(pattern->instant_ns(value)))) {
      return true;
    }
    if (!text) {
      return false;
    }
    scratch_.clear();
    pattern->print(value, scratch_);
    return filter.match().text(scratch_);
  });
}

Status ColumnScan::dictionary_floats(const FilterTest& filter, const ColumnTest& test,
                                     const Column& column, const BitSet& in, BitSet& out) {
  if (!filter.match().may_match_number()) {
    return {};
  }
  FONDS_TRY(const Dictionary* const variables, archive_->dictionary(Member::Variables));
  select(in, out, [&](std::size_t row) {
    const std::uint64_t id = column.word(row);
    if (id >= variables->size()) {
      damaged("a variable is not in the dictionary", row);
      return false;
    }
    const std::string_view number = (*variables)[static_cast<std::size_t>(id)];
    if (test.time) {
      double value = 0;
      std::from_chars(number.data(), number.data() + number.size(), value);
      return filter.instants().contains(instant_of_number(value));
    }
    return filter.match().number(number);
  });
  return {};
}

Status ColumnScan::variables(const FilterTest& filter, const Column& column, const BitSet& in,
                             BitSet& out) {
  if (!filter.match().may_match_text()) {
    return {};
  }
  FONDS_TRY(const VariableDecision* const decision, filter.strings().variables(*archive_));
  const BitSet& ids = decision->ids;
  if (decision->count <= 1) {
    // Most blocks of rows hold neither that text nor damage.
    const std::uint64_t wanted = decision->count == 1 ? decision->first : ~std::uint64_t{0};
    BitSet left = in;
    for (std::size_t w = 0; w < left.words().size(); ++w) {
      const std::size_t rows = std::min<std::size_t>(64, left.size() - w * 64);
      if (left.words()[w] == 0) {
        continue;
      }
      const WordsSeen seen = look_for(column.values.data() + w * 64 * 8, rows, wanted, ids.size());
      if (!seen.wanted && !seen.beyond) {
        left.words()[w] = 0;
      }
    }
    select(left, out, [&](std::size_t row) {
      const std::uint64_t id = column.word(row);
      if (id >= ids.size()) {
        damaged("a variable is not in the dictionary", row);
        return false;
      }
      return id == wanted;
    });
    return {};
  }
  select(in, out, [&](std::size_t row) {
    const std::uint64_t id = column.word(row);
    if (id >= ids.size()) {
      damaged("a variable is not in the dictionary", row);
      return false;
    }
    return ids.test(static_cast<std::size_t>(id));
  });
  return {};
}

Status ColumnScan::texts(const FilterTest& filter, const Column& column, const BitSet& in,
                         BitSet& out) {
  if (!filter.match().may_match_text()) {
    return {};
  }
  FONDS_TRY(const LogTypeDecision* const decision, filter.strings().log_types(*archive_));
  static const Dictionary kNone;
  const Dictionary* variables = &kNone;
  if (decision->variables) {
    FONDS_TRY(variables, archive_->dictionary(Member::Variables));
  }
  const Generation generation = generation_of(*archive_);
  // A rare piece is looked for in all variables at once.
  const bool in_piece = decision->in_piece && may_hold(column, *decision, generation);
  if (!in_piece && !decision->elsewhere) {
    return {};
  }
  select(in, out, [&](std::size_t row) {
    const SplitCell cell(column.word(row));
    if (cell.type >= decision->entries.size()) {
      damaged("its log type is not in the dictionary", row);
      return false;
    }
    const LogTypeDecision::Entry& entry = decision->entries[cell.type];
    if (entry.chance == LogTypeChance::None ||
        (entry.chance == LogTypeChance::InPiece && !in_piece)) {
      return false;
    }
    if (!cell.lies_in(column, entry.variables)) {
      damaged("its variables lie behind the column's end", row);
      return false;
    }
    if (entry.chance == LogTypeChance::All) {
      return true;
    }
    const LogType& type = decision->types[static_cast<std::size_t>(entry.parsed)];
    if (entry.chance == LogTypeChance::InPiece &&
        !has_variable_of(type.segments(), column, cell.first_variable, *decision->with_piece)) {
      return false;
    }
    text_.clear();
    if (!append_cell(type, column, cell.first_variable, *variables, generation, text_)) {
      damaged("a variable is not valid, or the text is longer than a record may be", row);
      return false;
    }
    return filter.match().text(text_);
  });
  return {};
}

// The log types of arrays that one filter has met.
struct ColumnScan::ArrayTypes {
  explicit ArrayTypes(std::size_t size) : types(size) {}
  std::vector<std::unique_ptr<ArrayType>> types;
};

ColumnScan::ColumnScan(const Archive& archive, const Texts& times)
    : archive_(&archive), times_(&times) {}
ColumnScan::~ColumnScan() = default;

Status ColumnScan::arrays(const FilterTest& filter, const ColumnTest& test, const Column& column,
                          const BitSet& in, BitSet& out) {
  FONDS_TRY(const Dictionary* const log_types, archive_->dictionary(Member::ArrayTypes));
  FONDS_TRY(const Dictionary* const variables, archive_->dictionary(Member::Variables));
  const Generation generation = generation_of(*archive_);
  auto& known = array_types_[{&filter, test.state}];
  if (known == nullptr) {
    known = std::make_unique<ArrayTypes>(log_types->size());
  }
  if (plain_ == nullptr) {
    plain_ = std::make_unique<PlainVariables>(*variables);
  }
  const BitSet* with_piece = nullptr;
  Status status;
  select(in, out, [&](std::size_t row) {
    const SplitCell cell(column.word(row));
    if (cell.type >= known->types.size()) {
      damaged("its log type is not in the dictionary", row);
      return false;
    }
    auto& type = known->types[cell.type];
    if (type == nullptr) {
      type = std::make_unique<ArrayType>((*log_types)[cell.type], generation, filter, test.state);
    }
    if (!cell.lies_in(column, type->variables())) {
      damaged("its variables lie behind the column's end", row);
      return false;
    }
    if (type->wants_pieces() && with_piece == nullptr) {
      auto found = filter.strings().with_piece(*archive_);
      if (!found) {
        status = tl::unexpected(std::move(found.error()));
        return false;
      }
      with_piece = *found;
    }
    const auto answer =
        type->answer(filter, column, cell.first_variable, *plain_, with_piece, scratch_);
    return answer == ArrayType::Answer::Unknown
               ? walk_array(filter, test, type->type(), column, cell.first_variable, row)
               : answer == ArrayType::Answer::Yes;
  });
  return status;
}

// Puts the text of an array together and asks all of it.
bool ColumnScan::walk_array(const FilterTest& filter, const ColumnTest& test, const LogType& type,
                            const Column& column, std::uint64_t first, std::uint64_t row) {
  text_.clear();
  if (!append_cell(type, column, first, plain_->variables(), generation_of(*archive_), text_)) {
    damaged("a variable is not valid, or the text is longer than a record may be", row);
    return false;
  }
  bool found = false;
  const bool whole = walker_.walk(
      text_, filter.keys(), test.state, [&](query::JsonToken token, std::string_view spelled) {
        found = found || matches_token(filter.match(), token, spelled, scratch_);
      });
  if (!whole) {
    damaged("the text of an array is no JSON", row);
  }
  return whole && found;
}

}  // namespace fonds::clps
