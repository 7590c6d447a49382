// A finding is one thing that is unusual or wrong in an archive. Readers attach findings to
// records, `verify` collects them. The list of all codes is docs/reference/findings.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds {

enum class Severity : std::uint8_t {
  Note,     // unusual, harmless
  Warning,  // departs from a standard, but what was delivered is certain
  Error,    // content is missing, wrong or uncertain
};
std::string_view to_string(Severity severity);  // "note", "warning", "error"

// One entry of the list of codes that every command shares.
struct FindingRule {
  std::string_view code;    // short slug: "truncated-member"
  Severity severity;        // the usual one; a finding may carry a lower one
  std::string_view clause;  // document and clause the rule comes from
  std::string_view text;    // one sentence for people
};

// All rules, sorted by code.
std::span<const FindingRule> finding_rules();
// The rule with this code, or nullptr.
const FindingRule* find_rule(std::string_view code);

struct Finding {
  std::string_view code;  // one of finding_rules(), static storage
  Severity severity = Severity::Error;
  std::string
      message;  // what was found and what was expected; may be empty where the code says it all
  Location where;
};

// A finding with the severity that the list gives to `code`.
Finding make_finding(std::string_view code, std::string message, Location where = {});

}  // namespace fonds
