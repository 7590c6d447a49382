#include "ops/rewrite.hpp"

#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <unistd.h>

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
  for (std::size_t i = 0; i < done_; ++i) {
    std::error_code ignored;
    std::filesystem::remove(provisional(names_[i]), ignored);
  }
}

Status PartFiles::complete() {
  if (sink_) {
    FONDS_CHECK(sink_->commit(true));
    sink_.reset();
    ++done_;
  }
  return {};
}

Result<Part> PartFiles::next(std::string_view /*sequence*/) {
  FONDS_CHECK(complete());
  std::string name = fmt::format("{}-{:05}{}", prefix_, names_.size(), ending_);
  std::error_code ignored;
  if (!replace_ && std::filesystem::exists(name, ignored)) {
    return fail(ErrorCode::BadArgument, "is there already; --force replaces it", {.source = name});
  }
  FONDS_TRY(auto sink, FileSink::create(provisional(name), true));
  sink_.emplace(std::move(sink));
  names_.push_back(std::move(name));
  return Part{&*sink_, std::filesystem::path(names_.back()).filename().string()};
}

Status PartFiles::commit() {
  FONDS_CHECK(complete());
  for (const std::string& name : names_) {
    // A link does not replace what has come to be there meanwhile; a rename does.
    std::error_code error;
    if (replace_) {
      std::filesystem::rename(provisional(name), name, error);
    } else {
      std::filesystem::create_hard_link(provisional(name), name, error);
    }
    if (error) {
      return fail(ErrorCode::Io, "cannot be finished: " + error.message(), {.source = name});
    }
  }
  return {};
}

std::string part_ending(const Archive& archive) {
  std::string ending = std::filesystem::path(archive.source->name()).extension().string();
  if (ending.empty()) {
    ending = archive.format->traits().file_ending;
  }
  if (ending.empty()) {
    ending = fmt::format(".{}", archive.format->name());
  }
  return ending;
}

}  // namespace fonds::ops
