// The header and the metadata section.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "base/guarded.hpp"
#include "format/clps/reading/cursor.hpp"
#include "format/clps/reading/exact.hpp"
#include "format/clps/reading/sections.hpp"

namespace fonds::clps {
namespace {

using Json = nlohmann::json;

constexpr std::array<std::uint8_t, 4> kMagic = {0xFD, 0x2F, 0xC5, 0x30};
constexpr std::size_t kMaxEntries = std::size_t{1} << 16;  // ranges, patterns, inputs
constexpr std::size_t kMaxNesting = 64;
constexpr std::uint64_t kValueBytes = 128;  // that a parsed msgpack value may take

auto corrupt(std::string message, std::uint64_t at) {
  return fail(ErrorCode::Corrupt, "metadata section: " + std::move(message),
              {.decoded_offset = at});
}

// How many bytes of a msgpack value follow its first one directly, and how many values it holds.
struct MsgpackHead {
  std::uint64_t bytes = 0, values = 0;
};

std::optional<std::uint64_t> big_endian(Cursor& in, std::uint64_t width) {
  const auto bytes = in.take(width);
  if (!bytes) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (const std::byte b : *bytes) {
    value = value << 8 | std::to_integer<std::uint64_t>(b);
  }
  return value;
}

std::optional<MsgpackHead> sized_head(Cursor& in, std::uint8_t code) {
  constexpr auto kNone = std::nullopt;
  const auto sized = [&in](std::uint64_t width, std::uint64_t extra) -> std::optional<MsgpackHead> {
    const auto size = big_endian(in, width);
    return size ? std::optional(MsgpackHead{*size + extra, 0}) : std::nullopt;
  };
  const auto holding = [&in](std::uint64_t width,
                             std::uint64_t each) -> std::optional<MsgpackHead> {
    const auto size = big_endian(in, width);
    return size ? std::optional(MsgpackHead{0, *size * each}) : std::nullopt;
  };
  if (code >= 0xC4 && code <= 0xC6) {
    return sized(std::uint64_t{1} << (code - 0xC4), 0);  // bin
  }
  if (code >= 0xC7 && code <= 0xC9) {
    return sized(std::uint64_t{1} << (code - 0xC7), 1);  // ext
  }
  if (code == 0xCA || code == 0xCB) {
    return MsgpackHead{code == 0xCA ? 4U : 8U, 0};
  }
  if (code >= 0xCC && code <= 0xD3) {
    return MsgpackHead{std::uint64_t{1} << ((code - 0xCC) % 4), 0};  // integers
  }
  if (code >= 0xD4 && code <= 0xD8) {
    return MsgpackHead{(std::uint64_t{1} << (code - 0xD4)) + 1, 0};  // fixext
  }
  if (code >= 0xD9 && code <= 0xDB) {
    return sized(std::uint64_t{1} << (code - 0xD9), 0);  // str
  }
  if (code == 0xDC || code == 0xDD) {
    return holding(code == 0xDC ? 2 : 4, 1);
  }
  if (code == 0xDE || code == 0xDF) {
    return holding(code == 0xDE ? 2 : 4, 2);
  }
  return code == 0xC1 ? std::optional<MsgpackHead>(kNone) : MsgpackHead{};
}

std::optional<MsgpackHead> msgpack_head(Cursor& in) {
  const auto code = in.u8();
  if (!code) {
    return std::nullopt;
  }
  if (*code < 0x80 || *code >= 0xE0) {
    return MsgpackHead{};
  }
  if (*code < 0x90) {
    return MsgpackHead{0, std::uint64_t{2} * (*code & 0x0F)};
  }
  if (*code < 0xA0) {
    return MsgpackHead{0, static_cast<std::uint64_t>(*code & 0x0F)};
  }
  if (*code < 0xC0) {
    return MsgpackHead{static_cast<std::uint64_t>(*code & 0x1F), 0};
  }
  return sized_head(in, *code);
}

// Whether this is one msgpack value, whole, and not nested so deeply that a recursive parser would
// run out of stack.
// `values`: how many values it holds.
bool is_shallow_msgpack(ByteView bytes, std::uint64_t& values) {
  Cursor in(bytes);
  std::vector<std::uint64_t> open = {1};
  while (!open.empty()) {
    if (open.back() == 0) {
      open.pop_back();
      continue;
    }
    --open.back();
    ++values;
    const auto head = msgpack_head(in);
    if (!head || !in.take(head->bytes) || head->values > in.left()) {
      return false;
    }
    if (head->values > 0) {
      if (open.size() == kMaxNesting) {
        return false;
      }
      open.push_back(head->values);
    }
  }
  return in.left() == 0;
}

struct Payload {
  ByteView bytes;
  std::uint64_t at = 0;    // in the section
  std::uint64_t room = 0;  // for what it is parsed to
};

Result<Json> parse_msgpack(const Payload& payload, std::string_view packet) {
  const ByteView bytes = payload.bytes;
  const std::uint64_t at = payload.at;
  Json value = Json::value_t::discarded;
  std::uint64_t values = 0;
  const bool shallow = is_shallow_msgpack(bytes, values);
  if (values > payload.room / kValueBytes) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("metadata section: the {} values of the {} packet would exceed the "
                            "memory limit",
                            values, packet),
                {.decoded_offset = at});
  }
  if (shallow) {
    const std::string_view text = as_text(bytes);
    value = Json::from_msgpack(text.begin(), text.end(), true, false);
  }
  if (value.is_discarded()) {
    return corrupt(fmt::format("the {} packet is no msgpack value", packet), at);
  }
  return value;
}

Status read_archive_info(const Payload& payload) {
  FONDS_TRY(const Json info, parse_msgpack(payload, "ArchiveInfo"));
  const auto segments = info.is_object() ? info.find("num_segments") : info.end();
  if (!info.is_object() || segments == info.end() || !segments->is_number_integer() ||
      *segments != 1) {
    return corrupt(fmt::format("num_segments is {}, it must be 1",
                               info.is_object() && segments != info.end()
                                   ? segments->dump(-1, ' ', true, Json::error_handler_t::replace)
                                   : "missing"),
                   payload.at);
  }
  return {};
}

Status read_files(const Payload& payload, std::vector<FileEntry>& out) {
  FONDS_TRY(const Json info, parse_msgpack(payload, "ArchiveFileInfo"));
  const auto files = info.is_object() ? info.find("files") : info.end();
  if (!info.is_object() || files == info.end() || !files->is_array()) {
    return corrupt("the ArchiveFileInfo packet has no list of files", payload.at);
  }
  for (const Json& file : *files) {
    if (!file.is_object() || !file.contains("n") || !file["n"].is_string() || !file.contains("o") ||
        !file["o"].is_number_unsigned()) {
      return corrupt(
          fmt::format("file {} of the ArchiveFileInfo packet has no name or no offset", out.size()),
          payload.at);
    }
    out.push_back({file["n"].get<std::string>(), file["o"].get<std::uint64_t>()});
  }
  return {};
}

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool read_number(const Json& object, const char* name, std::uint64_t& out) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) {
    return false;
  }
  out = found->get<std::uint64_t>();
  return true;
}

Status read_inputs(const Payload& payload, Metadata& out) {
  FONDS_TRY(const Json list, parse_msgpack(payload, "RangeIndex"));
  if (!list.is_array()) {
    return corrupt("the RangeIndex packet is no array", payload.at);
  }
  out.has_inputs = true;
  for (const Json& range : list) {
    std::uint64_t begin = 1, end = 0;
    const bool bounded = range.is_object() && read_number(range, "s", begin) &&
                         read_number(range, "e", end) && begin <= end;
    const auto fields = range.is_object() ? range.find("f") : range.end();
    if (!bounded || fields == range.end() || !fields->is_object()) {
      return corrupt(fmt::format("range {} of the RangeIndex packet is no range with properties",
                                 out.inputs.size()),
                     payload.at);
    }
    InputRange input{begin, end, {}, json_text(*fields)};
    if (const auto name = fields->find("_filename"); name != fields->end() && name->is_string()) {
      input.file_name = name->get<std::string>();
    }
    out.inputs.push_back(std::move(input));
  }
  return {};
}

std::optional<TimeRange> read_time_range(Cursor& in) {
  TimeRange range;
  const auto key_length = in.u64();
  const auto key = key_length ? in.text(*key_length) : std::nullopt;
  const auto ids = key ? in.u64() : std::nullopt;
  if (!ids || *ids > in.left() / 4) {
    return std::nullopt;
  }
  range.key = *key;
  for (std::uint64_t i = 0; i < *ids; ++i) {
    range.nodes.push_back(*in.i32());
  }
  const auto encoding = in.u64();
  if (!encoding || *encoding > 2) {
    return std::nullopt;
  }
  range.encoding = static_cast<TimeRange::Encoding>(*encoding);
  if (range.encoding == TimeRange::Encoding::None) {
    return range;
  }
  const auto begin = in.u64();
  const auto end = begin ? in.u64() : std::nullopt;
  if (!end) {
    return std::nullopt;
  }
  if (range.encoding == TimeRange::Encoding::Epoch) {
    range.begin = static_cast<std::int64_t>(*begin);
    range.end = static_cast<std::int64_t>(*end);
  } else {
    std::memcpy(&range.begin_real, &*begin, sizeof range.begin_real);
    std::memcpy(&range.end_real, &*end, sizeof range.end_real);
  }
  return range;
}

Status read_times(ByteView payload, std::uint64_t at, Metadata& out, std::uint64_t& extra) {
  Cursor in(payload);
  const auto wrong = [&](std::string_view what) {
    return corrupt(fmt::format("the TimestampDictionary packet {}", what), at + in.position());
  };
  const auto ranges = in.u64();
  if (!ranges || *ranges > in.left() / 24 || *ranges > kMaxEntries) {
    return wrong("claims more ranges than it can hold");
  }
  for (std::uint64_t i = 0; i < *ranges; ++i) {
    auto range = read_time_range(in);
    if (!range) {
      return wrong(fmt::format("is damaged in range {}", i));
    }
    out.time_ranges.push_back(std::move(*range));
  }
  const auto patterns = in.u64();
  if (!patterns || *patterns > in.left() / 16 || *patterns > kMaxEntries) {
    return wrong("claims more patterns than it can hold");
  }
  std::unordered_set<std::uint64_t> seen;
  for (std::uint64_t i = 0; i < *patterns; ++i) {
    const auto id = in.u64();
    const auto length = id ? in.u64() : std::nullopt;
    const auto text = length ? in.text(*length) : std::nullopt;
    if (!text) {
      return wrong(fmt::format("is damaged in pattern {}", i));
    }
    if (!seen.insert(*id).second) {
      return wrong(fmt::format("has two patterns with the id {}", *id));
    }
    out.time_patterns.push_back({*id, std::string(*text)});
  }
  extra += in.left();
  return {};
}

}  // namespace

bool starts_archive(ByteView head) {
  if (head.size() < kMagic.size() || std::memcmp(head.data(), kMagic.data(), kMagic.size()) != 0) {
    return false;
  }
  return true;  // what is wrong with the header is told when it is opened
}

Result<Header> parse_header(ByteView bytes) {
  Cursor in(bytes);
  const auto at = [](std::uint64_t offset) { return Location{.stored_offset = offset}; };
  if (bytes.size() < kHeaderSize) {
    return fail(
        ErrorCode::Truncated,
        fmt::format("header: {} bytes are there, a header has {}", bytes.size(), kHeaderSize),
        at(bytes.size()));
  }
  if (std::memcmp(in.take(4)->data(), kMagic.data(), kMagic.size()) != 0) {
    return fail(ErrorCode::Corrupt, "header: no clp-s magic stands here", at(0));
  }
  Header header;
  const std::uint32_t version = *in.u32();
  header.version = {static_cast<std::uint8_t>(version >> 24),
                    static_cast<std::uint8_t>(version >> 16 & 0xFF),
                    static_cast<std::uint16_t>(version & 0xFFFF)};
  header.uncompressed_size = *in.u64();
  header.compressed_size = *in.u64();
  const ByteView reserved = *in.take(32);
  header.metadata_size = *in.u32();
  const std::uint32_t last = *in.u32();
  const std::uint32_t type = last & 0xFFFF;
  header.reserved_used =
      last >> 16 != 0 ||
      std::any_of(reserved.begin(), reserved.end(), [](std::byte b) { return b != std::byte{0}; });
  if (type != 0) {
    return fail(ErrorCode::Unsupported,
                fmt::format("header: compression type {} is unknown, only 0 (zstd) is", type),
                at(60));
  }
  return header;
}

Result<MetadataSection> parse_metadata(ByteView plain, std::uint64_t room) {
  return guarded([&]() -> Result<MetadataSection> {
    MetadataSection section;
    Cursor in(plain);
    const auto packets = in.u8();
    if (!packets) {
      return corrupt("it is empty", 0);
    }
    std::array<bool, 4> seen = {};
    for (unsigned i = 0; i < *packets; ++i) {
      const auto type = in.u8();
      const auto size = type ? in.u32() : std::nullopt;
      const std::uint64_t at = in.position();
      const auto payload = size ? in.take(*size) : std::nullopt;
      if (!payload) {
        return corrupt(fmt::format("packet {} of {} is cut short", i, *packets), at);
      }
      if (*type == kOriginalsPacket && section.metadata.originals == nullptr) {
        section.metadata.originals = std::make_shared<const std::string>(as_text(*payload));
        continue;
      }
      if (*type >= seen.size()) {
        if (auto search = search_packet(*type, *payload)) {
          section.search.push_back(std::move(*search));
        } else {
          ++section.metadata.unknown_packets;
        }
        continue;
      }
      if (std::exchange(seen[*type], true)) {
        return corrupt(fmt::format("two packets have the type {}", *type), at);
      }
      const Payload read = {*payload, at, room};
      switch (*type) {
        case 0:
          FONDS_CHECK(read_archive_info(read));
          break;
        case 1:
          FONDS_CHECK(read_files(read, section.files));
          break;
        case 2:
          FONDS_CHECK(read_times(*payload, at, section.metadata, section.extra));
          break;
        default:
          FONDS_CHECK(read_inputs(read, section.metadata));
          break;
      }
    }
    section.extra += in.left();
    return section;
  });
}

}  // namespace fonds::clps
