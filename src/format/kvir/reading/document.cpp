#include "format/kvir/reading/document.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/put_digits.hpp"
#include "format/clps/reading/text_buffer.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/reading/tree.hpp"

namespace fonds::kvir {

void append_real(double value, std::string& out) {
  const std::size_t begin = out.size();
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (std::string_view(out).substr(begin).find_first_of(".e") == std::string_view::npos) {
    out += ".0";
  }
}

// Closes and opens objects until `object` is the innermost one.
void DocumentWriter::go_to(NodeId object, clps::TextBuffer& out) {
  path_.clear();
  for (NodeId at = object; tree_[at].depth >= open_.size() || open_[tree_[at].depth] != at;
       at = tree_[at].parent) {
    path_.push_back(at);
  }
  const std::size_t stays = tree_[object].depth + 1 - path_.size();
  while (open_.size() > stays) {
    out.push_back('}');
    open_.pop_back();
    first_ = false;
  }
  for (; !path_.empty(); path_.pop_back()) {
    begin_member(path_.back(), out);
    out.push_back('{');
    open_.push_back(path_.back());
    first_ = true;
  }
}

void DocumentWriter::begin_member(NodeId node, clps::TextBuffer& out) {
  out.append(first_ ? "\"" : ",\"");
  out.append_escaped(tree_[node].key);
  out.append("\":");
  first_ = false;
}

std::uint64_t DocumentWriter::append_value(const Value& value, clps::TextBuffer& out) {
  switch (value.type) {
    case ValueType::Null:
      out.append("null");
      break;
    case ValueType::EmptyObject:
      out.append("{}");
      break;
    case ValueType::Integer: {
      std::array<char, 20> digits;
      const char* const end = put_number(digits.data(), value.integer);
      out.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
      break;
    }
    case ValueType::Real:
      if (!std::isfinite(value.real)) {
        out.append("null");
        return 1;
      }
      scratch_.clear();
      append_real(value.real, scratch_);
      out.append(scratch_);
      break;
    case ValueType::Boolean:
      out.append(value.truth ? "true" : "false");
      break;
    case ValueType::String:
      out.push_back('"');
      out.append_escaped(value.text);
      out.push_back('"');
      break;
    case ValueType::Array:
      // Line ends in valid JSON are blanks between values.
      for (std::string_view rest = value.text; !rest.empty();) {
        const std::size_t line = rest.find_first_of("\r\n");
        out.append(rest.substr(0, line));
        if (line == std::string_view::npos) {
          break;
        }
        out.push_back(' ');
        rest.remove_prefix(line + 1);
      }
      break;
  }
  return 0;
}

std::uint64_t DocumentWriter::append(std::span<const Pair> pairs, clps::TextBuffer& out) {
  out.push_back('{');
  open_.assign(1, kRoot);
  first_ = true;
  std::uint64_t lost = 0;
  for (const Pair& pair : pairs) {
    go_to(tree_[pair.node].parent, out);
    begin_member(pair.node, out);
    lost += append_value(pair.value, out);
  }
  go_to(kRoot, out);
  out.push_back('}');
  return lost;
}

}  // namespace fonds::kvir
