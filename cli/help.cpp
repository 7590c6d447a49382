// Help, manual page, completions and reference page, all from the table.
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>

#include <fmt/core.h>

#include "flags.hpp"
#include "version.hpp"

namespace fonds::cli {
namespace {

constexpr std::size_t kFlagColumn = 26;

std::string flag_usage(const Flag& flag) {
  std::string usage = flag.letter != 0 ? fmt::format("-{}, {}", flag.letter, flag.name)
                                       : fmt::format("    {}", flag.name);
  if (!flag.value.empty()) {
    usage += fmt::format(" {}", flag.value);
  }
  return usage;
}

std::string flag_lines(std::span<const Flag> flags) {
  std::string text;
  for (const Flag& flag : flags) {
    const std::string usage = flag_usage(flag);
    text += usage.size() < kFlagColumn
                ? fmt::format("  {:<{}}{}\n", usage, kFlagColumn, flag.help)
                : fmt::format("  {}\n  {:<{}}{}\n", usage, "", kFlagColumn, flag.help);
  }
  return text;
}

// Backslashes and leading dots mean something to troff.
std::string troff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || (c == '-')) {
      out += '\\';
    }
    out += c;
  }
  return out.starts_with('.') ? "\\&" + out : out;
}

std::string man_page() {
  std::string page = fmt::format(
      ".TH FONDS 1 \"\" \"fonds {}\" \"User Commands\"\n.SH NAME\nfonds \\- the one tool for "
      "record archives\n"
      ".SH SYNOPSIS\n.B fonds\n.I COMMAND\n[\\fIOPTION\\fR]... \\fIARCHIVE\\fR...\n"
      ".SH DESCRIPTION\nReads, lists, checks and rewrites WARC, ARC and RecordIO files.\n.SH "
      "COMMANDS\n",
      kVersion);
  for (const Command& command : commands()) {
    page += fmt::format(".SS fonds {} {}\n{}\n", command.name, troff(command.arguments),
                        troff(command.description));
    for (const Flag& flag : command.flags) {
      page += fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", troff(flag.name), troff(flag.value),
                          troff(flag.help));
    }
    for (const Example& example : command.examples) {
      page += fmt::format(".PP\n.EX\n{}\n.EE\n{}\n", troff(example.command), troff(example.what));
    }
  }
  page += ".SH COMMON OPTIONS\n";
  for (const Flag& flag : common_flags()) {
    page += fmt::format(".TP\n\\fB{}\\fR {}\n{}\n", troff(flag.name), troff(flag.value),
                        troff(flag.help));
  }
  page +=
      ".SH EXIT STATUS\n.TP\n0\ndone, nothing damaged\n.TP\n1\nthe answer is no, or not "
      "whole\n.TP\n2\nwrong usage\n.TP\n3\n"
      "an input or output could not be read or written\n.TP\n130\ninterrupted\n";
  return page;
}

std::string words_of(std::span<const Flag> flags) {
  std::string words;
  for (const Flag& flag : flags) {
    words += fmt::format(" {}", flag.name);
  }
  return words;
}

std::string bash_completion() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += fmt::format(" {}", command.name);
    cases += fmt::format("    {}) flags=\"{}{}\" ;;\n", command.name, words_of(command.flags),
                         words_of(common_flags()));
  }
  return fmt::format(
      "_fonds() {{\n  local word=\"${{COMP_WORDS[COMP_CWORD]}}\" flags=\"\"\n  if [ "
      "\"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=($(compgen -W \"{}\" -- \"$word\"))\n    return\n  fi\n  case "
      "\"${{COMP_WORDS[1]}}\" in\n{}  esac\n"
      "  case \"$word\" in\n    -*) COMPREPLY=($(compgen -W \"$flags\" -- \"$word\")) ;;\n"
      "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}}\ncomplete -o filenames -F "
      "_fonds fonds\n",
      names, cases);
}

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out;
}

std::string zsh_completion() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += fmt::format("    '{}:{}'\n", command.name, quoted(command.summary));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const auto flags : {command.flags, common_flags()}) {
      for (const Flag& flag : flags) {
        std::string help = quoted(flag.help);
        std::replace(help.begin(), help.end(), '[', '(');
        std::replace(help.begin(), help.end(), ']', ')');
        cases += fmt::format(" '{}[{}]{}'", flag.name, help,
                             flag.value.empty() ? "" : fmt::format(":{}:", flag.value));
      }
    }
    cases += " '*:archive:_files' ;;\n";
  }
  return fmt::format(
      "#compdef fonds\nlocal -a commands\ncommands=(\n{})\nif (( CURRENT == 2 )); then\n"
      "  _describe command commands\nelse\n  local command=$words[2]\n  shift words\n  (( "
      "CURRENT-- ))\n"
      "  case $command in\n{}  esac\nfi\n",
      names, cases);
}

std::string fish_completion() {
  std::string text;
  for (const Command& command : commands()) {
    text += fmt::format("complete -c fonds -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                        quoted(command.summary));
    for (const auto flags : {command.flags, common_flags()}) {
      for (const Flag& flag : flags) {
        text +=
            fmt::format("complete -c fonds -n '__fish_seen_subcommand_from {}' -l {}{}{} -d '{}'\n",
                        command.name, flag.name.substr(2),
                        flag.letter != 0 ? fmt::format(" -s {}", flag.letter) : "",
                        flag.value.empty() ? "" : " -r", quoted(flag.help));
      }
    }
  }
  return text;
}

std::string reference_page() {
  std::string page =
      "# Commands\n\nMade by `fonds --generate reference`; a test compares it with the program.\n";
  for (const Command& command : commands()) {
    page += fmt::format("\n## fonds {}\n\n```text\n{}```\n", command.name, help_text(command));
  }
  return page;
}

}  // namespace

std::string help_text() {
  std::string text =
      "fonds – the one tool for record archives\n\nUsage: fonds COMMAND [OPTION]… "
      "ARCHIVE…\n\nCommands:\n";
  for (const Command& command : commands()) {
    text += fmt::format("  {:<10}{}\n", command.name, command.summary);
  }
  text +=
      "\n`fonds help COMMAND` shows options and examples. An ARCHIVE is a file, or - for standard "
      "input.\n";
  return text;
}

std::string help_text(const Command& command) {
  std::string text = fmt::format(
      "{}\n\nUsage: fonds {} {}\n\n{}\n", command.summary, command.name,
      command.name == "help" ? command.arguments : fmt::format("[OPTION]… {}", command.arguments),
      command.description);
  if (!command.flags.empty()) {
    text += "\nOptions:\n" + flag_lines(command.flags);
  }
  if (command.name != "help") {
    text += "\nCommon options:\n" + flag_lines(common_flags());
  }
  text += "\nExamples:\n";
  for (const Example& example : command.examples) {
    text += fmt::format("  {}\n      {}\n", example.command, example.what);
  }
  return text;
}

std::string generate(std::string_view what) {
  if (what == "man") {
    return man_page();
  }
  if (what == "bash") {
    return bash_completion();
  }
  if (what == "zsh") {
    return zsh_completion();
  }
  if (what == "fish") {
    return fish_completion();
  }
  if (what == "reference") {
    return reference_page();
  }
  throw UsageError{fmt::format("--generate takes man, bash, zsh, fish or reference, not {}", what)};
}

}  // namespace fonds::cli
