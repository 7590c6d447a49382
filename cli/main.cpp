#include <csignal>
#include <cstddef>
#include <exception>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "queries.hpp"
#include "remote.hpp"
#include "terminal.hpp"
#include "version.hpp"

namespace fonds::cli {
namespace {

int usage_error(const std::string& message, const Command* command) {
  std::cerr << fmt::format(
      "fonds: {}\n{}\n", escape_for_terminal(message),
      command == nullptr ? "`fonds help` lists the commands"
                         : fmt::format("`fonds help {}` shows how it is used", command->name));
  return static_cast<int>(Exit::Usage);
}

int unknown_command(const std::string& name) {
  std::vector<std::string_view> known;
  for (const Command& command : commands()) {
    known.push_back(command.name);
  }
  const std::string_view near = nearest(name, known);
  return usage_error(near.empty()
                         ? fmt::format("there is no command {}", name)
                         : fmt::format("there is no command {}; did you mean {}?", name, near),
                     nullptr);
}

int run_generate(std::span<const char* const> words) {
  try {
    std::cout << generate(fmt::format("{}", fmt::join(words, " ")));
    return 0;
  } catch (const UsageError& error) {
    return usage_error(error.message, nullptr);
  }
}

int run(std::span<const char* const> words) {
  if (words.empty()) {
    std::cerr << help_text();
    return static_cast<int>(Exit::Usage);
  }
  const std::string first = words[0];
  if (first == "--help" || first == "-h") {
    std::cout << help_text();
    return 0;
  }
  if (first == "--version") {
    std::cout << fmt::format("fonds {}\n", kVersion);
    return 0;
  }
  if (first == "--generate") {
    return run_generate(words.subspan(1));
  }
  const Command* command = find_command(first);
  if (command == nullptr) {
    return unknown_command(first);
  }
  try {
    const Arguments arguments = parse_arguments(*command, words.subspan(1));
    if (arguments.has("--help")) {
      std::cout << help_text(*command);
      return 0;
    }
    if (arguments.has("--version")) {
      std::cout << fmt::format("fonds {}\n", kVersion);
      return 0;
    }
    if (arguments.positional.size() < command->least_arguments) {
      throw UsageError{"no archive given; a file, or - for standard input"};
    }
    check_format_name(arguments);
    register_transformers(arguments);
    try {
      set_remote(arguments);
      const int status = command->run(arguments);
      tell_remote_use(arguments);
      return status;
    } catch (const QueryError& error) {
      Messages(arguments).wrong_query(error.text);
      return static_cast<int>(Exit::Usage);
    }
  } catch (const UsageError& error) {
    return usage_error(error.message, command);
  }
}

}  // namespace

int run_help(const Arguments& arguments) {
  if (arguments.positional.empty()) {
    std::cout << help_text();
    return 0;
  }
  const Command* command = find_command(arguments.positional[0]);
  if (command == nullptr) {
    return unknown_command(arguments.positional[0]);
  }
  std::cout << help_text(*command);
  return 0;
}

}  // namespace fonds::cli

int main(int argc, char** argv) {
  try {
    fonds::cli::install_signal_handlers();
    return fonds::cli::run(
        std::span<const char* const>(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    std::cerr << "fonds: " << error.what() << '\n';
    return static_cast<int>(fonds::cli::Exit::Unreadable);
  }
}
