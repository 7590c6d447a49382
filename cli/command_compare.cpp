// fonds compare
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "flags.hpp"
#include "inputs.hpp"
#include "ops/compare.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

using ops::Difference;
using ops::Entry;

constexpr std::size_t kShown = 120;  // octets of a value that people are shown

std::string digest_of(const Entry& entry) { return "sha256:" + to_hex(entry.digest); }

void add_side(JsonWriter& json, const Difference& difference, bool first) {
  const Entry* const entry = first ? difference.a : difference.b;
  json.member(first ? "index_a" : "index_b",
              entry == nullptr ? std::nullopt : std::optional(entry->ordinal));
  json.member(first ? "offset_a" : "offset_b",
              entry == nullptr ? std::nullopt : std::optional(entry->place.unit));
  if (entry != nullptr && entry->place.inner > 0) {
    json.member(first ? "inner_a" : "inner_b", entry->place.inner);
  }
}

void add_value(JsonWriter& json, std::string_view key, std::optional<std::string_view> value) {
  json.key(key);
  if (value) {
    json.value(*value);
  } else {
    json.null();
  }
}

std::string as_json(const Difference& difference) {
  const Entry& entry = difference.a != nullptr ? *difference.a : *difference.b;
  std::string line;
  JsonWriter json(line);
  json.begin_object().member("kind", difference.kind);
  add_side(json, difference, true);
  add_side(json, difference, false);
  json.member("type", std::string_view(entry.kind)).member("id", std::string_view(entry.id));
  json.member("uri", std::string_view(entry.uri));
  if (difference.kind == "block") {
    json.member("a", std::string_view(digest_of(*difference.a)));
    json.member("b", std::string_view(digest_of(*difference.b)));
    json.member("length_a", difference.a->length).member("length_b", difference.b->length);
    json.member("first_difference", difference.first_difference);
  } else if (difference.kind == "header" || difference.kind == "damage") {
    if (!difference.what.empty()) {
      json.member("what", difference.what);
    }
    add_value(json, "a", difference.value_a);
    add_value(json, "b", difference.value_b);
  }
  json.end_object();
  return line + '\n';
}

std::string as_json(const ops::CompareSummary& summary) {
  std::string line;
  JsonWriter json(line);
  json.begin_object().member("ok", summary.differences == 0);
  json.member("records_a", summary.records_a).member("records_b", summary.records_b);
  json.member("paired", summary.paired).member("equal", summary.equal);
  json.member("only_a", summary.only_a).member("only_b", summary.only_b);
  json.member("added", summary.added).member("differences", summary.differences);
  json.end_object();
  return line + '\n';
}

std::string shown(std::optional<std::string_view> value) {
  if (!value) {
    return "none";
  }
  const std::string text = escape_for_terminal(value->substr(0, kShown));
  return value->size() > kShown ? text + "…" : text;
}

std::string name_of(const Entry& entry) {
  std::string name = entry.kind;
  for (const std::string* part : {&entry.id, &entry.uri}) {
    if (!part->empty()) {
      name += (name.empty() ? "" : " ") + *part;
      break;
    }
  }
  return name.empty() ? name : " (" + escape_for_terminal(name) + ")";
}

std::string place_of(const Difference& difference) {
  if (difference.a == nullptr || difference.b == nullptr) {
    const Entry& entry = difference.a != nullptr ? *difference.a : *difference.b;
    return fmt::format("record {}{}", entry.ordinal, name_of(entry));
  }
  const std::uint64_t a = difference.a->ordinal;
  const std::uint64_t b = difference.b->ordinal;
  return fmt::format("record {}{}", a == b ? std::to_string(a) : fmt::format("{} and {}", a, b),
                     name_of(*difference.a));
}

std::string octets(std::optional<std::uint64_t> length) {
  return length ? std::to_string(*length) : std::string("an unknown number of");
}

std::string as_text(const Difference& difference) {
  const std::string place = place_of(difference);
  if (difference.kind == "only-in-a" || difference.kind == "only-in-b") {
    return fmt::format("only in {}: {}\n", difference.a != nullptr ? 'A' : 'B', place);
  }
  if (difference.kind == "added") {
    return fmt::format("only in {}, and to be expected: {} says what was converted\n",
                       difference.a != nullptr ? 'A' : 'B', place);
  }
  if (difference.kind == "order") {
    return fmt::format("{}: at another place\n", place);
  }
  if (difference.kind == "block") {
    const std::string where =
        difference.first_difference
            ? fmt::format("; they differ from octet {} on", *difference.first_difference)
            : std::string();
    return fmt::format("{}: block: A has {} octets, B {}{}\n", place, octets(difference.a->length),
                       octets(difference.b->length), where);
  }
  if (!difference.value_a && !difference.value_b) {
    return fmt::format("{}: {}\n", place, escape_for_terminal(difference.what));
  }
  const std::string_view what = difference.kind == "damage" ? "damage" : difference.what;
  return fmt::format("{}: {}: A has {}, B {}\n", place, escape_for_terminal(what),
                     shown(difference.value_a), shown(difference.value_b));
}

std::string as_text(const ops::CompareSummary& summary) {
  if (summary.differences == 0) {
    return fmt::format("equal: {} records{}\n", summary.paired,
                       summary.added > 0
                           ? fmt::format(", and {} that say what was converted", summary.added)
                           : "");
  }
  return fmt::format("{} differences: {} of {} records are equal, {} only in A, {} only in B\n",
                     summary.differences, summary.equal,
                     summary.paired + summary.only_a + summary.only_b, summary.only_a,
                     summary.only_b);
}

}  // namespace

int run_compare(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  const auto names = input_names(arguments, messages);
  if (names.size() != 2) {
    throw UsageError{fmt::format("two archives are compared, not {}", names.size())};
  }
  if (names[0] == "-" && names[1] == "-") {
    throw UsageError{"only one of the archives can be standard input"};
  }
  const auto archives = open_all(arguments, messages);
  if (!archives) {
    return static_cast<int>(Exit::Unreadable);
  }
  ops::CompareOptions options;
  options.scan = scan_options(arguments);
  options.headers.strict = arguments.has("--strict");
  options.headers.ignored = arguments.all("--ignore-field");
  options.blocks_only = arguments.has("--blocks-only");
  const Archive& first = archives->front();
  Progress progress(arguments, *first.source);
  options.scan.progress = [&](std::uint64_t position) { progress.at(position); };
  const bool json = arguments.has("--json");
  const ops::CompareReport report = {
      .difference =
          [&](const Difference& difference) {
            return output.write(json ? as_json(difference) : as_text(difference));
          },
      .finding = [&](const Finding& finding) { messages.finding(finding); }};
  const auto summary = ops::compare(first, archives->back(), options, report);
  if (!summary) {
    static_cast<void>(output.flush());
    messages.error(summary.error());
    return static_cast<int>(messages.status(false));
  }
  auto written = output.write(json ? as_json(*summary) : as_text(*summary));
  if (written) {
    written = output.flush();
  }
  if (!written) {
    messages.error(written.error());
  }
  return static_cast<int>(messages.status(summary->differences == 0));
}

}  // namespace fonds::cli
