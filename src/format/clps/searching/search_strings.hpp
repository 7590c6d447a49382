// The text side of a filter, decided once per dictionary entry.
#pragma once

#include <atomic>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/query.hpp>

#include "base/byte_finder.hpp"
#include "format/clps/reading/log_type.hpp"
#include "format/clps/reading/plain.hpp"
#include "format/clps/searching/search_mask.hpp"
#include "format/clps/searching/search_pattern.hpp"

namespace fonds::clps {

// Finds the entries of a dictionary that contain a text.
class EntryFinder {
 public:
  // `folded`: `piece` is folded, and entries are compared folded.
  EntryFinder(std::string piece, bool folded);
  // Calls `use(id)` for each entry in order. An empty piece is in all of them.
  void for_each(const Dictionary& dictionary, const std::function<void(std::size_t)>& use) const;

 private:
  std::string piece_;
  bool folded_;
  std::optional<ByteFinder> finder_;  // of what is looked for; nothing: entry by entry
  bool certain_ = false;              // what it finds contains the piece
};

// Log types, each with what a pattern says of it.
struct LogTypeDecision {
  struct Entry {
    LogTypeChance chance = LogTypeChance::None;
    std::uint32_t variables = 0;  // how many; for what is not None
    std::int32_t parsed = -1;     // in `types`, of those that must be looked at
  };
  std::vector<Entry> entries;
  std::vector<LogType> types;
  bool in_piece = false;                // some are LogTypeChance::InPiece
  bool elsewhere = false;               // some are neither that nor LogTypeChance::None
  std::vector<std::uint64_t> few = {};  // the variables of with_piece, if they are few
  const BitSet* with_piece = nullptr;   // StringTest::with_piece(), for those
  bool none = true;                     // no text can match
  bool variables = false;               // deciding a cell takes the variable dictionary
  BudgetShare share;
};

struct VariableDecision {
  BitSet ids;  // of the texts that match
  std::uint64_t count = 0;
  std::uint64_t first = 0;  // of those
  BudgetShare share;
};

// Const members are thread-safe: what is decided is decided by whoever needs it first.
class StringTest {
 public:
  // All outlive the test.
  StringTest(const query::Filter& filter, const query::ValueMatch& match,
             const query::ParseOptions& options);

  const query::ValueMatch& match() const { return *match_; }
  // Errors: those of reading dictionaries, LimitExceeded.
  Result<const VariableDecision*> variables(const Archive& archive) const;
  Result<const LogTypeDecision*> log_types(const Archive& archive) const;
  // Whether a text that matches can consist of these octets only.
  bool may_consist_of(const std::bitset<256>& octets) const;
  // What the pattern says of one log type.
  LogTypeChance chance(const TextParts& text) const {
    return machine_ ? machine_->chance(text) : LogTypeChance::Some;
  }
  // Variables of the dictionary that contain the pattern's longest piece.
  Result<const BitSet*> with_piece(const Archive& archive) const;
  // The part of log_types() that takes no variables.
  Status begin_log_types(const Archive& archive) const;
  // Whether variables() and log_types() are there already.
  bool decided_variables() const { return variables_.done.load(std::memory_order_acquire); }
  bool decided_log_types() const { return log_types_.done.load(std::memory_order_acquire); }

 private:
  Status decide_variables(const Archive& archive) const;
  Status decide_log_types(const Archive& archive) const;
  Status end_log_types(const Archive& archive) const;
  Status find_piece(const Archive& archive) const;

  const query::ValueMatch* match_;
  bool ignore_case_;
  PatternAtoms atoms_;
  std::optional<PatternMachine> machine_;

  // What is made by the first call, on whichever thread.
  struct Once {
    std::once_flag flag;
    std::atomic<bool> done = false;
    std::optional<Error> error;
    template <typename Make>
    Status run(Make&& make);
  };
  mutable Once variables_, begun_, log_types_, piece_;
  mutable BitSet with_piece_;
  mutable BudgetShare piece_share_;
  mutable VariableDecision variable_decision_;
  mutable LogTypeDecision log_type_decision_;
};

// Appends the text of a cell whose log type and variables are there. Nothing is said of a variable
// that is not valid but false.
bool append_cell(const TextParts& type, const Column& column, std::uint64_t first_variable,
                 const Dictionary& variables, Generation generation, std::string& out);

// The generation of an archive's log types.
Generation generation_of(const Archive& archive);

}  // namespace fonds::clps
