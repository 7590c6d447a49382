// Laws of repairing, cutting and joining.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fonds/format.hpp>

#include "archives/memory.hpp"
#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"
#include "ops/rewrite.hpp"

namespace fonds::laws {
namespace {

Result<std::string> repaired(const Row& row, const Archive& archive) {
  TextSink sink;
  RewriteOptions options;
  options.read = row.read;
  FONDS_CHECK(ops::repair(archive, sink, options));
  return std::move(sink.content);
}

std::string repair_keeps(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const auto again = repaired(row, *archive);
  return again ? difference("bytes", *again, row.bytes()) : again.error().to_string();
}

// What nobody can mend: a block that does not have its digest, a segment that is lost, an archive
// of which nothing is left.
bool stays(std::string_view code) {
  return code == "digest-mismatch" || code == "segment-missing" || code == "no-record" ||
         code == "zs-record";
}

// What repair makes of these bytes has no other errors, holds what could be read, and is not
// changed again.
std::string mended(const Row& row, std::string_view bytes) {
  auto archive = open(row, bytes);
  if (!archive) {
    return {};
  }
  const auto once = repaired(row, *archive);
  if (!once) {
    return once.error().code() == ErrorCode::Unsupported && contents(*archive).blocks.empty()
               ? ""
               : once.error().to_string();
  }
  const auto result = in_memory(row, *once);
  if (!result) {
    return once->empty() ? "" : "after repair: " + result.error().to_string();
  }
  ops::ScanOptions scan;
  scan.read = row.read;
  const Given verdict = verified(*result, scan);
  for (const Finding& finding : verdict.raw) {
    if (finding.severity == Severity::Error && !stays(finding.code)) {
      return "after repair: " + shown(finding);
    }
  }
  if (!verdict.error.empty()) {
    return "after repair: " + verdict.error;
  }
  const auto twice = repaired(row, *result);
  return twice ? difference("repaired again", *twice, *once) : twice.error().to_string();
}

// The same damage for the same seed.
std::string with_damage(std::string bytes, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t n) {
    return static_cast<std::size_t>(random() % std::max<std::size_t>(n, 1));
  };
  const std::size_t at = below(bytes.size());
  switch (seed % 4) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.erase(at, 1 + below(500));
      break;
    default:
      bytes.insert(at, std::string(1 + below(200), static_cast<char>(random())));
  }
  return bytes;
}

std::uint64_t seeds(const Row& row) { return tries_less(row) ? 4 : 8; }

std::string repair_mends(const Row& row) {
  if (row.directory) {
    return "a directory is not repaired";
  }
  const std::string bytes = row.bytes();
  if (row.damaged || bytes.empty()) {
    return mended(row, bytes);
  }
  if (const std::string complaint = repair_keeps(row);
      complaint.find("cannot be") != complaint.npos) {
    return complaint;
  }
  for (std::uint64_t seed = 1; seed <= seeds(row); ++seed) {
    if (const std::string complaint = mended(row, with_damage(bytes, seed)); !complaint.empty()) {
      return fmt::format("damage {}: {}", seed, complaint);
    }
  }
  return {};
}

// ---- cutting and joining ----

Result<std::vector<std::string>> parts_of(const Row& row, const Archive& archive) {
  std::vector<std::unique_ptr<TextSink>> sinks;
  SplitOptions options;
  FONDS_TRY(const std::uint64_t size, archive.source->size());
  options.size = std::max<std::uint64_t>(size / 3, 1);
  options.rewrite.read = row.read;
  FONDS_CHECK(ops::split(
      archive,
      [&](const PartStart& /*start*/) -> Result<Part> {
        return Part{sinks.emplace_back(std::make_unique<TextSink>()).get(),
                    fmt::format("part-{}", sinks.size())};
      },
      options));
  std::vector<std::string> parts;
  for (const auto& sink : sinks) {
    parts.push_back(std::move(sink->content));
  }
  return parts;
}

struct Cut {
  std::vector<std::string> parts;
  std::vector<std::string> blocks;  // of all parts
  std::string complaint;
};
Cut cut(const Row& row, const Archive& archive) {
  Cut result;
  auto parts = parts_of(row, archive);
  if (!parts) {
    result.complaint = parts.error().to_string();
    return result;
  }
  ops::ScanOptions scan;
  scan.read = row.read;
  for (const std::string& part : *parts) {
    const auto opened = in_memory(row, part);
    if (!opened) {
      result.complaint = "a part: " + opened.error().to_string();
      return result;
    }
    const Given verdict = verified(*opened, scan);
    if (const auto errors = errors_of(verdict); !verdict.error.empty() || !errors.empty()) {
      result.complaint = "a part: " + (verdict.error.empty() ? errors.front() : verdict.error);
      return result;
    }
    std::ranges::move(blocks_but_descriptions(contents(*opened, row.read)),
                      std::back_inserter(result.blocks));
  }
  result.parts = std::move(*parts);
  return result;
}

// The keys of clp-s come in the order in which an archive met them first, and each part is one.
void forget_order_of_keys(std::vector<std::string>& events) {
  for (std::string& event : events) {
    event = nlohmann::json::parse(event).dump();
  }
}

std::string difference_of_blocks(const Row& row, std::vector<std::string> a,
                                 std::vector<std::string> b) {
  if (row.format == "clp-s") {
    forget_order_of_keys(a);
    forget_order_of_keys(b);
  }
  if (!row.ordered) {
    std::ranges::sort(a);
    std::ranges::sort(b);
  }
  return difference("record", a, b);
}

std::string parts_add_up(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const Cut result = cut(row, *archive);
  return result.complaint.empty()
             ? difference_of_blocks(row, result.blocks,
                                    blocks_but_descriptions(contents(*archive, row.read)))
             : result.complaint;
}

// The parts lie where the row does.
std::string merge_of_split_is_whole(const Row& row) {
  const auto archive = open_here(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const Cut result = cut(row, *archive);
  if (!result.complaint.empty()) {
    return result.complaint;
  }
  std::vector<Opened> opened;
  std::vector<Archive> parts;
  for (const std::string& part : result.parts) {
    opened.push_back(open(row, part));
    parts.push_back(*opened.back());
  }
  TextSink sink;
  RewriteOptions options;
  options.read = row.read;
  const auto report = ops::merge(parts, sink, options);
  if (!report) {
    return report.error().to_string();
  }
  const auto merged = in_memory(row, sink.content);
  if (!merged) {
    return merged.error().to_string();
  }
  return difference_of_blocks(row, blocks_but_descriptions(contents(*merged, row.read)),
                              blocks_but_descriptions(contents(*archive, row.read)));
}

bool is_repaired(const Row& row) { return row.format.empty() || row.format == "recordio"; }
// Small archives of clp-s cannot be cut into thirds.
bool is_split(const Row& row) {
  return is_repaired(row) || (row.format == "clp-s" && row.blocks && !row.directory);
}

}  // namespace

std::vector<Law> rewriting_laws() {
  return {
      {.name = "RepairKeeps",
       .title = "repair(good) changes nothing",
       .meaning = "The bytes stay the same.",
       .of_damaged = false,
       .is_about = is_repaired,
       .about = "web archives, RecordIO",
       .complaint = repair_keeps},
      {.name = "RepairMends",
       .title = "repair(damaged) verifies",
       .meaning = "What repair makes of a damaged archive has no errors but that blocks lack their "
                  "digest or a "
                  "segment is lost, and repair changes it no more.",
       .of_damaged = true,
       .is_about = is_repaired,
       .about = "web archives, RecordIO",
       .complaint = repair_mends},
      {.name = "PartsAddUp",
       .title = "parts of split = whole",
       .meaning =
           "All records are in the parts, in their order; each part verifies. The order of keys in "
           "an event of clp-s may change.",
       .of_damaged = false,
       .is_about = is_split,
       .about = "web archives, RecordIO, clp-s",
       .complaint = parts_add_up},
      {.name = "MergeOfSplitIsWhole",
       .title = "merge of split = whole",
       .meaning = "Joined again they are the same records.",
       .of_damaged = false,
       .is_about = is_split,
       .about = "web archives, RecordIO, clp-s",
       .complaint = merge_of_split_is_whole},
  };
}

}  // namespace fonds::laws
