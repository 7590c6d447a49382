// clp-s archives put together from the plain bytes of their sections: what zstd would hide from
// mutations lies open. Parts of an input are separated by kSeparator, so that bytes may be added to
// one without moving the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>

namespace fonds::fuzz {

inline constexpr std::string_view kSeparator = "\xC1\xC1\xC1\xC1";

inline std::vector<std::string_view> split_parts(std::string_view input) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = input.find(kSeparator);
    parts.push_back(input.substr(0, end));
    if (end == std::string_view::npos) {
      return parts;
    }
    input.remove_prefix(end + kSeparator.size());
  }
}

inline std::string little(std::uint64_t value, std::size_t octets) {
  std::string bytes;
  for (std::size_t i = 0; i < octets; ++i) {
    bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return bytes;
}

// A zstd frame that stores the bytes as they are; nothing for nothing.
inline std::string stored_frame(std::string_view plain) {
  if (plain.empty()) {
    return {};
  }
  constexpr std::size_t kBlock = std::size_t{64} << 10;
  std::string frame("\x28\xB5\x2F\xFD\x00\x58", 6);
  while (true) {
    const std::string_view block = plain.substr(0, kBlock);
    plain.remove_prefix(block.size());
    frame += little(block.size() << 3 | (plain.empty() ? 1 : 0), 3);
    frame += block;
    if (plain.empty()) {
      return frame;
    }
  }
}

// A dictionary: its number of entries is not compressed.
inline std::string stored_dictionary(std::string_view plain) {
  return std::string(plain.substr(0, 8)) +
         stored_frame(plain.size() > 8 ? plain.substr(8) : std::string_view());
}

// Parts: three bytes of the version (major, minor, patch); packets of the metadata but for the list
// of files, their number in front; tree; schemas; table metadata; three dictionaries; streams. What
// is missing is empty. The offsets of the streams are set.
inline std::string build_archive(const std::vector<std::string_view>& parts) {
  const auto part = [&parts](std::size_t i) {
    return i < parts.size() ? parts[i] : std::string_view();
  };
  const std::string_view version = part(0);
  std::string tables(part(4));
  std::string streams;
  for (std::size_t i = 8; i < parts.size(); ++i) {
    const std::size_t at = 8 + 16 * (i - 8);
    if (at + 8 <= tables.size()) {
      tables.replace(at, 8, little(streams.size(), 8));
    }
    streams += stored_frame(parts[i]);
  }
  static constexpr std::array<std::string_view, 7> kNames = {
      "/schema_tree", "/schema_ids", "/table_metadata", "/var.dict", "/log.dict",
      "/array.dict",  "/0"};
  const std::array<std::string, 7> members = {stored_frame(part(2)),
                                              stored_frame(part(3)),
                                              stored_frame(tables),
                                              stored_dictionary(part(5)),
                                              stored_dictionary(part(6)),
                                              stored_dictionary(part(7)),
                                              streams};
  std::string files =
      "\x81\xA5"
      "files\x97";
  std::string section;
  for (std::size_t i = 0; i < members.size(); ++i) {
    files += "\x82\xA1n";
    files += static_cast<char>(0xA0 | kNames[i].size());
    files += kNames[i];
    files += "\xA1o\xCE";
    for (int shift = 24; shift >= 0; shift -= 8) {
      files += static_cast<char>(section.size() >> shift & 0xFF);
    }
    section += members[i];
  }
  std::string_view packets = part(1);
  const unsigned count = packets.empty() ? 0 : static_cast<unsigned char>(packets[0]);
  packets.remove_prefix(packets.empty() ? 0 : 1);
  const std::string metadata = stored_frame(little(count + 1, 1) + "\x01" +
                                            little(files.size(), 4) + files + std::string(packets));
  const auto number = [&version](std::size_t i) {
    return i < version.size() ? static_cast<unsigned char>(version[i]) : 0U;
  };
  return "\xFD\x2F\xC5\x30" + little(number(2), 2) + little(number(1), 1) + little(number(0), 1) +
         little(1000, 8) + little(64 + metadata.size() + section.size(), 8) +
         std::string(32, '\0') + little(metadata.size(), 4) + little(0, 4) + metadata + section;
}

inline std::shared_ptr<ByteSource> source_of(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return memory_source({data, data + bytes.size()});
}

}  // namespace fonds::fuzz
