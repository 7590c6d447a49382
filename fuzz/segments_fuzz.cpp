// Chains of segments from any facts: what ruling R23 says of them, told once more in the plainest
// way; and the same facts as an archive, whose complete chains become whole records.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "base/text.hpp"
#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "memory_sink.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::MemorySink;
using fonds::fuzz::require;
using namespace fonds::warc;  // NOLINT(google-build-using-namespace)

constexpr std::size_t kFact = 4;  // octets that tell of one part
constexpr std::size_t kMostParts = 64;

std::string name_of(unsigned choice) {
  return choice == 0 ? std::string() : "urn:x:" + std::to_string(choice);
}

SegmentPart part_of(std::span<const std::uint8_t> fact, bool positional) {
  constexpr std::string_view kCodes = "pwtz";
  SegmentPart part;
  part.id = name_of(fact[0] % 4U);
  part.origin = name_of(fact[0] / 4U % 4U);
  part.number = fact[1] == 255 ? ~std::uint32_t{0} : 1U + fact[1] % 6U;
  if (positional) {
    part.code = kCodes[fact[2] % kCodes.size()];
  } else if ((fact[2] & 1) != 0) {
    part.total = fact[3] * std::uint64_t{fact[2]};
  }
  part.truncated = (fact[2] & 12) == 12 ? "length" : "";
  part.length = fact[3] == 255 ? ~std::uint64_t{0} - fact[2] : fact[3];
  return part;
}

// Whose chain a part belongs to; nothing for one that belongs to none.
std::optional<std::string> chain_of(const SegmentPart& part, std::size_t i) {
  if (part.begins()) {
    return part.id.empty() ? "alone " + std::to_string(i) : part.id;
  }
  return part.origin.empty() ? std::nullopt : std::optional(part.origin);
}

bool is_end(const SegmentPart& part, bool next_is_there) {
  if (part.code != 0) {
    return part.code != 'p';
  }
  return !next_is_there && (part.total || !part.truncated.empty());
}

// The first of each number counts; from 1 on, as long as none is missing and none has ended it.
struct Told {
  std::vector<std::size_t> parts;
  bool complete = false;
};
Told tell(const std::map<std::uint32_t, std::size_t>& first, std::span<const SegmentPart> all) {
  Told told;
  for (std::uint32_t number = 1; !told.complete && first.contains(number); ++number) {
    told.parts.push_back(first.at(number));
    told.complete = is_end(all[first.at(number)], first.contains(number + 1));
  }
  if (!told.parts.empty() && !all[told.parts.front()].begins()) {
    told = {};
  }
  return told;
}

void check_chain(const SegmentChain& chain, std::span<const SegmentPart> all,
                 const std::vector<std::size_t>& members) {
  std::map<std::uint32_t, std::size_t> first;
  for (const std::size_t i : members) {
    first.try_emplace(all[i].number, i);
  }
  const Told told = tell(first, all);
  require(chain.parts == told.parts && chain.complete == told.complete);
  std::set<std::size_t> seen(chain.parts.begin(), chain.parts.end());
  seen.insert(chain.orphans.begin(), chain.orphans.end());
  for (const SegmentChain::Repeated& repeated : chain.repeated) {
    require(repeated.first < repeated.again);
    require(all[repeated.first].number == all[repeated.again].number);
    require(first.at(all[repeated.again].number) == repeated.first);
    seen.insert(repeated.again);
  }
  require(seen.size() == chain.parts.size() + chain.orphans.size() + chain.repeated.size());
  require(seen == std::set<std::size_t>(members.begin(), members.end()));
  std::uint64_t length = 0;
  for (const std::size_t i : chain.parts) {
    length = all[i].length > ~length ? ~std::uint64_t{0} : length + all[i].length;
  }
  require(chain.length == length);
  bool missing = false;
  for (const SegmentIssue& issue : judge_chain(chain, all)) {
    require(fonds::find_rule(issue.code) != nullptr && seen.contains(issue.part));
    missing = missing || issue.code == "segment-missing";
  }
  require(missing == (!chain.parts.empty() && !chain.complete));
}

std::vector<SegmentChain> check_chains(std::span<const SegmentPart> all) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto chain = chain_of(all[i], i)) {
      groups[*chain].push_back(i);
    }
  }
  std::vector<SegmentChain> chains = chain_segments(all);
  require(chains.size() == groups.size());
  for (const SegmentChain& chain : chains) {
    const std::size_t any = chain.parts.empty() ? chain.orphans.at(0) : chain.parts[0];
    check_chain(chain, all, groups.at(*chain_of(all[any], any)));
  }
  return chains;
}

std::string block_of(std::size_t i, const SegmentPart& part) {
  std::string block = std::to_string(i) + ":";
  block.resize(static_cast<std::size_t>(part.length % 64), 'b');
  return block;
}

std::string record_of(const SegmentPart& part, const std::string& block) {
  std::string text = "WARC/1.1\r\nWARC-Type: ";
  text += part.begins() ? "resource" : "continuation";
  text += "\r\nWARC-Date: 2020-01-02T03:04:05Z\r\nWARC-Target-URI: http://a/\r\n";
  const auto field = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) {
      text += std::string(name) + ": " + value + "\r\n";
    }
  };
  field("WARC-Record-ID", part.id.empty() ? "" : "<" + part.id + ">");
  field("WARC-Segment-Origin-ID", part.origin.empty() ? "" : "<" + part.origin + ">");
  field("WARC-Segment-Number", std::to_string(part.number));
  field("WARC-Segment-Total-Length", part.total ? std::to_string(*part.total) : "");
  field("WARC-Truncated", part.truncated);
  field("Content-Length", std::to_string(block.size()));
  return text + "\r\n" + block + "\r\n\r\n";
}

std::vector<std::string> blocks_of(const std::string& text) {
  std::vector<std::string> blocks;
  const auto archive = fonds::fuzz::opened(text);
  require(archive.has_value());
  const auto reader = archive->format->open(*archive, {});
  require(reader.has_value());
  while (true) {
    const auto record = (*reader)->next();
    require(record.has_value());
    if (*record == nullptr) {
      return blocks;
    }
    std::string block;
    for (auto shown = (*reader)->peek_block(1); shown && !shown->empty();
         shown = (*reader)->peek_block(1)) {
      block += fonds::as_text(*shown);
      (*reader)->consume_block(shown->size());
    }
    blocks.push_back(std::move(block));
    const auto end = (*reader)->finish();
    require(end.has_value());
    for (const fonds::Finding& finding : end->findings) {
      require(finding.severity != fonds::Severity::Error);
    }
  }
}

// All parts in one archive, joined: complete chains are one record, what else there is stays.
void check_joining(std::vector<SegmentPart> all) {
  std::string text;
  std::vector<std::string> blocks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    blocks.push_back(block_of(i, all[i]));
    all[i].length = blocks.back().size();
    all[i].number = std::min<std::uint32_t>(all[i].number, 6);
    text += record_of(all[i], blocks.back());
  }
  std::vector<std::string> expected(blocks);
  std::vector<bool> gone(all.size(), false);
  for (const SegmentChain& chain : check_chains(all)) {
    const SegmentPart& last = all[chain.parts.empty() ? 0 : chain.parts.back()];
    const bool sum_is_right = !last.total || *last.total == chain.length;
    if (!chain.complete || chain.parts.size() < 2 || !sum_is_right) {
      continue;
    }
    for (std::size_t k = 1; k < chain.parts.size(); ++k) {
      expected[chain.parts[0]] += blocks[chain.parts[k]];
      gone[chain.parts[k]] = true;
    }
  }
  const auto archive = fonds::fuzz::opened(text);
  require(archive.has_value());
  MemorySink sink;
  fonds::RewriteOptions options;
  options.join_segments = options.skip_damaged = true;
  const auto report = archive->format->writing()->merge(std::span(&*archive, 1), sink, options);
  require(report.has_value());
  std::vector<std::string> left;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!gone[i]) {
      left.push_back(std::move(expected[i]));
    }
  }
  require(blocks_of(sink.text) == left);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1 + kFact) {
    return 0;
  }
  const bool positional = (data[0] & 1) != 0;
  std::vector<SegmentPart> parts;
  for (std::size_t at = 1; at + kFact <= size && parts.size() < kMostParts; at += kFact) {
    parts.push_back(part_of({data + at, kFact}, positional));
  }
  check_chains(parts);
  if (!positional && (data[0] & 2) != 0) {
    check_joining(std::move(parts));
  }
  return 0;
}
