// The damage campaign: script/damage runs it, docs/explanation/damage.md tells of it.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "archives/memory.hpp"
#include "campaign/judge.hpp"
#include "campaign/run.hpp"

namespace fonds::campaign {
using testing_archives::require;

namespace {

constexpr std::string_view kHelp =
    "usage: fonds_damage [--row PREFIX] [--variants N] [--seed N] [--jobs N]\n"
    "       fonds_damage --row NAME --variant N [--seed N] [--keep DIRECTORY]\n"
    "       fonds_damage --list\n";

struct Flags {
  RunOptions run;
  std::string row, keep = "build/damage";
  std::optional<std::uint64_t> variant;
  bool list = false;
};

[[noreturn]] void usage() {
  std::fputs(kHelp.data(), stderr);
  std::exit(2);
}

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    usage();
  }
  return value;
}

Flags parse(std::span<char*> words) {
  Flags flags;
  for (std::size_t n = 1; n < words.size(); ++n) {
    const std::string_view flag = words[n];
    if (flag == "--list") {
      flags.list = true;
      continue;
    }
    if (n + 1 >= words.size()) {
      usage();
    }
    const std::string_view value = words[++n];
    if (flag == "--row") {
      flags.row = value;
    } else if (flag == "--keep") {
      flags.keep = value;
    } else if (flag == "--variants") {
      flags.run.variants = number(value);
    } else if (flag == "--seed") {
      flags.run.seed = number(value);
    } else if (flag == "--jobs") {
      flags.run.jobs = static_cast<unsigned>(std::clamp<std::uint64_t>(number(value), 1, 64));
    } else if (flag == "--variant") {
      flags.variant = number(value);
    } else {
      usage();
    }
  }
  return flags;
}

std::string per_cent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) {
    return "–";
  }
  // Never 100 if something is missing.
  return part == whole ? "100 %"
                       : fmt::format("{:.3f} %", 99.999 * static_cast<double>(part) /
                                                     static_cast<double>(whole));
}

constexpr std::string_view kTableHead =
    "| row | variants | touched records lost | others delivered | swallowed | found | harmless "
    "| cannot be known | something else | repaired | memory | processor time |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|";

std::string table_line(const Judge& judge, const Run& run) {
  const Tally& tally = run.tally;
  return fmt::format(
      "| {} | {} | {} of {} | {} | {} | {} | {} | {} | {} | {} | {} MiB | {} ms |",
      judge.row().name, tally.variants, tally.lost, tally.touched,
      per_cent(tally.outside_read, tally.outside), tally.swallowed, tally.found, tally.harmless,
      tally.unknowable, tally.something_else,
      judge.row().repairs ? fmt::format("{} + {}", tally.repaired, tally.doubtful) : "–",
      (run.most_memory_kib + 1023) >> 10U, (tally.most_cpu_us + 999) / 1000);
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  require(file.good(), "writing " + path.string());
  fmt::print("{}\n", path.string());
}

// Runs one variant in this process, and keeps its files.
int replay(const Flags& flags, const Judge& judge) {
  const Variant variant =
      make_variant(judge.row().bytes, judge.borders(), flags.run.seed, *flags.variant);
  std::string name = fmt::format("{}-{}", judge.row().name, *flags.variant);
  std::ranges::replace(name, '/', '-');
  const std::filesystem::path folder = flags.keep;
  std::filesystem::create_directories(folder);
  write_file(folder / (name + ".good"), judge.row().bytes);
  write_file(folder / (name + ".damaged"), variant.bytes);
  fmt::print("{}:", kind_name(variant.kind));
  for (const ByteRange& range : variant.touched) {
    fmt::print(" {}+{}", range.offset, range.length);
  }
  fmt::print("\n");
  std::fflush(stdout);
  Tally tally;
  std::string repaired;
  const auto breaches = judge.judge(variant, tally, &repaired);
  write_file(folder / (name + ".repaired"), repaired);
  for (const std::string& breach : breaches) {
    fmt::print("{}\n", breach);
  }
  return breaches.empty() ? 0 : 1;
}

int run_all(const Flags& flags) {
  bool clean = true, any = false;
  const std::vector<RowMaker> makers = row_makers();
  // A whole name is that row only.
  const bool exact = std::ranges::any_of(
      makers, [&flags](const RowMaker& maker) { return maker.name == flags.row; });
  for (const RowMaker& maker : makers) {
    if (flags.list) {
      fmt::print("{}\n", maker.name);
      any = true;
      continue;
    }
    if (exact || flags.variant ? maker.name != flags.row : !maker.name.starts_with(flags.row)) {
      continue;
    }
    const Judge judge(maker.make());
    if (flags.variant) {
      return replay(flags, judge);
    }
    if (!std::exchange(any, true)) {
      fmt::print("{}\n", kTableHead);
    }
    const Run run = run_row(judge, flags.run);
    fmt::print("{}\n", table_line(judge, run));
    std::fflush(stdout);
    if (run.tally.breaches > 0) {
      fmt::print(stderr, "{}: {} of {} variants break the rules\n", maker.name, run.tally.breaches,
                 run.tally.variants);
      clean = false;
    }
  }
  if (!any) {
    fmt::print(stderr, "fonds_damage: no row is called {}; --list shows them\n", flags.row);
    return 2;
  }
  return clean ? 0 : 1;
}

}  // namespace
}  // namespace fonds::campaign

int main(int count, char** words) {
  using namespace fonds::campaign;
  try {
    return run_all(parse(std::span(words, static_cast<std::size_t>(count))));
  } catch (const std::exception& error) {
    fmt::print(stderr, "fonds_damage: {} failed\n", error.what());
    return 2;
  }
}
