// What `verify` can say only of whole archives of the WARC family: ids that repeat, segments that
// do not join, the container rules of WARC-Zstandard.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/digest.hpp"
#include "codec/zstd/frame.hpp"
#include "format/common/http_message.hpp"
#include "format/warc/format.hpp"
#include "format/warc/verify_facts.hpp"

namespace fonds::warc {
namespace {

using Report = std::function<void(Finding)>;

constexpr std::uint64_t kMostSegmentBytes = std::uint64_t{256}
                                            << 20;  // kept to check digests of logical records

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
    while (used < parts_.size() && !ends(*parts_[used - 1]) && parts_[used]->number == used + 1) {
      ++used;
    }
    const SegmentFact& last = *parts_[used - 1];
    const bool complete = ends(last);
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
    if (complete) {
      check_total(used, last, out);
    }
  }

 private:
  static bool ends(const SegmentFact& part) {
    return part.code != 0 ? part.code != 'p' : part.total.has_value() || !part.truncated.empty();
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

class Whole final : public VerifyWhole {
 public:
  void begin(const Archive& archive) override {
    archive_ = archive;
    ids_.clear();
  }

  void add(VerifyPart& part, std::uint64_t first_ordinal) override {
    VerifyFacts facts = static_cast<VerifyPartWithFacts&>(part).take();
    for (IdFact id : facts.ids) {
      id.ordinal += first_ordinal;
      ids_.push_back(id);
    }
    for (SegmentFact& segment : facts.segments) {
      segment.ordinal += first_ordinal;
      segment.source = archive_.source->name();
      kept_ += segment.block.size();
      if (kept_ > kMostSegmentBytes) {
        kept_ -= segment.block.size();
        segment.block.clear();
        segment.kept = false;
      }
      segments_.push_back(std::move(segment));
    }
  }

  void end(std::uint64_t records, bool all_read, const Report& out) override {
    const bool empty = records == 0 && all_read;
    const std::string& source = archive_.source->name();
    if (empty) {
      Finding finding =
          make_finding("no-record", "the archive holds no record", {.source = source});
      // No bytes at all are a good archive of any format that has no header (RecordIO, section 1).
      if (archive_.source->random_access() && archive_.source->size().value_or(1) == 0) {
        finding.severity = Severity::Note;
        finding.message = "the file is empty";
      }
      out(std::move(finding));
    }
    report_repeated_ids(source, out);
    if (archive_.codec().name() == "zstd") {
      check_zstd(source, empty, out);
    }
    archive_ = {};
  }

  void finish(const Report& out) override {
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
    segments_.clear();
  }

 private:
  void report_repeated_ids(const std::string& source, const Report& out) {
    std::sort(ids_.begin(), ids_.end(), [](const IdFact& a, const IdFact& b) {
      return std::pair(a.hash, a.ordinal) < std::pair(b.hash, b.ordinal);
    });
    std::vector<std::pair<IdFact, std::uint64_t>> repeated;
    for (std::size_t i = 1; i < ids_.size(); ++i) {
      if (ids_[i].hash == ids_[i - 1].hash) {
        repeated.emplace_back(ids_[i], ids_[i - 1].ordinal);
      }
    }
    std::sort(repeated.begin(), repeated.end(),
              [](const auto& a, const auto& b) { return a.first.ordinal < b.first.ordinal; });
    for (const auto& [id, before] : repeated) {
      out(make_finding(
          "duplicate-record-id", fmt::format("the record has the id of record {}", before),
          {.source = source, .stored_offset = id.stored_offset, .ordinal = id.ordinal}));
    }
    ids_.clear();
  }

  void check_zstd(const std::string& source, bool empty, const Report& out) {
    if (empty) {
      out(make_finding("zs-record", "the file holds no record", {.source = source}));
    }
    const bool named = archive_.source->random_access() && !source.starts_with('<');
    if (named && !source.ends_with(".warc.zst")) {
      out(make_finding("zn-name", "the name does not end in .warc.zst", {.source = source}));
    }
    if (const auto stored = archive_.source->view()) {
      zstd::check_frames(*stored, zstd::kCommonDictionary, [&](Finding finding) {
        finding.where.source = source;
        out(std::move(finding));
      });
    }
  }

  Archive archive_;
  std::vector<IdFact> ids_;
  std::vector<SegmentFact> segments_;
  std::uint64_t kept_ = 0;
};

}  // namespace

std::unique_ptr<VerifyWhole> make_verify_whole(const VerifyOptions&) {
  return std::make_unique<Whole>();
}

}  // namespace fonds::warc
