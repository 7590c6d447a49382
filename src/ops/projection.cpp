#include "ops/projection.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.hpp"
#include "ops/record_filter.hpp"
#include "ops/scan.hpp"

namespace fonds::ops {
namespace {

bool is_key(const query::Path& path, std::string_view name) {
  return path.space == query::Namespace::User && path.steps.size() == 1 &&
         path.steps.front().key == name;
}

bool is_group(const Format& format, const query::Path& path) {
  const auto fields = format.fields();
  return std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) {
    return field.type == "object" && is_key(path, field.name);
  });
}

}  // namespace

Result<std::unique_ptr<Projection>> Projection::make(const Archive& archive,
                                                     const std::vector<query::Path>& paths) {
  std::unique_ptr<Projection> made(new Projection(archive));
  std::vector<query::Path> fields;
  for (const query::Path& path : paths) {
    const std::size_t key = made->add(path);
    if (is_key(path, "archive")) {
      made->archive_key_ = key;
    } else if (is_key(path, "index")) {
      made->index_key_ = key;
    } else {
      made->of_path_.push_back(key);
      fields.push_back(path);
      if (is_group(*archive.format, path)) {
        made->keys_[key].group = true;
        fields.back().steps.push_back({.wildcard = true, .key = {}});
      }
    }
  }
  FONDS_TRY(made->values_, FieldValues::make(archive, std::move(fields)));
  return made;
}

std::size_t Projection::add(const query::Path& path) {
  std::size_t at = 0;
  for (const query::PathStep& step : path.steps) {
    const auto& inner = keys_[at].inner;
    const auto known = std::find_if(inner.begin(), inner.end(),
                                    [&](std::size_t key) { return keys_[key].name == step.key; });
    if (known != inner.end()) {
      at = *known;
      continue;
    }
    keys_.push_back({.name = step.key});
    keys_[at].inner.push_back(keys_.size() - 1);
    at = keys_.size() - 1;
  }
  return at;
}

Status Projection::read(RecordReader& reader, const Record& record) {
  for (Key& key : keys_) {
    key.values.clear();
    key.members.clear();
    key.places.clear();
  }
  FONDS_TRY(const auto values, values_->of(reader, record));
  for (const FieldValues::Value& value : values) {
    std::string json = to_json(value);
    Key& key = keys_[of_path_[value.path]];
    if (key.group && !json.empty()) {
      add_member(key, value.name, std::move(json));
    } else if (!json.empty()) {
      key.values.push_back(std::move(json));
    }
  }
  return {};
}

// A field is told under its whole name, "http.status", or one of its own, as header fields are.
void Projection::add_member(Key& group, std::string_view name, std::string json) {
  if (name.starts_with(group.name) && name.substr(group.name.size()).starts_with('.')) {
    name.remove_prefix(group.name.size() + 1);
  }
  const auto [place, fresh] = group.places.try_emplace(std::string(name), group.members.size());
  if (fresh) {
    group.members.emplace_back(name, Values());
  }
  group.members[place->second].second.push_back(std::move(json));
}

void Projection::append(const Record& record, Stretch& out) const {
  JsonWriter json(out.text);
  json.begin_object();
  for (const std::size_t key : keys_.front().inner) {
    write(keys_[key], record, json, out);
  }
  json.end_object();
  out.text += '\n';
}

bool Projection::has_value(const Key& key) const {
  return !key.values.empty() || !key.members.empty() ||
         std::any_of(key.inner.begin(), key.inner.end(),
                     [&](std::size_t n) { return has_value(keys_[n]); });
}

void Projection::write(const Key& key, const Record& record, JsonWriter& json, Stretch& out) const {
  const auto number = static_cast<std::size_t>(&key - keys_.data());
  if (number == archive_key_) {
    json.text_key(key.name).value(std::string_view(archive_.source->name()));
  } else if (number == index_key_) {
    json.text_key(key.name).value_follows();
    out.number_here(record.ordinal);
  } else if (!key.values.empty()) {
    write_values(key.name, key.values, json, out.text);
  } else if (has_value(key)) {
    json.text_key(key.name).begin_object();
    for (const auto& [name, values] : key.members) {
      write_values(name, values, json, out.text);
    }
    for (const std::size_t inner : key.inner) {
      if (!key.places.contains(keys_[inner].name)) {
        write(keys_[inner], record, json, out);
      }
    }
    json.end_object();
  }
}

void Projection::write_values(std::string_view name, const Values& values, JsonWriter& json,
                              std::string& out) {
  json.text_key(name).value_follows();
  if (values.size() == 1) {
    out += values.front();
    return;
  }
  out += '[';
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += (i > 0 ? "," : "") + values[i];
  }
  out += ']';
}

}  // namespace fonds::ops
