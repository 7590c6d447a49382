// Sorted text files of any size: lines that begin with a key, found by halves.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>

#include "index/line_text.hpp"

namespace fonds::index {

// What comes before the first `delimiter`; the whole line if there is none.
std::string_view key_of_line(std::string_view line, char delimiter);
// Legends of a CDX and "!…" lines tell of the file and have no key.
bool is_header_line(std::string_view line);

// Goes along the lines of a file. One thread.
class LineCursor {
 public:
  // A line's place among the lines of its file.
  struct Position {
    std::uint64_t outer = 0, inner = 0;
    auto operator<=>(const Position&) const = default;
  };
  virtual ~LineCursor() = default;
  // Goes to the next line that is not empty and is no header line; false at the end. Errors:
  // Corrupt with the place if lines cannot be read there; the next call goes on behind them.
  virtual Result<bool> next() = 0;
  // The line without its line end; lives until the next call.
  std::string_view line() const { return line_; }
  // Where the line lies.
  virtual Location where() const = 0;
  virtual Position position() const = 0;

 protected:
  std::string_view line_;
};

// What all files are that can be searched by key: stateless, for many threads. A file outlives its
// cursors and stays where it is.
class SortedLines {
 public:
  struct Start {
    std::unique_ptr<LineCursor> cursor;  // next() goes to the first line
    bool in_order = true;                // false: lines are out of order, the search was in vain
  };
  virtual ~SortedLines() = default;
  // All lines.
  virtual std::unique_ptr<LineCursor> lines() const = 0;
  // Lines from the first one on whose key is not less than `key`; some before it may come first.
  // What is in the way of a search is only noticed where the search goes. Errors: Io.
  virtual Result<Start> lines_from(std::string_view key) const = 0;
  virtual char delimiter() const = 0;
};

// A plain file. Lines end with LF or CR LF, the last one may have no end.
class LineFile final : public SortedLines {
 public:
  // Errors: Unsupported for a pipe; Io.
  static Result<LineFile> open(std::shared_ptr<ByteSource> source, char delimiter = ' ');

  // A search by halves; reads a few lines of each half that is left, and no line twice. Lines whose
  // keys are seen to contradict the order make `in_order` false. Of a file that is not mapped a few
  // KiB of each half are read, and the last 64 KiB at once.
  struct Bound {
    std::uint64_t stored_offset = 0;  // of the first line whose key is not less; else end()
    std::uint64_t before = 0;         // of the line before that; begin() before the first one
    bool in_order = true;
  };
  Result<Bound> lower_bound(std::string_view key) const;
  // Lines with a key lie in here: header lines before them and empty ones behind them are left out.
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  // What comes before them, up to 64 KiB.
  std::string_view head() const { return head_; }

  std::unique_ptr<LineCursor> lines() const override { return lines_at(begin_); }
  std::unique_ptr<LineCursor> lines_at(std::uint64_t stored_offset) const;
  Result<Start> lines_from(std::string_view key) const override;
  char delimiter() const override { return delimiter_; }
  const std::string& name() const { return source_->name(); }
  // All of it up to end().
  LineText text() const { return {source_, end_}; }

 private:
  LineFile(std::shared_ptr<ByteSource> source, char delimiter)
      : source_(std::move(source)), delimiter_(delimiter) {}
  Status find_ends();
  std::shared_ptr<ByteSource> source_;
  char delimiter_;
  std::string head_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
};

}  // namespace fonds::index
