#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/query.hpp>

#include "base/text.hpp"
#include "base/utf8.hpp"

namespace fonds::query {
namespace {

// As a terminal shows it, but tabs stay, so that the caret's line can have them too.
std::string shown(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t tab = std::min(text.find('\t', at), text.size());
    out += escape_for_terminal(text.substr(at, tab - at));
    out += tab < text.size() ? "\t" : "";
    at = tab + 1;
  }
  return out;
}

// As wide as the text: a blank for each code point.
std::string blanks_for(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += utf8::step(text, at)) {
    out += text[at] == '\t' ? '\t' : ' ';
  }
  return out;
}

}  // namespace

std::string explain(std::string_view text, const Error& error) {
  if (!error.where().decoded_offset) {
    return error.message();
  }
  const std::size_t at = std::min<std::size_t>(*error.where().decoded_offset, text.size());
  const std::size_t before = text.substr(0, at).rfind('\n');
  const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
  std::string_view line = text.substr(start, text.find('\n', at) - start);
  if (line.ends_with('\r') && start + line.size() > at) {
    line.remove_suffix(1);
  }
  constexpr std::string_view kIndent = "  ";
  std::string out = error.message();
  out.append("\n").append(kIndent).append(shown(line));
  out.append("\n").append(kIndent).append(blanks_for(shown(line.substr(0, at - start))));
  return out + "^";
}

}  // namespace fonds::query
