#include "format/warc/rewriting/repair.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/bytes.hpp"
#include "codec/zstd/frame.hpp"
#include "format/common/progress.hpp"
#include "format/warc/rewriting/repair_groups.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

// What the reader reports of octets that are no record.
bool tells_of_garbage(std::string_view code) {
  static constexpr std::array<std::string_view, 5> kCodes = {
      "resync", "resync-short", "trailing-garbage", "old-draft", "header-too-long"};
  return std::find(kCodes.begin(), kCodes.end(), code) != kCodes.end();
}

bool tells_of_length(std::string_view code) {
  return code == "length-suspect" || code == "bad-length" || code == "duplicate-length-differs" ||
         code == "data-length-smaller-than-header";
}

}  // namespace

Result<RewriteReport> repair_archive(const Archive& archive, ByteSink& sink,
                                     const RewriteOptions& options, const RangeSeen& seen) {
  if (!archive.source->random_access()) {
    return fail(ErrorCode::Unsupported,
                "repair reads damaged places twice, which a pipe does not allow; save it to a file "
                "first",
                {.source = archive.source->name()});
  }
  FONDS_TRY(const std::uint64_t size, archive.source->size());
  return Repair(archive, size, sink, options, seen).run();
}

bool is_mended(const Finding& finding) {
  return finding.severity == Severity::Error || finding.code == "resync-short" ||
         finding.code == "trailing-garbage";
}

DigestCheck::DigestCheck(std::string_view text) : wanted_(text), digest_(parse_digest(text)) {
  if (digest_.state == LabelledDigest::State::Good) {
    hasher_.emplace(digest_.algorithm);
  }
}

void DigestCheck::update(ByteView octets) {
  if (hasher_) {
    hasher_->update(octets);
  }
}

void DigestCheck::finish() {
  if (!hasher_) {
    return;
  }
  const DigestValue value = hasher_->finish();
  if (value.size == 0) {
    hasher_.reset();
    return;
  }
  right_ = value == digest_.value;
  const std::size_t letters = wanted_.size() - std::min(wanted_.size(), wanted_.find(':') + 1);
  text_ = labelled(wanted_, ByteView(value.bytes).first(value.size), letters != 2 * value.size);
}

Repair::Repair(const Archive& archive, std::uint64_t size, ByteSink& sink,
               const RewriteOptions& options, const RangeSeen& seen)
    : archive_(archive),
      stored_(archive.source),
      size_(size),
      options_(options),
      read_(options.read),
      held_(options.write.memory_budget / 8),
      output_(archive, sink, options, seen) {
  read_.search_damaged = true;
  read_.skim = false;
  read_.http = read_.http_requests = false;
}

Result<RewriteReport> Repair::run() {
  FONDS_TRY(reader_, open_watched(archive_, read_, watch_));
  while (true) {
    FONDS_TRY(const Record* const next, reader_->next());
    const auto* const record = static_cast<const WarcRecord*>(next);
    if (record == nullptr) {
      break;
    }
    if (last_) {
      // A new unit parts records as well as a line end does.
      const bool new_unit = !group_->plain && record->place.inner == 0;
      end_record(!new_unit, record->header.length);
    } else {
      FONDS_CHECK(take_head(record));
    }
    if (!group_ || begins_group(*record)) {
      if (group_) {
        FONDS_CHECK(close_group(record->place.unit));
      }
      group_.emplace();
      group_->begin = record->place.unit;
      group_->first = record->ordinal;
      group_->state = reader_->state();
      group_->plain = is_plain(*record);
      group_->changed = group_->garbage = std::exchange(garbage_before_, false);
      if (last_ && record->place.inner > 0 && !group_->plain) {
        last_->ordinal = record->ordinal;
        lose_octets(record->place.inner);
      }
    }
    FONDS_CHECK(take_record(*record));
  }
  if (last_) {
    end_record(false, 0);
    FONDS_CHECK(close_group(size_));
  } else {
    FONDS_CHECK(take_head(nullptr));
  }
  FONDS_CHECK(output_.finish());
  return std::move(output_.report());
}

bool Repair::is_plain(const WarcRecord& record) const {
  return archive_.codec().name() == "none" || watch_.is_plain(record.place.unit);
}

bool Repair::begins_group(const WarcRecord& record) const {
  // Octets that are no record may stand in front of it in its unit.
  const bool after_garbage =
      group_->garbage_from && record.place.unit >= *group_->garbage_from && !group_->plain;
  return record.place.unit > group_->begin && (record.place.inner == 0 || after_garbage);
}

std::vector<Finding> Repair::take_damage(std::uint64_t before) {
  // Offsets of codecs inside of others are not those of the file.
  const bool nested = archive_.codecs.size() > 1;
  const auto later = std::stable_partition(
      watch_.findings.begin(), watch_.findings.end(), [&](const Finding& finding) {
        return nested || finding.where.stored_offset.value_or(0) < before;
      });
  std::vector<Finding> damage(std::make_move_iterator(watch_.findings.begin()),
                              std::make_move_iterator(later));
  watch_.findings.erase(watch_.findings.begin(), later);
  if (nested) {
    for (Finding& finding : damage) {
      finding.where.stored_offset = 0;
    }
  }
  std::stable_sort(damage.begin(), damage.end(), [](const Finding& a, const Finding& b) {
    return a.where.stored_offset.value_or(0) < b.where.stored_offset.value_or(0);
  });
  return damage;
}

void Repair::tell(Finding finding, std::optional<Severity> severity) {
  if (!options_.on_finding) {
    return;
  }
  if (finding.where.source.empty()) {
    finding.where.source = archive_.source->name();
  }
  finding.severity = severity.value_or(finding.severity);
  options_.on_finding(finding);
}

// ---- the head ----

// What stands before the first record; without one, all there is.
Status Repair::take_head(const WarcRecord* first) {
  const std::uint64_t end = first == nullptr ? size_ : first->place.unit;
  std::vector<Finding> loose = reader_->take_loose_findings();
  std::erase_if(loose, [this](const Finding& finding) {
    return std::any_of(watch_.findings.begin(), watch_.findings.end(), [&](const Finding& other) {
      return other.code == finding.code && other.message == finding.message;
    });
  });
  const auto garbage = std::find_if(loose.begin(), loose.end(), [](const Finding& finding) {
    return tells_of_garbage(finding.code);
  });
  std::uint64_t from = 0;
  FONDS_CHECK(take_dictionary(from));
  // What is found in codecs inside of others belongs to the records.
  const bool nested = archive_.codecs.size() > 1 && first != nullptr;
  const std::vector<Finding> damage = nested ? std::vector<Finding>() : take_damage(end);
  const auto bad = std::find_if(damage.begin(), damage.end(), [from](const Finding& finding) {
    return is_mended(finding) && finding.where.stored_offset.value_or(0) >= from;
  });
  const bool has_garbage = garbage != loose.end();
  if (first != nullptr && first->place.inner > 0 && has_garbage) {
    garbage_before_ = true;  // in its unit
    output_.miss(first->place.unit, first->ordinal, "lost-range",
                 "octets in front of the record that are no record are left out");
  }
  if (from >= end) {
    return {};
  }
  FONDS_TRY(const ByteView begin, stored_.at(0, 4));
  const bool extension = bad != damage.end() && bad->code == "zs-start" && end > 4 &&
                         begin.size() >= 4 && (load_le32(begin) & 0xFFFFFFF0U) == 0x184D2A50U &&
                         !has_garbage && std::none_of(bad + 1, damage.end(), is_mended);
  if (extension) {
    tell(*bad, Severity::Warning);
    FONDS_CHECK(output_.begin_anew(std::nullopt, true));
    output_.changed("empty frames were put before what must not be first");
    return output_.copy(from, end, from);
  }
  const bool garbage_here = has_garbage && (first == nullptr || first->place.inner == 0 ||
                                            watch_.unit_of(0) != first->place.unit);
  if (bad == damage.end() && !garbage_here) {
    return output_.copy(from, end, from);
  }
  return leave_out(from, end, bad != damage.end() ? &*bad : &*garbage);
}

// WARC-Zstandard: `from` is set behind the dictionary frame.
Status Repair::take_dictionary(std::uint64_t& from) {
  FONDS_TRY(ByteView stored, stored_.at(0, zstd::kSkippableHeader));
  if (archive_.codec().name() != "zstd" || stored.size() < zstd::kSkippableHeader ||
      load_le32(stored) != zstd::kDictionaryFrameMagic) {
    return {};
  }
  from = std::min(size_, zstd::kSkippableHeader + load_le32(stored.subspan(4)));
  // One that is longer is too large in whole and in part.
  constexpr std::uint64_t kMost = zstd::kSkippableHeader + zstd::kCommonDictionary + 1;
  const auto held = static_cast<std::size_t>(std::min(from, kMost));
  FONDS_TRY(stored, stored_.at(0, held));
  stored = stored.first(std::min(stored.size(), held));
  auto dictionary = ZstdDictionary::parse(stored);
  // What is a warning as long as frames can be decoded may not let new ones be made.
  const auto bad =
      std::find_if(watch_.findings.begin(), watch_.findings.end(), [&](const Finding& finding) {
        const bool of_dictionary = finding.code.starts_with("zd-");
        return (finding.severity == Severity::Error || (!dictionary && of_dictionary)) &&
               finding.where.stored_offset.value_or(0) < from &&
               (of_dictionary || finding.where.stored_offset == 0U);
      });
  const bool good = bad == watch_.findings.end();
  if (dictionary) {
    output_.use_dictionary(*dictionary);
  }
  if (good) {
    return output_.copy(0, from);
  }
  if (dictionary) {
    tell(*bad, Severity::Warning);
    output_.changed("dictionaries were written anew");
    FONDS_CHECK(output_.account(0, from, Fate::Rewritten));
    return output_.begin_anew(std::move(*dictionary), true);
  }
  rewrite_all_ = true;
  output_.lose(0, from, bad->code, "the dictionary cannot be used: " + bad->message);
  FONDS_CHECK(output_.account(0, from, Fate::Lost));
  return {};
}

// ---- records ----

Status Repair::take_record(const WarcRecord& record) {
  const std::uint64_t position = reader_->stored_position();
  if (options_.progress && position > told_ + kProgressStep) {
    told_ = position;
    options_.progress(position);
  }
  Last last;
  last.ordinal = record.ordinal;
  last.header = record.header.length;
  last.begin = watch_.consumed - last.header;
  watch_.forget(last.begin);
  FONDS_TRY(const BlockRead block, read_block(*reader_, record, {}));
  FONDS_TRY(const RecordEnd end, reader_->finish());
  RecordChange change = judge_record(record, end, block);
  last.octets = last.header + change.octets + end.trailing;
  last.only_separator = lacks_only_separator(record, change);
  last.closing = closing_of(record, change, end);
  if (group_->plain && change.header()) {
    last.new_header = repaired_header(record, change);
  }
  group_->shared = group_->shared || has_finding(end, "not-per-record");
  group_->unconfirmed += block.right ? 0 : 1;
  tell_of_record(record, end, change, block);
  // What ended a block may be gone when the group is read by itself; then its header counts.
  group_->claims_large = group_->claims_large || record.header.block_length > held_;
  if (record.block_length.value_or(0) > held_) {
    group_->large.emplace(group_->records, change);
  }
  ++group_->records;
  group_->kept += change.lost ? 0 : 1;
  group_->cut += change.cut ? 1 : 0;
  last.change = std::move(change);
  last_ = std::move(last);
  return {};
}

Result<BlockRead> Repair::read_block(WarcReader& reader, const WarcRecord& record,
                                     const ByteOutput& out) {
  DigestCheck check(record.header.block_digest);
  BlockRead block;
  while (true) {
    FONDS_TRY(ByteView shown, reader.peek_block(1));
    if (shown.empty()) {
      break;
    }
    shown = shown.first(std::min(shown.size(), kPiece));
    check.update(shown);
    if (out) {
      FONDS_CHECK(out(shown));
    }
    block.last_octet = shown.back();
    reader.consume_block(shown.size());
  }
  check.finish();
  block.right = check.can() && check.right();
  block.wrong = check.can() && !check.right();
  block.digest = check.text();
  return block;
}

void Repair::tell_of_record(const WarcRecord& record, const RecordEnd& end,
                            const RecordChange& change, const BlockRead& block) {
  if (change.lost) {
    ++output_.report().records_lost;
    if (group_->plain || group_->kept == 0) {
      return;  // its range is listed
    }
    output_.miss(record.place.unit, record.ordinal, "truncated-header",
                 fmt::format("the record header is cut after {} octets; nothing of the record is "
                             "kept",
                             record.header.length));
    return;
  }
  for (const Finding& finding : end.findings) {
    if (tells_of_length(finding.code)) {
      tell(finding, Severity::Warning);
    }
  }
  if (change.cut && group_->plain) {
    tell_of_cut(record, change, record.ordinal);
  } else if (change.length && !change.cut) {
    output_.changed("records got the right length");
  }
  if (block.wrong && !change.cut && record.header.truncated.empty()) {
    tell(make_finding("digest-mismatch",
                      "the block does not have the digest that its header says; both are kept",
                      {.stored_offset = record.place.unit,
                       .ordinal = record.ordinal,
                       .record_id = std::string(record.header.id)}));
  }
}

void Repair::end_record(bool followed, std::uint64_t header) {
  Group& group = *group_;
  const std::uint64_t seen = watch_.consumed - header - last_->begin;
  const bool garbage = seen > last_->octets;
  if (group.garbage_from) {
    group.garbage_from.reset();  // a record followed in the same group
    lose_octets(group.garbage_octets);
  }
  RecordChange& change = last_->change;
  if (last_->only_separator && !followed) {
    change.close = false;
  }
  if (change.close && !change.cut && !change.lost) {
    output_.changed("records got their closing line ends");
  }
  group.changed = group.changed || (change.any() && !change.lost);
  if (group.plain) {
    return;
  }
  const std::uint64_t end = last_->begin + last_->octets;
  group.last_unit = change.lost ? group.last_unit : watch_.unit_of(end - 1);
  group.changed = group.changed || (!change.lost && !group.last_unit);
  if (garbage || change.lost) {
    group.garbage_from = watch_.unit_of(change.lost ? last_->begin : end);
    group.garbage_octets = garbage ? seen - last_->octets : 0;
    if (!group.garbage_from || group.garbage_from == group.last_unit) {
      group.garbage_from.reset();
      lose_octets(group.garbage_octets);
    }
  }
}

// Decoded octets behind the record in hand that share their unit with records.
void Repair::lose_octets(std::uint64_t n) {
  group_->garbage = group_->changed = true;
  if (n > 0) {
    output_.miss(group_->last_unit.value_or(group_->begin), last_->ordinal, "lost-range",
                 fmt::format("{} decoded octets in this unit that are no record are left out", n));
  }
}

}  // namespace fonds::warc
