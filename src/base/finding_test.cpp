#include <algorithm>
#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/finding.hpp>

#include "test_paths.hpp"

namespace fonds {
namespace {

bool is_slug(std::string_view code) {
  const auto is_inner = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !code.empty() && code.front() >= 'a' && code.front() <= 'z' && code.back() != '-' &&
         code.find("--") == std::string_view::npos &&
         std::ranges::all_of(code, [&](char c) { return is_inner(c) || c == '-'; });
}

std::string expected_line(const FindingRule& rule) {
  return std::string(to_string(rule.severity)) + " · " + std::string(rule.clause);
}

// The sections of the reference page: code to the first line that is not empty below its heading.
std::map<std::string, std::string> documented_codes() {
  std::ifstream page(FONDS_SOURCE_DIR "/docs/reference/findings.md");
  std::map<std::string, std::string> codes;
  std::string line;
  std::string code;
  while (std::getline(page, line)) {
    if (line.starts_with("### ")) {
      code = line.substr(4);
      codes[code];
    } else if (!line.empty() && !code.empty()) {
      codes[code] = line;
      code.clear();
    }
  }
  return codes;
}

TEST(FindingRules, AreSortedAndUnique) {
  const auto rules = finding_rules();
  const auto disorder = std::ranges::adjacent_find(
      rules, [](const FindingRule& a, const FindingRule& b) { return a.code >= b.code; });
  EXPECT_EQ(disorder, rules.end()) << disorder->code;
}

class EachRule : public testing::TestWithParam<FindingRule> {};

TEST_P(EachRule, HasASlugAClauseAndOneSentence) {
  const FindingRule& rule = GetParam();
  EXPECT_TRUE(is_slug(rule.code));
  EXPECT_FALSE(rule.clause.empty());
  EXPECT_TRUE(rule.text.ends_with('.'));
  EXPECT_EQ(rule.text.find(". "), std::string_view::npos) << "more than one sentence";
}

TEST_P(EachRule, IsFoundByItsCode) {
  const FindingRule* const found = find_rule(GetParam().code);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->code, GetParam().code);
}

INSTANTIATE_TEST_SUITE_P(Table, EachRule,
                         testing::ValuesIn(finding_rules().begin(), finding_rules().end()),
                         [](const testing::TestParamInfo<FindingRule>& param) {
                           std::string name(param.param.code);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(FindingRules, AreTheSectionsOfTheReferencePage) {
  std::map<std::string, std::string> expected;
  for (const FindingRule& rule : finding_rules()) {
    expected["`" + std::string(rule.code) + "`"] = expected_line(rule);
  }
  const auto documented = documented_codes();
  for (const auto& [code, line] : expected) {
    const auto section = documented.find(code);
    if (section == documented.end()) {
      ADD_FAILURE() << "no section for " << code;
    } else {
      EXPECT_EQ(section->second, line) << code;
    }
  }
  for (const auto& [code, line] : documented) {
    EXPECT_TRUE(expected.contains(code)) << "section without a rule: " << code;
  }
}

TEST(FindRule, KnowsNothingOfOtherCodes) {
  EXPECT_EQ(find_rule(""), nullptr);
  EXPECT_EQ(find_rule("aaa"), nullptr);
  EXPECT_EQ(find_rule("truncated"), nullptr);
  EXPECT_EQ(find_rule("truncated-members"), nullptr);
  EXPECT_EQ(find_rule("zzz"), nullptr);
}

TEST(FindRule, GivesRulesThatMostWritersBreakAsWarnings) {
  EXPECT_EQ(find_rule("zf-size")->severity, Severity::Warning);
  EXPECT_EQ(find_rule("zf-checksum")->severity, Severity::Warning);
  EXPECT_EQ(find_rule("zd-size")->severity, Severity::Warning);
  EXPECT_EQ(find_rule("zd-checksum")->severity, Severity::Warning);
  EXPECT_EQ(find_rule("zf-size-value")->severity, Severity::Error);
}

TEST(MakeFinding, TakesSeverityAndStaticCodeFromTheTable) {
  std::string code = "truncated-member";
  const Finding finding = make_finding(code, "cut", {.source = "a", .stored_offset = 5});
  code = "xxxxxxxxxxxxxxxx";
  EXPECT_EQ(finding.code, "truncated-member");
  EXPECT_EQ(finding.severity, Severity::Error);
  EXPECT_EQ(finding.message, "cut");
  EXPECT_EQ(finding.where.stored_offset, 5U);
}

TEST(MakeFindingDeathTest, TakesAnUnknownCodeForADefect) {
  Finding finding;
  finding.severity = Severity::Note;
  EXPECT_DEBUG_DEATH(finding = make_finding("no-such-code", ""), "not in the table");
#ifdef NDEBUG
  EXPECT_EQ(finding.severity, Severity::Error);
#endif
}

TEST(SeverityToString, NamesEach) {
  EXPECT_EQ(to_string(Severity::Note), "note");
  EXPECT_EQ(to_string(Severity::Warning), "warning");
  EXPECT_EQ(to_string(Severity::Error), "error");
}

}  // namespace
}  // namespace fonds
