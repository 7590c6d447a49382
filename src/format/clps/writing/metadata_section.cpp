#include <nlohmann/json.hpp>

#include "format/clps/writing/assemble.hpp"
#include "format/clps/writing/octets.hpp"

namespace fonds::clps::writing {
namespace {

using nlohmann::json;

std::string packed(const json& value) {
  std::string bytes;
  json::to_msgpack(value, nlohmann::detail::output_adapter<char>(bytes));
  return bytes;
}

json file_list(const std::array<std::uint64_t, kMembers>& offsets) {
  json files = json::array();
  for (std::size_t i = 0; i < kMembers; ++i) {
    files.push_back({{"n", to_string(static_cast<Member>(i))}, {"o", offsets[i]}});
  }
  return {{"files", files}};
}

json range_index(const std::vector<BuiltInput>& inputs, const std::string& creator) {
  json ranges = json::array();
  for (const BuiltInput& input : inputs) {
    json fields = json::object();
    for (const auto& [key, value] : input.properties) {
      json parsed = json::parse(value, nullptr, /*allow_exceptions=*/false);
      fields[key] = parsed.is_discarded() ? json(value) : std::move(parsed);
    }
    fields["_archive_creator_id"] = creator;
    fields["_file_split_number"] = input.split;
    fields["_filename"] = input.name;
    ranges.push_back({{"e", input.end}, {"f", std::move(fields)}, {"s", input.begin}});
  }
  return ranges;
}

}  // namespace

std::string metadata_section(const MetadataParts& parts) {
  std::string plain(1, '\0');
  std::size_t packets = 0;
  const auto add = [&](std::uint8_t type, const std::string& payload) {
    plain += static_cast<char>(type);
    append_u32(plain, static_cast<std::uint32_t>(payload.size()));
    plain += payload;
    ++packets;
  };
  add(0, packed({{"num_segments", 1}}));
  add(1, packed(file_list(parts.offsets)));
  add(2, parts.times);
  if (parts.inputs != nullptr) {
    add(3, packed(range_index(*parts.inputs, parts.creator_id)));
  }
  for (const auto& [type, payload] : parts.own) {
    add(type, payload);
  }
  plain[0] = static_cast<char>(packets);
  return plain;
}

std::vector<std::pair<std::string, std::string>> user_properties(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> properties;
  const json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (object.is_object()) {
    for (const auto& [key, value] : object.items()) {
      if (property_fault(key).empty()) {
        properties.emplace_back(key, value.dump(-1, ' ', false, json::error_handler_t::replace));
      }
    }
  }
  return properties;
}

}  // namespace fonds::clps::writing
