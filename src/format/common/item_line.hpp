// The line of a JSON Lines file of items: {"block":32768,"item":3,"data":"text"}, or "data_base64"
// where the item is not UTF-8.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/record.hpp>

namespace fonds {

// Where an item lay in the archive it came from; what is not known is missing.
struct ItemPlace {
  std::optional<std::uint64_t> block, item;
};
struct ItemLine {
  ItemPlace place;
  std::string data;
};

// Parses a line without its LF. Members with other names are ignored, whatever they hold. Memory:
// about twice the line. Errors: Corrupt with what is wrong.
Result<ItemLine> parse_item_line(std::string_view line);

// Appends the line of an item, with its LF.
void emit_item_line(std::string& out, const ItemPlace& place, ByteView data);

// The attributes `block` and `item` of a record.
ItemPlace item_place(const Record& record);

}  // namespace fonds
