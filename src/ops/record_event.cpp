#include "ops/record_event.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include <fmt/core.h>

#include "base/json_writer.hpp"
#include "base/text.hpp"
#include "ops/describe.hpp"

namespace fonds::ops {
namespace {

// Short names of queries beside the attributes of a record, and the HTTP head.
constexpr std::array<std::string_view, 5> kWanted = {"status", "mime", "host", "method", "http.*"};
constexpr std::string_view kHttp = "http.";

// A value under a name of its own, as JSON.
struct Member {
  std::string name, value;
};

std::string as_json(std::string_view text) {
  std::string json;
  JsonWriter(json).value(text);
  return json;
}

// An object of the members; those that have the same name become a list. Ordered by name, so that
// the same set of names is the same set of columns.
void append_object(std::string& out, std::vector<Member> members) {
  std::stable_sort(members.begin(), members.end(),
                   [](const Member& a, const Member& b) { return a.name < b.name; });
  JsonWriter json(out);
  json.begin_object();
  for (std::size_t i = 0; i < members.size();) {
    std::size_t end = i + 1;
    while (end < members.size() && members[end].name == members[i].name) {
      ++end;
    }
    json.text_key(members[i].name).value_follows();
    if (end - i == 1) {
      out += members[i].value;
    } else {
      for (std::size_t at = i; at < end; ++at) {
        out += at == i ? '[' : ',';
        out += members[at].value;
      }
      out += ']';
    }
    i = end;
  }
  json.end_object();
}

// The attributes of a record but those of the HTTP message, which are kept apart.
class EventAttributes final : public AttributeSink {
 public:
  EventAttributes(JsonWriter& json, std::vector<Member>& http) : json_(json), http_(http) {}

  void text(std::string_view name, std::string_view value) override {
    if (in_http_) {
      http_.push_back({std::string(name), as_json(value)});
    } else {
      json_.text(name, value);
    }
  }
  void number(std::string_view name, std::uint64_t value) override {
    if (in_http_) {
      http_.push_back({std::string(name), std::to_string(value)});
    } else {
      json_.number(name, value);
    }
  }
  void begin_object(std::string_view name) override {
    in_http_ = name == "http";
    if (!in_http_) {
      json_.begin_object(name);
    }
  }
  void end_object() override {
    if (!std::exchange(in_http_, false)) {
      json_.end_object();
    }
  }
  void begin_list(std::string_view name) override { json_.begin_list(name); }
  void end_list() override { json_.end_list(); }

 private:
  JsonAttributes json_;
  std::vector<Member>& http_;
  bool in_http_ = false;
};

// Takes what a FieldReader tells of kWanted.
class WantedFields final : public FieldSink {
 public:
  void value(std::size_t wanted, std::string_view name, const FieldValue& value) override {
    if (value.kind == FieldValue::Kind::Object) {
      return;
    }
    const bool number = value.kind == FieldValue::Kind::Number;
    std::string json = number ? std::string(value.text) : as_json(value.text);
    if (kWanted[wanted].starts_with(kHttp)) {
      http.push_back({to_lower(name.substr(kHttp.size())), std::move(json)});
    } else if (std::ranges::none_of(own,
                                    [&](const Member& m) { return m.name == kWanted[wanted]; })) {
      own.push_back({std::string(kWanted[wanted]), std::move(json)});
    }
  }
  std::vector<Member> own, http;
};

}  // namespace

ReadOptions event_reading(ReadOptions read) {
  read.http = read.http_requests = true;
  read.skim = !read.search_damaged;
  return read;
}

RecordEvents::RecordEvents(const Format& format) {
  for (const std::string_view name : kWanted) {
    wanted_.push_back(*query::parse_path(name));
  }
  fields_ = format.read_fields(wanted_);
}

Status RecordEvents::look(RecordReader& reader, const Record& record) {
  std::vector<Member> http;
  members_.clear();
  JsonWriter json(members_);
  json.begin_object();
  json.member("format", record.format());
  const Place& place = record.place;
  json.member(
      "key", std::string_view(place.inner > 0 ? fmt::format("offset:{}+{}", place.unit, place.inner)
                                              : fmt::format("offset:{}", place.unit)));
  EventAttributes attributes(json, http);
  record.describe(attributes, false);
  if (fields_ != nullptr) {
    WantedFields told;
    FONDS_CHECK(fields_->read(FieldStage::Header, reader, record, told));
    FONDS_CHECK(fields_->read(FieldStage::Http, reader, record, told));
    for (const Member& member : told.own) {
      json.text_key(member.name).value_follows();
      members_ += member.value;
    }
    if (!told.http.empty()) {
      http = std::move(told.http);
    }
  }
  if (!http.empty()) {
    json.key("http").value_follows();
    append_object(members_, std::move(http));
  }
  if (!record.fields().empty()) {
    std::vector<Member> headers;
    for (const Field& field : record.fields()) {
      headers.push_back({std::string(field.name), as_json(field.value)});
    }
    json.key("headers").value_follows();
    append_object(members_, std::move(headers));
  }
  json.end_object();
  // The braces belong to the object around.
  members_.pop_back();
  members_.erase(0, 1);
  return {};
}

void RecordEvents::append(Stretch& out, std::string_view archive, const Record& record,
                          const RecordEnd& end) const {
  append_json(out, archive, record, end, members_, true);
}

}  // namespace fonds::ops
