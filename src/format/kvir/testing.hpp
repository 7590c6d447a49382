// Streams put together by hand, for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>

#include "codec/testing.hpp"
#include "format/kvir/reading/document.hpp"
#include "format/kvir/reading/stream.hpp"

namespace fonds::testing_kvir {

using namespace std::string_literals;

inline std::string big_endian(std::uint64_t value, unsigned bytes) {
  std::string out;
  for (unsigned i = bytes; i > 0; --i) {
    out += static_cast<char>(value >> (8 * (i - 1)) & 0xFF);
  }
  return out;
}

inline std::string preamble(std::string_view metadata = R"({"VERSION":"0.1.0"})",
                            bool eight_byte = false) {
  return (eight_byte ? "\xFD\x2F\xB5\x30\x01"s : "\xFD\x2F\xB5\x29\x01"s) + "\x12" +
         big_endian(metadata.size(), 2) + std::string(metadata);
}
inline std::string text(std::string_view key) {
  return "\x41" + big_endian(key.size(), 1) + std::string(key);
}
// Types: "Int", "Float", "Bool", "Str", "Array", "Obj" by their tags.
inline std::string node(char type, int parent, std::string_view key) {
  return std::string(1, type) + "\x60" + big_endian(static_cast<std::uint64_t>(parent), 1) +
         text(key);
}
inline constexpr char kInt = 0x71, kFloat = 0x72, kBool = 0x73, kStr = 0x74, kArray = 0x75,
                      kObj = 0x76;
inline std::string id(int node_id) {
  return "\x65" + big_endian(static_cast<std::uint64_t>(node_id), 1);
}

// What reading a stream gives.
struct KvirRead {
  std::vector<std::string> events;  // JSON
  std::vector<std::string> generated;
  std::string error;
  ErrorCode code = ErrorCode::Internal;
  Location where;
  std::uint64_t lost = 0;
};

inline KvirRead read_kvir(std::shared_ptr<ByteSource> source,
                          const kvir::StreamLimits& limits = {}) {
  KvirRead out;
  const auto fail_with = [&out](const Error& error) {
    out.error = error.message();
    out.code = error.code();
    out.where = error.where();
    return out;
  };
  const auto decoder = probe_codec({}).decode(std::move(source), {});
  if (!decoder) {
    return fail_with(decoder.error());
  }
  const auto reader = kvir::EventReader::open(**decoder, limits);
  if (!reader) {
    return fail_with(reader.error());
  }
  kvir::DocumentWriter user((*reader)->user_tree());
  kvir::DocumentWriter generated((*reader)->generated_tree());
  while (true) {
    const auto more = (*reader)->next();
    if (!more) {
      return fail_with(more.error());
    }
    if (!*more) {
      return out;
    }
    clps::TextBuffer json;
    out.lost += user.append((*reader)->user(), json);
    out.events.emplace_back(json.view());
    json.clear();
    generated.append((*reader)->generated(), json);
    out.generated.emplace_back(json.view());
  }
}
inline KvirRead read_kvir(const std::string& stream, const kvir::StreamLimits& limits = {}) {
  return read_kvir(testing_codec::mapped(stream), limits);
}

}  // namespace fonds::testing_kvir
