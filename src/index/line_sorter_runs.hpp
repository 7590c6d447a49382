// The part of LineSorter's lines that lies on disk: sorted runs in files without a name.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds::index {

using LineOutput = std::function<Status(std::string_view)>;

// A file that nobody else can see and that is gone when it is closed, holding lines of less than
// 4 GiB.
class RunFile {
 public:
  // Errors: Io.
  static Result<RunFile> create(const std::string& directory);
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&& other) noexcept;
  ~RunFile();

  // Appends a line. Errors: Io.
  Status append(std::string_view line);
  // Where the next line will lie.
  std::uint64_t end() const { return written_ + buffer_.size(); }
  // To be called before reading what was appended. Errors: Io.
  Status flush();
  // Reads up to out.size() bytes. Errors: Io, also if nothing is there.
  Result<std::size_t> read_at(std::uint64_t offset, std::span<char> out) const;

 private:
  RunFile(int fd, std::string directory) : fd_(fd), directory_(std::move(directory)) {}
  int fd_;
  std::string directory_;  // for messages
  std::string buffer_;
  std::uint64_t written_ = 0;
};

// Gives the lines of several sorted runs in order, reading `buffer` bytes of each at a time, more
// where a line is longer. Errors: Io; those of `out`.
Status merge_runs(const RunFile& file, std::span<const ByteRange> runs, std::size_t buffer,
                  const LineOutput& out);

}  // namespace fonds::index
