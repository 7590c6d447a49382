#include "ops/field_tree.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::ops {
namespace {

constexpr std::uint64_t kMostFields = 10'000;
constexpr std::size_t kDeepest = 64;
constexpr std::size_t kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kKeyWidth = 36;

}  // namespace

void FieldTree::take(const EventField& field) {
  if (taken_ == kMostFields || field.depth >= kDeepest || held_ > kMostBytes) {
    ++left_out_;
    return;
  }
  ++taken_;
  around_.resize(field.depth);
  const bool element = field.depth > 0 && around_.back() == field.path && !field.path.empty();
  around_.emplace_back(field.path);
  held_ += field.path.size() + field.key.size();
  const std::string_view key = element ? "[]" : field.key.empty() ? R"("")" : field.key;
  const std::string shown = std::string(2 * field.depth, ' ') + escape_for_terminal(key);
  text_ += fmt::format("    {:<{}} {:<12}{:>12}\n", shown, kKeyWidth, field.type, field.events);
  if (field.leaf) {
    leaves_.push_back({std::string(field.path), std::string(field.type), field.events});
  }
}

void FieldTree::append_to(JsonWriter& json) const {
  json.key("fields").begin_array();
  for (const Entry& leaf : leaves_) {
    json.begin_object()
        .member("field", std::string_view(leaf.path))
        .member("type", std::string_view(leaf.type))
        .member("records", leaf.events)
        .end_object();
  }
  json.end_array();
  if (left_out_ > 0) {
    json.member("fields_left_out", left_out_);
  }
}

}  // namespace fonds::ops
