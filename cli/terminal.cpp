#include "terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/text.hpp"
#include "flags.hpp"

namespace fonds::cli {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;

void write_error(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return;
    }
    text.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
  }
}

std::string human(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000 && unit + 1 < std::size(kUnits)) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

}  // namespace

std::string lines_for_terminal(std::string_view text) {
  std::string shown;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find_first_of("\n\t", begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    if (line.ends_with('\r') && end < text.size() && text[end] == '\n') {
      line.remove_suffix(1);
    }
    shown += escape_for_terminal(line);
    if (end < text.size()) {
      shown += text[end];
    }
    begin = end + 1;
  }
  return shown;
}

bool StandardOutput::is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

Status StandardOutput::write(std::string_view text) {
  buffer_ += text;
  return buffer_.size() >= kBuffer || is_terminal() ? flush() : Status();
}

Status StandardOutput::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t n = ::write(STDOUT_FILENO, rest.data(), rest.size());
    if (n < 0 && errno == EPIPE) {
      // The reader has what it wanted: no error, and nothing more to do.
      ::_exit(static_cast<int>(Exit::Done));
    }
    if (n < 0 && errno != EINTR) {
      return fail(ErrorCode::Io, "cannot be written: " + std::generic_category().message(errno),
                  {.source = "standard output"});
    }
    rest.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  buffer_.clear();
  return {};
}

Status StdoutSink::write(ByteView bytes) {
  position_ += bytes.size();
  return output_.write(as_text(bytes));
}

Messages::Messages(const Arguments& arguments)
    : quiet_(arguments.has("--quiet")),
      verbose_(arguments.has("--verbose")),
      strict_(arguments.has("--strict")) {
  const std::string when = arguments.get("--color", "auto");
  if (when != "auto" && when != "always" && when != "never") {
    throw UsageError{fmt::format("--color takes auto, always or never, not {}", when)};
  }
  const char* no_color = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  const bool wanted = no_color == nullptr || *no_color == '\0';
  color_ = when == "always" || (when == "auto" && wanted && ::isatty(STDERR_FILENO) == 1);
}

void Messages::line(std::string_view text) {
  const std::scoped_lock lock(mutex_);
  write_error(fmt::format("{}\n", text));
}

void Messages::error(const Error& error) {
  unreadable_ = true;
  line(fmt::format("{}fonds:{} {}", color_ ? "\x1b[31m" : "", color_ ? "\x1b[0m" : "",
                   escape_for_terminal(error.to_string())));
}

void Messages::finding(const Finding& finding) {
  const bool bad =
      finding.severity == Severity::Error || (strict_ && finding.severity == Severity::Warning);
  damaged_ = damaged_ || bad;
  // Records have many small warnings; one about the archive itself is always worth a line.
  const bool of_archive = finding.severity == Severity::Warning && !finding.where.ordinal;
  if (bad || ((verbose_ || of_archive) && !quiet_)) {
    const std::string_view color = finding.severity == Severity::Error ? "\x1b[31m" : "\x1b[33m";
    line(fmt::format("{}{}{}: {}", color_ ? color : "", to_string(finding.severity),
                     color_ ? "\x1b[0m" : "", describe(finding)));
  }
}

void Messages::hint(std::string_view text) {
  if (!quiet_) {
    line(fmt::format("fonds: {}", escape_for_terminal(text)));
  }
}

void Messages::wrong_query(std::string_view text) {
  wrong_query_ = true;
  std::string shown = lines_for_terminal(text);
  line(fmt::format("{}fonds:{} {}", color_ ? "\x1b[31m" : "", color_ ? "\x1b[0m" : "", shown));
}

Exit Messages::status(bool answered) const {
  if (unreadable_) {
    return Exit::Unreadable;
  }
  if (wrong_query_) {
    return Exit::Usage;
  }
  return damaged_ || !answered ? Exit::Not : Exit::Done;
}

std::string describe(const Finding& finding) {
  std::string message = finding.message;
  if (message.empty()) {
    const FindingRule* rule = find_rule(finding.code);
    message = rule == nullptr ? std::string(finding.code) : std::string(rule->text);
  }
  return fmt::format("{}{} [{}]", escape_for_terminal(fonds::describe(finding.where)),
                     escape_for_terminal(message), finding.code);
}

Progress::Progress(const Arguments& arguments, std::string name, std::optional<std::uint64_t> size)
    : name_(std::move(name)), size_(size), forced_(arguments.has("--progress")) {
  on_ = forced_ || (!arguments.has("--no-progress") && !arguments.has("--quiet") &&
                    ::isatty(STDERR_FILENO) == 1);
}

Progress::Progress(const Arguments& arguments, ByteSource& source)
    : Progress(arguments, source.name(),
               source.random_access() ? std::optional(source.size().value_or(0)) : std::nullopt) {}

Progress::~Progress() {
  if (shown_) {
    write_error(forced_ ? "\n" : "\r\x1b[K");
  }
}

void Progress::at(std::uint64_t position) {
  if (!on_) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  farthest_ = std::max(farthest_, position);
  if (now - begin_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(200)) {
    return;
  }
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(farthest_) / seconds;
  std::string text = fmt::format("\r{}: {}", escape_for_terminal(name_), human(farthest_));
  if (size_ && *size_ > 0) {
    const double left =
        static_cast<double>(*size_ - std::min(farthest_, *size_)) / std::max(rate, 1.0);
    text +=
        fmt::format(" of {} ({}%), {:.0f} s left", human(*size_), farthest_ * 100 / *size_, left);
  }
  text += fmt::format(", {}/s\x1b[K", human(static_cast<std::uint64_t>(rate)));
  write_error(text);
  shown_ = true;
}

}  // namespace fonds::cli
