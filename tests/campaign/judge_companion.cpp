// Companions: a damaged one may cost time, and never leads to another record than was asked for.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "campaign/judge.hpp"
#include "campaign/open_row.hpp"
#include "campaign/sink.hpp"
#include "index/companion_check.hpp"
#include "ops/find.hpp"

namespace fonds::campaign {
namespace {

// A file that only this process sees.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("companion", 0)) {
    require(descriptor_ >= 0, "memfd_create");
    for (std::size_t at = 0; at < bytes.size();) {
      const auto n = ::write(descriptor_, bytes.data() + at, bytes.size() - at);
      require(n > 0, "write");
      at += static_cast<std::size_t>(n);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

std::vector<std::string> Judge::judge_companion(const Variant& variant, Tally& tally) const {
  std::vector<std::string> breaches;
  ++tally.variants;
  const auto archive = open_archive(memory_of(row_.archive, kCompanionOf));
  require(archive.has_value(), "open_archive");
  const MemoryFile file(variant.bytes);
  const std::vector<std::string> paths = {file.path()};
  std::uint64_t told = 0, wrong = 0, none = 0;
  const auto tell = [&told](const Finding& finding) {
    told += finding.severity == Severity::Note ? 0U : 1U;
  };
  ops::ScanOptions scan;
  scan.read = read_options_of(row_, false);
  if (auto companions = open_companions(*archive, paths, tell)) {
    scan.companions = std::make_shared<Companions>(std::move(*companions));
    scan.read.seek = scan.companions->seek;
  } else {
    ++told;
  }
  for (std::size_t n = variant.bytes.size() % 3; n < records_.size(); n += 3) {
    const Kept& wanted = records_[n];
    if (wanted.kind != "response") {
      continue;
    }
    const auto key = parse_key(row_.key + ":" + (row_.key == "uri" ? wanted.uri : wanted.id));
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
      ++wrong;
      breaches.push_back(fmt::format("{} leads to another record", key->written));
    }
  }
  tally.lost += none;
  if (const auto checked = index::check_companion(file.path(), *archive, scan.read, tell);
      !checked) {
    ++told;
  }
  ++(told > 0 ? tally.found : none == 0 ? tally.harmless : tally.unknowable);
  tally.breaches += breaches.empty() ? 0U : 1U;
  return breaches;
}

}  // namespace fonds::campaign
