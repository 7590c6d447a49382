#include "format/warc/verifying/verify_segments.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "base/digest.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "format/warc/verifying/verify_facts.hpp"

namespace fonds::warc::verify {
namespace {

using Report = std::function<void(Finding)>;

Location place_of(const SegmentFact& segment) {
  return {.source = segment.source,
          .stored_offset = segment.stored_offset,
          .ordinal = segment.ordinal,
          .record_id = segment.part.id};
}

class ChainCheck {
 public:
  ChainCheck(const SegmentChain& chain, std::span<const SegmentFact> facts,
             std::span<const SegmentPart> parts)
      : chain_(chain), facts_(facts), parts_(parts) {}

  void check(const Report& out) const {
    for (const SegmentChain::Repeated& repeated : chain_.repeated) {
      const SegmentFact& a = facts_[repeated.first];
      const SegmentFact& b = facts_[repeated.again];
      const bool same =
          a.part.length == b.part.length && (!a.kept || !b.kept || a.block == b.block);
      tell(repeated_issue(repeated, same, parts_), out);
    }
    for (const SegmentIssue& issue : judge_chain(chain_, parts_)) {
      tell(issue, out);
    }
    check_targets(out);
    if (chain_.complete) {
      check_payload(out);
    }
  }

 private:
  void tell(const SegmentIssue& issue, const Report& out) const {
    out(make_finding(issue.code, issue.message, place_of(facts_[issue.part])));
  }

  void check_targets(const Report& out) const {
    for (const std::size_t i : chain_.parts) {
      const SegmentFact& fact = facts_[i];
      if (fact.target != 0 && fact.target != facts_[chain_.parts.front()].target) {
        out(make_finding(
            "segment-target-differs",
            fmt::format("segment {} has another target URI than the first", fact.part.number),
            place_of(fact)));
      }
    }
  }

  void check_payload(const Report& out) const {
    const SegmentFact& first = facts_[chain_.parts.front()];
    const LabelledDigest digest = parse_digest(first.payload_digest);
    if (digest.state != LabelledDigest::State::Good ||
        !facts_[chain_.parts.back()].part.truncated.empty()) {
      return;
    }
    std::string whole;
    for (const std::size_t i : chain_.parts) {
      if (!facts_[i].kept) {
        return;
      }
      whole += facts_[i].block;
    }
    std::size_t payload = 0;
    if (first.http) {
      http::Head head;
      http::parse_head(as_bytes(whole), http::Expect::Either, true, head);
      payload = head.length;
    }
    Hasher hasher(digest.algorithm);
    hasher.update(as_bytes(whole).subspan(payload));
    if (!(hasher.finish() == digest.value)) {
      out(make_finding("digest-mismatch",
                       "the payload of the joined segments does not have its digest",
                       place_of(first)));
    }
  }

  const SegmentChain& chain_;
  std::span<const SegmentFact> facts_;
  std::span<const SegmentPart> parts_;
};

}  // namespace

void Segments::add(std::vector<SegmentFact>&& segments, const std::string& source,
                   std::uint64_t first_ordinal) {
  for (SegmentFact& segment : segments) {
    segment.ordinal += first_ordinal;
    // As much again is needed when they are put in order.
    known_ += 2 * (sizeof(SegmentFact) + source.size() + segment.part.id.size() +
                   segment.part.origin.size() + segment.part.truncated.size() +
                   segment.payload_digest.size());
    if (known_ > memory_ / 2) {
      ++left_out_;
      continue;
    }
    segment.source = source;
    kept_ += segment.block.size();
    if (kept_ > memory_ / 2) {
      kept_ -= segment.block.size();
      segment.block = {};
      segment.kept = false;
    }
    segments_.push_back(std::move(segment));
  }
}

void Segments::finish(const Report& out) {
  if (left_out_ > 0) {
    Finding finding =
        make_finding("limit-exceeded",
                     fmt::format("the segments were not joined: for {} of them more than {} MiB "
                                 "would be needed",
                                 left_out_, memory_ >> 20U),
                     {.source = segments_.empty() ? std::string() : segments_.front().source});
    finding.severity = Severity::Note;
    out(std::move(finding));
    *this = Segments(memory_);
    return;
  }
  std::vector<SegmentPart> parts;
  parts.reserve(segments_.size());
  for (const SegmentFact& fact : segments_) {
    parts.push_back(fact.part);
  }
  for (const SegmentChain& chain : chain_segments(parts)) {
    ChainCheck(chain, segments_, parts).check(out);
  }
  *this = Segments(memory_);
}

}  // namespace fonds::warc::verify
