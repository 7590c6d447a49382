#include "format/warc/rewriting/split.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/clock.hpp"
#include "codec/zstd/encoder.hpp"
#include "format/common/judge.hpp"
#include "format/warc/rewriting/pass.hpp"
#include "format/warc/rewriting/split_output.hpp"
#include "format/warc/rewriting/split_oversize.hpp"
#include "format/warc/rewriting/split_stored.hpp"
#include "format/warc/rewriting/split_types.hpp"
#include "format/warc/writing/segmenting.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

constexpr std::uint64_t kMostInfo = std::uint64_t{1} << 20;  // octets of a warcinfo that is copied
constexpr std::string_view kWarcClosing = "\r\n\r\n";

using Dictionaries = std::map<std::string, ZstdDictionary, std::less<>>;

// No codec makes more of so many bytes.
std::uint64_t worst_case(std::uint64_t decoded) { return decoded + decoded / 64 + 8192; }

Target target_of(const Header& header) {
  switch (header.dialect) {
    case Dialect::Arc:
      return Target::Arc11;
    case Dialect::Positional:
      return Target::Warc0011;
    case Dialect::Modern:
      break;
  }
  if (header.major < 1) {
    return Target::Warc018;
  }
  return header.major == 1 && header.minor == 0 ? Target::Warc10 : Target::Warc11;
}

// For a line of text.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '_');
  return text;
}

// A record that is being encoded.
struct Pending {
  SplitRecord record;
  std::string header;  // octets, if it may have to be cut
};

// A sequence of parts, with the records that threads are encoding for it.
struct Output {
  Output(std::string name, const NextPart& next, const PartSettings& settings,
         RewriteReport& report)
      : parts(std::move(name), next, settings, report) {}
  PartSequence parts;
  StagedBytes staged;
  std::deque<Pending> pending;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> done;  // place in `staged`, length
  std::unique_ptr<Encoder> encoder;  // the last: it writes into what is above
};

class Splitter {
 public:
  Splitter(const Archive& archive, const NextPart& next, const SplitOptions& options)
      : archive_(archive), next_(next), options_(options) {}

  Result<RewriteReport> run();

 private:
  Status prepare();
  Status choose_codec();
  Status choose_dictionary();
  Status survey();
  Result<Output*> output_of(std::string_view group);

  Status take(Pass& pass, const WarcRecord& record);
  Result<SplitRecord> look_at(Pass& pass, const WarcRecord& record);
  Status hold_block(Pass& pass, const WarcRecord& record);
  Status put(Output& out, const SplitRecord& record, std::string_view header, const RecordEnd& end);
  Status put_stored(Output& out, const SplitRecord& record, std::string_view header,
                    ByteView stored, ByteView behind);
  Status put_held(Output& out, const SplitRecord& record, std::string_view header,
                  std::string_view closing);
  Status put_again(Output& out, const SplitRecord& record, std::string_view header,
                   std::uint64_t length, std::string_view closing);
  std::optional<ByteView> stored_of(const SplitRecord& record, std::string_view header,
                                    const RecordEnd& end) const;
  Status place(Output& out, const SplitRecord& record, std::string_view header, ByteView stored,
               ByteView behind);
  // False: it is to be kept whole.
  Result<bool> cut(Output& out, const SplitRecord& record, std::string_view header);
  Status place_done(Output& out);
  Status flush(Output& out);

  const Archive& archive_;
  const NextPart& next_;
  const SplitOptions& options_;
  RewriteReport report_;
  PartSettings settings_;
  bool copies_ = false;  // units can stand in a part as they are stored
  ByteView stored_;      // the archive, if `copies_`
  std::optional<std::uint32_t> dictionary_id_;
  std::uint64_t held_most_ = 0;  // octets of a record that may lie in memory
  std::optional<TypeGroups> groups_;
  Dictionaries dictionaries_;
  std::map<std::string, Output, std::less<>> outputs_;
  std::array<std::shared_ptr<const SourceInfo>, 2> info_;  // of WARC, of ARC
  // Of the record in hand, if `holds_`.
  std::string block_;
  bool holds_ = false;
};

// ---- what is to be done ----

Status Splitter::prepare() {
  if (!archive_.source->random_access()) {
    return fail(ErrorCode::Unsupported,
                "is a pipe; web archives are split from a file, as records may be read twice",
                {.source = archive_.source->name()});
  }
  if (options_.size == 0) {
    return fail(ErrorCode::BadArgument, "parts of 0 bytes hold nothing");
  }
  const std::uint64_t budget = options_.rewrite.write.memory_budget;
  held_most_ =
      std::clamp<std::uint64_t>(budget / 32, std::uint64_t{64} << 10, std::uint64_t{4} << 20);
  settings_.limit = options_.size;
  settings_.describe = options_.rewrite.write.describe;
  settings_.now = time_of_writing();
  settings_.source = one_line(std::filesystem::path(archive_.source->name()).filename().string());
  FONDS_CHECK(choose_codec());
  FONDS_CHECK(survey());
  return choose_dictionary();
}

Status Splitter::choose_codec() {
  const WriteOptions& write = options_.rewrite.write;
  if (write.compression.size() > 1) {
    return fail(ErrorCode::BadArgument, "a web archive has one compression, not several");
  }
  const std::string_view source = archive_.codec().name();
  EncodeOptions& encode = settings_.encode;
  encode.codec = write.compression.empty()
                     ? split_compression(archive_, options_.train_dictionaries)
                     : write.compression.front();
  encode.level = write.level;
  encode.skip_lengths = write.skip_lengths;
  encode.continues = true;
  encode.memory_budget = std::max<std::uint64_t>(write.memory_budget / 2, 1);
  encode.threads = write.threads;
  const bool dictionary = write.dictionary || options_.train_dictionaries;
  if (dictionary && encode.codec != "zstd") {
    return fail(ErrorCode::BadArgument,
                fmt::format("{} has no dictionaries; --compression zstd has", encode.codec));
  }
  const auto view = archive_.source->view();
  copies_ = archive_.codecs.size() == 1 && source == encode.codec && view.has_value() &&
            !write.level && !write.skip_lengths && !dictionary;
  stored_ = view.value_or(ByteView());
  StagedBytes nowhere;  // options that cannot be are told before anything is read
  FONDS_CHECK(make_encoder(nowhere, encode));
  return {};
}

Status Splitter::survey() {
  if (!options_.by_type) {
    return {};
  }
  groups_.emplace(options_.rewrite.read.memory_budget / 4);
  RewriteOptions quiet = options_.rewrite;
  quiet.on_finding = {};  // they are told when the records are written
  quiet.progress = {};
  quiet.skip_damaged = true;
  FONDS_TRY(Pass pass, Pass::open(archive_, quiet, true));
  while (true) {
    FONDS_TRY(const WarcRecord* const record, pass.next());
    if (record == nullptr) {
      break;
    }
    groups_->count(*record);
    FONDS_CHECK(pass.finish());
  }
  groups_->settle();
  // All sequences together have the memory and the threads that one would have.
  const std::uint64_t sequences = groups_->names().size();
  settings_.encode.memory_budget =
      std::max<std::uint64_t>(settings_.encode.memory_budget / sequences, 1);
  settings_.encode.threads = std::min(settings_.encode.threads, sequences > 4 ? 2U : 8U);
  return {};
}

Status Splitter::choose_dictionary() {
  EncodeOptions& encode = settings_.encode;
  Buffer frame;
  if (options_.rewrite.write.dictionary) {
    FONDS_TRY(encode.dictionary,
              ZstdDictionary::parse(as_bytes(*options_.rewrite.write.dictionary)));
    FONDS_CHECK(zstd::emit_dictionary_frame(*encode.dictionary, false, frame));
    settings_.dictionary = as_text(frame.view());
  } else if (options_.train_dictionaries) {
    FONDS_TRY(dictionaries_,
              train_for_groups(archive_, options_.rewrite, groups_ ? &*groups_ : nullptr,
                               encode.level.value_or(3), options_.rewrite.write.memory_budget / 4));
  } else if (copies_ && encode.codec == "zstd") {
    const ByteView stored = stored_dictionary(stored_);
    if (!stored.empty()) {
      auto parsed = ZstdDictionary::parse(stored);
      copies_ = parsed.has_value();
      if (parsed) {
        dictionary_id_ = parsed->id();
        settings_.dictionary = as_text(stored);
        encode.dictionary = std::move(*parsed);
      }
    }
  }
  return {};
}

Result<Output*> Splitter::output_of(std::string_view group) {
  const auto found = outputs_.find(group);
  if (found != outputs_.end()) {
    return &found->second;
  }
  PartSettings settings = settings_;
  if (options_.train_dictionaries) {
    const auto trained = dictionaries_.find(group);
    if (trained != dictionaries_.end()) {
      Buffer frame;
      FONDS_CHECK(zstd::emit_dictionary_frame(trained->second, false, frame));
      settings.dictionary = as_text(frame.view());
      settings.encode.dictionary = trained->second;
      ++report_.changes["sequences of parts with a dictionary of their own"];
    }
  }
  const std::string name(group);
  return &outputs_.try_emplace(name, name, next_, settings, report_).first->second;
}

// ---- records ----

Result<RewriteReport> Splitter::run() {
  FONDS_CHECK(prepare());
  FONDS_TRY(Pass pass, Pass::open(archive_, options_.rewrite, options_.by_type));
  while (true) {
    FONDS_TRY(const WarcRecord* const record, pass.next());
    if (record == nullptr) {
      break;
    }
    FONDS_CHECK(take(pass, *record));
  }
  for (auto& [name, out] : outputs_) {
    FONDS_CHECK(flush(out));
  }
  return std::move(report_);
}

// What becomes of the record shows behind it: whether it is whole, and whether its units are its
// own.
Status Splitter::take(Pass& pass, const WarcRecord& record) {
  FONDS_TRY(const SplitRecord split, look_at(pass, record));
  const std::string header(as_text(record.raw_header()));
  const std::string group(groups_ ? groups_->of(record) : std::string_view());
  FONDS_CHECK(hold_block(pass, record));
  FONDS_TRY(const RecordEnd end, pass.finish());
  const bool damaged = any_damage(end.findings, options_.rewrite.strict);
  if (damaged || !end.length) {
    ++report_.records_lost;
    report_.lost_bytes += end.stored_length.value_or(0);
    return {};
  }
  ++report_.records_kept;
  FONDS_TRY(Output* const out, output_of(split.arc && split.is_info ? std::string_view() : group));
  return put(*out, split, header, end);
}

Result<SplitRecord> Splitter::look_at(Pass& pass, const WarcRecord& record) {
  const Header& header = record.header;
  SplitRecord split;
  split.place = record.place;
  split.target = target_of(header);
  split.arc = header.dialect == Dialect::Arc;
  split.date = header.date.value;
  split.is_info = header.type == "warcinfo";
  if (split.arc) {
    const std::string state = pass.reader().state();
    split.state = state.substr(0, state.rfind(' ') + 1);
  }
  std::shared_ptr<const SourceInfo>& current = info_[split.arc ? 1 : 0];
  if (split.is_info) {
    auto info = std::make_shared<SourceInfo>();
    info->dialect = header.dialect;
    info->id = header.id;
    info->header = as_text(record.raw_header());
    const bool whole = split.arc || cannot_be_cut(header).empty();  // no segment
    if (whole && record.block_length && *record.block_length <= std::min(kMostInfo, held_most_) &&
        info->header.size() <= kMostInfo) {
      FONDS_TRY(const ByteView block,
                pass.reader().peek_block(static_cast<std::size_t>(*record.block_length)));
      info->block = as_text(
          block.first(std::min(block.size(), static_cast<std::size_t>(*record.block_length))));
      info->held = true;
    }
    current = std::move(info);
  }
  split.info = current;
  return split;
}

// Holds a small record that will have to be encoded, so that it need not be read again.
Status Splitter::hold_block(Pass& pass, const WarcRecord& record) {
  const bool encodes = !copies_ || (record.place.inner > 0 && settings_.encode.codec != "none");
  holds_ = encodes && record.block_length && *record.block_length <= held_most_;
  block_.clear();
  if (!holds_) {
    return {};
  }
  while (true) {
    FONDS_TRY(const ByteView shown, pass.reader().peek_block(1));
    if (shown.empty()) {
      return {};
    }
    block_ += as_text(shown);
    pass.reader().consume_block(shown.size());
    if (block_.size() > held_most_) {  // its header does not tell its length
      holds_ = false;
      block_ = {};
      return {};
    }
  }
}

Status Splitter::put(Output& out, const SplitRecord& record, std::string_view header,
                     const RecordEnd& end) {
  std::string closing(record.arc ? std::string_view("\n") : kWarcClosing);
  if (!end.closing.empty() && end.closing.size() <= kMostClosing) {
    closing = end.closing;
  }
  if (record.arc && record.is_info && record.info->held) {
    // Each part begins with the version block, under its own name.
    if (groups_) {
      return {};
    }
    if (!out.parts.open() && out.pending.empty()) {
      SplitRecord as_head = record;
      as_head.is_info = false;
      return out.parts.begin_part(as_head);
    }
  }
  if (const auto stored = stored_of(record, header, end)) {
    const bool plain = settings_.encode.codec == "none";
    return put_stored(out, record, header, *stored, plain ? as_bytes(closing) : ByteView());
  }
  return holds_ ? put_held(out, record, header, closing)
                : put_again(out, record, header, *end.length, closing);
}

// The bytes that can be copied; of plain archives without what closes the record.
std::optional<ByteView> Splitter::stored_of(const SplitRecord& record, std::string_view header,
                                            const RecordEnd& end) const {
  if (!copies_ || record.place.inner > 0) {
    return std::nullopt;
  }
  ByteRange range{record.place.unit, header.size() + *end.length};
  if (settings_.encode.codec != "none") {
    const auto units = end.stored_length
                           ? record_units(stored_, settings_.encode.codec, record.place.unit,
                                          *end.stored_length, dictionary_id_)
                           : std::nullopt;
    if (!units) {
      return std::nullopt;
    }
    range = *units;
  }
  if (range.offset > stored_.size() || range.length > stored_.size() - range.offset) {
    return std::nullopt;
  }
  return stored_.subspan(static_cast<std::size_t>(range.offset),
                         static_cast<std::size_t>(range.length));
}

Status Splitter::put_stored(Output& out, const SplitRecord& record, std::string_view header,
                            ByteView stored, ByteView behind) {
  FONDS_CHECK(flush(out));  // in its turn
  FONDS_CHECK(place(out, record, header, stored, behind));
  archive_.source->forget({record.place.unit, stored.size()});
  return {};
}

Status Splitter::put_held(Output& out, const SplitRecord& record, std::string_view header,
                          std::string_view closing) {
  if (out.encoder == nullptr) {
    FONDS_TRY(out.encoder, make_encoder(out.staged, out.parts.settings().encode));
    out.encoder->on_unit = [&out](std::uint64_t, std::uint64_t offset, std::uint64_t length) {
      out.done.emplace_back(offset, length);
    };
  }
  out.pending.push_back({record, std::string(header)});
  FONDS_CHECK(out.encoder->begin_unit(header.size() + block_.size() + closing.size()));
  FONDS_CHECK(out.encoder->write(as_bytes(header)));
  FONDS_CHECK(out.encoder->write(as_bytes(block_)));
  FONDS_CHECK(out.encoder->write(as_bytes(closing)));
  FONDS_CHECK(out.encoder->end_unit());
  return place_done(out);
}

Status Splitter::place_done(Output& out) {
  for (const auto& [offset, length] : out.done) {
    const Pending pending = std::move(out.pending.front());
    out.pending.pop_front();
    FONDS_CHECK(
        place(out, pending.record, pending.header, out.staged.at(offset, length), ByteView()));
  }
  const bool all =
      !out.done.empty() && out.done.back().first + out.done.back().second == out.staged.position();
  out.done.clear();
  if (all) {
    out.staged.give_all();
  }
  return {};
}

// Places all records that are being encoded.
Status Splitter::flush(Output& out) {
  if (out.encoder == nullptr) {
    return {};
  }
  FONDS_CHECK(out.encoder->finish());
  FONDS_CHECK(place_done(out));
  out.encoder.reset();
  return {};
}

Status Splitter::place(Output& out, const SplitRecord& record, std::string_view header,
                       ByteView stored, ByteView behind) {
  FONDS_TRY(const bool fits, out.parts.make_room(record, stored.size() + behind.size()));
  if (!fits) {
    FONDS_TRY(const bool done, cut(out, record, header));
    if (done) {
      return {};
    }
  }
  FONDS_CHECK(out.parts.put(record, stored));
  return out.parts.sink().write(behind);
}

// A record that is large, or whose units turned out not to be its own.
Status Splitter::put_again(Output& out, const SplitRecord& record, std::string_view header,
                           std::uint64_t length, std::string_view closing) {
  FONDS_CHECK(flush(out));
  BlockCursor cursor(archive_, options_.rewrite.read, record, as_bytes(header));
  RecordPieces pieces(out.parts, record, cursor, held_most_);
  const std::uint64_t most = worst_case(header.size() + length + closing.size());
  const bool surely = out.parts.open() && out.parts.room() / 2 > most + kMostInfo;
  std::uint64_t size = most;
  if (!surely) {
    FONDS_TRY(size, pieces.measure(header, 0, length, closing));
  }
  FONDS_TRY(const bool fits, out.parts.make_room(record, size));
  if (!fits) {
    FONDS_TRY(const bool done, cut(out, record, header));
    if (done) {
      return {};
    }
  }
  return pieces.write(header, 0, length, closing, !fits);
}

Result<bool> Splitter::cut(Output& out, const SplitRecord& record, std::string_view header) {
  using Oversize = SplitOptions::Oversize;
  if (options_.oversize == Oversize::Keep) {
    ++report_.changes["records larger than a part, in a part of their own"];
    return false;
  }
  BlockCursor cursor(archive_, options_.rewrite.read, record, as_bytes(header));
  FONDS_CHECK(cursor.seek(0));
  const Header& found = cursor.record().header;
  const bool segments = options_.oversize == Oversize::Segment;
  std::string_view reason = segments ? cannot_be_segmented(found) : cannot_be_cut(found);
  if (reason.empty() && found.block_length < 2) {
    reason = "records without a block";
  }
  if (!reason.empty()) {
    ++report_
          .changes[fmt::format("{} larger than a part, kept whole in a part of their own", reason)];
    return false;
  }
  const std::string octets(header);
  const std::size_t digits =
      std::to_string(found.block_length + octets.size() + std::size_t{1024}).size();
  // The views of `found` go with the next reading of the record.
  Header parsed;
  ArcContext arc;
  parse_header(as_bytes(octets), found.start, true, arc, parsed);
  const std::uint64_t length = parsed.block_length;
  FONDS_TRY(const PieceHeaders headers,
            PieceHeaders::make(parsed, as_bytes(octets), length, digits));
  RecordPieces pieces(out.parts, record, cursor, held_most_);
  if (segments) {
    FONDS_TRY(const std::uint32_t made, pieces.segment(headers, length));
    ++report_.changes["records cut into segments"];
    report_.changes["segments made of them"] += made;
    return true;
  }
  FONDS_TRY(const std::uint64_t left_out, pieces.truncate(headers, length));
  ++report_.changes["records truncated"];
  report_.changes["octets of truncated records left out"] += left_out;
  if (headers.had_payload_digest()) {
    ++report_.changes["payload digests of truncated records left out"];
  }
  return true;
}

}  // namespace

std::string_view split_compression(const Archive& archive, bool train) {
  if (train) {
    return "zstd";
  }
  const std::string_view codec = archive.codec().name();
  const bool writable = archive.codecs.size() == 1 &&
                        (codec == "none" || codec == "gzip" || codec == "zstd" || codec == "lz4");
  return writable ? codec : "gzip";
}

Result<RewriteReport> split_archive(const Archive& archive, const NextPart& next_part,
                                    const SplitOptions& options) {
  return Splitter(archive, next_part, options).run();
}

}  // namespace fonds::warc
