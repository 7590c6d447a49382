#include "outputs.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

#include "inputs.hpp"
#include "interrupt.hpp"
#include "io/remote/url.hpp"

namespace fonds::cli {

namespace {

// What is wrong with an output is no wrong usage, even where an option would put it right.
template <typename T>
Result<T> as_io(Result<T> created) {
  if (!created && created.error().code() == ErrorCode::BadArgument) {
    return fail(ErrorCode::Io, created.error().message(), created.error().where());
  }
  return created;
}

}  // namespace

Status OutputFile::open(const std::string& path, bool replace) {
  if (path == "-") {
    return {};
  }
  if (is_remote(path)) {
    FONDS_TRY(object_, as_io(create_object(path, replace)));
    sink_ = object_.get();
    return {};
  }
  std::error_code ignored;
  const auto there = std::filesystem::status(path, ignored).type();
  if (there != std::filesystem::file_type::not_found &&
      there != std::filesystem::file_type::regular) {
    return fail(ErrorCode::Io, "is no plain file; -o - writes to standard output",
                {.source = path});
  }
  FONDS_TRY(FileSink sink, as_io(FileSink::create(path, replace)));
  sink_ = &file_.emplace(std::move(sink));
  return {};
}

Status OutputFile::write(ByteView bytes) {
  if (interrupted()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  return sink_->write(bytes);
}

std::uint64_t OutputFile::position() const { return sink_->position(); }

Result<std::shared_ptr<ByteSource>> OutputFile::written() const { return sink_->written(); }

Status OutputFile::commit() {
  if (interrupted()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  if (file_) {
    return file_->commit(true);
  }
  return object_ ? object_->commit() : stdout_.flush();
}

Status OutputFile::abandon() { return object_ ? object_->abandon() : Status(); }

bool same_file(const std::string& a, const std::string& b) {
  if (a == "-" || b == "-") {
    return false;
  }
  if (is_remote(a) || is_remote(b)) {
    const auto first = remote::parse_url(a);
    const auto second = remote::parse_url(b);
    return first && second && first->text() == second->text();
  }
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) {
    return true;
  }
  const auto place = [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, ignored), ignored);
  };
  return error && place(a) == place(b);
}

void refuse_replacing(std::string_view flag, const std::string& path,
                      std::span<const std::string> inputs) {
  const auto same = std::ranges::find_if(
      inputs, [&](const std::string& input) { return same_file(path, input); });
  if (same != inputs.end()) {
    throw UsageError{fmt::format("{} {} is the input {}, which is not replaced", flag,
                                 shown_name(path), shown_name(*same))};
  }
}

void refuse_remote_output(std::string_view path, std::string_view meant) {
  if (is_remote(path)) {
    throw UsageError{fmt::format("-o takes {} on this machine here, no URL", meant)};
  }
}

Interruption::Interruption()
    : watcher_([this](const std::stop_token& done) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        const auto pause = [&] {
          wake.wait_for(lock, done, std::chrono::milliseconds(50), [] { return false; });
        };
        while (!done.stop_requested() && !interrupted()) {
          pause();
        }
        work_.request_stop();
        while (!done.stop_requested()) {
          wake_main_thread();
          pause();
        }
      }) {
  begin_writing_files();
}

std::optional<std::vector<Archive>> open_all(const Arguments& arguments, Messages& messages) {
  std::vector<Archive> archives;
  const std::string format = arguments.get("--format");
  for (const std::string& name : input_names(arguments, messages)) {
    auto archive = open_archive(name, {.format = format});
    if (!archive) {
      messages.error(std::move(archive.error()).with({.source = shown_name(name)}));
      return std::nullopt;
    }
    if (const Status status = check_event_flags(arguments, *archive); !status) {
      messages.error(status.error());
      return std::nullopt;
    }
    archives.push_back(std::move(*archive));
  }
  return messages.unreadable() ? std::nullopt : std::optional(std::move(archives));
}

std::optional<int> compression_level(const Arguments& arguments) {
  if (!arguments.has("--level")) {
    return std::nullopt;
  }
  const std::string text = arguments.get("--level");
  int level = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, level);
  if (result.ec != std::errc() || result.ptr != end) {
    throw UsageError{fmt::format("--level takes a whole number, not '{}'", text)};
  }
  return level;
}

void ArchiveProgress::at(const Archive& archive, std::uint64_t position) {
  if (std::exchange(archive_, &archive) != &archive) {
    progress_ = std::make_unique<Progress>(arguments_, *archive.source);
  }
  progress_->at(position);
}

std::string describe(const ZstdDictionary& dictionary, const zstd::DictionaryTrial& trial) {
  const double saved = trial.without == 0 ? 0
                                          : 100 - 100 * static_cast<double>(trial.with) /
                                                      static_cast<double>(trial.without);
  return fmt::format(
      "dictionary {} of {} bytes ({} stored): {} other samples of {} bytes take {} instead of {} "
      "bytes, {:.1f} % less",
      dictionary.id(), dictionary.bytes().size(), trial.frame, trial.samples, trial.decoded,
      trial.with, trial.without, saved);
}

Exit failure(const Error& error, Messages& messages) {
  if (interrupted()) {
    return Exit::Interrupted;
  }
  if (error.code() == ErrorCode::BadArgument) {
    throw UsageError{error.to_string()};
  }
  messages.error(error);
  const bool damage = error.code() == ErrorCode::Corrupt || error.code() == ErrorCode::Truncated;
  return damage ? Exit::Not : Exit::Unreadable;
}

WritingCommand::WritingCommand(const Arguments& arguments, std::string_view value_name)
    : arguments_(arguments), messages_(arguments), out_name_(arguments.get("--output")) {
  if (out_name_.empty()) {
    throw UsageError{fmt::format("-o {} is missing", value_name)};
  }
}

int WritingCommand::run(const std::function<Result<Exit>()>& work) {
  const Result<Exit> exit = work();
  if (const Status left = out_.abandon(); !left) {
    messages_.error(left.error());
  }
  return static_cast<int>(exit ? *exit : failure(exit.error(), messages_));
}

int WritingCommand::run_with_archives(const std::function<Result<Exit>()>& work) {
  auto opened = open_all(arguments_, messages_);
  if (!opened) {
    return static_cast<int>(Exit::Unreadable);
  }
  archives_ = std::move(*opened);
  return run(work);
}

const Archive& WritingCommand::archive(std::string_view command) const {
  if (archives_.size() != 1) {
    throw UsageError{fmt::format("{} takes one archive", command)};
  }
  return archives_.front();
}

void WritingCommand::keep_inputs() const {
  std::vector<std::string> inputs;
  for (const Archive& archive : archives_) {
    inputs.push_back(archive.source->name());
  }
  refuse_replacing("-o", out_name_, inputs);
}

Status WritingCommand::open_output(bool replace) { return out_.open(out_name_, replace); }

RewriteOptions WritingCommand::rewrite_options() { return rewrite_options(WriteOptions()); }

RewriteOptions WritingCommand::rewrite_options(WriteOptions write) {
  interruption_.emplace();
  const ops::ScanOptions scan = scan_options(arguments_);
  RewriteOptions options;
  options.read = scan.read;
  options.read.memory_budget /= 2;
  options.read.stop = interruption_->token();
  options.skip_damaged = arguments_.has("--skip-damaged");
  options.strict = arguments_.has("--strict");
  options.whole_blocks = arguments_.has("--whole-blocks");
  options.write = std::move(write);
  options.write.memory_budget = options.read.memory_budget;
  options.write.threads =
      scan.threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : scan.threads;
  options.on_finding = [this](const Finding& finding) { messages_.finding(finding); };
  return options;
}

WritingCommand::ReadSoFar WritingCommand::progress_of_output() {
  progress_.emplace(arguments_, out_name_, std::nullopt);
  return shown();
}

WritingCommand::ReadSoFar WritingCommand::progress_of(const Archive& archive) {
  progress_.emplace(arguments_, *archive.source);
  return shown();
}

WritingCommand::ReadSoFar WritingCommand::shown() {
  return [this](std::uint64_t position) { progress_->at(position); };
}

void WritingCommand::tell(const RewriteReport& report) {
  for (const auto& [kind, n] : report.changes) {
    messages_.hint(fmt::format("{} {}", n, kind));
  }
  for (const Finding& finding : report.lost) {
    messages_.finding(finding);
  }
  if (!report.lost.empty() || report.lost_bytes > 0) {
    messages_.hint(
        fmt::format("kept {} records{}; lost {} bytes{}", report.records_kept,
                    report.blocks_kept > 0 ? fmt::format(" in {} blocks", report.blocks_kept) : "",
                    report.lost_bytes,
                    report.records_lost > 0
                        ? fmt::format(" with {} records that are known of", report.records_lost)
                        : ""));
  }
}

Result<Exit> WritingCommand::commit() {
  FONDS_CHECK(out_.commit());
  return messages_.status();
}

}  // namespace fonds::cli
