#include "query/path_text.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace fonds::query {
namespace {

// `first`: a mark of a namespace would count.
void append_step(std::string& path, std::string_view key, bool first) {
  if (key.empty() || key == "*") {
    path += key.empty() ? R"("")" : R"(\*)";
    return;
  }
  for (std::size_t i = 0; i < key.size(); ++i) {
    const char c = key[i];
    const bool mark = first && i == 0 && std::string_view("@$!#").find(c) != std::string_view::npos;
    switch (c) {
      case '\t':
        path += R"(\t)";
        break;
      case '\r':
        path += R"(\r)";
        break;
      case '\n':
        path += R"(\n)";
        break;
      default:
        if (mark || std::string_view(R"(\"{}()<>.)").find(c) != std::string_view::npos) {
          path += '\\';
        }
        path += c;
    }
  }
}

// Blanks, colons and the words that join conditions are for quotes; where an empty key stands
// between dots, which cannot be quoted, they are escaped.
std::string protect(std::string path) {
  const std::string lower = to_lower(path);
  const bool word = lower == "and" || lower == "or" || lower == "not";
  if (!word && path.find_first_of(" :") == std::string::npos) {
    return path;
  }
  const bool empty_key = path == R"("")" || path.starts_with(R"("".)") ||
                         path.ends_with(R"(."")") || path.find(R"(."".)") != std::string::npos;
  if (!empty_key) {
    return '"' + path + '"';
  }
  std::string escaped;
  for (const char c : path) {
    escaped += c == ' ' ? R"(\u0020)" : c == ':' ? R"(\:)" : std::string(1, c);
  }
  return escaped;
}

}  // namespace

std::string path_text(std::string_view mark, std::span<const std::string_view> keys) {
  std::string path(mark);
  bool first = true;
  for (const std::string_view key : keys) {
    path += first ? "" : ".";
    append_step(path, key, first && mark.empty());
    first = false;
  }
  return protect(std::move(path));
}

}  // namespace fonds::query
