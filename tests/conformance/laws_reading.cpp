// Laws of reading: what is read does not depend on how.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>

#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"
#include "io/temporary_directory.hpp"
#include "io/testing.hpp"

namespace fonds::laws {
namespace {

ops::ScanOptions scan_of(const Row& row) {
  ops::ScanOptions scan;
  scan.read = row.read;
  return scan;
}

std::string is_read_as_made(const Row& row) {
  if (!row.blocks) {
    return {};
  }
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  Contents read = contents(*archive, row.read);
  std::vector<std::string> made = row.blocks();
  if (!row.ordered) {
    std::ranges::sort(made);
    std::ranges::sort(read.blocks);
  }
  return read.error.empty() ? difference("record", read.blocks, made) : read.error;
}

std::string is_silent(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const Given given = verified(*archive, scan_of(row));
  if (!given.error.empty()) {
    return given.error;
  }
  for (const Finding& finding : given.raw) {
    if (finding.severity != Severity::Note) {
      return shown(finding);
    }
  }
  return {};
}

struct Threads {
  unsigned count;
  std::uint64_t range;
};

std::string threads_agree(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return {};  // on any number of threads
  }
  const auto size = archive->source->size();
  const std::uint64_t bytes = size ? *size : 0;
  const ops::ScanOptions one = scan_of(row);
  const std::array<Given, 3> expected = {listed_whole(*archive, one), content(*archive, one),
                                         verified(*archive, one)};
  // A few ranges that cut records, and many.
  for (const Threads& threads : {Threads{2, std::max<std::uint64_t>(bytes / 5, 64)},
                                 {7, std::max<std::uint64_t>(bytes / 40, 50)}}) {
    ops::ScanOptions scan = one;
    scan.threads = threads.count;
    scan.range = threads.range;
    const std::array<Given, 3> given = {listed_whole(*archive, scan), content(*archive, scan),
                                        verified(*archive, scan)};
    for (std::size_t n = 0; n < given.size(); ++n) {
      constexpr std::array<const char*, 3> kOperations = {"ls", "cat", "verify"};
      const auto what = fmt::format("{} on {} threads, ranges of {}", kOperations[n], threads.count,
                                    threads.range);
      if (auto complaint = difference(what, given[n], expected[n]); !complaint.empty()) {
        return complaint;
      }
    }
  }
  return {};
}

// Gives what is asked for by positions, and is not mapped.
class Unmapped final : public ByteSource {
 public:
  Unmapped(std::string bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return std::uint64_t{bytes_.size()}; }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    const std::size_t from = std::min<std::size_t>(static_cast<std::size_t>(offset), bytes_.size());
    const std::size_t n = std::min(out.size(), bytes_.size() - from);
    std::ranges::copy(as_bytes(std::string_view(bytes_)).subspan(from, n), out.begin());
    return n;
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    FONDS_TRY(const std::size_t n, read_at(at_, out));
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  std::string name_;
  std::uint64_t at_ = 0;
};

std::string file_is_memory(const Row& row) {
  if (row.directory) {
    return {};
  }
  const std::string bytes = row.bytes();
  const testing_io::TemporaryDirectory directory;
  const std::string path = directory.path("archive");
  std::ofstream(path, std::ios::binary) << bytes;
  const OpenOptions options = {.format = row.format};
  const auto memory = in_memory(row, bytes);
  Opened mapped([&] { return open_archive(path, options); });
  Opened unmapped([&] { return open_archive(std::make_shared<Unmapped>(bytes, path), options); });
  if (!memory || !mapped || !unmapped) {
    return memory || mapped || unmapped ? "one is no archive" : "";
  }
  const Said expected = said(mapped, row.read);
  Contents in_memory = contents(*memory, row.read);
  if (!in_memory.error.empty() && !expected.read.error.empty()) {
    in_memory.error = expected.read.error;  // but for the name
  }
  const std::string complaint = difference_with_places("in memory", in_memory, expected.read);
  return complaint.empty() ? difference("unmapped", said(unmapped, row.read), expected) : complaint;
}

std::string pipe_is_memory(const Row& row) {
  if (row.directory) {
    return {};
  }
  const std::string bytes = row.bytes();
  const ByteView view = as_bytes(bytes);
  const auto memory = in_memory(row, bytes);
  std::vector<std::size_t> steps = {4093};
  if (bytes.size() < 100'000) {
    steps.insert(steps.end(), {1, 7});
  }
  for (const std::size_t step : steps) {
    const auto piped =
        open_archive(std::make_shared<testing_io::Pipe>(
                         std::vector<std::byte>(view.begin(), view.end()), step, "<memory>"),
                     {.format = row.format});
    if (!memory || !piped) {
      if (memory.has_value() != piped.has_value()) {
        return "one is no archive";
      }
      continue;
    }
    const auto what = fmt::format("pieces of {}", step);
    const std::string complaint =
        difference_with_places(what, contents(*piped, row.read), contents(*memory, row.read));
    if (!complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

std::string skim_is_full(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return {};
  }
  ops::ListOptions options;
  options.scan = scan_of(row);
  options.json = options.headers = true;
  const Given skimmed = listed(*archive, options);
  options.full = true;
  const Given full = listed(*archive, options);
  return difference("ls", without_problems(skimmed.text), without_problems(full.text));
}

// Nothing is left out in silence.
bool refused(const Contents& read, const Contents& expected) {
  return read.error != expected.error || read.findings != expected.findings;
}

std::string little_memory_refuses(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return {};
  }
  const Contents expected = contents(*archive, row.read);
  for (const std::uint64_t budget : {std::uint64_t{256} << 10, std::uint64_t{1} << 20,
                                     std::uint64_t{4} << 20, std::uint64_t{64} << 20}) {
    ReadOptions options = row.read;
    options.memory_budget = budget;
    const Contents read = contents(*archive, options);
    const auto what = fmt::format("{} bytes of memory", budget);
    if (!refused(read, expected)) {
      if (auto complaint = difference_with_places(what, read, expected); !complaint.empty()) {
        return complaint;
      }
    } else if (!is_part(read.blocks, expected.blocks)) {
      return what + ": " + difference("record", read.blocks, expected.blocks);
    }
    if (budget == (std::uint64_t{64} << 20) && read.blocks != expected.blocks) {
      return what + " are refused: " + read.error;
    }
  }
  return {};
}

// Reads what stands before a cut: the records but the last are those of the whole archive. Events
// of clp-s lie in tables, one behind the other, and a cut takes the last tables.
std::string cut_is_prefix(const Row& row) {
  if (row.directory) {
    return {};
  }
  const std::string bytes = row.bytes();
  auto archive = open(row, bytes);
  if (!archive || bytes.size() > 400'000) {
    return {};
  }
  const Contents whole = contents(*archive, row.read);
  const std::size_t step = std::max<std::size_t>(bytes.size() / (tries_less(row) ? 8 : 25), 1);
  for (std::size_t size = step / 3; size < bytes.size(); size += step) {
    auto cut = open(row, std::string_view(bytes).substr(0, size));
    if (!cut) {
      continue;
    }
    Contents part = contents(*cut, row.read);
    if (!part.blocks.empty()) {
      part.blocks.pop_back();
    }
    const bool holds =
        archive->format->name() == "clp-s"
            ? is_part(part.blocks, whole.blocks)
            : part.blocks.size() <= whole.blocks.size() &&
                  std::equal(part.blocks.begin(), part.blocks.end(), whole.blocks.begin());
    if (!holds) {
      return fmt::format("cut to {} bytes: {}", size,
                         difference("record", part.blocks, whole.blocks));
    }
  }
  return {};
}

bool is_one_file(const Row& row) { return row.directory == nullptr; }

}  // namespace

std::vector<Law> reading_laws() {
  return {
      {.name = "ReadIsMade",
       .title = "read = made",
       .meaning = "Reading gives the contents that the archive was made of.",
       .of_damaged = false,
       .is_about = [](const Row& row) { return row.blocks != nullptr; },
       .about = "made archives",
       .complaint = is_read_as_made},
      {.name = "VerifyIsSilent",
       .title = "verify(good) is silent",
       .meaning = "Nothing but notes is found in a good archive.",
       .of_damaged = false,
       .complaint = is_silent},
      {.name = "ThreadsAgree",
       .title = "1 = 2 = 7 threads",
       .meaning = "`ls --full --hash`, `cat` and `verify` say the same on any number of threads.",
       .of_damaged = true,
       .complaint = threads_agree},
      {.name = "FileIsMemory",
       .title = "mapped = read by position",
       .meaning =
           "A file gives the same records, places and findings, and the same answers of `ls`, "
           "`verify`, `search`, `cat KEY` and `info`, mapped or not.",
       .of_damaged = true,
       .is_about = is_one_file,
       .about = "files",
       .complaint = file_is_memory,
       .asked = Asked::Here},
      {.name = "PipeIsMemory",
       .title = "mapped = piped",
       .meaning = "A pipe gives the same records, places and findings, in pieces of any size.",
       .of_damaged = true,
       .is_about = is_one_file,
       .about = "files",
       .complaint = pipe_is_memory,
       .asked = Asked::Here},
      {.name = "SkimIsFull",
       .title = "skim = full",
       .meaning = "`ls` lists the same without reading bodies.",
       .of_damaged = true,
       .complaint = skim_is_full},
      {.name = "LittleMemoryRefuses",
       .title = "memory only refuses",
       .meaning =
           "With less memory records are the same, or left out in so many words; 64 MiB suffice.",
       .of_damaged = true,
       .complaint = little_memory_refuses},
      {.name = "CutIsPrefix",
       .title = "cut = prefix",
       .meaning = "Of an archive that ends early the records before are read.",
       .of_damaged = false,
       .is_about = is_one_file,
       .about = "files",
       .complaint = cut_is_prefix},
  };
}

}  // namespace fonds::laws
