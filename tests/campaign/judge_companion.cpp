// Companions: a damaged one may cost time, and never leads to another record than was asked for.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "archives/beside.hpp"
#include "campaign/judge.hpp"
#include "campaign/open_row.hpp"
#include "index/companion_check.hpp"
#include "io/temporary_directory.hpp"
#include "ops/find.hpp"

namespace fonds::campaign {
using testing_archives::write_file;

std::string Judge::key_of(const Kept& record) const {
  const std::string& kind = row_.beside->key;
  return kind + ":" + (kind == "uri" ? record.uri : kind == "id" ? record.id : record.index);
}

std::vector<std::string> Judge::judge_companion(const Variant& variant, Tally& tally) const {
  const Beside& beside = *row_.beside;
  std::vector<std::string> breaches;
  ++tally.variants;
  const testing_io::TemporaryDirectory directory;
  write_file(directory.path(beside.archive_name), beside.archive);
  write_file(directory.path(beside.name), variant.bytes);
  if (!beside.other_name.empty()) {
    write_file(directory.path(beside.other_name), beside.other);
  }
  const auto archive = open_archive(directory.path(beside.archive_name));
  require(archive.has_value(), "open_archive");
  std::uint64_t told = 0, none = 0;
  const auto tell = [&told](const Finding& finding) {
    told += finding.severity == Severity::Note ? 0U : 1U;
  };
  ops::ScanOptions scan;
  scan.read = read_options_of(row_, false);
  if (!beside.opened.empty()) {
    const std::vector<std::string> paths = {directory.path(beside.opened)};
    if (auto companions = open_companions(*archive, paths, tell)) {
      scan.companions = std::make_shared<Companions>(std::move(*companions));
      scan.read.seek = scan.companions->seek;
    } else {
      ++told;
    }
    const auto checked = index::check_companion(paths.front(), *archive, scan.read, tell);
    told += checked ? 0U : 1U;
  }
  for (std::size_t n = variant.bytes.size() % 3; n < records_.size(); n += 3) {
    const Kept& wanted = records_[n];
    if (wanted.kind != "response" && wanted.kind != "item") {
      continue;
    }
    const auto key = parse_key(key_of(wanted));
    require(key.has_value(), "parse_key");
    const std::vector<Key> keys = {*key};
    ops::RecordFinder finder(*archive, scan, keys, tell);
    const auto found = finder.find(0);
    ++tally.touched;
    if (!found || !*found) {
      ++none;
      continue;
    }
    const auto digest = digest_of(*archive, *(*found)->open.reader, *(*found)->open.record);
    if (digest.value_or(0) != wanted.digest) {
      breaches.push_back(fmt::format("{} leads to another record", key->written));
    }
  }
  tally.lost += none;
  ++(told > 0 ? tally.found : none == 0 ? tally.harmless : tally.unknowable);
  tally.breaches += breaches.empty() ? 0U : 1U;
  return breaches;
}

}  // namespace fonds::campaign
