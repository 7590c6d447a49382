// What becomes of a group of records: copied, or written anew.
#include "format/warc/rewriting/repair_groups.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include <fonds/buffer.hpp>

#include "base/bytes.hpp"
#include "io/bounded_source.hpp"

namespace fonds::warc {
namespace {

bool is_checksum(std::string_view code) {
  return code == "member-crc" || code == "zf-checksum-value" || code == "frame-checksum";
}

// Findings of codecs that say that some bytes could not be decoded.
bool loses_content(std::string_view code) {
  static constexpr std::array<std::string_view, 11> kCodes = {
      "member-damaged",  "truncated-member", "frame-damaged",    "truncated-frame",
      "resync",          "resync-short",     "trailing-garbage", "zs-frames",
      "zf-dictid-match", "zf-nodict",        "limit-exceeded"};
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

std::uint64_t offset_of(const Finding& finding) { return finding.where.stored_offset.value_or(0); }

// What ended a block without a length may not be there in the new unit.
void write_missing_length(const WarcRecord& record, RecordChange& change) {
  change.length = change.length || record.header.length_state == Header::LengthState::Missing;
}

}  // namespace

Status Repair::close_group(std::uint64_t end) {
  FONDS_CHECK(group_->plain ? close_plain(end) : close_units(end));
  group_.reset();
  return {};
}

// One record, stored plain.
Status Repair::close_plain(std::uint64_t end) {
  const std::uint64_t begin = group_->begin;
  take_damage(end);
  if (last_->change.lost) {
    const Finding why = make_finding("truncated-header", "a record header is cut there");
    return leave_out(begin, end, &why);
  }
  ++output_.report().records_kept;
  const RecordChange& change = last_->change;
  const std::uint64_t block = begin + last_->header;
  const std::uint64_t block_end = block + change.octets;
  const std::uint64_t record_end = begin + last_->octets;
  if (!change.header()) {
    FONDS_CHECK(output_.copy(begin, block));
  } else {
    FONDS_CHECK(output_.put_plain(last_->new_header));
    FONDS_CHECK(output_.account(begin, block, Fate::Rewritten));
  }
  FONDS_CHECK(output_.copy(block, block_end));
  if (!change.close) {
    FONDS_CHECK(output_.copy(block_end, record_end));
  } else {
    FONDS_CHECK(output_.put_plain(last_->closing));
    FONDS_CHECK(output_.account(block_end, record_end, Fate::Rewritten));
  }
  return leave_out(record_end, end, nullptr);
}

Status Repair::close_units(std::uint64_t end) {
  const Group& group = *group_;
  const std::vector<Finding> damage = take_damage(end);
  if (group.kept == 0) {
    const auto why = std::find_if(damage.begin(), damage.end(), is_mended);
    return leave_out(group.begin, end, why == damage.end() ? nullptr : &*why);
  }
  // All up to `good_end` belongs to the records.
  std::uint64_t good_end = group.garbage_from.value_or(end);
  const Finding* behind = nullptr;
  bool touched = group.changed || rewrite_all_ || (options_.unit_per_record && group.shared);
  for (const Finding& finding : damage) {
    const bool padding = finding.code == "nul-padding" && end == size_;
    if (!is_mended(finding) && !padding) {
      continue;
    }
    const std::uint64_t offset = offset_of(finding);
    const bool within = !group.last_unit || offset <= *group.last_unit;
    if (padding) {
      FONDS_TRY(const bool zeros, are_all(offset, end, std::string_view("\0", 1)));
      if (within || !zeros) {
        continue;
      }
    }
    if (within) {
      touched = true;
    } else if (offset <= good_end) {
      behind = behind == nullptr ? &finding : behind;
      good_end = std::min(good_end, offset);
    }
  }
  for (const Finding& finding : damage) {
    // Padding in front of what is left out is padding at the end.
    const std::uint64_t offset = offset_of(finding);
    if (finding.code == "nul-padding" && good_end < end && group.last_unit &&
        offset > *group.last_unit && offset < good_end) {
      good_end = offset;
    }
  }
  if (touched) {
    FONDS_CHECK(rewrite(good_end));
    FONDS_CHECK(output_.account(group.begin, good_end, Fate::Rewritten));
    tell_of_damage(damage, good_end);
  } else {
    FONDS_CHECK(output_.copy(group.begin, good_end, group.last_unit));
    output_.report().records_kept += group.kept;
  }
  return leave_out(good_end, end, behind);
}

Result<bool> Repair::are_all(std::uint64_t from, std::uint64_t to, std::string_view octets) {
  while (from < to) {
    stored_.release(from);
    FONDS_TRY(ByteView piece, stored_.at(from, 1));
    piece = piece.first(static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), to - from)));
    if (piece.empty() || as_text(piece).find_first_not_of(octets) != std::string_view::npos) {
      return false;
    }
    from += piece.size();
  }
  return true;
}

// Bytes that are no records. Padding is no loss.
Status Repair::leave_out(std::uint64_t from, std::uint64_t to, const Finding* why) {
  if (from >= to) {
    return {};
  }
  FONDS_TRY(const bool padding, are_all(from, to, std::string_view("\0\r\n", 3)));
  if (padding) {
    output_.changed("ranges of padding were left out");
    FONDS_CHECK(output_.account(from, to, Fate::LeftOut));
    return {};
  }
  if (why != nullptr && why->code == "zs-dict-pos") {
    output_.changed("dictionary frames behind the start were left out");
    FONDS_CHECK(output_.account(from, to, Fate::LeftOut));
    return {};
  }
  output_.lose(from, to, why == nullptr ? std::string_view("resync") : why->code,
               why == nullptr ? std::string_view("no record can be read there")
                              : std::string_view(why->message));
  FONDS_CHECK(output_.account(from, to, Fate::Lost));
  return {};
}

// Of units whose records were written anew.
void Repair::tell_of_damage(const std::vector<Finding>& damage, std::uint64_t end) {
  const Group& group = *group_;
  const bool lossy = group.cut > 0 || group.kept < group.records || group.garbage;
  for (std::size_t i = 0; i < damage.size(); ++i) {
    const Finding& finding = damage[i];
    const std::uint64_t offset = offset_of(finding);
    if (!is_mended(finding) || offset >= end) {
      continue;
    }
    if (end == size_ && finding.code.starts_with("truncated-")) {
      tell(finding, Severity::Warning);  // nothing that is there is lost
    } else if (lossy && loses_content(finding.code) && archive_.codecs.size() > 1) {
      output_.miss(group.begin, group.first, "lost-range",
                   "only what can be decoded is kept: " + finding.message);
    } else if (lossy && loses_content(finding.code)) {
      std::uint64_t next = end;
      for (std::size_t k = i + 1; k < damage.size() && next == end; ++k) {
        next = is_mended(damage[k]) && offset_of(damage[k]) > offset ? offset_of(damage[k]) : end;
      }
      output_.lose_partly(offset, std::min(next, end), finding.code, finding.message);
    } else if ((is_checksum(finding.code) || loses_content(finding.code)) &&
               (lossy || group.unconfirmed > 0)) {
      Finding doubtful = finding;
      doubtful.message += "; the content is kept, and no digest tells whether it is right";
      tell(std::move(doubtful));
    } else {
      tell(finding, Severity::Warning);
    }
    const bool again = i > 0 && damage[i - 1].where.stored_offset == offset;
    if ((is_checksum(finding.code) || finding.code == "member-isize") && !again) {
      output_.changed("units got the right checksum and size");
    }
  }
}

// ---- writing anew ----

// The records of the group in hand up to stored offset `end`, a unit each.
Status Repair::rewrite(std::uint64_t end) {
  if (archive_.codecs.size() > 1) {
    output_.changed("compressions inside of another were taken off");
  }
  if (!group_->large.empty() || group_->claims_large) {
    // What is wrong with them may look different without the bytes behind the group.
    group_->large.clear();
    FONDS_CHECK(read_again(end, [this](WarcReader& reader, const WarcRecord& record) -> Status {
      FONDS_TRY(const BlockRead block, read_block(reader, record, {}));
      FONDS_TRY(const RecordEnd ends, reader.finish());
      if (record.block_length.value_or(0) > held_) {
        group_->large.emplace(record.ordinal, judge_record(record, ends, block));
      }
      return {};
    }));
  }
  const std::uint64_t before = output_.report().records_kept;
  FONDS_CHECK(read_again(end, [this](WarcReader& reader, const WarcRecord& record) {
    return rewrite_record(reader, record);
  }));
  if (output_.report().records_kept == before) {
    output_.lose(group_->begin, end, "resync", "no record can be read there");
  }
  return {};
}

Status Repair::read_again(std::uint64_t end,
                          const std::function<Status(WarcReader&, const WarcRecord&)>& take) {
  Archive part = archive_;
  // A damaged unit that ends there cannot run on into the ones behind it.
  part.source = std::make_shared<BoundedSource>(archive_.source, end);
  ReadOptions again = read_;
  again.start = group_->begin;
  again.state = group_->state;
  Watch unused;
  FONDS_TRY(const auto reader, open_watched(part, again, unused));
  while (true) {
    FONDS_TRY(const Record* const record, reader->next());
    if (record == nullptr) {
      return {};
    }
    unused.findings.clear();
    unused.forget(unused.consumed);
    FONDS_CHECK(take(*reader, *static_cast<const WarcRecord*>(record)));
  }
}

void Repair::tell_of_cut(const WarcRecord& record, const RecordChange& change,
                         std::uint64_t ordinal) {
  output_.changed("records became truncated ones");
  output_.miss(record.place.unit, ordinal, "truncated-block",
               fmt::format("the header says {} octets, {} can be read; they are kept as a "
                           "truncated record",
                           record.header.block_length, change.octets));
}

Status Repair::rewrite_record(WarcReader& reader, const WarcRecord& record) {
  if (record.block_length.value_or(0) > held_) {
    const auto known = group_->large.find(record.ordinal);
    return rewrite_large(reader, record,
                         known == group_->large.end() ? RecordChange{} : known->second);
  }
  Buffer octets;
  FONDS_TRY(const BlockRead block, read_block(reader, record, [&octets](ByteView piece) {
              octets.append(piece);
              return Status();
            }));
  FONDS_TRY(const RecordEnd end, reader.finish());
  RecordChange change = judge_record(record, end, block);
  if (change.lost) {
    return {};
  }
  write_missing_length(record, change);
  ++output_.report().records_kept;
  if (change.cut) {
    tell_of_cut(record, change, group_->first + record.ordinal);
  }
  const std::string header = repaired_header(record, change);
  const std::string closing = closing_of(record, change, end);
  FONDS_TRY(Encoder* const encoder, output_.encoder());
  FONDS_CHECK(encoder->begin_unit(header.size() + octets.size() + closing.size()));
  FONDS_CHECK(encoder->write(as_bytes(header)));
  FONDS_CHECK(encoder->write(octets.view()));
  FONDS_CHECK(encoder->write(as_bytes(closing)));
  output_.changed("records were compressed anew");
  return encoder->end_unit();
}

// A block that cannot be held: what is wrong with it was found before.
Status Repair::rewrite_large(WarcReader& reader, const WarcRecord& record, RecordChange change) {
  write_missing_length(record, change);
  if (change.lost) {
    FONDS_TRY(const RecordEnd end, reader.finish());
    return {};
  }
  ++output_.report().records_kept;
  if (change.cut) {
    tell_of_cut(record, change, group_->first + record.ordinal);
  }
  FONDS_TRY(Encoder* const encoder, output_.encoder());
  FONDS_CHECK(encoder->begin_unit());
  FONDS_CHECK(encoder->write(as_bytes(repaired_header(record, change))));
  std::uint64_t octets = 0;
  FONDS_TRY(const BlockRead block, read_block(reader, record, [&](ByteView piece) {
              octets += piece.size();
              return encoder->write(piece);
            }));
  FONDS_TRY(const RecordEnd end, reader.finish());
  if (octets != change.octets) {
    return fail(ErrorCode::Corrupt,
                fmt::format("a block of {} octets was read here, the second time of {}: the file "
                            "has changed",
                            change.octets, octets),
                {.source = archive_.source->name(), .stored_offset = record.place.unit});
  }
  FONDS_CHECK(encoder->write(as_bytes(closing_of(record, change, end))));
  output_.changed("records were compressed anew");
  return encoder->end_unit();
}

}  // namespace fonds::warc
