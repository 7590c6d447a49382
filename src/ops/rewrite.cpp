#include "ops/rewrite.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

#include "base/clock.hpp"

namespace fonds::ops {
namespace {

Result<const FormatWriting*> writing_of(const Archive& archive, std::string_view deed) {
  const FormatWriting* writing = archive.format->writing();
  if (writing == nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("{} archives cannot be {}", archive.format->name(), deed),
                {.source = archive.source->name()});
  }
  return writing;
}

std::string provisional(const std::string& name) {
  return fmt::format("{}.fonds-{}.part", name, ::getpid());
}

}  // namespace

Result<RewriteReport> merge(std::span<const Archive> archives, ByteSink& sink,
                            const RewriteOptions& options) {
  if (archives.empty()) {
    return fail(ErrorCode::BadArgument, "there is nothing to merge");
  }
  // No bytes are a good archive of any format.
  const Archive* first = nullptr;
  for (const Archive& archive : archives) {
    if (archive.source->random_access() && archive.source->size().value_or(1) == 0) {
      continue;
    }
    if (first != nullptr && archive.format != first->format) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("is {}, the first archive is {}; fonds convert joins both",
                              archive.format->name(), first->format->name()),
                  {.source = archive.source->name()});
    }
    first = first == nullptr ? &archive : first;
  }
  if (first == nullptr) {
    first = &archives.front();
  }
  FONDS_TRY(const FormatWriting* const writing, writing_of(*first, "merged"));
  return writing->merge(archives, sink, options);
}

Result<RewriteReport> split(const Archive& archive, const NextPart& next_part,
                            const SplitOptions& options) {
  FONDS_TRY(const FormatWriting* const writing, writing_of(archive, "split"));
  return writing->split(archive, next_part, options);
}

Result<RewriteReport> repair(const Archive& archive, ByteSink& sink,
                             const RewriteOptions& options) {
  if (archive.source->random_access() && archive.source->size().value_or(1) == 0) {
    return RewriteReport();  // no bytes are a good archive of any format
  }
  FONDS_TRY(const FormatWriting* const writing, writing_of(archive, "repaired"));
  return writing->repair(archive, sink, options);
}

PartFiles::~PartFiles() {
  for (const File& file : files_) {
    if (file.sink == nullptr && !file.nameless) {
      std::error_code ignored;
      std::filesystem::remove(provisional(file.name), ignored);
    }
  }
}

// Nothing more is written to this file.
Status PartFiles::settle(File& file) {
  if (std::exchange(file.settled, true)) {
    return {};
  }
  if (file.nameless) {
    return file.sink->settle();
  }
  FONDS_CHECK(file.sink->commit(true));  // under its provisional name
  file.sink.reset();
  return {};
}

namespace {

std::string digits_of(const Date& date) {
  std::string digits;
  for (const char c : Date{.seconds = date.seconds}.to_string()) {
    if (c >= '0' && c <= '9') {
      digits += c;
    }
  }
  return digits;
}

}  // namespace

std::string timestamp_of_now() { return digits_of(time_of_writing()); }

std::string PartFiles::name_of(const PartStart& start, std::uint64_t serial) const {
  std::string name = names_.prefix;
  if (!start.sequence.empty()) {
    name += fmt::format("-{}", start.sequence);
  }
  std::string timestamp = names_.timestamp;
  if (names_.timestamp_of_first && start.first_date) {
    timestamp = digits_of(*start.first_date);
  }
  if (!timestamp.empty()) {
    name += fmt::format("-{}", timestamp);
  }
  name += fmt::format("-{:05}", serial);
  if (!names_.crawlhost.empty()) {
    name += fmt::format("-{}", names_.crawlhost);
  }
  return name + names_.ending;
}

Result<Part> PartFiles::next(const PartStart& start) {
  Sequence& sequence = sequences_[std::string(start.sequence)];
  if (sequence.parts > 0) {
    FONDS_CHECK(settle(files_[sequence.in_hand]));
  }
  const std::string name = name_of(start, names_.first_serial + sequence.parts);
  std::error_code ignored;
  if (!replace_ && std::filesystem::exists(name, ignored)) {
    return fail(ErrorCode::BadArgument, "is there already; --force replaces it", {.source = name});
  }
  if (!taken_.insert(name).second) {
    return fail(ErrorCode::BadArgument, "would be the name of two parts", {.source = name});
  }
  File file{.name = name, .sink = nullptr};
  file.nameless = files_.size() < kMostNameless;
  FONDS_TRY(auto sink,
            FileSink::create(file.nameless ? name : provisional(name), replace_ || !file.nameless));
  file.sink = std::make_unique<FileSink>(std::move(sink));
  ++sequence.parts;
  sequence.in_hand = files_.size();
  files_.push_back(std::move(file));
  return Part{files_.back().sink.get(), std::filesystem::path(name).filename().string()};
}

Status PartFiles::appear(File& file) {
  if (file.nameless) {
    return file.sink->commit(true);
  }
  // A link does not replace what has come to be there meanwhile; a rename does.
  std::error_code error;
  if (replace_) {
    std::filesystem::rename(provisional(file.name), file.name, error);
  } else {
    std::filesystem::create_hard_link(provisional(file.name), file.name, error);
  }
  return error
             ? fail(ErrorCode::Io, "cannot be finished: " + error.message(), {.source = file.name})
             : Status();
}

Status PartFiles::commit() {
  for (File& file : files_) {
    FONDS_CHECK(settle(file));
  }
  for (std::size_t i = 0; i < files_.size(); ++i) {
    Status status = appear(files_[i]);
    if (status) {
      continue;
    }
    // What was replaced cannot come back; what is new goes.
    for (std::size_t made = 0; made < i && !replace_; ++made) {
      std::error_code ignored;
      std::filesystem::remove(files_[made].name, ignored);
    }
    return status;
  }
  return {};
}

std::string part_ending(const Archive& archive, const SplitOptions& options) {
  const FormatWriting* const writing = archive.format->writing();
  return writing == nullptr ? std::string() : writing->part_ending(archive, options);
}

}  // namespace fonds::ops
