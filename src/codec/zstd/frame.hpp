// The structure of zstd data, read without decoding it: frame headers, block headers, dictionary
// frames, and the rules of WARC-Zstandard 1.0 that concern them. Layouts: RFC 8878.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "io/window.hpp"

namespace fonds::zstd {

inline constexpr std::uint32_t kFrameMagic = 0xFD2FB528;
inline constexpr std::string_view kFrameMagicText("\x28\xb5\x2f\xfd", 4);
inline constexpr std::uint32_t kDictionaryFrameMagic = 0x184D2A5D;
inline constexpr std::uint32_t kDictionaryMagic = 0xEC30A437;
inline constexpr std::size_t kMaxHeaderSize = 18;
inline constexpr std::size_t kBlockHeader = 3;
inline constexpr std::size_t kSkippableHeader = 8;
inline constexpr std::size_t kMaxBlockSize = std::size_t{128} << 10;
// What every decoder of WARC-Zstandard must support; docs/formats/warc-zstandard.md.
inline constexpr std::uint64_t kCommonWindow = std::uint64_t{8} << 20;
inline constexpr std::uint64_t kCommonDictionary = std::uint64_t{8} << 20;

constexpr bool is_skippable_magic(std::uint32_t magic) {
  return (magic & 0xFFFFFFF0) == 0x184D2A50;
}
constexpr bool is_legacy_magic(std::uint32_t magic) {
  return (magic >= 0xFD2FB522 && magic <= 0xFD2FB527) || magic == 0xFD2FB51E;
}

// RFC 8878, 3.1.1.1.
struct FrameHeader {
  std::size_t size = 0;  // bytes, the magic included
  std::uint64_t window_size = 0;
  std::optional<std::uint64_t> content_size;
  std::optional<std::uint32_t> dictionary_id;  // never 0: that is how "none" may be written
  bool checksum = false;
  bool single_segment = false;
  bool reserved_bit = false;  // standard decoders refuse the frame
};

// The header of the zstd frame at the start of `stored`; nothing if another magic stands there or
// if bytes are missing.
std::optional<FrameHeader> parse_frame_header(ByteView stored);

enum class FrameKind : std::uint8_t { Zstd, Skippable, Dictionary, Unknown };
enum class FrameState : std::uint8_t {
  Complete,
  Truncated,  // the bytes end before the frame does
  Illegal,    // a block of a type or a size that cannot be; `size` ends before that block
};

struct FrameInfo {
  FrameKind kind = FrameKind::Unknown;
  FrameState state = FrameState::Complete;
  std::uint64_t offset = 0;  // stored
  std::uint64_t size = 0;    // stored bytes that are there; Unknown: up to the next frame
  std::uint64_t size_declared =
      0;  // if Truncated: what the frame asks for, as far as its headers can be read
  std::uint32_t magic = 0;
  FrameHeader header = {};         // Zstd
  std::uint64_t blocks = 0;        // Zstd: whole blocks
  std::uint64_t decoded_most = 0;  // Zstd: no legal frame of these blocks decodes to more bytes
};

// The frame at the start of `stored`, its blocks walked by their headers; no content is read.
// Unknown (size 0) if no frame stands there; Truncated with kind Unknown if fewer than four bytes
// are there. `block` is shown where each whole block begins and ends.
FrameInfo scan_frame(
    ByteView stored,
    const std::function<void(std::uint64_t from, std::uint64_t to)>& block = nullptr);
// The one at `offset` of a window that goes_back(), whose blocks need not be held. Errors: Io.
Result<FrameInfo> scan_frame(Window& window, std::uint64_t offset);

// All frames in stored order, and the bytes between them as Unknown.
void walk_frames(ByteView stored, const std::function<void(const FrameInfo&)>& found);
// Those of a window that goes_back(), which `found` may move. Errors: Io.
Status walk_frames(Window& window, const std::function<void(const FrameInfo&)>& found);

struct DictionaryInfo {
  bool compressed = false;
  bool usable = false;             // it can be loaded
  bool over_limit = false;         // it asks for more than the caller allows
  std::uint32_t id = 0;            // 0 if it cannot be read
  std::uint64_t decoded_size = 0;  // 0 if it could not be decoded or passes the limit
};

// Checks the User_Data of a dictionary frame by the rules zd-form, zd-one-frame, zd-nodict,
// zd-size, zd-checksum, zd-format, zd-id, zl-window, zl-dict-stored and zl-dict-decoded. Findings
// carry `stored_offset`, the place of `user_data` in the file. A dictionary of more than
// `max_dictionary` bytes, stored or decoded, is not looked into: if `size`, the stored one, is
// more, `user_data` may hold less.
DictionaryInfo check_dictionary(ByteView user_data, std::uint64_t size, std::uint64_t stored_offset,
                                std::uint64_t max_dictionary,
                                const std::function<void(Finding)>& report);

// Checks the frames of a whole file by the rules that need no decoded content: zs-start, zs-frames,
// zs-trunc, zs-dict-pos, zf-size, zf-checksum, zf-dictid, zf-dictid-match, zf-nodict, zf-standard,
// zl-window, zn-ext, zn-empty; size prefixes by size-prefix; and the dictionary with
// check_dictionary(). The window goes_back(). Errors: Io.
Status check_frames(Window window, std::uint64_t max_dictionary,
                    const std::function<void(Finding)>& report);

}  // namespace fonds::zstd
