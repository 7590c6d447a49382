#include "index/line_sorter_runs.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/bytes.hpp"
#include "io/write_all.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kWriteBuffer = std::size_t{256} << 10;

tl::unexpected<Error> failure(std::string_view what, const std::string& directory) {
  return fail(ErrorCode::Io, fmt::format("{}: {}", what, std::generic_category().message(errno)),
              {.source = directory});
}

// Goes through the lines of one run.
class RunReader {
 public:
  RunReader(const RunFile& file, ByteRange run, std::size_t buffer)
      : file_(file), unread_(run), buffer_(std::max(buffer, kLengthBytes)) {}

  // False at the end.
  Result<bool> next() {
    if (held_ == at_ && unread_.length == 0) {
      line_ = {};
      return false;
    }
    FONDS_CHECK(need(kLengthBytes));
    const std::size_t length =
        load_le32(as_bytes(std::string_view(buffer_.data() + at_, kLengthBytes)));
    at_ += kLengthBytes;
    FONDS_CHECK(need(length));
    line_ = {buffer_.data() + at_, length};
    at_ += length;
    first_octets_ = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      first_octets_ = first_octets_ << 8 | (i < length ? static_cast<unsigned char>(line_[i]) : 0U);
    }
    return true;
  }
  std::string_view line() const { return line_; }
  bool operator<(const RunReader& other) const {
    return first_octets_ != other.first_octets_ ? first_octets_ < other.first_octets_
                                                : line_ < other.line_;
  }

 private:
  Status need(std::size_t n) {
    if (held_ - at_ >= n) {
      return {};
    }
    std::memmove(buffer_.data(), buffer_.data() + at_, held_ - at_);
    held_ -= std::exchange(at_, 0);
    if (n > buffer_.size()) {
      buffer_.resize(n);
    }
    while (held_ < n) {
      const std::size_t room =
          static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size() - held_, unread_.length));
      FONDS_TRY(const std::size_t got,
                file_.read_at(unread_.offset, std::span(buffer_).subspan(held_, room)));
      held_ += got;
      unread_.offset += got;
      unread_.length -= got;
    }
    return {};
  }

  const RunFile& file_;
  ByteRange unread_;
  std::vector<char> buffer_;
  std::size_t at_ = 0;
  std::size_t held_ = 0;
  std::string_view line_;
  std::uint64_t first_octets_ = 0;
};

}  // namespace

Result<RunFile> RunFile::create(const std::string& directory) {
  int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    // A file system that has no files without names.
    std::string name = directory + "/fonds-sort-XXXXXX";
    fd = ::mkostemp(name.data(), O_CLOEXEC);
    if (fd >= 0) {
      ::unlink(name.c_str());
    }
  }
  if (fd < 0) {
    return failure("no temporary file can be made here", directory);
  }
  return RunFile(fd, directory);
}

RunFile::RunFile(RunFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      directory_(std::move(other.directory_)),
      buffer_(std::move(other.buffer_)),
      written_(other.written_) {}

RunFile& RunFile::operator=(RunFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  directory_.swap(other.directory_);
  buffer_.swap(other.buffer_);
  std::swap(written_, other.written_);
  return *this;
}

RunFile::~RunFile() {
  if (fd_ >= 0) {
    ::close(fd_);
  }
}

Status RunFile::append(std::string_view line) {
  for (unsigned shift = 0; shift < 8 * kLengthBytes; shift += 8) {
    buffer_ += static_cast<char>(line.size() >> shift & 0xff);
  }
  buffer_ += line;
  return buffer_.size() >= kWriteBuffer ? flush() : Status();
}

Status RunFile::flush() {
  if (!write_all(fd_, buffer_)) {
    return failure("a temporary file cannot be written", directory_);
  }
  written_ += buffer_.size();
  buffer_.clear();
  return {};
}

Result<std::size_t> RunFile::read_at(std::uint64_t offset, std::span<char> out) const {
  while (true) {
    const ssize_t n = ::pread(fd_, out.data(), out.size(), static_cast<off_t>(offset));
    if (n > 0) {
      return static_cast<std::size_t>(n);
    }
    if (n == 0) {
      return fail(ErrorCode::Io, "a temporary file has become shorter", {.source = directory_});
    }
    if (errno != EINTR) {
      return failure("a temporary file cannot be read", directory_);
    }
  }
}

Status merge_runs(const RunFile& file, std::span<const ByteRange> runs, std::size_t buffer,
                  const LineOutput& out) {
  std::vector<RunReader> readers;
  readers.reserve(runs.size());
  std::vector<std::size_t> heap;  // of readers; the smallest line on top
  for (const ByteRange& run : runs) {
    RunReader& reader = readers.emplace_back(file, run, buffer);
    FONDS_TRY(const bool there, reader.next());
    if (there) {
      heap.push_back(readers.size() - 1);
    }
  }
  const auto later = [&](std::size_t a, std::size_t b) { return readers[b] < readers[a]; };
  std::make_heap(heap.begin(), heap.end(), later);
  while (!heap.empty()) {
    RunReader& reader = readers[heap.front()];
    FONDS_CHECK(out(reader.line()));
    FONDS_TRY(const bool there, reader.next());
    if (!there) {
      std::pop_heap(heap.begin(), heap.end(), later);
      heap.pop_back();
      continue;
    }
    // The next line of the same run often stays on top, or sinks a little.
    std::size_t hole = 0;
    const std::size_t moving = heap.front();
    for (std::size_t child = 1; child < heap.size(); child = 2 * hole + 1) {
      child += child + 1 < heap.size() && later(heap[child], heap[child + 1]) ? 1U : 0U;
      if (!later(moving, heap[child])) {
        break;
      }
      heap[std::exchange(hole, child)] = heap[child];
    }
    heap[hole] = moving;
  }
  return {};
}

}  // namespace fonds::index
