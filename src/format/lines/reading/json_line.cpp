#include "format/lines/reading/json_line.hpp"

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/common/item_line.hpp"
#include "query/json_scanner.hpp"

namespace fonds::lines {
namespace {

constexpr int kCertain = 55, kGuess = 10, kItems = 60;
constexpr std::size_t kLongestCharacter = 12;  // of a text: a pair of escapes

struct FirstLine {
  std::string_view text;  // the first line that is an object; empty: none
  bool first = false;     // no line with something else comes before it
  std::string_view cut;   // what shows of the first line, if it could go on to be an object
};

FirstLine first_object(std::string_view head, bool whole) {
  if (head.starts_with(kByteOrderMark)) {
    head.remove_prefix(kByteOrderMark.size());
  }
  FirstLine found;
  found.first = true;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const bool cut = end == std::string_view::npos && !whole;
    const std::string_view line = trim(head.substr(0, end));
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (line.empty()) {
      continue;
    }
    const auto fault = find_fault(line);
    if (!fault) {
      found.text = line;
      return found;
    }
    if (found.first && cut && line.starts_with('{') && line.size() - *fault <= kLongestCharacter) {
      found.cut = line;
    }
    found.first = false;
  }
  return found;
}

// Whether a line that is cut in the data of an item, the last member of its line, begins one:
// behind its last whole character it can be ended.
bool begins_item(std::string_view cut) {
  for (std::size_t less = 0; less <= kLongestCharacter && less < cut.size(); ++less) {
    if (parse_item_line(fmt::format("{}\"}}", cut.substr(0, cut.size() - less)))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::size_t> find_fault(std::string_view line) {
  query::JsonScanner scanner(line);
  if (const auto first = scanner.next(); first != query::JsonToken::BeginObject) {
    return first == query::JsonToken::Damaged ? scanner.at() : 0;
  }
  while (true) {
    switch (scanner.next()) {
      case query::JsonToken::Damaged:
        return scanner.at();
      case query::JsonToken::End:
        return std::nullopt;
      default:
        break;
    }
  }
}

std::string not_an_object(std::size_t fault) {
  return fmt::format("the line is no JSON object: broken at its byte {}", fault);
}

int probe_events(std::string_view head, bool whole) {
  const FirstLine found = first_object(head, whole);
  return found.text.empty() ? (found.cut.empty() ? 0 : kGuess) : found.first ? kCertain : kGuess;
}

int probe_items(std::string_view head, bool whole) {
  const FirstLine found = first_object(head, whole);
  const bool item =
      found.text.empty() ? begins_item(found.cut) : static_cast<bool>(parse_item_line(found.text));
  return item ? kItems : 0;
}

}  // namespace fonds::lines
