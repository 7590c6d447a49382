#include "conformance/reading.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <fonds/format.hpp>
#include <fonds/query.hpp>
#include <fonds/record_index.hpp>

#include "conformance/rows.hpp"
#include "conformance/sites.hpp"
#include "ops/cat.hpp"
#include "ops/info.hpp"
#include "ops/list.hpp"
#include "ops/search.hpp"
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

std::string difference_with_places(std::string_view what, const Contents& a, const Contents& b) {
  std::string complaint = difference(what, a, b);
  if (complaint.empty()) {
    complaint = difference(fmt::format("{}, finding", what), a.findings, b.findings);
  }
  return complaint.empty() && a.places != b.places ? fmt::format("{}: other places", what)
                                                   : complaint;
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

namespace {

Given searched(const Archive& archive, const ops::ScanOptions& scan) {
  // Names of each kind of records; others match nothing.
  auto query = query::parse("type: response or status: 404 or length > 1 or level: ERROR");
  require(query.has_value(), "a query");
  const ops::SearchRequest request = {.query = std::move(*query), .search = {.read = scan.read}};
  Given given;
  const ops::Output out = into(given);
  ops::Search search(request, out);
  note(given, search.ask(archive, scan));
  return given;
}

std::string counted_text(const ops::Counted& counted) {
  return fmt::format("{} records {} bytes {} damaged units {}-{} items {}-{} {} {} {}",
                     counted.records, counted.uncompressed_size, counted.damaged,
                     counted.first_unit.value_or(0), counted.last_unit.value_or(0),
                     counted.shortest.value_or(0), counted.longest.value_or(0),
                     fmt::join(counted.by_type, ","), fmt::join(counted.by_status, ","),
                     fmt::join(counted.by_media_type, ","));
}

std::string info_text(const Archive& archive, const ops::ScanOptions& scan, bool deep) {
  Given given;
  const auto info =
      ops::info(archive, scan, deep, [&](const Finding& found) { take(given, found); });
  if (!info) {
    return info.error().to_string();
  }
  std::string text =
      fmt::format("{} {} {} size {} {}\n{}\n", info->format, info->version, info->compression,
                  info->size.value_or(0), fmt::join(given.findings, "\n"), info->container_json);
  for (const auto& fact : info->facts.entries) {
    text += fmt::format("{}={}\n", fact.name, fact.text);
  }
  for (const auto& [name, value] : info->container_rows) {
    text += fmt::format("{}: {}\n", name, value);
  }
  return text + info->tree + (info->counted ? counted_text(*info->counted) : std::string());
}

// Without what tells one way to the archive from another.
void forget_name(std::string& text, std::string_view name) {
  while (name.size() > 1 && name.ends_with('/')) {
    name.remove_suffix(1);
  }
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += 4) {
    text.replace(at, name.size(), "NAME");
  }
}

void forget_name(Given& given, std::string_view name) {
  forget_name(given.text, name);
  forget_name(given.error, name);
  for (std::string& finding : given.findings) {
    forget_name(finding, name);
  }
}

}  // namespace

std::string without_problems(std::string text) {
  for (std::size_t at = 0; (at = text.find(",\"problems\":[", at)) != std::string::npos;) {
    text.erase(at, text.find("]}\n", at) + 1 - at);
  }
  return text;
}

Said said(Opened& archive, const ReadOptions& options) {
  ops::ScanOptions scan;
  scan.read = options;
  ops::ListOptions list;
  list.scan = scan;
  list.json = list.headers = true;
  Said all = {.read = contents(*archive, options),
              .listed = listed(*archive, list),
              .verified = verified(*archive, scan),
              .searched = searched(*archive, scan),
              .info = {},
              .by_key = {}};
  if (archive.can_go_back()) {
    all.info = info_text(*archive, scan, false) + info_text(*archive, scan, true);
  }
  if (archive.can_go_back() && !all.read.blocks.empty()) {
    const std::size_t last = all.read.blocks.size() - 1;
    all.by_key =
        content(*archive, scan,
                {"index:0", fmt::format("index:{}", last / 2), fmt::format("index:{}", last)});
  }
  // Which bodies are stepped over, and what is read behind a record, and so what is wrong with
  // them, hangs on the way to the archive.
  for (Given* const given : {&all.listed, &all.searched, &all.by_key}) {
    given->text = without_problems(std::move(given->text));
    given->findings.clear();
  }
  const std::string name = archive->source->name();
  forget_name(all.read.error, name);
  forget_name(all.info, name);
  for (std::string& finding : all.read.findings) {
    forget_name(finding, name);
  }
  for (Given* const given : {&all.listed, &all.verified, &all.searched, &all.by_key}) {
    forget_name(*given, name);
  }
  return all;
}

std::string difference(std::string_view what, const Said& a, const Said& b) {
  for (const std::string& complaint :
       {difference_with_places(what, a.read, b.read),
        difference(fmt::format("{}, ls", what), a.listed, b.listed),
        difference(fmt::format("{}, verify", what), a.verified, b.verified),
        difference(fmt::format("{}, search", what), a.searched, b.searched),
        difference(fmt::format("{}, cat KEY", what), a.by_key, b.by_key),
        difference(fmt::format("{}, info", what), a.info, b.info)}) {
    if (!complaint.empty()) {
      return complaint;
    }
  }
  return {};
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
