#include "index/line_sorter.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>

#include "index/line_sorter_arena.hpp"
#include "index/line_sorter_runs.hpp"

namespace fonds::index {
namespace {

constexpr std::uint64_t kLeastMemory = std::uint64_t{64} << 10;
constexpr std::uint64_t kMostRuns = 256;  // that are merged at a time
constexpr std::uint64_t kLeastBuffer = std::uint64_t{16} << 10;
constexpr std::uint64_t kMostBuffer = std::uint64_t{4} << 20;

// Passes lines on, of equal ones the first if that is wanted.
class Unique {
 public:
  Unique(const LineOutput& out, bool drop) : out_(out), drop_(drop) {}
  Status operator()(std::string_view line) {
    if (drop_) {
      if (any_ && line == last_) {
        return {};
      }
      last_ = line;
      any_ = true;
    }
    return out_(line);
  }

 private:
  const LineOutput& out_;
  bool drop_;
  bool any_ = false;
  std::string last_;
};

}  // namespace

class LineSorter::State {
 public:
  State(std::uint64_t memory, std::string directory)
      : memory_(std::max(memory, kLeastMemory)),
        directory_(std::move(directory)),
        arena_(memory_) {}

  Status add(std::string_view line) {
    if (line.size() > std::numeric_limits<std::uint32_t>::max()) {
      return fail(ErrorCode::LimitExceeded, "a line of 4 GiB or more cannot be sorted");
    }
    longest_ = std::max<std::uint64_t>(longest_, line.size());
    FONDS_TRY(const bool taken, arena_.add(line));
    if (!taken) {
      FONDS_CHECK(spill());
      FONDS_CHECK(arena_.add(line));
    }
    return {};
  }

  Status finish(const LineOutput& out, bool drop_duplicates) {
    if (!file_) {
      arena_.sort();
      FONDS_CHECK(each(Unique(out, drop_duplicates)));
      arena_.release();
      return {};
    }
    FONDS_CHECK(spill());
    arena_.release();
    const std::uint64_t buffer =
        std::max(std::clamp(memory_ / kMostRuns, kLeastBuffer, kMostBuffer), longest_ + 4);
    const std::size_t at_once =
        static_cast<std::size_t>(std::clamp<std::uint64_t>(memory_ / buffer, 2, kMostRuns));
    while (runs_.size() > at_once) {
      FONDS_CHECK(merge_level(at_once, static_cast<std::size_t>(buffer), drop_duplicates));
    }
    FONDS_CHECK(
        merge_runs(*file_, runs_, static_cast<std::size_t>(buffer), Unique(out, drop_duplicates)));
    file_.reset();
    runs_.clear();
    return {};
  }

 private:
  template <typename Output>
  Status each(Output&& out) const {
    for (std::size_t i = 0; i < arena_.size(); ++i) {
      FONDS_CHECK(out(arena_.line(i)));
    }
    return {};
  }

  Result<RunFile> make_file() const {
    if (!directory_.empty()) {
      return RunFile::create(directory_);
    }
    std::error_code error;
    const std::filesystem::path path = std::filesystem::temp_directory_path(error);
    return RunFile::create(error ? "/tmp" : path.string());
  }

  // Writes what is in memory as one more run.
  Status spill() {
    if (!file_) {
      FONDS_TRY(file_, make_file());
    }
    arena_.sort();
    const std::uint64_t begin = file_->end();
    FONDS_CHECK(each([&](std::string_view line) { return file_->append(line); }));
    FONDS_CHECK(file_->flush());
    runs_.push_back({begin, file_->end() - begin});
    arena_.clear();
    return {};
  }

  // Makes one run of every `at_once`.
  Status merge_level(std::size_t at_once, std::size_t buffer, bool drop_duplicates) {
    FONDS_TRY(RunFile to, make_file());
    const LineOutput append = [&](std::string_view line) { return to.append(line); };
    std::vector<ByteRange> merged;
    for (std::span<const ByteRange> left = runs_; !left.empty();) {
      const std::size_t n = std::min(at_once, left.size());
      const std::uint64_t begin = to.end();
      FONDS_CHECK(merge_runs(*file_, left.first(n), buffer, Unique(append, drop_duplicates)));
      FONDS_CHECK(to.flush());
      merged.push_back({begin, to.end() - begin});
      left = left.subspan(n);
    }
    file_ = std::move(to);
    runs_ = std::move(merged);
    return {};
  }

  std::uint64_t memory_;
  std::string directory_;
  LineArena arena_;
  std::uint64_t longest_ = 0;
  std::optional<RunFile> file_;
  std::vector<ByteRange> runs_;  // in the file
};

LineSorter::LineSorter(std::uint64_t memory, std::string temporary_directory)
    : state_(std::make_unique<State>(memory, std::move(temporary_directory))) {}
LineSorter::LineSorter(LineSorter&&) noexcept = default;
LineSorter& LineSorter::operator=(LineSorter&&) noexcept = default;
LineSorter::~LineSorter() = default;

Status LineSorter::add(std::string_view line) { return state_->add(line); }

Status LineSorter::finish(const std::function<Status(std::string_view)>& out,
                          bool drop_duplicates) {
  return state_->finish(out, drop_duplicates);
}

}  // namespace fonds::index
