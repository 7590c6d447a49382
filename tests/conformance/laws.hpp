// The laws: what is promised of every archive, whatever its format and codec.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/rows.hpp"
#include "conformance/sites.hpp"

namespace fonds::laws {

// Where a law is asked of a row.
enum class Asked : std::uint8_t { Here, AtServers, Everywhere };

struct Law {
  std::string name;         // as part of a test's name
  std::string title;        // for the page: "verify(good) is silent"
  std::string meaning;      // one sentence
  bool of_damaged = false;  // whether it is asked of damaged archives too
  // Whether it is asked of this row, and in words of which; null: of all.
  bool (*is_about)(const Row&) = nullptr;
  std::string about = {};
  // What is wrong, in a sentence; empty if the law holds.
  std::function<std::string(const Row&)> complaint = nullptr;
  Asked asked = Asked::Everywhere;
};
// Whether the law says something of this row where that lies. Everywhere only small rows are asked
// at servers.
bool is_about(const Law& law, const Row& row);
const std::vector<Law>& all_laws();

// Where a law does not hold, or nothing is promised.
struct Exception {
  enum class Kind : std::uint8_t {
    Fails,     // checked: it has to fail
    Refused,   // checked: it may hold, or is refused since the archive can be read only once
    Pointless  // not checked
  } kind;
  std::string law;
  std::vector<std::string> rows;  // names, or their beginnings with a `*` behind
  std::string reason;             // part of a sentence
  std::string site = {};          // its name, see kOnce; empty: wherever the row lies
};
// The site of a server that gives no ranges.
inline constexpr const char* kOnce = "stream";
const std::vector<Exception>& exceptions();
// Whether the row is meant by one of Exception::rows.
bool row_fits(std::string_view pattern, const Row& row);
const Exception* exception_of(const Law& law, const Row& row);

// ---- the laws, by what they are about ----

std::vector<Law> reading_laws();    // laws_reading.cpp
std::vector<Law> finding_laws();    // laws_finding.cpp: keys and indexes
std::vector<Law> rewriting_laws();  // laws_rewriting.cpp: repair, split, merge
std::vector<Law> writing_laws();    // laws_writing.cpp: convert, append
std::vector<Law> search_laws();     // laws_search.cpp: of events
std::vector<Law> served_laws();     // laws_served.cpp

std::vector<Law> field_search_laws();  // laws_search_records.cpp

}  // namespace fonds::laws
