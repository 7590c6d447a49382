// The parts of a split web archive: what each begins with, and how much still fits.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/codec.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "format/warc/reading/record.hpp"
#include "format/warc/writing/conversion.hpp"

namespace fonds::warc {

// Bytes in memory, given away from their start.
class StagedBytes final : public ByteSink {
 public:
  Status write(ByteView bytes) override {
    held_.append(bytes);
    return {};
  }
  std::uint64_t position() const override { return given_ + held_.size(); }
  // The bytes at this position, which were not given away yet.
  ByteView at(std::uint64_t position, std::uint64_t length) const {
    return held_.view().subspan(static_cast<std::size_t>(position - given_),
                                static_cast<std::size_t>(length));
  }
  void give_all() {
    given_ += held_.size();
    held_.clear();
  }

 private:
  Buffer held_;
  std::uint64_t given_ = 0;
};

// Counts what comes.
class CountingSink final : public ByteSink {
 public:
  Status write(ByteView bytes) override {
    position_ += bytes.size();
    return {};
  }
  std::uint64_t position() const override { return position_; }

 private:
  std::uint64_t position_ = 0;
};

// A warcinfo record or a version block of the source.
struct SourceInfo {
  Dialect dialect = Dialect::Modern;
  std::string header, block;  // octets; the block is empty if it was too large to be held
  std::string id;
  bool held = false;
};

// What the parts have to know of a record.
struct SplitRecord {
  Place place;
  std::string state;               // for a reader that begins at it
  Target target = Target::Warc11;  // the dialect of what is made for it
  bool arc = false;
  bool is_info = false;
  std::shared_ptr<const SourceInfo> info;  // that governs it by position; null: none
  std::optional<Date> date;
};

struct PartSettings {
  std::uint64_t limit = 0;    // stored bytes
  EncodeOptions encode = {};  // with `continues`: what stands at a file's start is `dictionary`
  std::string dictionary;     // stored, the frame with which a file begins
  bool describe = true;       // a warcinfo in each part
  std::string source;         // name of the archive
  Date now = {};
};

// One sequence of parts.
class PartSequence {
 public:
  // All must outlive this.
  PartSequence(std::string name, const NextPart& next, const PartSettings& settings,
               RewriteReport& report)
      : name_(std::move(name)), next_(&next), settings_(settings), report_(&report) {}

  // Sees to it that so many bytes of this record fit, if need be in a new part. False: not even
  // there; the part in hand is new and has only its head.
  Result<bool> make_room(const SplitRecord& record, std::uint64_t size);
  // Begins a new part for a record, unless the one in hand has none.
  Status begin_part(const SplitRecord& record);
  // Bytes of a record; make_room() comes before it.
  Status put(const SplitRecord& record, ByteView stored);
  // The part in hand gets no more records.
  void end_part() { open_ = false; }

  bool open() const { return open_; }
  ByteSink& sink() { return *part_.sink; }
  std::uint64_t used() const { return part_.sink->position() - begin_; }
  // What still fits.
  std::uint64_t room() const { return settings_.limit - std::min(settings_.limit, used()); }
  const PartSettings& settings() const { return settings_; }
  // Something of a record was written by way of sink().
  void note(const SplitRecord& record);

 private:
  bool needs_info(const SplitRecord& record) const;
  Result<Buffer> info_for(const SplitRecord& record);
  Status write_info(const SplitRecord& record, ByteView info);
  Status write_pieces(ByteView stored);
  Result<ExtraRecord> make_info(const SplitRecord& record);
  Result<ExtraRecord> copy_info(const SplitRecord& record);

  std::string name_;
  const NextPart* next_;
  PartSettings settings_;
  RewriteReport* report_;
  Part part_;
  std::uint64_t begin_ = 0;
  bool open_ = false, has_records_ = false;
  // What governs the end of the part in hand: of WARC, of ARC.
  std::array<std::shared_ptr<const SourceInfo>, 2> governing_;
  std::array<bool, 2> governed_ = {};
};

// Encodes a whole record in memory.
Result<Buffer> encode_unit(const EncodeOptions& options, ByteView header, ByteView block,
                           ByteView closing);

}  // namespace fonds::warc
