// The checks of clp-s's meaning on the columns of one table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/searching/compat_array.hpp"
#include "format/clps/searching/compat_schema.hpp"
#include "format/clps/searching/compat_text.hpp"
#include "format/clps/searching/search_mask.hpp"
#include "format/clps/searching/search_table.hpp"

namespace fonds::clps::compat {

// What the patterns of a query become among an archive's log types; made when it is first needed.
class TextSearches {
 public:
  TextSearches(const Archive& archive, bool ignore_case)
      : archive_(archive), ignore_case_(ignore_case), share_(archive.budget()) {}
  // Thread-safe. Errors: those of reading dictionaries; LimitExceeded.
  Result<const LogTypeSearch*> of(const Operand& operand);
  // The entries of the variable dictionary that match.
  Result<const BitSet*> words_of(const Operand& operand);

 private:
  const Archive& archive_;
  // For so many sets of a dictionary's entries.
  Status take(std::size_t sets, const Dictionary& dictionary);

  bool ignore_case_;
  std::mutex mutex_;
  BudgetShare share_;
  std::uint64_t held_ = 0;
  std::map<const Operand*, std::unique_ptr<LogTypeSearch>> made_;
  std::map<const Operand*, std::unique_ptr<BitSet>> words_;
};

// Texts of ClpString or UnstructuredArray columns.
class CellTexts {
 public:
  CellTexts(const Dictionary& types, const Dictionary& variables, Generation generation)
      : types_(types), variables_(variables), generation_(generation) {}

  // Nothing, and what is wrong told to the scan, if it cannot be read.
  const std::string* text(const Column& column, std::size_t row, ColumnScan& scan);
  // What lies behind a cell; nullptr as above.
  const LogType* type(const Column& column, std::size_t row, ColumnScan& scan);

 private:
  const Dictionary& types_;
  const Dictionary& variables_;
  Generation generation_;
  std::unordered_map<std::size_t, LogType> parsed_;
  std::string text_;
};

// One table under some terms; for one thread.
class TableRows {
 public:
  TableRows(const Archive& archive, TextSearches& searches, LazyTable& table, ColumnScan& scan,
            std::size_t records);

  // Of a term that fits the table's schema. Errors: those of Archive::table() and of reading
  // dictionaries.
  Result<BitSet> of(const BoundTerm& term);

 private:
  using Rows = Result<BitSet>;
  template <typename Test>
  Status select(const Column& column, BitSet& out, Test&& test);

  Rows found_by(const BoundTerm& term);
  Rows in_log_range(const Term& term);
  Rows at_any_key(const Term& term);
  Status look_at(const Term& term, std::span<const query::PathStep> rest, std::size_t place,
                 BitSet& out);
  Status texts(const Operand& operand, const Column& column, BitSet& out);
  Status words(const Operand& operand, const Column& column, BitSet& out);
  Status dictionary_floats(const Operand& operand, const Column& column, BitSet& out);
  Status arrays(const Term& term, std::span<const query::PathStep> rest, bool anywhere,
                bool numbers, const Column& column, BitSet& out);

  const Archive& archive_;
  TextSearches& searches_;
  LazyTable& table_;
  ColumnScan& scan_;
  std::size_t records_;
  std::size_t schema_;
  std::span<const NodeId> columns_;  // their nodes
  // What was found, without the negation: of operand, check, node, rest of the key, kinds of
  // values.
  std::map<std::tuple<const Operand*, Term::Check, NodeId, const void*, std::size_t, Types>, BitSet>
      known_;
  ArrayTest arrays_;
};

}  // namespace fonds::clps::compat
