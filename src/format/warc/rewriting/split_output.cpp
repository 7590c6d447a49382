#include "format/warc/rewriting/split_output.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "codec/zstd/frame.hpp"
#include "format/warc/writing/segmenting.hpp"

namespace fonds::warc {
namespace {

// zstd: a frame without content, for a file that would begin with an extension frame.
constexpr std::string_view kEmptyFrame{"\x28\xb5\x2f\xfd\x24\x00\x01\x00\x00\x99\xe9\xd8\x51", 13};

// An extension frame of zstd, which cannot be the first of a file.
bool begins_with_extension(ByteView stored) {
  return stored.size() >= 4 && (stored[0] & std::byte{0xf0}) == std::byte{0x50} &&
         stored[1] == std::byte{0x2a} && stored[2] == std::byte{0x4d} &&
         stored[3] == std::byte{0x18};
}

// The version block with another name of the archive.
std::string renamed(std::string_view line, std::string_view name) {
  constexpr std::string_view kScheme = "filedesc://";
  const std::size_t blank = line.find(' ');
  std::string out(kScheme);
  for (const char c : name) {
    out += c == ' ' ? '_' : c;
  }
  out += blank == npos ? std::string_view("\n") : line.substr(blank);
  return out;
}

}  // namespace

Result<Buffer> encode_unit(const EncodeOptions& options, ByteView header, ByteView block,
                           ByteView closing) {
  StagedBytes staged;
  EncodeOptions one = options;
  one.threads = 1;
  FONDS_TRY(auto encoder, make_encoder(staged, one));
  FONDS_CHECK(encoder->begin_unit(header.size() + block.size() + closing.size()));
  FONDS_CHECK(encoder->write(header));
  FONDS_CHECK(encoder->write(block));
  FONDS_CHECK(encoder->write(closing));
  FONDS_CHECK(encoder->end_unit());
  FONDS_CHECK(encoder->finish());
  Buffer out;
  out.append(staged.at(0, staged.position()));
  return out;
}

bool PartSequence::needs_info(const SplitRecord& record) const {
  if (record.is_info) {
    return false;
  }
  const std::size_t family = record.arc ? 1 : 0;
  const bool differs = !governed_[family] || governing_[family] != record.info;
  return differs && (settings_.describe || record.arc);
}

Result<bool> PartSequence::make_room(const SplitRecord& record, std::uint64_t size) {
  if (open_) {
    std::uint64_t needed = size;
    Buffer info;
    if (needs_info(record)) {
      FONDS_TRY(info, info_for(record));
      needed += info.size();
    }
    if (needed >= size && needed <= room()) {
      if (!info.empty()) {
        FONDS_CHECK(write_info(record, info.view()));
      }
      return true;
    }
  }
  FONDS_CHECK(begin_part(record));
  const bool may_need_frame = used() == 0 && settings_.encode.codec == "zstd";
  return room() >= size && room() - size >= (may_need_frame ? kEmptyFrame.size() : 0);
}

Status PartSequence::begin_part(const SplitRecord& record) {
  if (open_ && !has_records_) {
    return {};
  }
  FONDS_TRY(part_, (*next_)({.sequence = name_, .first_date = record.date}));
  begin_ = part_.sink->position();
  open_ = true;
  has_records_ = false;
  governed_ = {};
  governing_ = {};
  FONDS_CHECK(part_.sink->write(as_bytes(settings_.dictionary)));
  if (needs_info(record)) {
    FONDS_TRY(const Buffer info, info_for(record));
    FONDS_CHECK(write_info(record, info.view()));
  }
  return {};
}

Status PartSequence::put(const SplitRecord& record, ByteView stored) {
  if (used() == 0 && settings_.encode.codec == "zstd" && begins_with_extension(stored)) {
    FONDS_CHECK(part_.sink->write(as_bytes(kEmptyFrame)));
  }
  note(record);
  return write_pieces(stored);
}

// Sinks may hold what they are given at once.
Status PartSequence::write_pieces(ByteView stored) {
  constexpr std::size_t kAtOnce = std::size_t{256} << 10;
  while (!stored.empty()) {
    const ByteView piece = stored.first(std::min(stored.size(), kAtOnce));
    FONDS_CHECK(part_.sink->write(piece));
    stored = stored.subspan(piece.size());
  }
  return {};
}

Status PartSequence::write_info(const SplitRecord& record, ByteView info) {
  const bool copied = record.info != nullptr && record.info->held;
  ++report_->changes[record.arc ? "version blocks written into parts"
                     : copied   ? "warcinfo records copied into parts"
                                : "warcinfo records made for parts"];
  const std::size_t family = record.arc ? 1 : 0;
  governed_[family] = true;
  governing_[family] = record.info;
  return part_.sink->write(info);
}

void PartSequence::note(const SplitRecord& record) {
  const std::size_t family = record.arc ? 1 : 0;
  has_records_ = true;
  governed_[family] = true;
  governing_[family] = record.info;
}

Result<Buffer> PartSequence::info_for(const SplitRecord& record) {
  const bool copies = record.info != nullptr && record.info->held;
  FONDS_TRY(const ExtraRecord extra, copies ? copy_info(record) : make_info(record));
  const std::string_view closing = record.arc ? "\n" : "\r\n\r\n";
  return encode_unit(settings_.encode, as_bytes(extra.header), as_bytes(extra.block),
                     as_bytes(closing));
}

Result<ExtraRecord> PartSequence::copy_info(const SplitRecord& record) {
  const SourceInfo& info = *record.info;
  ExtraRecord made{.header = {}, .block = info.block};
  if (info.dialect == Dialect::Arc) {
    made.header = renamed(info.header, part_.name);
    return made;
  }
  FONDS_TRY(const std::string id,
            make_id(IdScheme{}, fmt::format("part:{}:{}", part_.name, info.id)));
  if (info.dialect == Dialect::Modern) {
    const std::vector<FieldEdit> edits = {{"WARC-Record-ID", "<" + id + ">"},
                                          {"WARC-Filename", part_.name},
                                          {"Content-Length", std::to_string(info.block.size())}};
    made.header = edit_header(as_bytes(info.header), {}, edits);
    return made;
  }
  FONDS_TRY(made.header, with_positional_id(as_bytes(info.header), id, info.block.size()));
  return made;
}

// For a source without a warcinfo, or with one that is too large to be repeated.
Result<ExtraRecord> PartSequence::make_info(const SplitRecord& record) {
  if (record.arc) {
    return make_version_block(part_.name, settings_.now);
  }
  ExtraRecord made;
  made.block = fmt::format("software: fonds\r\nformat: {}\r\ndescription: part of {}\r\n",
                           version_of(record.target), settings_.source);
  if (record.info != nullptr && !record.info->id.empty()) {
    made.block += fmt::format("isPartOf: {}\r\n", record.info->id);
  }
  FONDS_TRY(const std::string id,
            make_id(IdScheme{}, fmt::format("part:{}:{}", part_.name, made.block)));
  NewRecord head;
  head.type = "warcinfo";
  head.id = id;
  head.date = settings_.now;
  head.content_type = "application/warc-fields";
  head.filename = part_.name;
  head.block_length = made.block.size();
  ConversionOptions options;
  options.target = record.target;
  FONDS_TRY(Converted converted, make_header(head, options));
  made.header = std::move(converted.header);
  return made;
}

}  // namespace fonds::warc
