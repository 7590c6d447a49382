// How clp-s looks for a pattern among split strings: as patterns of log types, made from the
// pattern's tokens, and variables. Some texts it misses and some it finds too many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/searching/compat_pattern.hpp"
#include "format/clps/searching/search_mask.hpp"

namespace fonds::clps::compat {

// One variable that a text must have.
struct WantedVariable {
  std::optional<std::uint64_t> word;  // this encoding
  BitSet ids;                         // else an id of these
  bool matches(std::uint64_t stored) const {
    return word ? stored == *word : stored < ids.size() && ids.test(stored);
  }
};

// One way to read the pattern's tokens.
struct Reading {
  std::string log_type;             // a pattern
  std::vector<std::size_t> wanted;  // places in LogTypeSearch::wanted
  bool precise = false;             // a log type that fits is enough
};

class LogTypeSearch {
 public:
  // Of patterns with more readings, or tokens that are variables or have stars, every text is
  // looked at.
  static constexpr std::size_t kMostReadings = std::size_t{1} << 14;
  static constexpr std::size_t kMostTokens = 256;

  // `pattern` as Literal has it. Nothing is kept of the dictionary.
  LogTypeSearch(std::string_view pattern, bool ignore_case, const Dictionary& variables);

  // Every text is to be looked at, and nothing else.
  bool all() const { return all_; }
  bool none() const { return !all_ && readings_.empty(); }
  std::size_t sets() const { return wanted_.size(); }  // of dictionary entries that it holds

  // What is known of one log type: whether all its texts count as found, and the readings that it
  // fits.
  struct Fit {
    bool found = false;
    std::vector<std::size_t> readings;
  };
  Fit fit(std::string_view stored) const;
  // Whether the variables of a text that matches the pattern fit one of the readings.
  bool variables_fit(const Fit& fit, const Column& column, std::uint64_t first,
                     std::uint64_t count) const;

 private:
  class Maker;

  bool all_ = false;
  bool ignore_case_;
  std::vector<WantedVariable> wanted_;
  std::vector<Reading> readings_;
  std::vector<OctetPattern> patterns_;  // of each reading
};

}  // namespace fonds::clps::compat
