// The one table of commands and flags: the parser, the help, the manual page, the completions and
// the reference page come from it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fonds::cli {

struct Flag {
  std::string_view name;   // "--json"
  char letter = 0;         // 'q' for -q
  std::string_view value;  // name of the value in help: "SIZE"; empty for a switch
  std::string_view help;
};

struct Example {
  std::string_view command;
  std::string_view what;
};

struct Command {
  std::string_view name;
  std::string_view arguments;  // "ARCHIVE…"
  std::string_view summary;
  std::string_view description;
  std::span<const Flag> flags;
  std::span<const Example> examples;
  std::size_t least_arguments = 1;
  int (*run)(const struct Arguments&) = nullptr;
};

std::span<const Command> commands();
std::span<const Flag> common_flags();
const Command* find_command(std::string_view name);

// What was given on the command line.
struct Arguments {
  const Command* command = nullptr;
  std::vector<std::string> positional;
  std::map<std::string, std::vector<std::string>, std::less<>>
      values;  // by flag name; a switch has one empty value

  bool has(std::string_view flag) const { return values.contains(flag); }
  std::string get(std::string_view flag, std::string_view otherwise = {}) const;
  // All values of a flag that may be repeated, in order.
  std::vector<std::string> all(std::string_view flag) const;
};

enum class Exit : std::uint8_t {
  Done = 0,
  Not = 1,  // the answer is no, or not whole
  Usage = 2,
  Unreadable = 3,  // an input or output could not be read or written at all
  Interrupted = 130,
};

// A mistake of the user: printed with a pointer to the help, exit 2.
struct UsageError {
  std::string message;
};

// Parses what follows the command's name. Throws UsageError.
Arguments parse_arguments(const Command& command, std::span<const char* const> words);
// The known name nearest to what was typed, or an empty view.
std::string_view nearest(std::string_view typed, std::span<const std::string_view> known);

std::string help_text();
std::string help_text(const Command& command);
// "man", "bash", "zsh", "fish" or "reference". Throws UsageError.
std::string generate(std::string_view what);

int run_info(const Arguments& arguments);
int run_ls(const Arguments& arguments);
int run_cat(const Arguments& arguments);
int run_search(const Arguments& arguments);
int run_verify(const Arguments& arguments);
int run_compare(const Arguments& arguments);
int run_train(const Arguments& arguments);
int run_convert(const Arguments& arguments);
int run_create(const Arguments& arguments);
int run_merge(const Arguments& arguments);
int run_dedup(const Arguments& arguments);
int run_split(const Arguments& arguments);
int run_repair(const Arguments& arguments);
int run_index(const Arguments& arguments);
int run_help(const Arguments& arguments);

}  // namespace fonds::cli
