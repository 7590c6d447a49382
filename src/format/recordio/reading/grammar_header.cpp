// The list of entries in a v2 header block.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/formats/recordio.hpp>

#include "base/text.hpp"
#include "format/recordio/reading/grammar.hpp"

namespace fonds::recordio {
namespace {

constexpr std::uint8_t kBool = 1, kInt = 2, kUint = 3, kString = 4;

// Reads typed values. After a fault every further call fails.
class HeaderParser {
 public:
  explicit HeaderParser(ByteView item) : item_(item) {}

  bool overlong() const { return overlong_; }
  std::size_t left() const { return item_.size() - at_; }
  const std::optional<Fault>& fault() const { return fault_; }

  std::optional<std::uint64_t> count() {
    const auto type = byte();
    if (type && *type != kUint) {
      return damaged(fmt::format("header count: the list begins with a value of type {}, not {}",
                                 *type, unsigned{kUint}));
    }
    return type ? varint() : std::nullopt;
  }
  std::optional<std::string> key(std::size_t number) {
    const auto type = byte();
    if (type && *type != kString) {
      damaged(
          fmt::format("header key: key {} has type {}, not {}", number, *type, unsigned{kString}));
      return std::nullopt;
    }
    return type ? string() : std::nullopt;
  }
  std::optional<Value> value(std::size_t number) {
    const auto type = byte();
    if (!type) {
      return std::nullopt;
    }
    switch (*type) {
      case kBool: {
        const auto flag = byte();
        return flag ? std::optional<Value>(*flag != 0) : std::nullopt;
      }
      case kInt: {
        const auto coded = varint();
        return coded ? std::optional<Value>(unzigzag(*coded)) : std::nullopt;
      }
      case kUint: {
        const auto plain = varint();
        return plain ? std::optional<Value>(*plain) : std::nullopt;
      }
      case kString: {
        auto text = string();
        return text ? std::optional<Value>(std::move(*text)) : std::nullopt;
      }
      default:
        damaged(fmt::format("header type {}: the value of entry {} has a type other than 1 to 4",
                            *type, number));
        return std::nullopt;
    }
  }

 private:
  static std::int64_t unzigzag(std::uint64_t coded) {
    return static_cast<std::int64_t>(coded >> 1 ^ (0 - (coded & 1)));
  }
  std::nullopt_t damaged(std::string message) {
    fault_ = Fault{"header-damaged", std::move(message)};
    return std::nullopt;
  }
  std::nullopt_t cut() {
    return damaged(
        fmt::format("header cut: the entries do not end within the {} bytes", item_.size()));
  }
  std::optional<std::uint8_t> byte() {
    if (left() == 0) {
      return cut();
    }
    return std::to_integer<std::uint8_t>(item_[at_++]);
  }
  std::optional<std::uint64_t> varint() {
    const Varint parsed = parse_varint(item_.subspan(at_));
    if (parsed.state == Varint::State::Cut) {
      return cut();
    }
    if (parsed.state == Varint::State::TooLong) {
      return damaged(fmt::format(
          "varint too long: the number at byte {} of the header does not end within 64 bits", at_));
    }
    overlong_ = overlong_ || parsed.state == Varint::State::Overlong;
    at_ += parsed.length;
    return parsed.value;
  }
  // Behind its type.
  std::optional<std::string> string() {
    const auto type = byte();
    if (type && *type != kUint) {
      damaged(fmt::format("header string: the length has type {}, not {}", *type, unsigned{kUint}));
      return std::nullopt;
    }
    const auto length = type ? varint() : std::nullopt;
    if (!length) {
      return std::nullopt;
    }
    if (*length > left()) {
      damaged(
          fmt::format("header string: {} bytes long, but only {} bytes are left", *length, left()));
      return std::nullopt;
    }
    const auto n = static_cast<std::size_t>(*length);
    std::string text(as_text(item_.subspan(at_, n)));
    at_ += n;
    return text;
  }

  ByteView item_;
  std::size_t at_ = 0;
  bool overlong_ = false;
  std::optional<Fault> fault_;
};

// Takes what the reserved keys say out of one entry. Later entries are read on behind a fault, so
// that they can be shown.
void note_reserved(const HeaderEntry& entry, std::size_t max_transformers, bool first_trailer,
                   HeaderList& list) {
  if (entry.key == kTrailerKey && first_trailer) {
    const bool* promised = std::get_if<bool>(&entry.value);
    list.trailer = promised != nullptr && *promised;
  }
  if (entry.key != kTransformerKey || list.fault) {
    return;
  }
  const auto* name = std::get_if<std::string>(&entry.value);
  if (name == nullptr) {
    list.fault = Fault{"transformer-not-string",
                       fmt::format("transformer is not a string: it is "
                                   "the {} {}",
                                   type_name(entry.value), value_text(entry.value))};
  } else if (list.transformers.size() == max_transformers) {
    list.fault = Fault{"limit-exceeded", fmt::format("the header has more than {} transformers, "
                                                     "which is max_transformers",
                                                     max_transformers)};
  } else {
    list.transformers.push_back(*name);
  }
}

void emit_string(std::string_view text, Buffer& out) {
  out.push_back(std::byte{kString});
  out.push_back(std::byte{kUint});
  emit_varint(text.size(), out);
  out.append(as_bytes(text));
}

struct EmitValue {
  Buffer& out;
  void operator()(bool value) const {
    out.push_back(std::byte{kBool});
    out.push_back(value ? std::byte{1} : std::byte{0});
  }
  void operator()(std::int64_t value) const {
    const auto bits = static_cast<std::uint64_t>(value);
    out.push_back(std::byte{kInt});
    emit_varint(bits << 1 ^ (value < 0 ? ~std::uint64_t{0} : 0), out);
  }
  void operator()(std::uint64_t value) const {
    out.push_back(std::byte{kUint});
    emit_varint(value, out);
  }
  void operator()(const std::string& value) const { emit_string(value, out); }
};

}  // namespace

HeaderList parse_header_list(ByteView item, std::size_t max_transformers) {
  HeaderList list;
  HeaderParser parser(item);
  bool first_trailer = true;
  const std::uint64_t count = parser.count().value_or(0);
  for (std::uint64_t i = 0; i < count; ++i) {
    auto key = parser.key(static_cast<std::size_t>(i));
    auto value = key ? parser.value(static_cast<std::size_t>(i)) : std::nullopt;
    if (!value) {
      break;
    }
    const HeaderEntry& entry =
        list.entries.emplace_back(HeaderEntry{std::move(*key), std::move(*value)});
    note_reserved(entry, max_transformers, first_trailer, list);
    first_trailer = first_trailer && entry.key != kTrailerKey;
  }
  list.overlong = parser.overlong();
  if (parser.fault()) {
    list.fault = parser.fault();
  } else {
    list.surplus = parser.left();
  }
  return list;
}

void emit_header_list(const std::vector<HeaderEntry>& entries, Buffer& out) {
  out.push_back(std::byte{kUint});
  emit_varint(entries.size(), out);
  for (const HeaderEntry& entry : entries) {
    emit_string(entry.key, out);
    std::visit(EmitValue{out}, entry.value);
  }
}

void emit_header_block(const std::vector<HeaderEntry>& entries, Buffer& out) {
  Buffer item;
  emit_header_list(entries, item);
  Buffer payload;
  emit_table({item.size()}, payload);
  payload.append(item.view());
  emit_block(Magic::Header, payload.view(), out);
}

std::string_view type_name(const Value& value) noexcept {
  constexpr std::array<std::string_view, 4> kNames = {"bool", "int64", "uint64", "string"};
  static_assert(std::is_same_v<std::variant_alternative_t<3, Value>, std::string>);
  return kNames[value.index()];
}

std::string shown(std::string_view text) {
  if (is_utf8(text)) {
    return std::string(text);
  }
  std::string result;
  while (!text.empty()) {
    const auto lead = static_cast<unsigned char>(text[0]);
    const std::size_t n = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (n <= text.size() && is_utf8(text.substr(0, n))) {
      result += text.substr(0, n);
      text.remove_prefix(n);
    } else {
      result += fmt::format("\\x{:02x}", lead);
      text.remove_prefix(1);
    }
  }
  return result;
}

std::vector<HeaderEntry> free_entries(std::span<const HeaderEntry> entries) {
  std::vector<HeaderEntry> free;
  std::ranges::copy_if(entries, std::back_inserter(free), [](const HeaderEntry& entry) {
    return entry.key != kTransformerKey && entry.key != kTrailerKey;
  });
  return free;
}

std::string value_text(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return fmt::format("{}", *number);
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return fmt::format("{}", *number);
  }
  return shown(std::get<std::string>(value));
}

}  // namespace fonds::recordio
