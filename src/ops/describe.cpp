#include "ops/describe.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::ops {
void describe_as_json(const Record& record, bool with_headers, std::string& members) {
  members.clear();
  JsonWriter json(members);
  json.begin_object();
  json.member("format", record.format());
  JsonAttributes sink(json);
  record.describe(sink, with_headers);
  json.end_object();
  // The braces belong to the object around.
  members.pop_back();
  members.erase(0, 1);
}

void append_finding(JsonWriter& json, const Finding& finding) {
  json.member("code", finding.code).member("severity", to_string(finding.severity));
  json.member("message", std::string_view(finding.message));
  json.member("offset", finding.where.stored_offset);
}

void append_json(Stretch& out, std::string_view archive, const Record& record, const RecordEnd& end,
                 const std::string& attributes, bool with_headers) {
  std::string& text = out.text;
  JsonWriter json(text);
  json.begin_object().member("archive", archive).key("index").value_follows();
  out.number_here(record.ordinal);
  json.member("offset", record.place.unit);
  if (record.place.inner > 0) {
    json.member("inner", record.place.inner);
  }
  json.member("stored_length", end.stored_length);
  json.member("length", end.length);
  json.members(attributes);
  if (with_headers) {
    json.member("trailing", end.trailing);
  }
  if (!end.findings.empty()) {
    json.key("problems").begin_array();
    for (const Finding& finding : end.findings) {
      json.begin_object();
      append_finding(json, finding);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  text += '\n';
}

void FlatAttributes::set(std::string_view name, std::string_view value) {
  if (!wanted_.empty() && std::find(wanted_.begin(), wanted_.end(), name) == wanted_.end()) {
    return;
  }
  if (used_ == values_.size()) {
    values_.emplace_back();
  }
  auto& [key, text] = values_[used_++];
  key.assign(name);
  text.assign(value);
}

void FlatAttributes::text(std::string_view name, std::string_view value) {
  if (depth_ > 0) {
    if (!list_.empty()) {
      list_ += ' ';
    }
    list_ += value;
    return;
  }
  if (prefix_.empty()) {
    set(name, value);
    return;
  }
  name_.assign(prefix_).append(1, '.').append(name);
  set(name_, value);
}

void FlatAttributes::number(std::string_view name, std::uint64_t value) {
  text(name, std::to_string(value));
}
void FlatAttributes::begin_object(std::string_view name) { prefix_ = name; }
void FlatAttributes::end_object() { prefix_.clear(); }
void FlatAttributes::begin_list(std::string_view name) {
  if (depth_++ == 0) {
    list_.clear();
    prefix_ = name;
  }
}
void FlatAttributes::end_list() {
  if (--depth_ == 0) {
    set(prefix_, list_);
    prefix_.clear();
  }
}

std::string_view FlatAttributes::get(std::string_view name) const {
  for (std::size_t i = 0; i < used_; ++i) {
    if (values_[i].first == name) {
      return values_[i].second;
    }
  }
  return {};
}

}  // namespace fonds::ops
