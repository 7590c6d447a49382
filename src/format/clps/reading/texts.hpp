// The strings of an archive: its dictionaries, log types parsed when they are first needed, and the
// patterns of its times.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <fonds/formats/clps.hpp>

#include "base/time_pattern.hpp"
#include "format/clps/reading/date_string.hpp"
#include "format/clps/reading/log_type.hpp"
#include "format/clps/reading/text_buffer.hpp"

namespace fonds::clps {

// One dictionary of log types.
class LogTypes {
 public:
  // `escaped`: the literal text is prepared as the inside of a JSON string. What is parsed counts
  // against the budget, which must outlive this.
  LogTypes(const Dictionary& stored, Generation generation, bool escaped, Budget& budget);
  ~LogTypes();

  std::size_t size() const { return parsed_.size(); }
  struct Parsed {
    LogType type;
    std::string text;                 // the literal pieces, escaped if asked for
    std::vector<std::size_t> pieces;  // where each ends in `text`; one more than variables
  };
  // `id` is below size(). nullptr: it would exceed the budget. Thread-safe.
  const Parsed* find(std::size_t id) const {
    const Parsed* const parsed = parsed_[id].load(std::memory_order_acquire);
    return parsed != nullptr ? parsed : parse(id);
  }

 private:
  const Parsed* parse(std::size_t id) const;

  const Dictionary* stored_;
  Generation generation_;
  bool escaped_;
  Budget& budget_;
  mutable std::atomic<std::uint64_t> taken_ = 0;  // of the budget
  mutable std::vector<std::atomic<const Parsed*>> parsed_;
};

// What is wrong with a cell; nullptr: nothing.
using Fault = const char*;
inline constexpr Fault kTooLong = "it is longer than a record may be";

class Texts {
 public:
  // Loads the dictionaries that columns of these types need. Errors: those of
  // Archive::dictionary(). The archive must outlive the texts.
  struct Needs {
    bool variables = true, log_types = true, array_types = true;
  };
  static Result<std::unique_ptr<Texts>> open(const Archive& archive, Needs needs);
  // Asks for the bytes of those dictionaries, so that all are on their way before one is loaded;
  // of those with more than `most` it does not.
  static void will_read(const Archive& archive, Needs needs,
                        std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

  const Dictionary& variables() const { return *variables_; }
  const LogTypes& log_types() const { return *log_types_; }
  const LogTypes& array_types() const { return *array_types_; }
  Generation generation() const { return generation_; }
  // Octets that one record, or one value, may have.
  std::size_t longest_record() const { return longest_record_; }

  // Where the text of a VarString lies. Looked up for many rows before any is used: the dictionary
  // is larger than the processor's caches and entries lie everywhere in it, but it waits for
  // several look-ups at once when none needs another.
  struct Place {
    const char* text = nullptr;  // null: there is no such entry
    std::size_t length = 0, id = 0;
  };
  Place find_string(const Column& column, std::uint64_t row) const {
    const std::uint64_t id = column.word(row);
    if (id >= variables_->size()) {
      return {};
    }
    const std::string_view text = (*variables_)[static_cast<std::size_t>(id)];
    __builtin_prefetch(text.data());
    return {text.data(), text.size(), static_cast<std::size_t>(id)};
  }

  // Append a value as it stands in JSON. What was appended before a fault is the caller's to
  // remove.
  Fault append_string(const Place& place, TextBuffer& out) const;
  Fault append_clp_string(const Column& column, std::uint64_t row, TextBuffer& out) const;
  Fault append_array(const Column& column, std::uint64_t row, TextBuffer& out) const;
  Fault append_dictionary_float(const Column& column, std::uint64_t row, TextBuffer& out) const;
  Fault append_formatted_float(const Column& column, std::uint64_t row, TextBuffer& out,
                               std::string& scratch) const;
  static void append_float(const Column& column, std::uint64_t row, TextBuffer& out,
                           std::string& scratch);
  Fault append_date(const Column& column, std::uint64_t row, TextBuffer& out,
                    std::string& scratch) const;
  Fault append_time(const Column& column, std::uint64_t row, TextBuffer& out,
                    std::string& scratch) const;

  // The instant that a value of the timestamp column is, in ns since 1970, saturated. Nothing for
  // types that are none.
  std::optional<std::int64_t> instant(const Column& column, std::uint64_t row) const;

  const TimePattern* time_pattern(std::uint64_t id) const;
  const DatePattern* date_pattern(std::uint64_t id) const;

 private:
  Texts() = default;
  template <bool Escape, typename Out>
  Fault append_split(const LogTypes& types, const Column& column, std::uint64_t row,
                     Out& out) const;
  Fault append_variable(Placeholder kind, std::uint64_t word, bool escape, TextBuffer& out) const;

  // As the inside of a JSON string.
  void append_entry(const Place& entry, TextBuffer& out) const;

  enum class Escapes : std::uint8_t { Unknown, None, Some };
  mutable std::vector<std::atomic<Escapes>> escapes_;  // of each entry of the variables
  Generation generation_ = Generation::New;
  std::size_t longest_record_ = 0;
  const Dictionary* variables_ = nullptr;
  std::unique_ptr<LogTypes> log_types_, array_types_;
  std::unordered_map<std::uint64_t, TimePattern> times_;
  std::unordered_map<std::uint64_t, DatePattern> dates_;
  Dictionary none_;
};

// Appends an integer as decimal digits.
void append_number(std::int64_t value, TextBuffer& out);

}  // namespace fonds::clps
