// Standard output, messages and progress.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "flags.hpp"

namespace fonds::cli {

// Writes to standard output. A closed pipe ends the program quietly.
class StandardOutput {
 public:
  static bool is_terminal();
  Status write(std::string_view text);
  Status flush();

 private:
  std::string buffer_;
};

// Archive text for a terminal: lines stay lines, all other control characters are shown.
std::string lines_for_terminal(std::string_view text);

// Standard output as the place where an archive goes.
class StdoutSink final : public ByteSink {
 public:
  Status write(ByteView bytes) override;
  std::uint64_t position() const override { return position_; }
  Status flush() { return output_.flush(); }

 private:
  StandardOutput output_;
  std::uint64_t position_ = 0;
};

// What is told on standard error, and what it means for the exit status.
class Messages {
 public:
  explicit Messages(const Arguments& arguments);

  void error(const Error& error);
  // Shows errors and warnings about the archive itself, with --verbose all; remembers the worst.
  void finding(const Finding& finding);
  void hint(std::string_view text);
  // A query that is wrong, or has no meaning for an archive: `text` as it is, line by line.
  void wrong_query(std::string_view text);
  // An input that could not be read at all.
  bool unreadable() const { return unreadable_; }
  bool damaged() const { return damaged_; }
  // Unreadable before Usage before Not.
  Exit status(bool answered = true) const;

 private:
  void line(std::string_view text);
  bool quiet_, verbose_, strict_, color_;
  bool unreadable_ = false, damaged_ = false, wrong_query_ = false;
  std::mutex mutex_;
};

// "crawl.warc.gz: offset 1048576 (record 312): gzip member is cut short [truncated-member]"
std::string describe(const Finding& finding);

// Bytes and rate on standard error, from the first second on, if it is a terminal.
class Progress {
 public:
  Progress(const Arguments& arguments, std::string name, std::optional<std::uint64_t> size);
  // How far a source has been read.
  Progress(const Arguments& arguments, ByteSource& source);
  ~Progress();
  void at(std::uint64_t position);  // from any thread

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_;
  std::optional<std::uint64_t> size_;
  bool on_ = false, forced_ = false, shown_ = false;
  Clock::time_point begin_ = Clock::now(), last_ = begin_;
  std::uint64_t farthest_ = 0;
  std::mutex mutex_;
};

}  // namespace fonds::cli
