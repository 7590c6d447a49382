// Repair of any bytes: no crash, no hang, bounded memory; every byte of the input is accounted for,
// and what was repaired is not changed by a second repair.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "format/warc/rewriting/repair.hpp"
#include "require.hpp"

namespace {

using fonds::fuzz::require;

constexpr std::size_t kMostOutput = std::size_t{16} << 20;  // a bomb's rest is not waited for

class Sink final : public fonds::ByteSink {
 public:
  fonds::Status write(fonds::ByteView bytes) override {
    if (text.size() + bytes.size() > kMostOutput) {
      return fonds::fail(fonds::ErrorCode::Cancelled, "enough");
    }
    text += fonds::as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return text.size(); }
  std::string text;
};

// False if there is nothing to be repaired, or a limit was met.
bool repair(fonds::ByteView bytes, bool per_record, std::string& out) {
  const auto archive =
      fonds::open_archive(fonds::memory_source({bytes.begin(), bytes.end()}, "input"));
  if (!archive || archive->format->name() != "warc") {
    return false;
  }
  fonds::RewriteOptions options;
  options.unit_per_record = per_record;
  options.read.memory_budget = options.write.memory_budget = std::uint64_t{64} << 20;
  options.write.level = 1;
  Sink sink;
  std::uint64_t at = 0;
  const auto report = fonds::warc::repair_archive(*archive, sink, options, [&](auto range, auto) {
    require(range.offset == at && range.length > 0);
    at += range.length;
  });
  if (!report) {
    return false;
  }
  require(at == bytes.size());
  require(report->lost.size() == report->lost_ranges.size());
  out = std::move(sink.text);
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const bool per_record = (data[0] & 0x80) != 0;
  const fonds::ByteView bytes = std::as_bytes(std::span(data, size));
  std::string once;
  std::string twice;
  if (repair(bytes, per_record, once) && !once.empty() &&
      repair(fonds::as_bytes(once), per_record, twice)) {
    require(once == twice);
  }
  return 0;
}
