// list_units FILE OUT: writes the boundaries of every gzip member or Zstandard frame of FILE, with
// the place and the declared digests of the record in each, for the limit drivers. Not timed.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <libdeflate.h>
#include <zstd.h>

#include "support.hpp"

namespace fonds::bench {
namespace {

// The value of a named field of a WARC header, without surrounding spaces. The corpora have no
// folded lines and always spell the names like this.
std::string_view field(std::string_view header, std::string_view name) {
  for (std::size_t at = header.find(name); at != std::string_view::npos;
       at = header.find(name, at + 1)) {
    const std::size_t colon = at + name.size();
    if (at != 0 && header[at - 1] == '\n' && colon < header.size() && header[colon] == ':') {
      const std::size_t start = header.find_first_not_of(' ', colon + 1);
      return header.substr(start, header.find_first_of("\r\n", start) - start);
    }
  }
  return {};
}

// "sha1:" and 32 base32 digits; anything else is no digest that a driver could check.
std::optional<Sha1> parse_sha1(std::string_view text) {
  constexpr std::string_view kPrefix = "sha1:";
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  if (!text.starts_with(kPrefix) || text.size() != kPrefix.size() + 32) {
    return std::nullopt;
  }
  text.remove_prefix(kPrefix.size());
  Sha1 digest{};
  std::uint32_t bits = 0;
  unsigned held = 0;
  std::size_t filled = 0;
  for (const char c : text) {
    const std::size_t value = kDigits.find(c);
    if (value == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 5U | static_cast<std::uint32_t>(value)) & 0xFFFU;
    held += 5;
    if (held >= 8) {
      held -= 8;
      digest[filled++] = static_cast<std::byte>(bits >> held & 0xFFU);
    }
  }
  return digest;
}

// Fills in what the record at the start of `decoded` says of itself. ARC records have no such
// header and stay without block and digests.
void describe_record(ByteView decoded, Unit& unit) {
  const std::string_view text(reinterpret_cast<const char*>(decoded.data()), decoded.size());
  const std::size_t header_end = text.find("\r\n\r\n");
  if (!text.starts_with("WARC/") || header_end == std::string_view::npos) {
    return;
  }
  const std::string_view header = text.substr(0, header_end + 2);
  const std::string_view length = field(header, "Content-Length");
  std::uint64_t block_length = 0;
  std::from_chars(length.data(), length.data() + length.size(), block_length);
  if (block_length > text.size() - (header_end + 4)) {
    return;
  }
  unit.block_start = header_end + 4;
  unit.block_length = block_length;
  unit.payload_start = unit.block_start;
  if (const auto digest = parse_sha1(field(header, "WARC-Block-Digest"))) {
    unit.has_block_digest = 1;
    unit.block_digest = *digest;
  }
  const std::string_view block = text.substr(unit.block_start, block_length);
  const std::size_t head_end = block.find("\r\n\r\n");
  const auto payload = parse_sha1(field(header, "WARC-Payload-Digest"));
  if (payload && field(header, "WARC-Type") == "response" && head_end != std::string_view::npos) {
    unit.has_payload_digest = 1;
    unit.payload_start = unit.block_start + head_end + 4;
    unit.payload_digest = *payload;
  }
}

std::vector<Unit> list_members(ByteView file) {
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflater(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  std::vector<Unit> units;
  std::vector<std::byte> out(std::size_t{1} << 20U);
  for (std::size_t at = 0; at < file.size();) {
    std::size_t stored = 0;
    std::size_t decoded = 0;
    const auto result =
        libdeflate_gzip_decompress_ex(inflater.get(), file.data() + at, file.size() - at,
                                      out.data(), out.size(), &stored, &decoded);
    if (result == LIBDEFLATE_INSUFFICIENT_SPACE) {
      out.resize(out.size() * 2);
      continue;
    }
    if (result != LIBDEFLATE_SUCCESS) {
      fail("a gzip member cannot be inflated");
    }
    Unit unit{.stored_offset = at, .stored_length = stored, .decoded_length = decoded};
    describe_record({out.data(), decoded}, unit);
    units.push_back(unit);
    at += stored;
  }
  return units;
}

std::vector<Unit> list_frames(ByteView file) {
  constexpr std::uint32_t kSkippableMask = 0xFFFFFFF0U;
  constexpr std::uint32_t kSkippable = 0x184D2A50U;
  std::vector<Unit> units;
  for (std::size_t at = 0; at < file.size();) {
    const ByteView rest = file.subspan(at);
    const std::size_t stored = ZSTD_findFrameCompressedSize(rest.data(), rest.size());
    if (ZSTD_isError(stored) != 0) {
      fail("a zstd frame cannot be measured");
    }
    std::uint32_t magic = 0;
    std::memcpy(&magic, rest.data(), std::min(sizeof(magic), rest.size()));
    if ((magic & kSkippableMask) != kSkippable) {
      const auto decoded = ZSTD_getFrameContentSize(rest.data(), stored);
      if (decoded == ZSTD_CONTENTSIZE_UNKNOWN || decoded == ZSTD_CONTENTSIZE_ERROR) {
        fail("a zstd frame does not say its size");
      }
      units.push_back({.stored_offset = at, .stored_length = stored, .decoded_length = decoded});
    }
    at += stored;
  }
  return units;
}

int run(const char* input, const char* output) {
  const MappedFile file(input);
  const bool is_gzip = file.bytes().size() > 2 && file.bytes()[0] == std::byte{0x1F} &&
                       file.bytes()[1] == std::byte{0x8B};
  const std::vector<Unit> units = is_gzip ? list_members(file.bytes()) : list_frames(file.bytes());
  std::FILE* const out = std::fopen(output, "wb");
  if (out == nullptr ||
      std::fwrite(units.data(), sizeof(Unit), units.size(), out) != units.size() ||
      std::fclose(out) != 0) {
    fail("the list of units cannot be written");
  }
  std::printf("{\"records\": %zu}\n", units.size());
  return 0;
}

}  // namespace
}  // namespace fonds::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fonds::bench::fail("usage: list_units FILE OUT");
  }
  return fonds::bench::run(argv[1], argv[2]);
}
