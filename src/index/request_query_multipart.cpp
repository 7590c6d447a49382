#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "index/request_query_detail.hpp"

namespace fonds::index::detail {
namespace {

// The value of a parameter ("boundary=x", "name=\"x\""), without quotes; nothing if it is not
// there.
std::optional<std::string> parameter(std::string_view value, std::string_view name) {
  for (std::size_t at = value.find(';'); at != npos;) {
    value = trim(value.substr(at + 1));
    const bool found =
        starts_with_ignoring_case(value, name) && value.substr(name.size()).starts_with('=');
    const std::size_t equals = value.find('=');
    const std::size_t end = value.find(';');
    if (equals == npos || equals > end || !value.substr(equals + 1).starts_with('"')) {
      if (found) {
        return std::string(trim(value.substr(equals + 1, end == npos ? npos : end - equals - 1)));
      }
      at = end;
      continue;
    }
    std::string text;
    std::size_t i = equals + 2;
    for (; i < value.size() && value[i] != '"'; ++i) {
      i += value[i] == '\\' && i + 1 < value.size() ? 1 : 0;
      text += value[i];
    }
    if (found) {
      return text;
    }
    at = value.find(';', i);
  }
  return std::nullopt;
}

// The name of a part by its header.
std::string part_name(std::string_view header) {
  constexpr std::string_view kDisposition = "content-disposition:";
  while (!header.empty()) {
    const std::size_t end = std::min(header.find('\n'), header.size());
    const std::string_view line = trim(header.substr(0, end));
    if (starts_with_ignoring_case(line, kDisposition)) {
      return parameter(line, "name").value_or("");
    }
    header = header.substr(std::min(end + 1, header.size()));
  }
  return {};
}

// Where a line with the delimiter begins; the size if there is none.
std::size_t find_delimiter(std::string_view body, std::string_view delimiter, std::size_t from) {
  std::size_t at = body.find(delimiter, from);
  while (at != npos && at != 0 && body[at - 1] != '\n') {
    at = body.find(delimiter, at + 1);
  }
  return std::min(at, body.size());
}

std::string_view without_line_end(std::string_view text) {
  if (text.ends_with('\n')) {
    text.remove_suffix(1);
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
  }
  return text;
}

// Where the content of a part begins: behind an empty line.
std::size_t content_start(std::string_view part) {
  for (std::size_t line = 0; line < part.size();) {
    const std::size_t end = part.find('\n', line);
    if (end == npos) {
      break;
    }
    if (end == line || (end == line + 1 && part[line] == '\r')) {
      return end + 1;
    }
    line = end + 1;
  }
  return npos;
}

}  // namespace

std::optional<std::string> multipart_query(std::string_view content_type, std::string_view body) {
  const auto boundary = parameter(content_type, "boundary");
  if (!boundary || boundary->empty()) {
    return std::nullopt;
  }
  const std::string delimiter = "--" + *boundary;
  std::optional<std::string> query;
  std::size_t at = find_delimiter(body, delimiter, 0);
  while (at < body.size() && !body.substr(at + delimiter.size()).starts_with("--")) {
    const std::size_t line_end = body.find('\n', at);
    if (line_end == npos) {
      break;
    }
    at = find_delimiter(body, delimiter, line_end + 1);
    const std::string_view part = body.substr(line_end + 1, at - line_end - 1);
    const std::size_t content = content_start(part);
    if (content == npos) {
      break;
    }
    if (!query) {
      query.emplace();
    } else {
      *query += '&';
    }
    append_form_encoded(*query, part_name(part.substr(0, content)));
    *query += '=';
    append_form_encoded(*query, without_line_end(part.substr(content)));
  }
  return query;
}

}  // namespace fonds::index::detail
