// The metadata of a stream: a JSON object.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/utf8.hpp"
#include "format/kvir/reading/stream.hpp"
#include "query/json_scanner.hpp"

namespace fonds::kvir {
namespace {

using query::JsonScanner;
using query::JsonToken;

// Of the value whose first token is read: passes over it and returns its text.
std::string_view rest_of_value(JsonScanner& scanner, std::string_view json, JsonToken token,
                               std::size_t begin) {
  std::size_t depth = 0;
  while (true) {
    if (opens(token)) {
      ++depth;
    } else if (closes(token)) {
      --depth;
    } else if (token == JsonToken::Damaged || token == JsonToken::End) {
      return {};
    }
    if (depth == 0) {
      return json.substr(begin, scanner.at() - begin);
    }
    token = scanner.next();
  }
}

// The members of a JSON object in their order, of repeated keys the last one. False: it is none.
template <typename Take>
bool each_member(std::string_view json, const Take& take) {
  JsonScanner scanner(json);
  if (scanner.next() != JsonToken::BeginObject) {
    return false;
  }
  std::string scratch;
  while (true) {
    JsonToken token = scanner.next();
    if (token == JsonToken::EndObject) {
      return scanner.next() == JsonToken::End;
    }
    if (token != JsonToken::Key) {
      return false;
    }
    std::string key(query::unquoted_json(scanner.spelled(), scratch));
    const std::size_t behind_key = scanner.at();
    token = scanner.next();
    const std::size_t begin = json.find_first_not_of(": \t\r\n", behind_key);
    const std::string_view value = begin == std::string_view::npos
                                       ? std::string_view()
                                       : rest_of_value(scanner, json, token, begin);
    if (value.empty()) {
      return false;
    }
    take(std::move(key), value);
  }
}

std::string text_of(std::string_view value) {
  std::string scratch;
  return value.starts_with('"') ? std::string(query::unquoted_json(value, scratch)) : std::string();
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

}  // namespace

Result<Metadata> parse_metadata(std::string_view json) {
  Metadata out;
  out.text = json;
  bool has_version = false;
  std::string_view user;
  const bool whole =
      is_utf8(json) && each_member(json, [&](const std::string& key, std::string_view value) {
        if (key == "VERSION") {
          has_version = true;
          out.version = text_of(value);
        } else if (key == "VARIABLES_SCHEMA_ID") {
          out.variables_schema = text_of(value);
        } else if (key == "VARIABLE_ENCODING_METHODS_ID") {
          out.encoding_methods = text_of(value);
        } else if (key == "USER_DEFINED_METADATA") {
          user = value;
        }
      });
  if (!whole) {
    return fail(ErrorCode::Corrupt, "the metadata is no JSON object in UTF-8");
  }
  if (!has_version) {
    return fail(ErrorCode::Corrupt, "the metadata has no VERSION");
  }
  if (out.version.starts_with("0.0.") || out.version.starts_with("v0.0.")) {
    return fail(
        ErrorCode::Unsupported,
        fmt::format("this is CLP's older IR of unstructured text (version {}), not key-value "
                    "IR (version 0.1.0)",
                    out.version));
  }
  if (out.version != "0.1.0") {
    return fail(ErrorCode::Unsupported, fmt::format("this is KV-IR of the version '{}', and only "
                                                    "0.1.0 is known",
                                                    out.version));
  }
  const auto take = [&out](std::string key, std::string_view value) {
    const auto same = std::find_if(out.user.begin(), out.user.end(),
                                   [&key](const auto& member) { return member.first == key; });
    if (same != out.user.end()) {
      same->second = value;
    } else {
      out.user.emplace_back(std::move(key), value);
    }
  };
  if (!user.empty() && !each_member(user, take)) {
    return fail(ErrorCode::Corrupt, "USER_DEFINED_METADATA is no JSON object");
  }
  out.user_text = user;
  return out;
}

}  // namespace fonds::kvir
