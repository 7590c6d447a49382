#include "conformance/reading.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "conformance/rows.hpp"
#include "ops/cat.hpp"
#include "ops/list.hpp"
#include "ops/verify.hpp"

namespace fonds::laws {

std::string shown(const Finding& finding) {
  return fmt::format(
      "{} {}@{}#{} {}", to_string(finding.severity), finding.code,
      finding.where.stored_offset ? std::to_string(*finding.where.stored_offset) : "-",
      finding.where.ordinal ? std::to_string(*finding.where.ordinal) : "-", finding.message);
}

namespace {

Status read_into(Contents& read, const Archive& archive, const ReadOptions& options) {
  const auto take = [&read](const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      read.findings.push_back(shown(finding));
    }
  };
  FONDS_TRY(const auto reader, archive.format->open(archive, options));
  while (true) {
    FONDS_TRY(Record* const record, reader->next());
    take(reader->take_loose_findings());
    if (record == nullptr) {
      return {};
    }
    read.places.push_back(record->place);
    read.headers.emplace_back(as_text(record->raw_header()));
    read.kinds.emplace_back(record->kind());
    std::string& block = read.blocks.emplace_back();
    std::vector<Finding> findings;
    FONDS_CHECK(archive.format->write_part(
        *reader, *record, RecordPart::Block, ~std::uint64_t{0},
        [&block](ByteView piece) {
          block += as_text(piece);
          return Status();
        },
        findings));
    FONDS_TRY(const RecordEnd end, reader->finish());
    take(end.findings);
  }
}

std::string shortened(std::string_view text) {
  return fmt::format("'{}'{}", text.substr(0, 300), text.size() > 300 ? "…" : "");
}

}  // namespace

Contents contents(const Archive& archive, const ReadOptions& options) {
  Contents read;
  const Status status = read_into(read, archive, options);
  read.error = status ? "" : status.error().to_string();
  return read;
}

void take(Given& given, const Finding& finding) {
  given.findings.push_back(shown(finding));
  given.raw.push_back(finding);
}

ops::Output into(Given& given) {
  return {[&given](std::string_view text) {
            given.text += text;
            return Status();
          },
          [&given](const Finding& finding) { take(given, finding); }};
}

Given listed(const Archive& archive, const ops::ListOptions& options) {
  Given given;
  note(given, ops::list(archive, options, into(given)));
  return given;
}

Given listed_whole(const Archive& archive, const ops::ScanOptions& scan) {
  ops::ListOptions options;
  options.scan = scan;
  options.json = options.headers = options.full = options.hash = true;
  return listed(archive, options);
}

Given content(const Archive& archive, const ops::ScanOptions& scan, std::vector<std::string> keys) {
  Given given;
  ops::CatOptions options;
  options.scan = scan;
  options.part = RecordPart::Block;
  options.separator = ops::Separator::LengthPrefixed;
  for (const std::string& key : keys) {
    auto parsed = parse_key(key);
    require(parsed.has_value(), key);
    options.keys.push_back(std::move(*parsed));
  }
  const auto missing = ops::cat(archive, options, into(given));
  note(given, missing);
  if (missing && !missing->empty()) {
    given.error = missing->front() + " is missing";
  }
  return given;
}

Given verified(const Archive& archive, const ops::ScanOptions& scan,
               const std::vector<std::string>& companions) {
  Given given;
  ops::Verifier verifier(scan, {}, false, [&given](const Finding& found) { take(given, found); });
  note(given, verifier.check(archive, companions));
  verifier.finish();
  return given;
}

std::string with_lengths(const std::vector<std::string>& blocks) {
  std::string text;
  for (const std::string& block : blocks) {
    for (unsigned shift = 0; shift < 64; shift += 8) {
      text += static_cast<char>(std::uint64_t{block.size()} >> shift & 0xFF);
    }
    text += block;
  }
  return text;
}

std::vector<std::string> blocks_but_descriptions(const Contents& all) {
  std::vector<std::string> blocks;
  for (std::size_t n = 0; n < all.blocks.size(); ++n) {
    if (all.kinds[n] != "warcinfo") {
      blocks.push_back(all.blocks[n]);
    }
  }
  return blocks;
}

bool is_part(const std::vector<std::string>& some, const std::vector<std::string>& all) {
  auto at = all.begin();
  return std::ranges::all_of(some, [&](const std::string& one) {
    at = std::find(at, all.end(), one);
    return at != all.end() && (++at, true);
  });
}

std::vector<std::string> codes_but_notes(const Given& given) {
  std::vector<std::string> codes;
  for (const Finding& finding : given.raw) {
    if (finding.severity != Severity::Note) {
      codes.emplace_back(finding.code);
    }
  }
  return codes;
}

std::vector<std::string> errors_of(const Given& given) {
  std::vector<std::string> errors;
  for (const Finding& finding : given.raw) {
    if (finding.severity == Severity::Error) {
      errors.push_back(shown(finding));
    }
  }
  return errors;
}

std::string difference(std::string_view what, std::string_view a, std::string_view b) {
  if (a == b) {
    return {};
  }
  const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto at = static_cast<std::size_t>(left - a.begin());
  const std::size_t from = at < 40 ? 0 : at - 40;
  return fmt::format("{}: {} and {} bytes, different from {} on: {} and {}", what, a.size(),
                     b.size(), at, shortened(a.substr(from)), shortened(b.substr(from)));
}

std::string difference(std::string_view what, const std::vector<std::string>& a,
                       const std::vector<std::string>& b) {
  for (std::size_t n = 0; n < std::min(a.size(), b.size()); ++n) {
    if (a[n] != b[n]) {
      return difference(fmt::format("{} {}", what, n), a[n], b[n]);
    }
  }
  if (a.size() == b.size()) {
    return {};
  }
  const auto& longer = a.size() > b.size() ? a : b;
  return fmt::format("{}: {} and {}; the first more: {}", what, a.size(), b.size(),
                     shortened(longer[std::min(a.size(), b.size())]));
}

std::string difference(std::string_view what, const Contents& a, const Contents& b) {
  for (const std::string& complaint :
       {difference(fmt::format("{}, error", what), a.error, b.error),
        difference(fmt::format("{}, record", what), a.blocks, b.blocks),
        difference(fmt::format("{}, header", what), a.headers, b.headers)}) {
    if (!complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

std::string difference(std::string_view what, const Given& a, const Given& b) {
  for (const std::string& complaint :
       {difference(fmt::format("{}, error", what), a.error, b.error),
        difference(what, a.text, b.text),
        difference(fmt::format("{}, finding", what), a.findings, b.findings)}) {
    if (!complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

}  // namespace fonds::laws
