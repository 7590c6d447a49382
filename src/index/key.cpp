// Keys as they are written.
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <fonds/record_index.hpp>

#include "base/text.hpp"

namespace fonds {
namespace {

// "uri@TIME": the last @ followed by 4 to 17 digits.
void split_time(Key& key) {
  const std::size_t at = key.text.rfind('@');
  if (at == std::string::npos) {
    return;
  }
  const std::string_view digits = std::string_view(key.text).substr(at + 1);
  const bool all_digits = digits.size() >= 4 && digits.size() <= 17 &&
                          digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (all_digits) {
    if (auto time = parse_user_date(digits)) {
      key.time = time;
      key.text.resize(at);
    }
  }
}

}  // namespace

Result<Key> parse_key(std::string_view text) {
  Key key;
  key.written = text;
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::BadArgument, fmt::format("key '{}': {}", text, what));
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (kind == "index" && colon != std::string_view::npos) {
    const auto number = parse_number(rest);
    if (!number) {
      return wrong("index: takes the 0-based number of a record");
    }
    key.kind = Key::Kind::Index;
    key.number = *number;
  } else if (kind == "offset" && colon != std::string_view::npos) {
    const std::size_t plus = rest.find('+');
    const auto number = parse_number(rest.substr(0, plus));
    const auto inner = plus == std::string_view::npos ? std::optional<std::uint64_t>(0)
                                                      : parse_number(rest.substr(plus + 1));
    if (!number || !inner) {
      return wrong("offset: takes a stored offset N, or N+M with M decoded bytes into its unit");
    }
    key.kind = Key::Kind::Offset;
    key.number = *number;
    key.inner = *inner;
  } else if (kind == "block" && colon != std::string_view::npos) {
    const std::size_t slash = rest.find('/');
    const auto number = parse_number(rest.substr(0, slash));
    const auto item =
        slash == std::string_view::npos ? std::nullopt : parse_number(rest.substr(slash + 1));
    if (!number || !item) {
      return wrong(
          "block: takes OFFSET/ITEM, the stored offset of a block and a 0-based item in it");
    }
    key.kind = Key::Kind::Block;
    key.number = *number;
    key.inner = *item;
  } else if (kind == "id" && colon != std::string_view::npos) {
    key.kind = Key::Kind::Id;
    key.text = rest;
  } else if (kind == "uri" && colon != std::string_view::npos) {
    key.kind = Key::Kind::Uri;
    key.text = rest;
    split_time(key);
  } else {
    key.text = text;
    split_time(key);
  }
  if (key.text.empty() && key.kind != Key::Kind::Index && key.kind != Key::Kind::Offset &&
      key.kind != Key::Kind::Block) {
    return wrong("nothing to look for");
  }
  return key;
}

}  // namespace fonds
