#include "format/warc/rewriting/merge_join.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "format/common/judge.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "format/warc/writing/edits.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

// The digest as archives write it: SHA-1 in Base32, the others in lower-case hex.
std::string labelled(std::string_view label, DigestAlgorithm algorithm, const DigestValue& value) {
  const ByteView bytes = ByteView(value.bytes).first(value.size);
  return fmt::format("{}:{}", label,
                     algorithm == DigestAlgorithm::Sha1 ? to_base32(bytes) : to_hex(bytes));
}

}  // namespace

Result<SegmentStream> SegmentStream::open(const Archive& archive, const RewriteOptions& options,
                                          const FoundSegment& segment) {
  ReadOptions read = options.read;
  read.skim = read.http = false;
  read.search_damaged = read.search_damaged || options.skip_damaged;
  read.start = segment.place.first;
  read.start_inner = segment.place.second;
  SegmentStream stream(segment,
                       {.source = archive.source->name(),
                        .stored_offset = segment.place.first,
                        .ordinal = segment.ordinal,
                        .record_id = segment.part.id},
                       read.stop);
  FONDS_TRY(stream.reader_, archive.format->open(archive, read));
  FONDS_TRY(const Record* const record, stream.reader_->next());
  if (record == nullptr || place_of(record->place) != segment.place ||
      record->length() != segment.part.length) {
    return fail(ErrorCode::Corrupt, "the segment is no longer there", stream.where_);
  }
  return stream;
}

Result<ByteView> SegmentStream::peek() {
  if (stop_.stop_requested()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  FONDS_TRY(const ByteView shown, reader_->peek_block(1));
  if (!shown.empty()) {
    return shown.first(std::min(shown.size(), kPiece));
  }
  FONDS_TRY(const RecordEnd end, reader_->finish());
  for (const Finding& finding : end.findings) {
    if (is_damage(finding, false)) {
      return fail(ErrorCode::Corrupt, fmt::format("the segment is damaged [{}]", finding.code),
                  where_);
    }
  }
  if (seen_ != segment_->part.length) {
    return fail(ErrorCode::Corrupt,
                fmt::format("the segment has {} octets, not {}", seen_, segment_->part.length),
                where_);
  }
  return ByteView{};
}

void SegmentStream::consume(std::size_t n) {
  seen_ += n;
  reader_->consume_block(n);
}

Status Joins::add(FoundSegment segment) {
  // Chains and places are kept beside it.
  constexpr std::uint64_t kBeside = 256;
  const SegmentPart& part = segment.part;
  held_ += sizeof(FoundSegment) + kBeside + 2 * (part.id.size() + part.origin.size()) +
           part.truncated.size();
  if (held_ > options_.read.memory_budget) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("more than {} segments cannot be remembered; --memory allows more",
                            found_.size()),
                {.source = archives_[segment.archive].source->name(),
                 .stored_offset = segment.place.first});
  }
  found_.push_back(std::move(segment));
  return {};
}

Location Joins::location(std::size_t i) const {
  const FoundSegment& found = found_[i];
  return {.source = archives_[found.archive].source->name(),
          .stored_offset = found.place.first,
          .ordinal = found.ordinal,
          .record_id = found.part.id};
}

Status Joins::settle(const std::function<Status(Finding)>& tell) {
  std::vector<SegmentPart> parts;
  parts.reserve(found_.size());
  for (const FoundSegment& found : found_) {
    parts.push_back(found.part);
  }
  for (const SegmentChain& chain : chain_segments(parts)) {
    for (const SegmentChain::Repeated& repeated : chain.repeated) {
      FONDS_TRY(const bool same, same_block(repeated.first, repeated.again));
      const SegmentIssue issue = repeated_issue(repeated, same, parts);
      FONDS_CHECK(tell(make_finding(issue.code, issue.message, location(issue.part))));
    }
    bool sum_is_right = true;
    for (const SegmentIssue& issue : judge_chain(chain, parts)) {
      sum_is_right = sum_is_right && issue.code != "segment-total-mismatch";
      FONDS_CHECK(tell(make_finding(issue.code, issue.message, location(issue.part))));
    }
    if (!chain.complete || chain.parts.size() < 2 || !sum_is_right) {
      continue;
    }
    wholes_[key_of(chain.parts.front())] = {chain.parts, chain.length};
    for (const std::size_t i : std::span(chain.parts).subspan(1)) {
      absorbed_.insert(key_of(i));
    }
  }
  return {};
}

void Joins::for_each_touched(const std::function<void(std::size_t, std::uint64_t)>& touched) const {
  for (const auto& [key, whole] : wholes_) {
    for (const std::size_t i : whole.parts) {
      touched(found_[i].archive, found_[i].group);
    }
  }
}

bool Joins::absorbed(std::size_t archive, const RecordPlace& place) const {
  return absorbed_.contains({archive, place});
}

const Joins::Whole* Joins::whole(std::size_t archive, const RecordPlace& place) const {
  const auto found = wholes_.find({archive, place});
  return found == wholes_.end() ? nullptr : &found->second;
}

Status Joins::write_block(std::size_t i, const ByteOutput& out) const {
  FONDS_TRY(SegmentStream stream, open(i));
  while (true) {
    FONDS_TRY(const ByteView piece, stream.peek());
    if (piece.empty()) {
      return {};
    }
    FONDS_CHECK(out(piece));
    stream.consume(piece.size());
  }
}

Status Joins::write_blocks(const Whole& whole, const ByteOutput& out) const {
  for (const std::size_t i : whole.parts) {
    FONDS_CHECK(write_block(i, out));
  }
  return {};
}

Result<bool> Joins::same_block(std::size_t a, std::size_t b) const {
  if (found_[a].part.length != found_[b].part.length) {
    return false;
  }
  const auto hash = [this](std::size_t i) -> Result<DigestValue> {
    Hasher hasher(DigestAlgorithm::Sha256);
    FONDS_CHECK(write_block(i, [&](ByteView piece) {
      hasher.update(piece);
      return Status();
    }));
    return hasher.finish();
  };
  FONDS_TRY(const DigestValue first, hash(a));
  FONDS_TRY(const DigestValue second, hash(b));
  return first == second;
}

Result<HeaderChange::Whole> Joins::change(const Whole& whole, const Header& first) const {
  HeaderChange::Whole change;
  change.block_length = whole.length;
  change.truncated = found_[whole.parts.back()].part.truncated;
  if (first.block_digest.empty()) {
    return change;
  }
  const LabelledDigest old = parse_digest(first.block_digest);
  const bool known = old.state == LabelledDigest::State::Good;
  const auto algorithm = known ? old.algorithm : DigestAlgorithm::Sha1;
  const auto label = known ? first.block_digest.substr(0, first.block_digest.find(':')) : "sha1";
  Hasher hasher(algorithm);
  FONDS_CHECK(write_blocks(whole, [&](ByteView piece) {
    hasher.update(piece);
    return Status();
  }));
  change.block_digest = labelled(label, algorithm, hasher.finish());
  return change;
}

}  // namespace fonds::warc
