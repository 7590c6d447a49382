#include "index/capture_json.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "index/capture.hpp"

namespace fonds::index {
namespace {
using OrderedJson = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 64;  // levels of objects and lists

bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }

void append_unit(std::string& out, std::uint32_t unit) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

// The character at the start of `text`, which is UTF-8, and its octets.
std::pair<std::uint32_t, std::size_t> first_character(std::string_view text) {
  const auto octet = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = octet(0);
  const std::size_t n = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  std::uint32_t value = n == 1 ? lead : lead & (0x7fU >> n);
  for (std::size_t i = 1; i < n; ++i) {
    value = value << 6 | (octet(i) & 0x3f);
  }
  return {value, n};
}

void append_escaped(std::string& out, std::uint32_t character) {
  constexpr std::array<std::pair<char, std::string_view>, 7> kShort = {{{'"', "\\\""},
                                                                        {'\\', "\\\\"},
                                                                        {'\n', "\\n"},
                                                                        {'\r', "\\r"},
                                                                        {'\t', "\\t"},
                                                                        {'\f', "\\f"},
                                                                        {'\b', "\\b"}}};
  for (const auto& [c, escape] : kShort) {
    if (character == static_cast<unsigned char>(c)) {
      out += escape;
      return;
    }
  }
  if (character >= 0x10000) {
    append_unit(out, 0xd800 + ((character - 0x10000) >> 10));
    append_unit(out, 0xdc00 + ((character - 0x10000) & 0x3ff));
  } else {
    append_unit(out, character);
  }
}

// Text of a text or of a number; nothing of null.
Status set_text(std::string& member, const std::string& name, const OrderedJson& value) {
  if (value.is_string()) {
    member = value.get<std::string>();
  } else if (value.is_number_integer()) {
    member = value.dump();
  } else if (!value.is_null()) {
    return corrupt_capture(fmt::format("member {} is neither text nor a number", name));
  }
  return {};
}

Status set_number(std::optional<std::uint64_t>& member, const std::string& name,
                  const OrderedJson& value) {
  std::string text;
  FONDS_CHECK(set_text(text, name, value));
  if (value.is_null() || text == "-") {
    return {};
  }
  member = parse_number(text);
  if (!member) {
    return corrupt_capture(fmt::format("member {} is \"{}\", which is no number", name,
                                       escape_for_terminal(text.substr(0, 40))));
  }
  return {};
}

Status set_member(Capture& capture, const std::string& name, const OrderedJson& value) {
  const std::array<std::pair<std::string_view, std::string*>, 8> texts = {
      {{"url", &capture.url},
       {"mime", &capture.mime},
       {"status", &capture.status},
       {"digest", &capture.digest},
       {"filename", &capture.filename},
       {"method", &capture.method},
       {"requestBody", &capture.request_body},
       {"recordDigest", &capture.record_digest}}};
  for (const auto& [known, member] : texts) {
    if (name == known) {
      FONDS_CHECK(set_text(*member, name, value));
      if (*member == "-") {
        member->clear();
      }
      return {};
    }
  }
  if (name == "length") {
    return set_number(capture.length, name, value);
  }
  if (name == "offset") {
    return set_number(capture.offset, name, value);
  }
  if (name == "inner") {
    return set_number(capture.inner, name, value);
  }
  capture.others.emplace_back(name, value.dump(-1, ' ', true));
  return {};
}

}  // namespace

tl::unexpected<Error> corrupt_capture(std::string message) {
  return fail(ErrorCode::Corrupt, std::move(message));
}

void append_json_text(std::string& out, std::string_view text) {
  out += '"';
  const auto begin = text.begin();
  const auto odd = std::find_if_not(begin, text.end(), is_plain);
  out.append(begin, odd);
  if (odd != text.end()) {
    const std::string rest = to_utf8(std::string_view(odd, text.end()));
    for (std::string_view left = rest; !left.empty();) {
      const auto [character, n] = first_character(left);
      if (n == 1 && is_plain(left.front())) {
        out += left.front();
      } else {
        append_escaped(out, character);
      }
      left = left.substr(n);
    }
  }
  out += '"';
}

bool is_json_deeper_than(std::string_view json, std::size_t most) {
  std::size_t depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (in_text) {
      i += c == '\\' ? 1 : 0;
      in_text = c != '"';
    } else if (c == '"') {
      in_text = true;
    } else if (c == '{' || c == '[') {
      if (++depth > most) {
        return true;
      }
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Status parse_members(std::string_view json, Capture& capture) {
  try {
    if (is_json_deeper_than(json, kDeepest)) {
      return corrupt_capture(fmt::format("the object has more than {} levels", kDeepest));
    }
    const OrderedJson object = OrderedJson::parse(json, nullptr, false);
    if (!object.is_object()) {
      return corrupt_capture("what follows the timestamp is no JSON object");
    }
    for (const auto& [name, value] : object.items()) {
      FONDS_CHECK(set_member(capture, name, value));
    }
    return {};
  } catch (const std::exception& e) {
    return corrupt_capture(e.what());
  }
}

}  // namespace fonds::index
