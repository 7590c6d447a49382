// Parts of URLs that differ between visits of the same page, and the order of query fields.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "index/surt_canonical.hpp"

namespace fonds::index::detail {
namespace {

bool is_small_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_word(char c) { return is_small_letter(c) || (c >= '0' && c <= '9'); }

// Whether `n` letters or digits stand at `at`.
bool words_at(std::string_view text, std::size_t at, std::size_t n) {
  return at <= text.size() && text.size() - at >= n &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at),
                     text.begin() + static_cast<std::ptrdiff_t>(at + n), is_word);
}

constexpr std::size_t kAspId = 24;

// Length of "(x(…24…)y(…24…))/" at the start of `text`; 0 if it is not there.
std::size_t grouped_id(std::string_view text) {
  std::size_t at = 1;
  while (at + 2 < text.size() && is_small_letter(text[at]) && text[at + 1] == '(' &&
         words_at(text, at + 2, kAspId) && text.substr(at + 2 + kAspId).starts_with(')')) {
    at += kAspId + 3;
  }
  return text.starts_with('(') && at > 1 && text.substr(at).starts_with(")/") ? at + 2 : 0;
}

// Length of "(…24…)/".
std::size_t single_id(std::string_view text) {
  return text.starts_with('(') && words_at(text, 1, kAspId) &&
                 text.substr(1 + kAspId).starts_with(")/")
             ? kAspId + 3
             : 0;
}

// Removes the last id that stands behind a slash and before "page.aspx".
void strip_last(std::string& path, std::size_t (*id_length)(std::string_view)) {
  const std::string_view text = path;
  std::size_t aspx = npos;                               // first ".aspx" at or behind `i`
  std::size_t question = npos;                           // first "?"
  std::vector<std::pair<std::size_t, std::size_t>> ids;  // slash, length of the id behind it
  for (std::size_t slash = text.find('/'); slash != npos; slash = text.find('/', slash + 1)) {
    if (const std::size_t n = id_length(text.substr(slash + 1)); n > 0) {
      ids.emplace_back(slash, n);
    }
  }
  std::size_t i = text.size();
  for (auto id = ids.rbegin(); id != ids.rend(); ++id) {
    const std::size_t page = id->first + 1 + id->second;
    while (i > page) {
      --i;
      if (text[i] == '?') {
        question = i;
      }
      if (i > page && text.substr(i).starts_with(".aspx")) {
        aspx = i;
      }
    }
    if (aspx != npos && (question == npos || question > aspx)) {
      path.erase(id->first + 1, id->second);
      return;
    }
    if (text.substr(page).starts_with(".aspx")) {
      aspx = page;  // no name for this id, but part of one for those before it
    }
  }
}

// Length of a session field at the start of `text`, which begins with the field's name; 0 if it is
// none. The third argument is where the first "&" stands in `text`.
std::size_t fixed_field(std::string_view text, std::string_view name, std::size_t) {
  constexpr std::size_t kId = 32;
  return words_at(text, name.size(), kId) ? name.size() + kId : 0;
}
std::size_t asp_field(std::string_view text, std::string_view name, std::size_t) {
  const auto letters = [&](std::size_t at, std::size_t n) {
    return text.size() >= at + n &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at),
                       text.begin() + static_cast<std::ptrdiff_t>(at + n), is_small_letter);
  };
  const std::size_t equals = name.size() + 8;
  return letters(name.size(), 8) && text.substr(equals).starts_with('=') && letters(equals + 1, 24)
             ? equals + 1 + 24
             : 0;
}
// "cfid=…&cftoken=…". `text` ends at the second "&" behind its start.
std::size_t cold_fusion_fields(std::string_view text, std::string_view name, std::size_t second) {
  constexpr std::string_view kSecond = "&cftoken=";
  return second != npos && second > name.size() && text.substr(second).starts_with(kSecond) &&
                 text.size() > second + kSecond.size()
             ? text.size()
             : 0;
}

using FieldLength = std::size_t (*)(std::string_view, std::string_view, std::size_t);

// Removes the last such field and the "&" behind it, wherever in a name it begins.
void strip_field(std::string& query, std::string_view name, FieldLength length) {
  const std::string_view text = query;
  std::size_t first_and = npos, second_and = npos;  // the next ones behind `at`
  std::size_t seen = text.size();
  for (std::size_t at = text.rfind(name); at != npos;
       at = at == 0 ? npos : text.rfind(name, at - 1)) {
    while (seen > at) {
      --seen;
      if (text[seen] == '&') {
        second_and = std::exchange(first_and, seen);
      }
    }
    const std::size_t end = std::min(second_and, text.size());
    const std::size_t n =
        length(text.substr(at, end - at), name, first_and == npos ? npos : first_and - at);
    const std::size_t behind = at + n;
    if (n > 0 && (behind == text.size() || text[behind] == '&')) {
      query.erase(at, n + (behind < text.size() ? 1 : 0));
      return;
    }
  }
}

struct QueryField {
  std::string_view name, rest;  // `rest` begins with "="
  friend bool operator<(const QueryField& a, const QueryField& b) {
    return a.name != b.name ? a.name < b.name : a.rest < b.rest;
  }
};

}  // namespace

void strip_path_session(std::string& path) {
  strip_last(path, grouped_id);
  strip_last(path, single_id);
}

void strip_query_session(std::string& query) {
  if (query.find("id") == npos) {
    return;
  }
  struct Known {
    std::string_view name;
    FieldLength length;
  };
  static constexpr std::array<Known, 5> kKnown = {{{"jsessionid=", fixed_field},
                                                   {"phpsessid=", fixed_field},
                                                   {"sid=", fixed_field},
                                                   {"aspsessionid", asp_field},
                                                   {"cfid=", cold_fusion_fields}}};
  for (const Known& known : kKnown) {
    strip_field(query, known.name, known.length);
  }
}

void sort_query(std::string& query) {
  if (query.size() <= 1 || query.find('&') == npos) {
    return;
  }
  std::vector<QueryField> fields;
  std::string_view rest = query;
  while (true) {
    const std::size_t n = std::min(rest.find('&'), rest.size());
    const std::string_view field = rest.substr(0, n);
    const std::size_t equals = std::min(field.find('='), field.size());
    fields.push_back({field.substr(0, equals), field.substr(equals)});
    if (n == rest.size()) {
      break;
    }
    rest = rest.substr(n + 1);
  }
  if (std::is_sorted(fields.begin(), fields.end())) {
    return;
  }
  std::sort(fields.begin(), fields.end());
  std::string sorted;
  sorted.reserve(query.size());
  for (const QueryField& field : fields) {
    sorted.append(&field == fields.data() ? "" : "&");
    sorted.append(field.name).append(field.rest);
  }
  query = std::move(sorted);
}

}  // namespace fonds::index::detail
