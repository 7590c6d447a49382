// fonds info
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "flags.hpp"
#include "inputs.hpp"
#include "ops/info.hpp"
#include "ops/scan.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

void members(JsonWriter& json, std::string_view name,
             const std::map<std::string, std::uint64_t>& counts) {
  json.key(name).begin_object();
  for (const auto& [key, n] : counts) {
    json.text_key(key).value(n);
  }
  json.end_object();
}

void counted_members(JsonWriter& json, const ops::Counted& counted) {
  json.member("records", counted.records).member("damaged_records", counted.damaged);
  members(json, "by_type", counted.by_type);
  members(json, "by_status", counted.by_status);
  members(json, "by_media_type", counted.by_media_type);
  json.member("uncompressed_size", counted.uncompressed_size);
  if (counted.shortest) {
    json.member("shortest", counted.shortest).member("longest", counted.longest);
  }
  if (counted.first) {
    json.member("first_date", std::string_view(counted.first->to_string()));
    json.member("last_date", std::string_view(counted.last->to_string()));
  }
}

std::string as_json(const ops::Info& info) {
  std::string line;
  JsonWriter json(line);
  json.begin_object()
      .member("archive", std::string_view(info.archive))
      .member("format", std::string_view(info.format));
  json.member("version", std::string_view(info.version))
      .member("compression", std::string_view(info.compression));
  json.member("size", info.size).key("companions").begin_array();
  for (const std::string& companion : info.companions) {
    json.value(std::string_view(companion));
  }
  json.end_array();
  std::string name = info.format;
  std::replace(name.begin(), name.end(), '-', '_');
  json.key(name).begin_object();
  for (const auto& fact : info.facts.entries) {
    json.key(fact.name);
    if (fact.number) {
      json.value_follows();
      line += fact.text;
    } else {
      json.value(std::string_view(fact.text));
    }
  }
  json.members(info.container_json);
  json.end_object();
  if (info.counted) {
    counted_members(json, *info.counted);
  }
  json.end_object();
  return line + '\n';
}

void row(std::string& text, std::string_view name, std::string_view value) {
  text += fmt::format("  {:<20}{}\n", name, escape_for_terminal(value));
}

std::string as_text(const ops::Info& info) {
  std::string text = fmt::format("{}\n", escape_for_terminal(info.archive));
  row(text, "format", info.format);
  row(text, "version", info.version.empty() ? "-" : info.version);
  row(text, "compression", info.compression);
  row(text, "size", info.size ? std::to_string(*info.size) : "-");
  for (const std::string& companion : info.companions) {
    row(text, "companion", companion);
  }
  for (const auto& fact : info.facts.entries) {
    row(text, fact.name, fact.text);
  }
  for (const auto& [name, value] : info.container_rows) {
    row(text, name, value);
  }
  if (!info.tree.empty()) {
    text += "  keys\n" + info.tree;
  }
  if (!info.counted) {
    return text;
  }
  const ops::Counted& counted = *info.counted;
  row(text, "records", std::to_string(counted.records));
  row(text, "damaged records", std::to_string(counted.damaged));
  row(text, "uncompressed size", std::to_string(counted.uncompressed_size));
  if (counted.shortest) {
    row(text, "record lengths", fmt::format("{} to {}", *counted.shortest, *counted.longest));
  }
  if (info.size && *info.size > 0) {
    row(text, "ratio",
        fmt::format("{:.2f}", static_cast<double>(counted.uncompressed_size) /
                                  static_cast<double>(*info.size)));
  }
  if (counted.first) {
    row(text, "dates", counted.first->to_string() + " to " + counted.last->to_string());
  }
  for (const auto& [title, counts] :
       {std::pair<const char*, const std::map<std::string, std::uint64_t>&>("type",
                                                                            counted.by_type),
        {"status", counted.by_status},
        {"media type", counted.by_media_type}}) {
    for (const auto& [name, n] : counts) {
      row(text, title, fmt::format("{:<32}{:>12}", escape_for_terminal(name), n));
    }
  }
  return text;
}

}  // namespace

int run_info(const Arguments& arguments) {
  Messages messages(arguments);
  StandardOutput output;
  for_each_archive(arguments, messages, input_names(arguments, messages),
                   [&](const Archive& archive, const ops::ScanOptions& scan) -> Status {
                     FONDS_TRY(const auto info, ops::info(archive, scan, arguments.has("--deep"),
                                                          [&](const Finding& finding) {
                                                            messages.finding(finding);
                                                          }));
                     return output.write(arguments.has("--json") ? as_json(info) : as_text(info));
                   });
  if (const auto status = output.flush(); !status) {
    messages.error(status.error());
  }
  return static_cast<int>(messages.status());
}

}  // namespace fonds::cli
