// Any bytes as the input of a clp-s archive: no crash, the same bytes for any number of threads,
// and what is written is read back without a finding. The first octet chooses options.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "clps_parts.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;
using namespace fonds::clps;  // NOLINT(google-build-using-namespace)

struct Made {
  std::vector<std::string> archives;
  WriterReport report;
  bool failed = false;
};

Made make(const std::string& input, unsigned choice, unsigned threads) {
  Made made;
  WriterOptions options;
  options.version = writable_versions()[choice % 3];
  options.structurize_arrays = (choice & 4) != 0;
  options.log_order = (choice & 8) == 0;
  options.timestamp_key = (choice & 16) != 0 ? "t" : "";
  options.keep_unparsed = (choice & 32) != 0;
  options.target_encoded_size = (choice & 64) != 0 ? 200 : std::uint64_t{1} << 33;
  options.max_document_size = 4096;
  options.threads = threads;
  options.read.memory_budget = std::uint64_t{64} << 20;
  options.archive = [&made](WrittenArchive&& archive) -> fonds::Status {
    std::string& bytes = made.archives.emplace_back(archive.head);
    for (const auto& member : archive.members) {
      bytes += fonds::as_text(member);
    }
    return {};
  };
  auto writer = ArchiveWriter::make(std::move(options));
  require(writer.has_value());
  made.failed = !(*writer)->add(fonds::fuzz::source_of(input), "in");
  auto report = (*writer)->finish();
  made.failed = made.failed || !report;
  if (report) {
    made.report = std::move(*report);
  }
  return made;
}

std::uint64_t read_back(const std::string& bytes) {
  std::size_t told = 0;
  ArchiveOptions options;
  options.on_finding = [&told](const fonds::Finding&) { ++told; };
  auto archive = Archive::open(fonds::fuzz::source_of(bytes), options);
  require(archive.has_value());
  auto rebuilder = Rebuilder::open(*archive, {});
  require(rebuilder.has_value());
  std::uint64_t records = 0;
  while (true) {
    const auto batch = (*rebuilder)->next();
    require(batch.has_value());
    if (*batch == nullptr) {
      break;
    }
    records += (*batch)->lines.size();
    told += (*batch)->findings.size();
  }
  require(told == 0);
  return records;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Made one = make(input, data[0], 1);
  if (one.failed) {
    return 0;
  }
  std::uint64_t records = 0;
  for (const std::string& archive : one.archives) {
    records += read_back(archive);
  }
  require(records == one.report.records);
  if (size < 512) {
    require(make(input, data[0], 2).archives == one.archives);
  }
  return 0;
}
