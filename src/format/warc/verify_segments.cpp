#include "format/warc/verify_segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "base/digest.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/verify_facts.hpp"

namespace fonds::warc::verify {
namespace {

using Report = std::function<void(Finding)>;

Location place_of(const SegmentFact& segment) {
  return {.source = segment.source,
          .stored_offset = segment.stored_offset,
          .ordinal = segment.ordinal,
          .record_id = segment.id};
}

// Segments of one logical record, ascending by number; ruling R23.
class Chain {
 public:
  explicit Chain(std::vector<const SegmentFact*> parts) : parts_(std::move(parts)) {
    std::stable_sort(parts_.begin(), parts_.end(), [](const SegmentFact* a, const SegmentFact* b) {
      return a->number < b->number;
    });
  }

  void check(const Report& out) {
    if (parts_.front()->number != 1) {
      for (const SegmentFact* part : parts_) {
        out(make_finding(
            "segment-orphan",
            fmt::format("segment {}: no record {} begins it", part->number, part->origin),
            place_of(*part)));
      }
      return;
    }
    drop_duplicates(out);
    std::size_t used = 1;
    while (used < parts_.size() && !ends(used - 1) && parts_[used]->number == used + 1) {
      ++used;
    }
    const SegmentFact& last = *parts_[used - 1];
    const bool complete = ends(used - 1);
    if (!complete) {
      out(make_finding("segment-missing",
                       fmt::format("segment {} of record {} is not there", used + 1, parts_[0]->id),
                       place_of(*parts_[0])));
    }
    for (std::size_t i = used; i < parts_.size(); ++i) {
      out(make_finding("segment-orphan",
                       fmt::format("segment {} does not continue its record", parts_[i]->number),
                       place_of(*parts_[i])));
    }
    check_targets(used, out);
    if (complete) {
      check_total(used, last, out);
    }
  }

 private:
  // 1.x: the last segment says how long all are together. Where that is missing, a truncated one
  // with nothing behind it is the last; where it stands too early, the next number proves it.
  bool ends(std::size_t i) const {
    const SegmentFact& part = *parts_[i];
    if (part.code != 0) {
      return part.code != 'p';
    }
    const bool more = i + 1 < parts_.size() && parts_[i + 1]->number == part.number + 1;
    return !more && (part.total.has_value() || !part.truncated.empty());
  }

  void drop_duplicates(const Report& out) {
    std::vector<const SegmentFact*> kept;
    for (const SegmentFact* part : parts_) {
      if (kept.empty() || kept.back()->number != part->number) {
        kept.push_back(part);
        continue;
      }
      const SegmentFact& a = *kept.back();
      const SegmentFact& b = *part;
      const bool same = a.length == b.length && (!a.kept || !b.kept || a.block == b.block);
      out(make_finding(same ? "segment-duplicate" : "segment-duplicate-differs",
                       fmt::format("segment {} is there twice", b.number), place_of(b)));
    }
    parts_ = std::move(kept);
  }

  void check_targets(std::size_t used, const Report& out) {
    for (std::size_t i = 1; i < used; ++i) {
      const SegmentFact& part = *parts_[i];
      if (part.target != 0 && part.target != parts_[0]->target) {
        out(make_finding(
            "segment-target-differs",
            fmt::format("segment {} has another target URI than the first", part.number),
            place_of(part)));
      }
    }
    for (std::size_t i = 1; i + 1 < used; ++i) {
      if (parts_[i]->total) {
        out(make_finding(
            "segment-total-misplaced",
            fmt::format("segment {} is not the last, but says how long all are", parts_[i]->number),
            place_of(*parts_[i])));
      }
    }
  }

  void check_total(std::size_t used, const SegmentFact& last, const Report& out) {
    std::uint64_t sum = 0;
    bool kept = true;
    for (std::size_t i = 0; i < used; ++i) {
      sum += parts_[i]->length;
      kept = kept && parts_[i]->kept;
    }
    if (last.total && *last.total != sum) {
      out(make_finding(
          "segment-total-mismatch",
          fmt::format("the segments have {} octets, the last one says {}", sum, *last.total),
          place_of(last)));
    }
    if (!last.total && last.code == 0 && used > 1) {
      out(make_finding("missing-mandatory-field",
                       "the last segment needs WARC-Segment-Total-Length", place_of(last)));
    }
    const LabelledDigest digest = parse_digest(parts_[0]->payload_digest);
    if (!kept || digest.state != LabelledDigest::State::Good || !last.truncated.empty()) {
      return;
    }
    std::string whole;
    for (std::size_t i = 0; i < used; ++i) {
      whole += parts_[i]->block;
    }
    std::size_t payload = 0;
    if (parts_[0]->http) {
      http::Head head;
      http::parse_head(as_bytes(whole), http::Expect::Either, true, head);
      payload = head.length;
    }
    Hasher hasher(digest.algorithm);
    hasher.update(as_bytes(whole).subspan(payload));
    if (!(hasher.finish() == digest.value)) {
      out(make_finding("digest-mismatch",
                       "the payload of the joined segments does not have its digest",
                       place_of(*parts_[0])));
    }
  }

  std::vector<const SegmentFact*> parts_;
};

}  // namespace

void Segments::add(std::vector<SegmentFact>&& segments, const std::string& source,
                   std::uint64_t first_ordinal) {
  for (SegmentFact& segment : segments) {
    segment.ordinal += first_ordinal;
    // As much again is needed when they are put in order.
    known_ += 2 * (sizeof(SegmentFact) + source.size() + segment.id.size() + segment.origin.size() +
                   segment.truncated.size() + segment.payload_digest.size());
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
  std::map<std::string, std::vector<const SegmentFact*>> chains;
  for (const SegmentFact& segment : segments_) {
    if (segment.number == 1 && segment.origin.empty()) {
      chains[segment.id].push_back(&segment);
    } else if (!segment.origin.empty()) {
      chains[segment.origin].push_back(&segment);
    }
  }
  for (auto& [origin, parts] : chains) {
    Chain(std::move(parts)).check(out);
  }
  *this = Segments(memory_);
}

}  // namespace fonds::warc::verify
