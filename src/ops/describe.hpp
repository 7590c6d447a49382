// Records as JSON objects and as table cells; the names are those of docs/reference/json.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/record.hpp>

#include "base/json_writer.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {

// One object of `ls --json`, on a line of its own, appended to `out`. The record's number is filled
// in by Stretch::render.
void append_json(Stretch& out, std::string_view archive, const Record& record, const RecordEnd& end,
                 const std::string& attributes, bool with_headers);

// The attributes of a record as JSON members ("\"type\":\"response\",…"), made before the record is
// passed over.
void describe_as_json(const Record& record, bool with_headers, std::string& members);

// Attributes as members of an object that `json` has begun.
class JsonAttributes final : public AttributeSink {
 public:
  explicit JsonAttributes(JsonWriter& json) : json_(json) {}
  void text(std::string_view name, std::string_view value) override { key(name).value(value); }
  void number(std::string_view name, std::uint64_t value) override { key(name).value(value); }
  void integer(std::string_view name, std::int64_t value) override { key(name).value(value); }
  void begin_object(std::string_view name) override { key(name).begin_object(); }
  void end_object() override { json_.end_object(); }
  void begin_list(std::string_view name) override { key(name).begin_array(); }
  void end_list() override { json_.end_array(); }

 private:
  JsonWriter& key(std::string_view name) { return name.empty() ? json_ : json_.key(name); }
  JsonWriter& json_;
};

// The attributes of a record as flat text under dotted names ("http.status").
class FlatAttributes final : public AttributeSink {
 public:
  // Keeps the attributes with these names; all, if there are none.
  explicit FlatAttributes(std::vector<std::string> wanted = {}) : wanted_(std::move(wanted)) {}
  void text(std::string_view name, std::string_view value) override;
  void number(std::string_view name, std::uint64_t value) override;
  void begin_object(std::string_view name) override;
  void end_object() override;
  void begin_list(std::string_view name) override;
  void end_list() override;

  void clear() { used_ = 0; }
  void set(std::string_view name, std::string_view value);
  // The first value under the name, or an empty view.
  std::string_view get(std::string_view name) const;

 private:
  std::vector<std::string> wanted_;
  std::string prefix_;
  int depth_ = 0;
  std::string list_;
  // The first used_ ones count; the others keep their memory for the next record.
  std::vector<std::pair<std::string, std::string>> values_;
  std::size_t used_ = 0;
  std::string name_;
};

// One object of "problems" or of `verify --json`.
void append_finding(JsonWriter& json, const Finding& finding);

}  // namespace fonds::ops
