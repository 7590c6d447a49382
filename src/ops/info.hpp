// What is it: `fonds info`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

// Facts of a codec that a people's table shows as `name: value`, and JSON under its format.
struct Facts {
  struct Entry {
    std::string name;
    std::string text;
    bool number = false;  // `text` is a JSON number or true/false
  };
  std::vector<Entry> entries;
  void text(std::string name, std::string value) {
    entries.push_back({std::move(name), std::move(value), false});
  }
  void number(std::string name, std::uint64_t value) {
    entries.push_back({std::move(name), std::to_string(value), true});
  }
  void truth(std::string name, bool value) {
    entries.push_back({std::move(name), value ? "true" : "false", true});
  }
};

struct Counted {
  std::uint64_t records = 0, uncompressed_size = 0, damaged = 0;
  Totals totals;
  std::optional<std::uint64_t> first_unit, last_unit;  // in which records begin
  std::optional<std::uint64_t> shortest, longest;      // octets of a record's content
  std::map<std::string, std::uint64_t> by_type, by_status, by_media_type;
  std::optional<Date> first, last;
};

struct Info {
  std::string archive, format, version, compression;
  std::optional<std::uint64_t> size;
  std::vector<std::string> companions;  // files beside the archive that index it
  Facts facts;
  std::string container_json;  // further members of the object under the format's name
  std::vector<std::pair<std::string, std::string>> container_rows;  // the same for people
  std::string tree;                // with `deep`, for people: the keys of events
  std::optional<Counted> counted;  // with `deep`
};

// Looks at the first records; with `deep` at all of them. Findings of a deep look go to `finding`.
// Errors: those of reading.
Result<Info> info(const Archive& archive, const ScanOptions& options, bool deep,
                  const std::function<void(const Finding&)>& finding);

}  // namespace fonds::ops
