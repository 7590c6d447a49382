// The command line's parser by itself. Its source is part of the program, not of the library, so it
// is included here, with commands that do nothing.
#include "../../cli/flags.cpp"  // NOLINT(bugprone-suspicious-include)

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../cli/arguments.cpp"  // NOLINT(bugprone-suspicious-include)

namespace fonds::cli {

int run_info(const Arguments&) { return 0; }
int run_ls(const Arguments&) { return 0; }
int run_cat(const Arguments&) { return 0; }
int run_search(const Arguments&) { return 0; }
int run_verify(const Arguments&) { return 0; }
int run_convert(const Arguments&) { return 0; }
int run_merge(const Arguments&) { return 0; }
int run_split(const Arguments&) { return 0; }
int run_create(const Arguments&) { return 0; }
int run_dedup(const Arguments&) { return 0; }
int run_compare(const Arguments&) { return 0; }
int run_train(const Arguments&) { return 0; }
int run_repair(const Arguments&) { return 0; }
int run_index(const Arguments&) { return 0; }
int run_help(const Arguments&) { return 0; }

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Arguments parse(std::vector<const char*> words, std::string_view command = "ls") {
  return parse_arguments(*find_command(command), words);
}
std::string mistake(std::vector<const char*> words, std::string_view command = "ls") {
  try {
    parse(std::move(words), command);
  } catch (const UsageError& error) {
    return error.message;
  }
  return "";
}

TEST(ParseArguments, FlagsAndFilesComeInAnyOrder) {
  const Arguments given = parse({"a", "--json", "b", "--limit", "7", "-q", "c"});
  EXPECT_THAT(given.positional, ElementsAre("a", "b", "c"));
  EXPECT_TRUE(given.has("--json"));
  EXPECT_TRUE(given.has("--quiet"));
  EXPECT_EQ(given.get("--limit"), "7");
  EXPECT_FALSE(given.has("--full"));
  EXPECT_EQ(given.get("--fields", "none"), "none");
}

TEST(ParseArguments, ValuesStandBehindTheNameOrBehindEquals) {
  EXPECT_EQ(parse({"--limit=7", "a"}).get("--limit"), "7");
  EXPECT_EQ(parse({"-o", "dir", "a"}, "cat").get("--output"), "dir");
  EXPECT_EQ(parse({"--fields", "a,b", "x"}).get("--fields"), "a,b");
}

TEST(ParseArguments, LettersCanBeJoined) {
  const Arguments given = parse({"-qv", "a"});
  EXPECT_TRUE(given.has("--quiet"));
  EXPECT_TRUE(given.has("--verbose"));
}

TEST(ParseArguments, BehindTwoDashesEverythingIsAFile) {
  EXPECT_THAT(parse({"a", "--", "--json", "-b"}).positional, ElementsAre("a", "--json", "-b"));
  EXPECT_FALSE(parse({"--", "--json"}).has("--json"));
  EXPECT_THAT(parse({"--json", "--", "a"}).positional, ElementsAre("a"));
}

TEST(ParseArguments, ADashIsStandardInput) {
  EXPECT_THAT(parse({"-"}).positional, ElementsAre("-"));
}

TEST(ParseArguments, KeysOfCatAreNoFlags) {
  EXPECT_THAT(parse({"a", "uri:http://a/?b=--json", "offset:7+3"}, "cat").positional,
              ElementsAre("a", "uri:http://a/?b=--json", "offset:7+3"));
}

TEST(ParseArguments, RepeatedFlagIsNoMistakeAndTheLastCounts) {
  EXPECT_EQ(mistake({"-v", "-v", "a"}), "");
  EXPECT_EQ(mistake({"--limit", "1", "--limit", "2", "a"}), "");
  EXPECT_EQ(parse({"--limit", "1", "--limit", "2", "a"}).get("--limit"), "2");
}

TEST(ParseArguments, AllValuesOfARepeatedFlagAreKeptInOrder) {
  const Arguments given =
      parse({"-o", "x", "--header", "a=1", "in", "--header=b:int64=2"}, "convert");
  EXPECT_THAT(given.all("--header"), ElementsAre("a=1", "b:int64=2"));
  EXPECT_THAT(given.all("--compression"), testing::IsEmpty());
}

TEST(ParseArguments, UnknownFlagIsAMistakeWithAProposal) {
  EXPECT_EQ(mistake({"--jsn", "a"}), "unknown option --jsn; did you mean --json?");
  EXPECT_EQ(mistake({"a", "--feilds=x"}), "unknown option --feilds=x; did you mean --fields?");
  EXPECT_EQ(mistake({"--nothing-like-it-at-all", "a"}), "unknown option --nothing-like-it-at-all");
  EXPECT_THAT(mistake({"-x", "a"}), HasSubstr("unknown option -x"));
}

TEST(ParseArguments, FlagOfAnotherCommandIsUnknown) {
  EXPECT_THAT(mistake({"--resolve", "a"}), HasSubstr("unknown option --resolve"));
}

TEST(ParseArguments, MissingValueIsAMistakeThatNamesTheFlag) {
  EXPECT_THAT(mistake({"a", "--limit"}), HasSubstr("--limit"));
  EXPECT_THAT(mistake({"a", "--fields"}), HasSubstr("--fields"));
}

TEST(Nearest, ProposesOnlyWhatIsNear) {
  const std::vector<std::string_view> known = {"info", "ls", "cat", "verify"};
  EXPECT_EQ(nearest("verfy", known), "verify");
  EXPECT_EQ(nearest("inof", known), "info");
  EXPECT_EQ(nearest("repairing", known), "");
}

TEST(Commands, HaveHelpForEveryFlag) {
  for (const Command& command : commands()) {
    EXPECT_NE(command.run, nullptr);
    EXPECT_EQ(find_command(command.name), &command);
    for (const Flag& flag : command.flags) {
      EXPECT_TRUE(flag.name.starts_with("--")) << flag.name;
      EXPECT_FALSE(flag.help.empty()) << flag.name;
    }
  }
  EXPECT_EQ(find_command("nothing"), nullptr);
}

}  // namespace
}  // namespace fonds::cli
