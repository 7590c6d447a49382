#include "format/clps/searching/compat_rows.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

#include <fmt/core.h>

#include "format/clps/searching/search_cells.hpp"

namespace fonds::clps::compat {

Result<const LogTypeSearch*> TextSearches::of(const Operand& operand) {
  FONDS_TRY(const Dictionary* const variables, archive_.dictionary(Member::Variables));
  const std::lock_guard lock(mutex_);
  auto& made = made_[&operand];
  if (made == nullptr) {
    auto search = std::make_unique<LogTypeSearch>(operand.pattern(), ignore_case_, *variables);
    FONDS_CHECK(take(search->sets(), *variables));
    made = std::move(search);
  }
  return made.get();
}

Status TextSearches::take(std::size_t sets, const Dictionary& dictionary) {
  held_ += sets * (dictionary.size() / 8 + 64);
  if (!share_.resize(held_)) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("a search needs {} bytes for what it finds in a dictionary, more than "
                            "is left of the memory limit",
                            held_));
  }
  return {};
}

Result<const BitSet*> TextSearches::words_of(const Operand& operand) {
  FONDS_TRY(const Dictionary* const variables, archive_.dictionary(Member::Variables));
  const std::lock_guard lock(mutex_);
  auto& made = words_[&operand];
  if (made == nullptr) {
    FONDS_CHECK(take(1, *variables));
    made = std::make_unique<BitSet>(variables->size());
    for (std::size_t id = 0; id < variables->size(); ++id) {
      if (operand.matches((*variables)[id])) {
        made->set(id);
      }
    }
  }
  return made.get();
}

const LogType* CellTexts::type(const Column& column, std::size_t row, ColumnScan& scan) {
  const SplitCell cell(column.word(row));
  if (cell.type >= types_.size()) {
    scan.damaged("its log type is not in the dictionary", row);
    return nullptr;
  }
  auto [found, fresh] = parsed_.try_emplace(cell.type);
  if (fresh) {
    bool malformed = false;
    found->second = LogType::parse(types_[cell.type], generation_, malformed);
  }
  if (!cell.lies_in(column, found->second.variables())) {
    scan.damaged("its variables lie behind the column's end", row);
    return nullptr;
  }
  return &found->second;
}

const std::string* CellTexts::text(const Column& column, std::size_t row, ColumnScan& scan) {
  const LogType* const known = type(column, row, scan);
  if (known == nullptr) {
    return nullptr;
  }
  text_.clear();
  if (!append_cell(*known, column, SplitCell(column.word(row)).first_variable, variables_,
                   generation_, text_)) {
    scan.damaged("a variable is not valid", row);
    return nullptr;
  }
  return &text_;
}

TableRows::TableRows(const Archive& archive, TextSearches& searches, LazyTable& table,
                     ColumnScan& scan, std::size_t records)
    : archive_(archive),
      searches_(searches),
      table_(table),
      scan_(scan),
      records_(records),
      schema_(archive.tables()[table.index()].schema),
      columns_(archive.column_nodes(schema_)) {}

template <typename Test>
Status TableRows::select(const Column& column, BitSet& out, Test&& test) {
  const auto records = std::min<std::uint64_t>(column.records, records_);
  for (std::size_t row = 0; row < records; ++row) {
    if (!out.test(row) && test(row)) {
      out.set(row);
    }
  }
  return {};
}

Result<BitSet> TableRows::of(const BoundTerm& bound) {
  const Term& term = bound.term;
  if (term.check == Term::Check::LogRange) {
    return in_log_range(term);
  }
  const NodeId node = bound.binding == nullptr ? kNoNode : bound.binding->node_of(schema_);
  const bool exists = term.check != Term::Check::Compare;
  if (exists && (node == kNoNode || bound.rest().empty() ||
                 archive_.tree()[node].type != NodeType::UnstructuredArray)) {
    return BitSet(records_, true);  // the schema says so
  }
  const auto rest = bound.binding == nullptr ? std::span<const query::PathStep>() : bound.rest();
  const std::tuple key(term.operand, term.check, node, static_cast<const void*>(rest.data()),
                       rest.size(), term.types);
  auto known = known_.find(key);
  if (known == known_.end()) {
    FONDS_TRY(BitSet rows, found_by(bound));
    known = known_.emplace(key, std::move(rows)).first;
  }
  if (!term.negated) {
    return known->second;
  }
  BitSet others(records_, true);
  others -= known->second;
  return others;
}

TableRows::Rows TableRows::found_by(const BoundTerm& bound) {
  if (bound.binding == nullptr) {
    return at_any_key(bound.term);
  }
  const NodeId node = bound.binding->node_of(schema_);
  BitSet found(records_);
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    if (columns_[place] == node) {
      FONDS_CHECK(look_at(bound.term, bound.rest(), place, found));
    }
  }
  return found;
}

TableRows::Rows TableRows::in_log_range(const Term& term) {
  BitSet found(records_);
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    if (columns_[place] != archive_.tree().log_order()) {
      continue;
    }
    FONDS_TRY(const Column* const column, table_.column(place));
    FONDS_CHECK(select(*column, found, [&](std::size_t row) {
      const auto at = static_cast<std::int64_t>(column->word(row));
      return term.begin <= at && at < term.end;
    }));
    break;
  }
  return found;
}

// All columns of the kinds that the term looks at. Numbers in arrays count only if the schema has a
// column of floats.
TableRows::Rows TableRows::at_any_key(const Term& term) {
  const SchemaTree& tree = archive_.tree();
  const auto is_internal = [&tree](NodeId node) {
    return tree[node].parent >= 0 && tree[tree[node].parent].type == NodeType::Metadata;
  };
  bool floats = false;
  std::size_t last_date = columns_.size();
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    const NodeType type = tree[columns_[place]].type;
    floats = floats || type_of(type) == kFloat;
    last_date = type == NodeType::DateString ? place : last_date;
  }
  BitSet found(records_);
  for (std::size_t place = 0; place < columns_.size(); ++place) {
    const NodeType type = tree[columns_[place]].type;
    if ((term.types & type_of(type)) == 0 || is_internal(columns_[place]) ||
        (type_of(type) == kTime && last_date < columns_.size() && place != last_date)) {
      continue;
    }
    if (type != NodeType::UnstructuredArray) {
      FONDS_CHECK(look_at(term, {}, place, found));
      continue;
    }
    FONDS_TRY(const Column* const column, table_.column(place));
    FONDS_CHECK(arrays(term, {}, true, floats && (term.types & kFloat) != 0, *column, found));
  }
  return found;
}

Status TableRows::look_at(const Term& term, std::span<const query::PathStep> rest,
                          std::size_t place, BitSet& out) {
  FONDS_TRY(const Column* const column, table_.column(place));
  const Operand& operand = *term.operand;
  const auto as_integer = [&](std::size_t row) {
    return operand.compares(static_cast<std::int64_t>(column->word(row)));
  };
  switch (column->type) {
    case NodeType::Integer:
    case NodeType::DeltaInteger:
    case NodeType::Timestamp:
    case NodeType::DateString:
      return operand.is_number() ? select(*column, out, as_integer) : Status();
    case NodeType::Float:
    case NodeType::FormattedFloat:
      return operand.is_number()
                 ? select(*column, out,
                          [&](std::size_t row) {
                            return operand.compares(std::bit_cast<double>(column->word(row)));
                          })
                 : Status();
    case NodeType::DictionaryFloat:
      return operand.is_number() ? dictionary_floats(operand, *column, out) : Status();
    case NodeType::Boolean:
      if (operand.kind() != Operand::Kind::Boolean || !operand.equal()) {
        return {};
      }
      return select(*column, out,
                    [&](std::size_t row) { return column->truth(row) == operand.boolean(); });
    case NodeType::VarString:
      return words(operand, *column, out);
    case NodeType::ClpString:
      return texts(operand, *column, out);
    case NodeType::UnstructuredArray:
      return arrays(term, rest, false, true, *column, out);
    default:
      return {};
  }
}

Status TableRows::dictionary_floats(const Operand& operand, const Column& column, BitSet& out) {
  FONDS_TRY(const Dictionary* const variables, archive_.dictionary(Member::Variables));
  return select(column, out, [&](std::size_t row) {
    const std::uint64_t id = column.word(row);
    if (id >= variables->size()) {
      scan_.damaged("a variable is not in the dictionary", row);
      return false;
    }
    const std::string_view text = (*variables)[static_cast<std::size_t>(id)];
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return operand.compares(value);
  });
}

Status TableRows::words(const Operand& operand, const Column& column, BitSet& out) {
  if ((operand.types() & kWord) == 0) {
    return {};
  }
  const BitSet* ids = nullptr;
  if (operand.octets() == nullptr) {
    FONDS_TRY(const VariableDecision* const decision, operand.strings().variables(archive_));
    ids = &decision->ids;
  } else {
    FONDS_TRY(ids, searches_.words_of(operand));
  }
  return select(column, out, [&](std::size_t row) {
    const std::uint64_t id = column.word(row);
    if (id >= ids->size()) {
      scan_.damaged("a variable is not in the dictionary", row);
      return false;
    }
    return ids->test(static_cast<std::size_t>(id));
  });
}

Status TableRows::texts(const Operand& operand, const Column& column, BitSet& out) {
  if ((operand.types() & kText) == 0) {
    return {};
  }
  FONDS_TRY(const Dictionary* const types, archive_.dictionary(Member::LogTypes));
  FONDS_TRY(const Dictionary* const variables, archive_.dictionary(Member::Variables));
  const Generation generation = generation_of(archive_);
  const LogTypeSearch* search = nullptr;
  // What the original makes of older log types is not known; they are asked as they read.
  if (generation == Generation::New) {
    FONDS_TRY(search, searches_.of(operand));
    if (search->none()) {
      return {};
    }
  }
  const bool all = search == nullptr || search->all();
  CellTexts cells(*types, *variables, generation);
  std::unordered_map<std::size_t, LogTypeSearch::Fit> fits;
  return select(column, out, [&](std::size_t row) {
    const LogType* const type = cells.type(column, row, scan_);
    if (type == nullptr) {
      return false;
    }
    const SplitCell cell(column.word(row));
    const LogTypeSearch::Fit* fit = nullptr;
    if (!all) {
      const auto [known, fresh] = fits.try_emplace(cell.type);
      if (fresh) {
        known->second = search->fit((*types)[cell.type]);
      }
      fit = &known->second;
      if (fit->found) {
        return true;
      }
      if (fit->readings.empty() ||
          !search->variables_fit(*fit, column, cell.first_variable, type->variables())) {
        return false;
      }
    }
    const std::string* const text = cells.text(column, row, scan_);
    return text != nullptr && operand.matches(*text);
  });
}

Status TableRows::arrays(const Term& term, std::span<const query::PathStep> rest, bool anywhere,
                         bool numbers, const Column& column, BitSet& out) {
  FONDS_TRY(const Dictionary* const types, archive_.dictionary(Member::ArrayTypes));
  FONDS_TRY(const Dictionary* const variables, archive_.dictionary(Member::Variables));
  CellTexts cells(*types, *variables, generation_of(archive_));
  return select(column, out, [&](std::size_t row) {
    const std::string* const text = cells.text(column, row, scan_);
    return text != nullptr && (anywhere ? arrays_.holds_anywhere(*text, *term.operand, numbers)
                                        : arrays_.holds(*text, rest, term));
  });
}

}  // namespace fonds::clps::compat
