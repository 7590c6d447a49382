#include "format/recordio/reading/decode.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/core.h>

namespace fonds::recordio {
namespace {

constexpr std::array<std::byte, 4> kZstdMagic = {std::byte{0x28}, std::byte{0xb5}, std::byte{0x2f},
                                                 std::byte{0xfd}};

bool looks_like_zstd(ByteView bytes) {
  return bytes.size() >= kZstdMagic.size() &&
         std::equal(kZstdMagic.begin(), kZstdMagic.end(), bytes.begin());
}

}  // namespace

ErrorCode error_code(std::string_view finding_code) noexcept {
  for (const std::string_view cut :
       {"short-chunk", "block-past-end", "record-cut", "record-short-header"}) {
    if (finding_code == cut) {
      return ErrorCode::Truncated;
    }
  }
  if (finding_code == "limit-exceeded" || finding_code == "record-too-large") {
    return ErrorCode::LimitExceeded;
  }
  return finding_code == "unknown-transformer" ? ErrorCode::Unsupported : ErrorCode::Corrupt;
}

std::optional<Fault> BlockDecoder::take_stack(const Transformation& transformation) {
  if (stack_of_ == transformation.entries) {
    return std::nullopt;
  }
  auto stack = Stack::make(transformation.entries);
  if (!stack) {
    return Fault{"unknown-transformer", stack.error().message()};
  }
  stack_ = std::move(*stack);
  stack_of_ = transformation.entries;
  return std::nullopt;
}

ByteView BlockDecoder::joined(const StoredBlock& block) {
  if (block.pieces.size() == 1) {
    return block.pieces[0];
  }
  joined_.clear();
  joined_.reserve(static_cast<std::size_t>(block.payload_size));
  for (const ByteView piece : block.pieces) {
    joined_.append(piece);
  }
  return joined_.view();
}

std::optional<Fault> BlockDecoder::decode(const StoredBlock& block,
                                          const Transformation& transformation, std::uint64_t most,
                                          Buffer& content, Items& items) {
  oddity_.reset();
  items.clear();
  switch (block.kind) {
    case StoredBlock::Kind::LegacyPlain:
      items.set_plain(block.pieces[0]);
      return std::nullopt;
    case StoredBlock::Kind::LegacyPacked:
      return decode_packed(block, transformation, most, content, items);
    case StoredBlock::Kind::Header:
      return items.set_block(block.pieces, block.payload_size);
    case StoredBlock::Kind::Body:
    case StoredBlock::Kind::Trailer:
      break;
  }
  auto fault = transformation.guess ? guess_v2(block, most, content, items)
                                    : decode_v2(block, transformation, most, content, items);
  if (!fault && !oddity_ && items.count() == 0 && block.kind == StoredBlock::Kind::Body) {
    oddity_ = Fault{"block-without-items", "block without items"};
  }
  if (!fault && !oddity_ && items.overlong()) {
    oddity_ = Fault{"varint-overlong", "overlong varint in the table of the block"};
  }
  return fault;
}

std::optional<Fault> BlockDecoder::parse_header(const StoredBlock& block,
                                                const HeaderLimits& limits, HeaderList& list) {
  if (block.stored.length > limits.stored) {
    return Fault{"limit-exceeded", fmt::format("header block of {} bytes, the limit is {}",
                                               block.stored.length, limits.stored)};
  }
  Items items;
  Buffer unused;
  if (auto fault = decode(block, {}, 0, unused, items)) {
    return fault;
  }
  if (items.count() != 1 || !items.next()) {
    return Fault{"header-damaged",
                 fmt::format("header items: the block has {}, not 1", items.count())};
  }
  list = parse_header_list(items.whole(), limits.transformers);
  return std::move(list.fault);
}

std::optional<Fault> BlockDecoder::undo(const StoredBlock& block,
                                        const Transformation& transformation, std::uint64_t most,
                                        Buffer& content) {
  if (auto fault = take_stack(transformation)) {
    return fault;
  }
  if (const auto undone = stack_.undo(joined(block), most, content); !undone) {
    return transform_fault(undone.error());
  }
  if (!stack_.oddity().empty()) {
    oddity_ = Fault{"transform-surplus", std::string(stack_.oddity())};
  }
  return std::nullopt;
}

std::optional<Fault> BlockDecoder::decode_v2(const StoredBlock& block,
                                             const Transformation& transformation,
                                             std::uint64_t most, Buffer& content, Items& items) {
  transformers_ = transformation.entries;
  if (transformation.entries.empty()) {
    content.clear();
    return items.set_block(block.pieces, block.payload_size);
  }
  if (block.payload_size > most) {
    return Fault{"limit-exceeded", fmt::format("transformed block of {} bytes, the limit is {}",
                                               block.payload_size, most)};
  }
  if (auto fault = undo(block, transformation, most, content)) {
    return fault;
  }
  const ByteView whole[1] = {content.view()};
  return items.set_block(whole, content.size());
}

// docs/formats/recordio.md, "Recovery", rule 6: the first that gives a table whose sizes add up.
std::optional<Fault> BlockDecoder::guess_v2(const StoredBlock& block, std::uint64_t most,
                                            Buffer& content, Items& items) {
  const auto as = [&](const char* name) {
    return decode_v2(
        block, {name == nullptr ? std::vector<std::string>() : std::vector{std::string(name)}},
        most, content, items);
  };
  std::optional<Fault> too_large;
  const auto fits = [&](const char* name) {
    auto fault = as(name);
    if (fault && fault->code == "limit-exceeded") {
      too_large = std::move(fault);
      return false;
    }
    return !fault;
  };
  if (!block.pieces.empty() && looks_like_zstd(block.pieces[0]) && fits("zstd")) {
    return std::nullopt;
  }
  auto as_it_stands = as(nullptr);
  if (!as_it_stands || fits("flate")) {
    return std::nullopt;
  }
  items.clear();
  return too_large ? too_large : as_it_stands;
}

std::optional<Fault> BlockDecoder::decode_packed(const StoredBlock& block,
                                                 const Transformation& transformation,
                                                 std::uint64_t most, Buffer& content,
                                                 Items& items) {
  const ByteView payload = block.pieces[0];
  PackedTable packed = check_packed_table(payload);
  if (packed.fault) {
    return std::move(packed.fault);
  }
  const ByteView stored = payload.subspan(packed.table.items_at);
  const std::uint64_t wanted = packed.table.items_size;
  const auto fits_as = [&](std::vector<std::string> entries) -> std::optional<Fault> {
    if (auto fault = take_stack({std::move(entries)})) {
      return fault;
    }
    if (const auto undone = stack_.undo(stored, std::min(most, wanted), content); !undone) {
      Fault fault = transform_fault(undone.error());
      if (fault.code == "limit-exceeded" && wanted <= most) {
        // Not a limit of ours: the record contradicts itself.
        fault = {"transform-damaged",
                 fmt::format("decoded data has more than the {} bytes that the sizes add up to",
                             wanted)};
      }
      return fault;
    }
    if (content.size() != wanted) {
      return Fault{"record-items-too-long",
                   fmt::format("items longer than record: the sizes add up to {} bytes, the record "
                               "holds {}",
                               wanted, content.size())};
    }
    items.set_packed(payload, packed.table, content.view());
    return std::nullopt;
  };
  if (!transformation.entries.empty()) {
    return fits_as(transformation.entries);
  }
  if (packed.table.count == 0) {
    oddity_ = Fault{"record-without-items", "packed record without items"};
  }
  if (stored.size() != wanted && packed.table.count > 0) {
    if (wanted > most && stored.size() < wanted) {
      return Fault{"limit-exceeded",
                   fmt::format("record of {} bytes of items, the limit is {}", wanted, most)};
    }
    if (!fits_as({"flate"}) || !fits_as({"zstd"})) {
      return std::nullopt;
    }
    if (stored.size() < wanted) {
      return Fault{"record-items-too-long",
                   fmt::format("items longer than record: the sizes add up to {} bytes, the record "
                               "holds {}",
                               wanted, stored.size())};
    }
    oddity_ = Fault{"record-slack",
                    fmt::format("slack behind the last item: {} bytes", stored.size() - wanted)};
  }
  items.set_packed(payload, packed.table, stored);
  return std::nullopt;
}

}  // namespace fonds::recordio
