#include "format/kvir/reading/stream.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "format/kvir/reading/cursor.hpp"
#include "format/kvir/reading/text.hpp"
#include "format/kvir/reading/tree.hpp"
#include "format/kvir/tags.hpp"
#include "query/json_scanner.hpp"

namespace fonds::kvir {
namespace {

constexpr std::size_t kLook = std::size_t{64} << 10;
constexpr std::uint64_t kMostNodes = 0x7FFFFFFF;  // ids are signed 32-bit numbers

bool in_range(std::uint8_t tag, std::uint8_t first, unsigned count) {
  return tag >= first && tag < first + count;
}

// The bytes of a length or an id by its tag, of which `first` is for one byte.
unsigned width(std::uint8_t tag, std::uint8_t first) { return 1U << (tag - first); }

std::string_view read_string(Cursor& cursor, std::uint8_t tag) {
  return as_text(cursor.take(cursor.number(width(tag, kString))));
}

std::string_view name_of(bool generated) { return generated ? "auto-generated" : "user"; }

}  // namespace

bool starts_stream(ByteView head) {
  const std::string_view text = as_text(head);
  return (text.starts_with(kMagicFour) || text.starts_with(kMagicEight)) && text.size() > 4 &&
         text[4] == static_cast<char>(kMetadataIsJson);
}

EventReader::EventReader(Decoder& decoder, const StreamLimits& limits)
    : decoder_(decoder), limits_(limits) {}

tl::unexpected<Error> EventReader::fail_at(ErrorCode code, std::string message,
                                           std::uint64_t offset) const {
  Location where;
  where.decoded_offset = offset;
  where.ordinal = events_;
  return fail(code, std::move(message), std::move(where));
}

tl::unexpected<Error> EventReader::fail_again() const {
  return fail(error_->code(), error_->message(), error_->where());
}

// Parses the unit at the beginning of view_, and shows more of it until it is whole.
template <typename Parse>
Status EventReader::read_unit(std::string_view what, const Parse& parse) {
  while (true) {
    Cursor cursor(view_);
    parse(cursor);
    if (cursor.ok()) {
      used_ = cursor.at();
      return {};
    }
    if (!cursor.needs_more()) {
      return fail_at(cursor.code(), cursor.fault(), offset_ + cursor.at());
    }
    if (cursor.wanted() > limits_.event_bytes) {
      return fail_at(ErrorCode::LimitExceeded,
                     fmt::format("{} takes {} bytes or more; the limit is {}", what,
                                 cursor.wanted(), limits_.event_bytes),
                     offset_);
    }
    // Lengths are claims: no more is asked for than about as much as has come.
    const std::size_t before = view_.size();
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(cursor.wanted(), std::uint64_t{2} * before + kLook));
    auto shown = decoder_.peek(std::max(wanted, before + 1));
    if (!shown) {
      Location where;
      where.decoded_offset = offset_;
      where.ordinal = events_;
      return tl::unexpected(std::move(shown.error()).with(std::move(where)));
    }
    view_ = *shown;
    if (view_.size() <= before) {
      return fail_at(ErrorCode::Truncated, fmt::format("the stream ends inside {}", what),
                     offset_ + view_.size());
    }
  }
}

Result<std::unique_ptr<EventReader>> EventReader::open(Decoder& decoder,
                                                       const StreamLimits& limits) {
  std::unique_ptr<EventReader> reader(new EventReader(decoder, limits));
  FONDS_TRY(reader->view_, decoder.peek(1));
  FONDS_CHECK(
      reader->read_unit("the preamble", [&](Cursor& cursor) { reader->read_preamble(cursor); }));
  if (auto parsed = parse_metadata(reader->metadata_.text)) {
    reader->metadata_ = std::move(*parsed);
  } else {
    const auto at = reader->used_ - reader->metadata_.text.size();
    return tl::unexpected(
        std::move(parsed.error()).with({.decoded_offset = at, .ordinal = std::uint64_t{0}}));
  }
  return reader;
}

void EventReader::read_preamble(Cursor& cursor) {
  const std::string_view magic = as_text(cursor.take(4));
  eight_byte_ = magic == kMagicEight;
  if (cursor.ok() && !eight_byte_ && magic != kMagicFour) {
    cursor.refuse("no KV-IR stream begins here", 0);
  }
  if (const std::uint8_t encoding = cursor.u8(); cursor.ok() && encoding != kMetadataIsJson) {
    cursor.refuse(fmt::format("its metadata has the encoding 0x{:02x}, not JSON (0x01)", encoding),
                  4);
  }
  const std::uint8_t tag = cursor.u8();
  if (cursor.ok() && !in_range(tag, kMetadataLength, 2)) {
    cursor.refuse(fmt::format("0x{:02x} begins no length of the metadata", tag), 5);
  }
  if (cursor.ok()) {
    metadata_.text = as_text(cursor.take(cursor.number(width(tag, kMetadataLength))));
  }
}

Result<bool> EventReader::next() {
  if (error_) {
    return fail_again();
  }
  auto more = advance();
  if (!more) {
    error_ = std::move(more.error());
    return fail_again();
  }
  return more;
}

Result<bool> EventReader::advance() {
  while (!ended_) {
    decoder_.consume(used_);
    offset_ += used_;
    used_ = 0;
    FONDS_TRY(view_, decoder_.peek(1));
    if (view_.empty()) {
      return fail_at(ErrorCode::Truncated, "the stream ends without its end mark", offset_);
    }
    const auto tag = std::to_integer<std::uint8_t>(view_[0]);
    if (in_range(tag, kKeyId, 3) || tag == kEmptyObject) {
      place_ = decoder_.place();
      FONDS_CHECK(read_unit("an event", [this](Cursor& cursor) { read_event(cursor); }));
      ++events_;
      return true;
    }
    if (in_range(tag, kNode, 6)) {
      FONDS_CHECK(read_unit("a key", [this](Cursor& cursor) { read_node(cursor); }));
    } else if (tag == kUtcOffset) {
      FONDS_CHECK(read_unit("a change of the UTC offset", [](Cursor& cursor) { cursor.take(9); }));
      ++utc_offset_changes_;
    } else if (tag == kEnd) {
      decoder_.consume(1);
      ++offset_;
      ended_ = true;
    } else {
      return fail_at(ErrorCode::Corrupt, fmt::format("0x{:02x} begins no event and no key", tag),
                     offset_);
    }
  }
  generated_.pairs.clear();
  user_.pairs.clear();
  return false;
}

void EventReader::read_node(Cursor& cursor) {
  const auto type = static_cast<NodeType>(cursor.u8() - kNode);
  const std::size_t parent_at = cursor.at();
  const std::uint8_t parent_tag = cursor.u8();
  if (cursor.ok() && !in_range(parent_tag, kParentId, 3)) {
    cursor.refuse(fmt::format("0x{:02x} begins no id of a parent", parent_tag), parent_at);
    return;
  }
  const std::int64_t id = cursor.ok() ? cursor.integer(width(parent_tag, kParentId)) : 0;
  const std::size_t key_at = cursor.at();
  const std::uint8_t key_tag = cursor.u8();
  if (cursor.ok() && !in_range(key_tag, kString, 3)) {
    cursor.refuse(fmt::format("0x{:02x} begins no key", key_tag), key_at);
    return;
  }
  const std::string_view key = cursor.ok() ? read_string(cursor, key_tag) : std::string_view();
  if (!cursor.ok()) {
    return;
  }
  const bool generated = id < 0;
  Tree& tree = generated ? generated_.tree : user_.tree;
  const auto parent = static_cast<std::uint64_t>(generated ? ~id : id);
  if (parent >= tree.size()) {
    cursor.refuse(fmt::format("the parent of a key is node {} of {} {} nodes", parent, tree.size(),
                              name_of(generated)),
                  parent_at);
    return;
  }
  const auto parent_id = static_cast<NodeId>(parent);
  if (tree[parent_id].type != NodeType::Object) {
    cursor.refuse(fmt::format("the parent of a key is node {}, which is no object", parent),
                  parent_at);
  } else if (tree[parent_id].depth >= limits_.depth) {
    cursor.refuse(fmt::format("a key lies deeper than {} levels", limits_.depth), parent_at,
                  ErrorCode::LimitExceeded);
  } else if (tree.find(parent_id, key, type)) {
    cursor.refuse(fmt::format("a key of type {} is inserted under node {} where it is already",
                              to_string(type), parent),
                  key_at);
  } else if (generated_.tree.held() + user_.tree.held() + key.size() > limits_.tree_bytes ||
             tree.size() >= kMostNodes) {
    cursor.refuse(fmt::format("the keys take more than {} bytes of memory", limits_.tree_bytes),
                  key_at, ErrorCode::LimitExceeded);
  } else {
    tree.add(parent_id, key, type);
  }
}

void EventReader::read_event(Cursor& cursor) {
  for (Side* side : {&generated_, &user_}) {
    side->pairs.clear();
  }
  texts_.clear();
  decoded_.clear();
  std::uint8_t tag = cursor.u8();
  while (cursor.ok() && in_range(tag, kKeyId, 3)) {
    const std::size_t at = cursor.at() - 1;
    const std::int64_t id = cursor.integer(width(tag, kKeyId));
    Side& side = id < 0 ? generated_ : user_;
    const auto node = static_cast<std::uint64_t>(id < 0 ? ~id : id);
    if (node >= side.tree.size()) {
      cursor.refuse(fmt::format("an event has the key {} of {} {} nodes", node, side.tree.size(),
                                name_of(id < 0)),
                    at);
    } else if (side.pairs.size() >= side.tree.size()) {
      cursor.refuse("an event has more values than there are keys", at);
    } else if (id < 0 && !user_.pairs.empty()) {
      cursor.refuse("an event has an auto-generated key behind a user key", at);
    }
    if (!cursor.ok()) {
      return;
    }
    side.pairs.push_back({static_cast<NodeId>(node), {}});
    tag = cursor.u8();
    if (id < 0) {
      read_value(cursor, tag, side, side.pairs.size() - 1);
      tag = cursor.u8();
    }
  }
  if (cursor.ok() && user_.pairs.empty() && tag != kEmptyObject) {
    cursor.refuse(fmt::format("0x{:02x} begins no key of an event", tag), cursor.at() - 1);
  }
  for (std::size_t i = 0; cursor.ok() && i < user_.pairs.size(); ++i) {
    read_value(cursor, i == 0 ? tag : cursor.u8(), user_, i);
  }
  if (!cursor.ok()) {
    return;
  }
  for (const Decoded& text : decoded_) {
    text.side->pairs[text.pair].value.text =
        std::string_view(texts_).substr(text.offset, text.length);
  }
  put_in_order(cursor, generated_);
  put_in_order(cursor, user_);
}

void EventReader::put_in_order(Cursor& cursor, Side& side) {
  side.leaves.clear();
  for (const Pair& pair : side.pairs) {
    side.leaves.push_back(pair.node);
  }
  const auto order = side.check.order(side.leaves);
  if (!order) {
    cursor.refuse(side.check.fault(), 0);
    return;
  }
  if (!std::is_sorted(order->begin(), order->end())) {
    side.sorted.clear();
    for (const std::uint32_t place : *order) {
      side.sorted.push_back(side.pairs[place]);
    }
    side.pairs.swap(side.sorted);
  }
}

void EventReader::read_value(Cursor& cursor, std::uint8_t tag, Side& side, std::size_t pair) {
  if (!cursor.ok()) {
    return;
  }
  const NodeType type = side.tree[side.pairs[pair].node].type;
  Value& value = side.pairs[pair].value;
  if (in_range(tag, kInteger, 4) && type == NodeType::Integer) {
    value.type = ValueType::Integer;
    value.integer = cursor.integer(width(tag, kInteger));
  } else if (tag == kReal && type == NodeType::Real) {
    value.type = ValueType::Real;
    value.real = std::bit_cast<double>(cursor.number(8));
  } else if ((tag == kTrue || tag == kFalse) && type == NodeType::Boolean) {
    value.type = ValueType::Boolean;
    value.truth = tag == kTrue;
  } else if (in_range(tag, kString, 3) && type == NodeType::String) {
    value.type = ValueType::String;
    value.text = read_string(cursor, tag);
  } else if ((tag == kTextFour || tag == kTextEight) &&
             (type == NodeType::String || type == NodeType::Array)) {
    read_encoded(cursor, tag, side, pair);
  } else if ((tag == kNull || tag == kEmptyObject) && type == NodeType::Object) {
    value.type = tag == kNull ? ValueType::Null : ValueType::EmptyObject;
  } else {
    cursor.refuse(fmt::format("0x{:02x} begins no value of a key of type {}", tag, to_string(type)),
                  cursor.at() - 1);
  }
}

void EventReader::read_encoded(Cursor& cursor, std::uint8_t tag, Side& side, std::size_t pair) {
  const std::size_t at = cursor.at();
  const std::size_t begin = texts_.size();
  read_text(cursor, tag == kTextEight, texts_);
  if (!cursor.ok()) {
    return;
  }
  Value& value = side.pairs[pair].value;
  value.encoded = true;
  value.type = ValueType::String;
  if (side.tree[side.pairs[pair].node].type == NodeType::Array) {
    value.type = ValueType::Array;
    const std::string_view text = std::string_view(texts_).substr(begin);
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '[' || !query::is_json(text)) {
      cursor.refuse("the text of an array is no JSON array", at);
      return;
    }
  }
  decoded_.push_back({&side, pair, begin, texts_.size() - begin});
}

}  // namespace fonds::kvir
