#include "format/warc/rewriting/segments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {
namespace {

// The parts of one chain, ascending by number, those of one number in input order.
class Builder {
 public:
  Builder(std::span<const SegmentPart> all, std::vector<std::size_t> parts)
      : all_(all), parts_(std::move(parts)) {
    std::stable_sort(parts_.begin(), parts_.end(),
                     [&](std::size_t a, std::size_t b) { return all_[a].number < all_[b].number; });
  }

  SegmentChain build() {
    SegmentChain chain;
    if (!all_[parts_.front()].begins()) {
      chain.orphans = std::move(parts_);
      return chain;
    }
    drop_repeated(chain);
    std::size_t used = 1;
    while (used < parts_.size() && !ends(used - 1) && part(used).number == used + 1) {
      ++used;
    }
    chain.complete = ends(used - 1);
    const auto behind = parts_.begin() + static_cast<std::ptrdiff_t>(used);
    chain.parts.assign(parts_.begin(), behind);
    chain.orphans.assign(behind, parts_.end());
    for (const std::size_t i : chain.parts) {
      // Lengths are claims, and their sum has to stay one number.
      const bool fits = all_[i].length <= ~chain.length;
      chain.length = fits ? chain.length + all_[i].length : ~std::uint64_t{0};
    }
    return chain;
  }

 private:
  const SegmentPart& part(std::size_t i) const { return all_[parts_[i]]; }

  // 1.x: the last segment says how long all are together. Where that is missing, a truncated one
  // with nothing behind it is the last; where it stands too early, the next number proves it.
  bool ends(std::size_t i) const {
    const SegmentPart& this_one = part(i);
    if (this_one.code != 0) {
      return this_one.code != 'p';
    }
    const bool more = i + 1 < parts_.size() && part(i + 1).number == this_one.number + 1;
    return !more && (this_one.total.has_value() || !this_one.truncated.empty());
  }

  void drop_repeated(SegmentChain& chain) {
    std::vector<std::size_t> kept;
    for (const std::size_t i : parts_) {
      if (kept.empty() || all_[kept.back()].number != all_[i].number) {
        kept.push_back(i);
      } else {
        chain.repeated.push_back({kept.back(), i});
      }
    }
    parts_ = std::move(kept);
  }

  std::span<const SegmentPart> all_;
  std::vector<std::size_t> parts_;
};

}  // namespace

std::optional<SegmentPart> segment_part(const Header& header, std::uint64_t block_length) {
  const bool continuation = header.type == "continuation";
  if (!continuation && !header.segment) {
    return std::nullopt;
  }
  const Segment segment = header.segment.value_or(Segment{});
  if (!continuation && segment.code != 0 && segment.code != 'p' && segment.number <= 1) {
    return std::nullopt;  // an ordinary record of 00.11
  }
  SegmentPart part;
  part.id = header.id;
  part.origin = header.segment_origin;
  part.number = std::max<std::uint32_t>(segment.number, 1);
  part.code = segment.code;
  part.total = header.segment_total;
  part.truncated = header.truncated;
  part.length = block_length;
  return part;
}

std::vector<SegmentChain> chain_segments(std::span<const SegmentPart> parts) {
  std::map<std::string_view, std::vector<std::size_t>> by_origin;
  std::vector<SegmentChain> chains;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const SegmentPart& part = parts[i];
    if (part.begins() && part.id.empty()) {
      chains.push_back(Builder(parts, {i}).build());
    } else if (part.begins()) {
      by_origin[part.id].push_back(i);
    } else if (!part.origin.empty()) {
      by_origin[part.origin].push_back(i);
    }
  }
  for (auto& [origin, members] : by_origin) {
    chains.push_back(Builder(parts, std::move(members)).build());
  }
  return chains;
}

std::vector<SegmentIssue> judge_chain(const SegmentChain& chain,
                                      std::span<const SegmentPart> parts) {
  std::vector<SegmentIssue> issues;
  if (chain.parts.empty()) {
    for (const std::size_t i : chain.orphans) {
      issues.push_back(
          {"segment-orphan", i,
           fmt::format("segment {}: no record {} begins it", parts[i].number, parts[i].origin)});
    }
    return issues;
  }
  const std::size_t first = chain.parts.front();
  const std::size_t last = chain.parts.back();
  if (!chain.complete) {
    issues.push_back({"segment-missing", first,
                      fmt::format("segment {} of record {} is not there", chain.parts.size() + 1,
                                  parts[first].id)});
  }
  for (const std::size_t i : chain.orphans) {
    issues.push_back({"segment-orphan", i,
                      fmt::format("segment {} does not continue its record", parts[i].number)});
  }
  for (const std::size_t i : chain.parts) {
    if (i != first && i != last && parts[i].total) {
      issues.push_back(
          {"segment-total-misplaced", i,
           fmt::format("segment {} is not the last, but says how long all are", parts[i].number)});
    }
  }
  if (!chain.complete) {
    return issues;
  }
  if (parts[last].total && *parts[last].total != chain.length) {
    issues.push_back({"segment-total-mismatch", last,
                      fmt::format("the segments have {} octets, the last one says {}", chain.length,
                                  *parts[last].total)});
  }
  if (!parts[last].total && parts[last].code == 0 && chain.parts.size() > 1) {
    issues.push_back(
        {"missing-mandatory-field", last, "the last segment needs WARC-Segment-Total-Length"});
  }
  return issues;
}

SegmentIssue repeated_issue(const SegmentChain::Repeated& repeated, bool same_block,
                            std::span<const SegmentPart> parts) {
  return {same_block ? "segment-duplicate" : "segment-duplicate-differs", repeated.again,
          fmt::format("segment {} is there twice", parts[repeated.again].number)};
}

}  // namespace fonds::warc
