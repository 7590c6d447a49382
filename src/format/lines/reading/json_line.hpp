// Lines that are JSON objects: the rules that reading and searching share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace fonds::lines {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Octets before what makes a line no JSON object; nothing if it is one.
std::optional<std::size_t> find_fault(std::string_view line);

// What is said of such a line.
std::string not_an_object(std::size_t fault);

// Format::probe of JSON Lines: 55 if the first line is a JSON object, whatever records other lines
// look like; 10 if it may become one or another line is one.
int probe_events(std::string_view head, bool whole);
// That of items: 60 if the first line that is an object is an item as convert writes them.
int probe_items(std::string_view head, bool whole);

}  // namespace fonds::lines
