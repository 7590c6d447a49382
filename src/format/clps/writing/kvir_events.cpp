#include "format/clps/writing/kvir_events.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "format/clps/writing/utf8_text.hpp"
#include "format/kvir/reading/document.hpp"

namespace fonds::clps::writing {
namespace {

Place place_of(const kvir::Tree& tree, kvir::NodeId node, Place root, BatchBuilder& out) {
  std::vector<kvir::NodeId> path;
  for (; node != kvir::kRoot; node = tree[node].parent) {
    path.push_back(node);
  }
  Place place = root;
  for (; !path.empty(); path.pop_back()) {
    place = out.key(place, tree[path.back()].key);
  }
  return place;
}

void add_string(const kvir::Value& value, Place place, BatchBuilder& out) {
  std::string_view text = value.text;
  std::string replaced;
  if (const std::size_t n = replace_invalid(text, replaced); n > 0) {
    out.count(Change::ReplacedOctets, n);
    text = out.keep(std::move(replaced));
  }
  if (value.encoded && !out.is_time(place)) {
    out.split_string(place, text);
  } else {
    out.string(place, text);
  }
}

void add_value(const kvir::Value& value, Place place, BatchBuilder& out) {
  switch (value.type) {
    case kvir::ValueType::Null:
      return out.null(place);
    case kvir::ValueType::EmptyObject:
      return out.empty_object(place);
    case kvir::ValueType::Integer:
      return out.integer(place, value.integer);
    case kvir::ValueType::Boolean:
      return out.boolean(place, value.truth);
    case kvir::ValueType::String:
      return add_string(value, place, out);
    case kvir::ValueType::Array:
      return out.array_text(place, value.text);
    case kvir::ValueType::Real:
      break;
  }
  if (!std::isfinite(value.real)) {
    out.count(Change::NumbersAsNull);
    return out.null(place);
  }
  std::string text;
  kvir::append_real(value.real, text);
  out.real(place, out.keep(std::move(text)), value.real);
}

}  // namespace

void add_event(const kvir::EventReader& reader, BatchBuilder& out) {
  out.begin_event();
  for (const kvir::Pair& pair : reader.generated()) {
    add_value(pair.value, place_of(reader.generated_tree(), pair.node, kGeneratedRoot, out), out);
  }
  for (const kvir::Pair& pair : reader.user()) {
    add_value(pair.value, place_of(reader.user_tree(), pair.node, kUserRoot, out), out);
  }
  out.end_event();
}

}  // namespace fonds::clps::writing
