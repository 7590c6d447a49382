// Help, manual page, completions and reference page, all from the table.
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <fonds/format.hpp>

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

constexpr std::string_view kFieldRules = R"(
What queries can ask of records that are no events of a log: of `fonds search`, and of `--where`. The language is that of
[queries](query-language.md); these are its keys.

- A name without a wildcard is one of the table, in just these letters; any other is a header field by its stored name, in
  any letter case.
- A field that a record does not have matches nothing, and its negation everything. Of a field that is there several times
  any may match.
- `*` and other wildcards reach what header and HTTP head say, and neither content nor `format`, `index`, `offset`, `inner`
  and `header_length`. A value alone (`404`) is asked of all these.
- Texts that are not UTF-8 are asked in their Latin-1 reading.
- A text takes part in a range (`http.content-length > 1000`) if it is a number.
- A date is the span of time that it names. `date: 2017` and `date: "2017-03"` find what lies in that year and that month,
  `date > "2017-03"` what begins behind it, `date <= "2017-03"` what begins before its end; an offset from UTC may be given, and
  14 digits do as well. `timestamp("…")`, and numbers of 10, 13, 16 and 19 digits, which count from 1970, are compared with
  the date's beginning. `date: 2017-03*` is a comparison of texts. Instants before 1677-09-21 and behind 2262-04-11 count as
  these.
- A query is asked by stages: of the header, then of the HTTP head, then of the content, and no further than the answer
  takes. Bodies are stepped over unless `payload` or `body` decide. What of a payload does not fit into an eighth of `--memory`
  is not searched; finding `limit-exceeded` tells.
)";

std::string fields_page() {
  std::string page =
      "# Fields\n\nMade by `fonds --generate fields`; a test compares it with the program.\n";
  page += kFieldRules;
  for (const Format* const format : formats()) {
    if (format->fields().empty()) {
      continue;
    }
    page += fmt::format("\n## {}\n\n| name | type | known by | meaning |\n|---|---|---|---|\n",
                        format->name());
    for (const FieldInfo& field : format->fields()) {
      constexpr std::array<std::string_view, 3> kStages = {"header", "HTTP head", "content"};
      page += fmt::format("| `{}` | {} | {} | {} |\n", field.name, field.type,
                          kStages[static_cast<std::size_t>(field.stage)], field.meaning);
    }
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
  if (what == "fields") {
    return fields_page();
  }
  throw UsageError{
      fmt::format("--generate takes man, bash, zsh, fish, reference or fields, not {}", what)};
}

}  // namespace fonds::cli
