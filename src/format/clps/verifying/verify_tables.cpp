// The checks of tables and their columns.
#include <algorithm>
#include <bit>
#include <limits>

#include <fmt/core.h>

#include "base/calendar.hpp"
#include "format/clps/reading/log_type.hpp"
#include "format/clps/verifying/verify.hpp"
#include "query/json_scanner.hpp"

namespace fonds::clps {
namespace {

std::int64_t floor_ms(std::int64_t ns) { return ns / kNsPerMs - (ns % kNsPerMs < 0 ? 1 : 0); }
std::int64_t ceil_ms(std::int64_t ns) { return ns / kNsPerMs + (ns % kNsPerMs > 0 ? 1 : 0); }

}  // namespace

void ArchiveCheck::table(const Table& table, const Stream& stream) {
  const TableInfo& info = archive_.tables()[table.index()];
  const bool first =
      table.index() == 0 || archive_.tables()[table.index() - 1].stream != info.stream;
  const bool last = table.index() + 1 == archive_.tables().size() ||
                    archive_.tables()[table.index() + 1].stream != info.stream;
  if (first && info.offset > 0) {
    tell("clps-extra-bytes",
         fmt::format("/0: stream {}: {} bytes lie in front of its first table", info.stream,
                     info.offset),
         place_of_table(table.index()));
  }
  if (last && stream.stored_left() > 0) {
    tell("clps-extra-bytes",
         fmt::format("/0: stream {}: {} stored bytes follow its end", info.stream,
                     stream.stored_left()),
         place_of_table(table.index()));
  }
  check_log_order(table);
  if (archive_.search_data() != nullptr) {
    check_ranges(table);
    check_entries(table);
  }
  for (const Column& column : table.columns()) {
    check_cells(table, column);
    check_times(table, column);
  }
}

void ArchiveCheck::check_log_order(const Table& table) {
  const NodeId node = archive_.tree().log_order();
  if (node == kNoNode || table.records() == 0) {
    return;
  }
  const Column* const column = table.column(node);
  placed_[table.index()] = column != nullptr;
  if (column == nullptr) {
    tell("clps-log-order", fmt::format("table {} has no log_event_idx", table.index()),
         place_of_table(table.index()));
    return;
  }
  for (std::uint64_t row = 1; row < table.records(); ++row) {
    if (column->word(row) < column->word(row - 1)) {
      tell("clps-log-order", Severity::Warning,
           fmt::format("table {}: log_event_idx falls from {} to {} in record {}", table.index(),
                       column->word(row - 1), column->word(row), row),
           place_of_table(table.index()));
      return;
    }
  }
}

void ArchiveCheck::check_cells(const Table& table, const Column& column) {
  switch (column.type) {
    case NodeType::VarString:
    case NodeType::DictionaryFloat:
      for (std::uint64_t row = 0; row < column.records; ++row) {
        variables_.mark(column.word(row));
      }
      break;
    case NodeType::UnstructuredArray:
      check_arrays(table, column);
      check_split_cells(table, column);
      break;
    case NodeType::ClpString:
      check_split_cells(table, column);
      break;
    case NodeType::DateString:
    case NodeType::Timestamp:
      for (std::uint64_t row = 0; row < column.records; ++row) {
        if (row == 0 || column.second_word(row) != column.second_word(row - 1)) {
          patterns_used_.insert(column.second_word(row));
        }
      }
      break;
    default:
      break;
  }
}

void ArchiveCheck::mark_variable(Placeholder kind, std::uint64_t word) {
  if (kind == Placeholder::Dictionary) {
    variables_.mark(word);
  } else if (kind == Placeholder::IntegerOrDictionary) {
    if (const auto id = dictionary_id(static_cast<std::int64_t>(word))) {
      variables_.mark(*id);
    }
  }
}

void ArchiveCheck::check_split_cells(const Table& table, const Column& column) {
  Marks& types = column.type == NodeType::ClpString ? log_types_ : array_types_;
  // Of each variable: how many the text takes that begins with it; kWithin if it is a later one.
  constexpr std::uint32_t kFree = 0, kWithin = 0xFFFFFFFF;
  std::vector<std::uint32_t> taken(static_cast<std::size_t>(column.variable_count()), kFree);
  std::uint64_t free = taken.size();
  for (std::uint64_t row = 0; row < column.records; ++row) {
    const std::uint64_t cell = column.word(row);
    const std::uint64_t id = cell & kLogTypeMask;
    if (id >= types.used.size()) {
      continue;  // rebuilding the record tells
    }
    types.mark(id);
    const std::string_view stored = (*types.dictionary)[static_cast<std::size_t>(id)];
    const std::uint64_t first = cell >> kLogTypeBits;
    const auto count = static_cast<std::uint32_t>(count_placeholders(stored, generation_));
    if (count == 0 || first >= taken.size() || count > taken.size() - first) {
      continue;
    }
    // Texts may share their variables, but only all of them.
    const bool whole = taken[static_cast<std::size_t>(first)] == count;
    bool shared = false;
    std::uint64_t variable = first;
    for (std::size_t at = 0; const auto kind = next_placeholder(stored, generation_, at);) {
      std::uint32_t& mark = taken[static_cast<std::size_t>(variable)];
      shared = shared || mark != kFree;
      free -= mark == kFree ? 1 : 0;
      mark = variable == first ? count : kWithin;
      mark_variable(*kind, column.variable(variable++));
    }
    if (shared && !whole) {
      tell("clps-variables",
           fmt::format("table {}, record {}: its text at node {} takes variables of another one",
                       table.index(), row, column.node),
           place_of_table(table.index()));
    }
  }
  if (free > 0) {
    tell("clps-variables", Severity::Note,
         fmt::format("table {}: {} of {} variables at node {} are in no text", table.index(), free,
                     taken.size(), column.node),
         place_of_table(table.index()));
  }
}

bool ArchiveCheck::append_variable(Placeholder kind, std::uint64_t word, std::string& out) const {
  const auto number = static_cast<std::int64_t>(word);
  std::uint64_t id = word;
  if (kind == Placeholder::Float) {
    return append_float(word, generation_, out);
  }
  if (kind == Placeholder::IntegerOrDictionary) {
    if (const auto found = dictionary_id(number)) {
      id = *found;
    } else {
      kind = Placeholder::Integer;
    }
  }
  if (kind == Placeholder::Integer) {
    append_integer(number, out);
    return true;
  }
  if (id >= variables_.used.size()) {
    return false;
  }
  out += (*variables_.dictionary)[static_cast<std::size_t>(id)];
  return true;
}

bool ArchiveCheck::text_of(const Column& column, std::uint64_t row, std::string& out) const {
  const std::uint64_t cell = column.word(row);
  const std::uint64_t id = cell & kLogTypeMask;
  if (id >= array_types_.used.size()) {
    return false;
  }
  const std::string_view stored = (*array_types_.dictionary)[static_cast<std::size_t>(id)];
  std::uint64_t variable = cell >> kLogTypeBits;
  out.clear();
  for (std::size_t at = 0; at < stored.size();) {
    const std::size_t begin = at;
    const auto kind = next_placeholder(stored, generation_, at);
    const std::string_view literal = stored.substr(begin, at - begin - (kind ? 1 : 0));
    for (std::size_t i = 0; i < literal.size(); ++i) {
      i += literal[i] == '\\' ? 1 : 0;
      if (i < literal.size()) {
        out += literal[i];
      }
    }
    if (kind &&
        (out.size() > archive_.budget().limit() / 2 || variable >= column.variable_count() ||
         !append_variable(*kind, column.variable(variable++), out))) {
      return false;
    }
  }
  return true;
}

void ArchiveCheck::check_arrays(const Table& table, const Column& column) {
  std::string text;
  for (std::uint64_t row = 0; row < column.records; ++row) {
    if (!text_of(column, row, text) || (text.starts_with('[') && query::is_json(text))) {
      continue;
    }
    auto& bad = bad_arrays_[table.index()];
    bad.resize(static_cast<std::size_t>(table.records()));
    bad[static_cast<std::size_t>(row)] = true;
    tell("clps-array-json",
         fmt::format("table {}, record {}: the text at node {} is no JSON array", table.index(),
                     row, column.node),
         place_of_table(table.index()));
  }
}

void ArchiveCheck::check_times(const Table& table, const Column& column) {
  const auto found = std::lower_bound(ranges_of_nodes_.begin(), ranges_of_nodes_.end(),
                                      std::pair(column.node, std::size_t{0}));
  if (found == ranges_of_nodes_.end() || found->first != column.node) {
    return;
  }
  const TimeRange& range = archive_.metadata().time_ranges[found->second];
  for (std::uint64_t row = 0; row < column.records; ++row) {
    if (!in_range(column, row, range)) {
      tell("clps-time-range",
           fmt::format("table {}, record {}: its time lies outside of time range {}", table.index(),
                       row, found->second),
           place_of_table(table.index()));
    }
  }
}

bool ArchiveCheck::in_range(const Column& column, std::uint64_t row, const TimeRange& range) const {
  const auto value = static_cast<std::int64_t>(column.word(row));
  const bool real = column.type == NodeType::Float || column.type == NodeType::FormattedFloat;
  switch (range.encoding) {
    case TimeRange::Encoding::None:
      return false;
    case TimeRange::Encoding::DoubleEpoch: {
      const double number =
          real ? std::bit_cast<double>(column.word(row)) : static_cast<double>(value);
      return column.type == NodeType::DictionaryFloat ||
             (range.begin_real <= number && number <= range.end_real);
    }
    case TimeRange::Encoding::Epoch:
      break;
  }
  if (column.type == NodeType::Timestamp) {
    return floor_ms(value) >= range.begin && ceil_ms(value) <= range.end;
  }
  if (real) {
    const double number = std::bit_cast<double>(column.word(row));
    return static_cast<double>(range.begin) <= number && number <= static_cast<double>(range.end);
  }
  return column.type == NodeType::DictionaryFloat || (range.begin <= value && value <= range.end);
}

}  // namespace fonds::clps
