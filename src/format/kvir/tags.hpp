// The tags of KV-IR streams. Where three follow each other for lengths or numbers of 1, 2 and 4
// bytes, the first stands here. docs/formats/kv-ir.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace fonds::kvir {

inline constexpr std::string_view kMagicFour = "\xFD\x2F\xB5\x29";
inline constexpr std::string_view kMagicEight = "\xFD\x2F\xB5\x30";
inline constexpr std::uint8_t kMetadataIsJson = 0x01;
inline constexpr std::uint8_t kMetadataLength = 0x11;  // or 0x12

inline constexpr std::uint8_t kEnd = 0x00;
inline constexpr std::uint8_t kUtcOffset = 0x3F;
inline constexpr std::uint8_t kNode = 0x71;      // and up to 0x76: by NodeType
inline constexpr std::uint8_t kParentId = 0x60;  // of three
inline constexpr std::uint8_t kKeyId = 0x65;     // of three

inline constexpr std::uint8_t kString = 0x41;   // of three
inline constexpr std::uint8_t kInteger = 0x51;  // and up to 0x54: 1, 2, 4, 8 bytes
inline constexpr std::uint8_t kReal = 0x56;
inline constexpr std::uint8_t kTrue = 0x57;
inline constexpr std::uint8_t kFalse = 0x58;
inline constexpr std::uint8_t kTextFour = 0x59;
inline constexpr std::uint8_t kTextEight = 0x5A;
inline constexpr std::uint8_t kEmptyObject = 0x5E;
inline constexpr std::uint8_t kNull = 0x5F;

// Inside of encoded texts.
inline constexpr std::uint8_t kDictionaryText = 0x11;  // of three
inline constexpr std::uint8_t kEncodedFour = 0x18;
inline constexpr std::uint8_t kEncodedEight = 0x19;
inline constexpr std::uint8_t kLogType = 0x21;  // of three

}  // namespace fonds::kvir
