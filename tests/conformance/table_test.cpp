// The page about the laws says what the table says. FONDS_WRITE_LAWS=1 writes it.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "conformance/laws.hpp"
#include "conformance/rows.hpp"
#include "test_paths.hpp"

namespace fonds::laws {
namespace {

const std::string kPage = std::string(FONDS_TEST_DATA) + "/../../docs/explanation/laws.md";

constexpr std::string_view kHead =
    R"(# Laws

What is promised of every archive, whatever its format and codec. `tests/conformance` checks each law on each row: on
archives that the tests make, and on all files of `tests/data`, in memory and at servers: nginx with and without
ranges, and an S3 server (`tests/test_served.py`). Rows of formats are added there, so a new format keeps the same
laws. Made by `FONDS_WRITE_LAWS=1 build/release/fonds_tests --gtest_filter='TableOfLaws.*'`; a test compares
it with the table.

## The laws

Damaged archives keep those laws, too, that speak of *all*. Laws that are asked *everywhere* hold of archives in memory
and of those of up to 200 KiB at servers: at one without ranges, and at one with ranges or of S3, which take turns
(`FONDS_ALL_TURNS=1`: at all). What is made of an archive lies in memory.

)";

constexpr std::string_view kRows = R"(
## The rows

Made archives hold records with empty, binary and compressed contents, duplicates and revisits, one of 3 MiB, and
contents that look like records.

)";

constexpr std::string_view kExceptions = R"(
## Exceptions

The tests check that a law does not hold where it says *no*, so that an exception goes when its reason does. *Refused*:
it holds, or the operation says that it needs what can be read more than once. *Not asked*: nothing is promised there.

)";

const char* words_of(Asked asked) {
  return asked == Asked::Here ? "here" : asked == Asked::AtServers ? "of servers" : "everywhere";
}

std::string laws_table() {
  std::string text = "| law | says | of | asked |\n|---|---|---|---|\n";
  for (const Law& law : all_laws()) {
    text += fmt::format("| {} | {} | {}{} | {} |\n", law.title, law.meaning,
                        law.of_damaged ? "all " : "good ",
                        law.about.empty() ? "archives" : law.about, words_of(law.asked));
  }
  return text;
}

std::string rows_table() {
  std::vector<std::pair<std::string, std::vector<std::string>>> families;
  for (const Row& row : made_rows()) {
    const std::size_t slash = row.name.find('/');
    const std::string family = row.name.substr(0, slash);
    if (families.empty() || families.back().first != family) {
      families.push_back({family, {}});
    }
    families.back().second.push_back(row.name.substr(slash + 1));
  }
  std::map<std::string, std::set<std::string>> together;
  for (const auto& [family, rows] : families) {
    together[family].insert(rows.begin(), rows.end());
  }
  std::string text = "| made | in |\n|---|---|\n";
  for (const auto& [family, rows] : together) {
    text += fmt::format("| {} |", family);
    for (const std::string& row : rows) {
      text += (row == *rows.begin() ? " " : ", ") + row;
    }
    text += " |\n";
  }
  return text;
}

std::string title_of(const std::string& law) {
  for (const Law& candidate : all_laws()) {
    if (candidate.name == law) {
      return candidate.title;
    }
  }
  return law;
}

const char* words_of(Exception::Kind kind) {
  switch (kind) {
    case Exception::Kind::Fails:
      return "no";
    case Exception::Kind::Refused:
      return "refused";
    default:
      return "not asked";
  }
}

std::string exceptions_table() {
  std::string text = "| law | holds | rows | since |\n|---|---|---|---|\n";
  for (const Exception& exception : exceptions()) {
    std::string names;
    for (const std::string& row : exception.rows) {
      if (row == "*") {
        names += "all";
        continue;
      }
      names += fmt::format("{}`{}`", names.empty() ? "" : ", ", row);
    }
    if (exception.rows.size() > 20) {
      names = fmt::format("{} rows", exception.rows.size());
    }
    if (!exception.site.empty()) {
      names += " at a server without ranges";
    }
    text += fmt::format("| {} | {} | {} | {} |\n", title_of(exception.law),
                        words_of(exception.kind), names, exception.reason);
  }
  return text;
}

std::string page() {
  return std::string(kHead) + laws_table() + std::string(kRows) + rows_table() +
         fmt::format(
             "\nOf the files in `tests/data` {} are damaged, or break a rule so that something is "
             "lost.\n",
             damaged_fixtures().size()) +
         std::string(kExceptions) + exceptions_table();
}

TEST(TableOfLaws, IsThatOfThePage) {
  if (std::getenv("FONDS_WRITE_LAWS") != nullptr) {  // NOLINT(concurrency-mt-unsafe)
    std::ofstream(kPage, std::ios::binary) << page();
  }
  std::ifstream file(kPage, std::ios::binary);
  const std::string written((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
  EXPECT_TRUE(written == page()) << "FONDS_WRITE_LAWS=1 writes it";
}

// An exception that no row or law has would be forgotten.
TEST(TableOfLaws, HasExceptionsOfRowsAndLawsThatThereAre) {
  if (kSanitized) {
    GTEST_SKIP() << "large fixtures are left out";
  }
  for (const Exception& exception : exceptions()) {
    EXPECT_NE(title_of(exception.law), exception.law);
    for (const std::string& pattern : exception.rows) {
      bool found = false;
      for (const Row& row : rows()) {
        found = found || row_fits(pattern, row);
      }
      EXPECT_TRUE(found) << exception.law << " of " << pattern;
    }
  }
}

}  // namespace
}  // namespace fonds::laws
