#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "index/capture_json.hpp"
#include "index/request_query_detail.hpp"

namespace fonds::index::detail {
namespace {

constexpr std::size_t kDeepest = 500;

// A value with its scalars as Python shows them.
struct Node {
  enum class Kind : std::uint8_t { Scalar, Object, List } kind = Kind::Scalar;
  std::string text;
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> members;  // names empty in lists
};

class Events final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::unique_ptr<Node> take() { return std::move(root_); }

  bool null() override { return scalar("None"); }
  bool boolean(bool value) override { return scalar(value ? "True" : "False"); }
  bool number_integer(std::int64_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) override { return scalar(std::to_string(value)); }
  bool number_float(double value, const std::string& written) override {
    const bool integer = written.find_first_of(".eE") == std::string::npos;
    return scalar(integer ? written : python_number(value));
  }
  bool string(std::string& value) override { return scalar(value); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return begin(Node::Kind::Object); }
  bool start_array(std::size_t) override { return begin(Node::Kind::List); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(std::string& name) override {
    name_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Node& put(std::unique_ptr<Node> node) {
    Node& put = *node;
    if (open_.empty()) {
      root_ = std::move(node);
      return put;
    }
    Node& parent = *open_.back().node;
    if (parent.kind == Node::Kind::List) {
      parent.members.emplace_back(std::string(), std::move(node));
      return put;
    }
    // Of members with one name the last counts, at the place of the first.
    const auto [known, fresh] = open_.back().places.emplace(name_, parent.members.size());
    if (fresh) {
      parent.members.emplace_back(name_, std::move(node));
    } else {
      parent.members[known->second].second = std::move(node);
    }
    return put;
  }
  bool scalar(std::string text) {
    auto node = std::make_unique<Node>();
    node->text = std::move(text);
    put(std::move(node));
    return true;
  }
  bool begin(Node::Kind kind) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    Node& at = put(std::move(node));
    open_.push_back({&at, {}});
    return true;
  }
  bool end() {
    open_.pop_back();
    return true;
  }

  struct Open {
    Node* node;
    std::map<std::string, std::size_t> places;
  };
  std::unique_ptr<Node> root_;
  std::vector<Open> open_;
  std::string name_;
};

// The fields of a form, each name but once.
class Fields {
 public:
  // No deeper than kDeepest.
  void add(const Node& node, const std::string& name) {
    switch (node.kind) {
      case Node::Kind::Object:
        for (const auto& [member, value] : node.members) {
          add(*value, member);
        }
        break;
      case Node::Kind::List:
        for (const auto& [none, value] : node.members) {
          add(*value, name);
        }
        break;
      case Node::Kind::Scalar:
        if (!name.empty()) {
          set(free_name(name), node.text);
        }
    }
  }

  std::string query() const {
    std::string query;
    for (const auto& [name, value] : fields_) {
      if (!query.empty()) {
        query += '&';
      }
      append_form_encoded(query, name);
      query += '=';
      append_form_encoded(query, value);
    }
    return query;
  }

 private:
  std::string free_name(const std::string& name) {
    if (!places_.contains(name)) {
      return name;
    }
    const unsigned count = ++repeats_.emplace(name, 1U).first->second;
    return fmt::format("{}.{}_", name, count);
  }
  void set(const std::string& name, const std::string& value) {
    const auto [known, fresh] = places_.emplace(name, fields_.size());
    if (fresh) {
      fields_.emplace_back(name, value);
    } else {
      fields_[known->second].second = value;
    }
  }

  std::vector<std::pair<std::string, std::string>> fields_;
  std::map<std::string, std::size_t> places_;
  std::map<std::string, unsigned> repeats_;
};

bool add_json(std::string_view json, Fields& fields) {
  if (is_json_deeper_than(json, kDeepest)) {
    return false;
  }
  Events events;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &events)) {
    return false;
  }
  fields.add(*events.take(), "");
  return true;
}

// One value a line; an empty line is none.
bool add_json_lines(std::string_view body, Fields& fields) {
  while (true) {
    const std::size_t end = body.find('\n');
    if (!add_json(body.substr(0, end), fields)) {
      return false;
    }
    if (end == std::string_view::npos) {
      return true;
    }
    body = body.substr(end + 1);
  }
}

}  // namespace

std::string python_number(double value) {
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  std::array<char, 64> buffer = {};
  const auto* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                        std::chars_format::scientific)
                              .ptr;
  const std::string_view shortest(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t e = shortest.find('e');
  int exponent = 0;
  const std::size_t digits_at = e + (shortest[e + 1] == '+' ? 2 : 1);
  std::from_chars(shortest.data() + digits_at, shortest.data() + shortest.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    return std::string(shortest);
  }
  std::array<char, 64> fixed = {};
  const auto* const fixed_end =
      std::to_chars(fixed.data(), fixed.data() + fixed.size(), value, std::chars_format::fixed).ptr;
  std::string text(fixed.data(), static_cast<std::size_t>(fixed_end - fixed.data()));
  if (text.find('.') == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::optional<std::string> json_query(std::string_view body) {
  try {
    Fields whole;
    if (add_json(body, whole)) {
      return whole.query();
    }
    Fields lines;
    if (body.find('\n') != std::string_view::npos && add_json_lines(body, lines)) {
      return lines.query();
    }
  } catch (const std::exception&) {
    return std::nullopt;  // out of memory: as if it were no JSON
  }
  return std::nullopt;
}

}  // namespace fonds::index::detail
