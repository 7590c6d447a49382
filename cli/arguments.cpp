// The parser of the command line.
#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "flags.hpp"

namespace fonds::cli {
namespace {

// How many letters must be changed, added or dropped to make `b` of `a`.
std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t best =
          std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = std::exchange(row[j], best);
    }
  }
  return row[b.size()];
}

std::string unknown_flag(const Command& command, const std::string& typed) {
  std::vector<std::string_view> known;
  for (const auto flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) {
      known.push_back(flag.name);
    }
  }
  const std::string_view near = nearest(typed.substr(0, typed.find('=')), known);
  return near.empty() ? fmt::format("unknown option {}", typed)
                      : fmt::format("unknown option {}; did you mean {}?", typed, near);
}

// The parser would read `--json=0` as no flag and `--json=7` as one.
void refuse_values_of_switches(const Command& command, std::span<const char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--") {
      return;
    }
    const std::size_t equals = word.find('=');
    for (const auto flags : {command.flags, common_flags()}) {
      for (const Flag& flag : flags) {
        if (equals != std::string_view::npos && flag.value.empty() &&
            flag.name == word.substr(0, equals)) {
          throw UsageError{fmt::format("{} takes no value", flag.name)};
        }
      }
    }
  }
}

}  // namespace

const Command* find_command(std::string_view name) {
  const auto known = commands();
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Command& c) { return c.name == name; });
  return found == known.end() ? nullptr : &*found;
}

std::string Arguments::get(std::string_view flag, std::string_view otherwise) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> Arguments::all(std::string_view flag) const {
  const auto found = values.find(flag);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

std::string_view nearest(std::string_view typed, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t fewest = std::max<std::size_t>(2, typed.size() / 3) + 1;
  for (const std::string_view name : known) {
    if (const std::size_t n = edits(typed, name); n < fewest) {
      fewest = n;
      best = name;
    }
  }
  return best;
}

Arguments parse_arguments(const Command& command, std::span<const char* const> words) {
  Arguments arguments;
  arguments.command = &command;
  refuse_values_of_switches(command, words);
  CLI::App parser;
  parser.set_help_flag();
  parser.allow_extras();
  std::map<std::string_view, std::vector<std::string>> values;
  for (const auto flags : {command.flags, common_flags()}) {
    for (const Flag& flag : flags) {
      std::string names(flag.name);
      if (flag.letter != 0) {
        names += fmt::format(",-{}", flag.letter);
      }
      if (flag.value.empty()) {
        parser.add_flag_callback(names, [&arguments, name = flag.name] {
          arguments.values[std::string(name)].emplace_back();
        });
      } else {
        parser.add_option(names, values[flag.name])
            ->expected(1)
            ->allow_extra_args(false)
            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
      }
    }
  }
  // The parser takes its words from the back.
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    parser.parse(reversed);
  } catch (const CLI::ParseError& error) {
    throw UsageError{error.what()};
  }
  for (auto& [name, given] : values) {
    if (!given.empty()) {
      arguments.values[std::string(name)] = std::move(given);
    }
  }
  const auto after_dashes = std::find(words.begin(), words.end(), std::string_view("--"));
  const auto literal = static_cast<std::size_t>(words.end() - after_dashes);
  std::vector<std::string> extras = parser.remaining();
  std::erase(extras, "--");
  for (std::size_t i = 0; i < extras.size(); ++i) {
    const bool is_literal = literal > 0 && i + (literal - 1) >= extras.size();
    if (!is_literal && extras[i].size() > 1 && extras[i].starts_with('-')) {
      throw UsageError{unknown_flag(command, extras[i])};
    }
    arguments.positional.push_back(extras[i]);
  }
  return arguments;
}

}  // namespace fonds::cli
