#include "campaign/judge.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/format.hpp>

#include "campaign/open_row.hpp"
#include "ops/rewrite.hpp"
#include "ops/verify.hpp"

namespace fonds::campaign {
namespace {

// By its content, as a command does; else as `--format` would.
Result<Archive> open(const Row& row, std::string_view bytes) {
  auto archive = row.named ? open_archive(memory_of(bytes), {.format = row.format})
                           : open_archive(memory_of(bytes));
  if (!archive && !row.format.empty()) {
    archive = open_archive(memory_of(bytes), {.format = row.format});
  }
  return archive;
}

constexpr std::uint64_t kLongestMagic = 12;  // of a codec: xz, with what follows it

// An end that is an answer: it was told, and what came before counts.
bool is_told(const Error& error) {
  return error.code() == ErrorCode::Corrupt || error.code() == ErrorCode::Truncated ||
         error.code() == ErrorCode::Unsupported || error.code() == ErrorCode::LimitExceeded;
}

struct Verdict {
  std::uint64_t errors = 0, warnings = 0;
  std::uint64_t doubts = 0;  // of the errors: blocks do not fit their digests; nothing is left
  std::string first;         // of the other errors
  std::string failed;        // an error that is no answer
};

Verdict verify(const Row& row, std::string_view bytes) {
  Verdict verdict;
  const auto archive = open(row, bytes);
  if (!archive) {
    verdict.errors = 1;
    verdict.first = archive.error().to_string();
    return verdict;
  }
  ops::ScanOptions scan;
  scan.read = read_options_of(row, false);
  ops::Verifier verifier(scan, {.memory = kMemory}, false, [&verdict](const Finding& finding) {
    verdict.errors += finding.severity == Severity::Error ? 1U : 0U;
    verdict.warnings += finding.severity == Severity::Warning ? 1U : 0U;
    const bool doubt = finding.code == "digest-mismatch" || finding.code == "no-record" ||
                       finding.code == "zs-record" || finding.code == "zs-warc";
    verdict.doubts += finding.severity == Severity::Error && doubt ? 1U : 0U;
    if (finding.severity == Severity::Error && !doubt && verdict.first.empty()) {
      verdict.first =
          fmt::format("{} [{}] {}", describe(finding.where), finding.code, finding.message);
    }
  });
  const auto summary = verifier.check(*archive);
  verifier.finish();
  if (!summary) {
    ++verdict.errors;
    verdict.first = summary.error().to_string();
    verdict.failed = is_told(summary.error()) ? "" : verdict.first;
  }
  return verdict;
}

}  // namespace

void Tally::add(const Tally& other) {
  variants += other.variants;
  touched += other.touched;
  lost += other.lost;
  outside += other.outside;
  outside_read += other.outside_read;
  found += other.found;
  harmless += other.harmless;
  unknowable += other.unknowable;
  something_else += other.something_else;
  swallowed += other.swallowed;
  repaired += other.repaired;
  doubtful += other.doubtful;
  breaches += other.breaches;
  most_cpu_us = std::max(most_cpu_us, other.most_cpu_us);
}

struct Judge::Reading {
  std::vector<Kept> records;
  bool opened = false;
  std::string error;   // that ended it
  std::string failed;  // the same, if it is no answer

  std::map<std::uint64_t, std::uint64_t> counts() const {
    std::map<std::uint64_t, std::uint64_t> all;
    for (const Kept& record : records) {
      ++all[record.digest];
    }
    return all;
  }
};

Judge::Reading Judge::read(const std::string& bytes, bool search_damaged) const {
  Reading reading;
  const auto archive = open(row_, bytes);
  reading.opened = archive.has_value();
  if (!archive) {
    reading.error = archive.error().to_string();
    reading.failed = is_told(archive.error()) ? "" : reading.error;
    return reading;
  }
  const auto end = [&reading](const Error& error) {
    reading.error = error.to_string();
    reading.failed = is_told(error) ? "" : reading.error;
    return reading;
  };
  const auto reader = archive->format->open(*archive, read_options_of(row_, search_damaged));
  if (!reader) {
    return end(reader.error());
  }
  while (true) {
    const auto record = (*reader)->next();
    if (!record) {
      return end(record.error());
    }
    if (*record == nullptr) {
      return reading;
    }
    Kept kept;
    kept.format = (*record)->format();
    kept.kind = (*record)->kind();
    kept.id = (*record)->id();
    kept.index = fmt::format("{}", (*record)->ordinal);
    for (const Field& field : (*record)->fields()) {
      if (field.name == "WARC-Target-URI") {
        kept.uri = field.value;
      }
    }
    kept.from = (*record)->place.unit;
    kept.begins_unit = (*record)->place.inner == 0;
    kept.what = fmt::format("record {} at {}+{} ({})", (*record)->ordinal, (*record)->place.unit,
                            (*record)->place.inner, (*record)->kind());
    if (archive->codec().name() == "none") {
      kept.block_from = kept.from + (*record)->raw_header().size();
      kept.block_to = kept.block_from + (*record)->length().value_or(0);
    }
    const auto digest = digest_of(*archive, **reader, **record);
    if (!digest) {
      return end(digest.error());
    }
    kept.digest = *digest;
    reading.records.push_back(std::move(kept));
    const auto passed = (*reader)->finish();
    if (!passed) {
      return end(passed.error());
    }
    reading.records.back().suspect =
        std::ranges::any_of(passed->findings, [](const Finding& finding) {
          return finding.severity == Severity::Error && finding.code != "digest-mismatch";
        });
  }
}

Judge::Judge(Row row) : row_(std::move(row)) {
  Reading good = read(row_.beside ? row_.beside->archive : row_.bytes, true);
  require(good.error.empty(), row_.name + ": reading (" + good.error + ")");
  records_ = std::move(good.records);
  if (row_.beside) {
    return;
  }
  for (Kept& record : records_) {
    record.from -= row_.prefix;
    if (borders_.empty() || borders_.back() != record.from) {
      borders_.push_back(record.from);
    }
  }
  std::ranges::sort(borders_);
  for (Kept& record : records_) {
    const auto next = std::ranges::upper_bound(borders_, record.from);
    record.to = next == borders_.end() ? row_.bytes.size() : *next;
  }
  const Verdict verdict = verify(row_, row_.bytes);
  require(verdict.errors == 0, row_.name + ": verify (" + verdict.first + ")");
}

// Where the bytes begin that the record is known by.
std::uint64_t Judge::needed_from(const Kept& record) const {
  if (record.from == 0 || (!row_.lines && !(row_.whole_lines && record.begins_unit))) {
    return record.from;
  }
  if (row_.lines) {
    return record.from - 1;
  }
  return *std::prev(std::ranges::lower_bound(borders_, record.from));
}

bool Judge::is_outside(const Kept& record, const Variant& variant) const {
  if (row_.head && variant.touches(0, borders_.empty() ? 0 : borders_.front())) {
    return false;
  }
  switch (row_.region) {
    case Region::Unit:
      if ((row_.lines || (row_.whole_lines && record.begins_unit)) && record.from == 0 &&
          variant.first() == 0) {
        return false;  // what is put in front of a line becomes a part of it, or may be
      }
      return !variant.touches(needed_from(record), record.to) &&
             !(row_.grid > 0 && variant.moves(record.from, row_.grid));
    case Region::Behind:
      return record.to <= variant.first();
    case Region::File:
      return false;
  }
  return false;
}

// What a file begins with decides what it is read as: the first bytes, and of a codec its magic.
bool Judge::is_something_else(const Variant& variant, const Reading& reading) const {
  if (records_.empty() || variant.first() >= records_.front().to) {
    return false;
  }
  const auto good = open(row_, row_.bytes), archive = open(row_, variant.bytes);
  const bool other_bytes =
      archive && (archive->codecs != good->codecs || archive->format != good->format);
  const bool other_records = row_.lines && !reading.records.empty() &&
                             reading.records.front().format != records_.front().format;
  const std::uint64_t magic = good->codec().name() == "none" ? 1 : kLongestMagic;
  return other_records || (variant.first() < magic && other_bytes);
}

// Whether the record lies in what another one claims as its own, that begins well and leads to
// where the next one begins. Nothing in a plain file shows which of them is right.
bool Judge::is_swallowed(const Kept& record, const Variant& variant, const Reading& reading) const {
  if (row_.unknowable == Unknowable::Nothing) {
    return false;
  }
  const std::size_t at = variant.bytes.find(
      row_.bytes.substr(record.from, static_cast<std::size_t>(record.to - record.from)));
  const auto next =
      std::ranges::find_if(reading.records, [at](const Kept& read) { return read.from > at; });
  return at != std::string::npos && next != reading.records.begin() && !std::prev(next)->suspect;
}

// Bytes that are units of the original, one behind the other, are an archive as good as it.
bool Judge::is_whole_units(const std::string& bytes) const {
  std::string_view rest = bytes;
  const std::string_view good = row_.bytes;
  const std::uint64_t head = borders_.empty() ? 0 : borders_.front();
  if (!rest.empty() && !rest.starts_with(good.substr(0, head))) {
    return false;
  }
  rest.remove_prefix(std::min<std::size_t>(rest.size(), head));
  while (!rest.empty()) {
    const auto unit = std::ranges::find_if(borders_, [&](std::uint64_t from) {
      const auto next = std::ranges::upper_bound(borders_, from);
      const std::uint64_t to = next == borders_.end() ? good.size() : *next;
      return rest.starts_with(good.substr(from, to - from)) ||
             // What stands behind the last unit may be missing in front of another.
             rest == good.substr(from, to - from);
    });
    if (unit == borders_.end()) {
      return false;
    }
    const auto next = std::ranges::upper_bound(borders_, *unit);
    rest.remove_prefix((next == borders_.end() ? good.size() : *next) - *unit);
  }
  return true;
}

bool Judge::may_be_silent(const Variant& variant) const {
  if (row_.unknowable == Unknowable::Plain || is_whole_units(variant.bytes)) {
    return true;
  }
  if (row_.unknowable == Unknowable::Nothing) {
    return false;
  }
  // Damage of the same length inside blocks that have digests is known.
  return variant.bytes.size() != row_.bytes.size() || variant.kind == Kind::Swap ||
         !std::ranges::all_of(variant.touched, [&](const ByteRange& range) {
           return std::ranges::any_of(records_, [&](const Kept& record) {
             return record.block_from <= range.offset &&
                    range.offset + range.length <= record.block_to;
           });
         });
}

std::vector<std::string> Judge::missing(const Reading& reading, const Variant& variant,
                                        const Reading& damaged) const {
  std::vector<std::string> breaches;
  auto there = reading.counts();
  for (const Kept& record : records_) {
    const bool delivered = there[record.digest] > 0;
    there[record.digest] -= delivered ? 1U : 0U;
    if (!delivered && is_outside(record, variant) && !is_swallowed(record, variant, damaged)) {
      breaches.push_back(record.what);
    }
  }
  return breaches;
}

void Judge::count(const Reading& damaged, const Variant& variant, Tally& tally) const {
  auto there = damaged.counts();
  for (const Kept& record : records_) {
    const bool delivered = there[record.digest] > 0;
    there[record.digest] -= delivered ? 1U : 0U;
    if (!is_outside(record, variant)) {
      ++tally.touched;
      tally.lost += delivered ? 0U : 1U;
    } else if (!delivered && is_swallowed(record, variant, damaged)) {
      ++tally.swallowed;
    } else {
      ++tally.outside;
      tally.outside_read += delivered ? 1U : 0U;
    }
  }
}

void Judge::check_repair(const Variant& variant, const Reading& damaged, Tally& tally,
                         std::vector<std::string>& breaches, std::string* repaired) const {
  const auto archive = open(row_, variant.bytes);
  if (!archive) {
    return;  // reading has judged that
  }
  TextSink sink;
  RewriteOptions options;
  options.read = read_options_of(row_, true);
  options.skip_damaged = true;
  options.write.memory_budget = kMemory;
  const auto report = ops::repair(*archive, sink, options);
  if (repaired != nullptr) {
    *repaired = sink.content;
  }
  if (!report) {
    if (!is_told(report.error()) || !missing({}, variant, damaged).empty()) {
      breaches.push_back("repair fails: " + report.error().to_string());
    }
    return;
  }
  const Verdict verdict = verify(row_, sink.content);
  if (verdict.errors > verdict.doubts && !sink.content.empty()) {
    breaches.push_back("the repaired archive has errors: " + verdict.first);
    return;
  }
  const auto lost = missing(read(sink.content, false), variant, damaged);
  if (!lost.empty()) {
    breaches.push_back(fmt::format("the repaired archive lacks {} records from outside: {}",
                                   lost.size(), lost.front()));
    return;
  }
  ++(verdict.doubts > 0 ? tally.doubtful : tally.repaired);
}

std::vector<std::string> Judge::judge(const Variant& variant, Tally& tally,
                                      std::string* repaired) const {
  if (row_.beside) {
    return judge_companion(variant, tally);
  }
  std::vector<std::string> breaches;
  ++tally.variants;
  const Reading reading = read(variant.bytes, true);
  if (!reading.failed.empty()) {
    breaches.push_back("reading fails: " + reading.failed);
  }
  const bool something_else = is_something_else(variant, reading);
  tally.something_else += something_else ? 1U : 0U;
  std::vector<std::string> lost;
  if (!something_else) {
    lost = missing(reading, variant, reading);
    count(reading, variant, tally);
  }
  if (!lost.empty()) {
    breaches.push_back(fmt::format("{} records from outside are lost: {}{}", lost.size(),
                                   lost.front(),
                                   reading.error.empty() ? "" : "; " + reading.error));
  }
  // The other way of reading must come to an end as well.
  const Reading usual = read(variant.bytes, false);
  if (!usual.failed.empty()) {
    breaches.push_back("reading without --skip-damaged fails: " + usual.failed);
  }

  const Verdict verdict = verify(row_, variant.bytes);
  if (!verdict.failed.empty()) {
    breaches.push_back("verify fails: " + verdict.failed);
  }
  const auto digests = [](const std::vector<Kept>& records) {
    std::vector<std::uint64_t> all;
    for (const Kept& record : records) {
      all.push_back(record.digest);
    }
    return all;
  };
  if (verdict.errors + verdict.warnings > 0) {
    ++tally.found;
  } else if (digests(usual.records) == digests(records_)) {
    ++tally.harmless;
  } else if (may_be_silent(variant) || (something_else && row_.named)) {
    ++tally.unknowable;  // any bytes are lines
  } else {
    breaches.push_back("verify does not tell of the damage");
  }
  if (row_.repairs && !something_else) {
    check_repair(variant, reading, tally, breaches, repaired);
  }
  tally.breaches += breaches.empty() ? 0U : 1U;
  return breaches;
}

}  // namespace fonds::campaign
