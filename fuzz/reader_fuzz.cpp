// Archives of any bytes: no crash, no hang, bounded memory; and where nothing is damaged, a pipe
// gives what a file gives.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "io/testing.hpp"
#include "ops/cat.hpp"
#include "ops/info.hpp"
#include "ops/list.hpp"
#include "ops/verify.hpp"

namespace {

using fonds::Archive;
using fonds::Status;

constexpr std::uint64_t kMemory = std::uint64_t{64} << 20;
constexpr std::size_t kMostOutput = std::size_t{16}
                                    << 20;  // of one command; a bomb's rest is not waited for

struct Result {
  std::string text;
  bool damaged = false;  // findings beyond notes, or an error
  std::string first_finding;
};

fonds::ops::Output into(Result& result) {
  return {[&result](std::string_view text) -> Status {
            result.text += text;
            return result.text.size() < kMostOutput
                       ? Status()
                       : fonds::fail(fonds::ErrorCode::Cancelled, "enough");
          },
          [&result](const fonds::Finding& finding) {
            if (finding.severity != fonds::Severity::Note) {
              result.damaged = true;
              result.first_finding = finding.code;
            }
          }};
}

fonds::ops::ScanOptions scan_options(unsigned bits) {
  fonds::ops::ScanOptions scan;
  scan.read.memory_budget = kMemory;
  scan.read.search_damaged = (bits & 1) != 0;
  return scan;
}

Result list(const Archive& archive, unsigned bits, bool full) {
  Result result;
  fonds::ops::ListOptions options;
  options.scan = scan_options(bits);
  options.full = full;
  options.json = full || (bits & 2) != 0;
  options.headers = (bits & 4) != 0;
  const auto status = fonds::ops::list(archive, options, into(result));
  result.damaged = result.damaged || !status;
  return result;
}

void verify(const Archive& archive, unsigned bits) {
  std::size_t findings = 0;
  fonds::ops::Verifier verifier(scan_options(bits), {.max_payload = kMemory / 4}, false,
                                [&findings](const fonds::Finding&) { ++findings; });
  static_cast<void>(verifier.check(archive).has_value());
  verifier.finish();
}

void cat(const Archive& archive, unsigned bits) {
  using fonds::RecordPart;
  for (const RecordPart part :
       {RecordPart::Record, RecordPart::Header, RecordPart::Block, RecordPart::Http,
        RecordPart::Body, RecordPart::Payload, RecordPart::Decoded}) {
    Result result;
    fonds::ops::CatOptions options;
    options.scan = scan_options(bits);
    options.part = part;
    static_cast<void>(fonds::ops::cat(archive, options, into(result)).has_value());
  }
}

void expect_same_through_a_pipe(const std::vector<std::byte>& bytes, const Result& file,
                                unsigned bits) {
  const std::size_t step = std::array<std::size_t, 4>{1, 61, 4096, 1 << 20}[(bits >> 3) & 3];
  const auto archive =
      fonds::open_archive(std::make_shared<fonds::testing_io::Pipe>(bytes, step, "<memory>"));
  if (!archive) {
    std::fprintf(stderr, "the pipe cannot be opened: %s\n", archive.error().to_string().c_str());
    std::abort();
  }
  const Result pipe = list(*archive, bits, true);
  if (file.damaged) {
    return;
  }
  if (pipe.damaged || pipe.text != file.text) {
    std::fprintf(stderr, "file:\n%s\npipe (%s):\n%s\n", file.text.c_str(),
                 pipe.first_finding.c_str(), pipe.text.c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Options are drawn from the bytes, so that every archive is an input as it is.
  unsigned bits = 0;
  for (std::size_t i = 0; i < size; ++i) {
    bits = (bits * 31 + data[i]) & 0xffff;
  }
  bits ^= bits >> 8;
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  const std::vector<std::byte> bytes(begin, begin + size);
  const auto archive = fonds::open_archive(fonds::memory_source(bytes));
  if (!archive) {
    return 0;
  }
  list(*archive, bits, false);
  const Result full = list(*archive, bits, true);
  verify(*archive, bits);
  cat(*archive, bits);
  static_cast<void>(fonds::ops::info(*archive, scan_options(bits), true, [](const fonds::Finding&) {
                    }).has_value());
  expect_same_through_a_pipe(bytes, full, bits);
  return 0;
}
