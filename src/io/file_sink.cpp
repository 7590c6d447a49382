#include "io/file_sink.hpp"

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/types.h>
#include <unistd.h>

namespace fonds {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;

tl::unexpected<Error> system_failure(const std::string& what, const std::string& path) {
  return fail(ErrorCode::Io, fmt::format("{}: {}", what, std::generic_category().message(errno)),
              {.source = path});
}

}  // namespace

Result<FileSink> FileSink::create(const std::string& path, bool replace) {
  if (!replace && ::access(path.c_str(), F_OK) == 0) {
    return fail(ErrorCode::BadArgument, "is there already; --force replaces it", {.source = path});
  }
  const std::string temporary = fmt::format("{}.fonds-{}.tmp", path, ::getpid());
  const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fd < 0) {
    return system_failure("cannot be created", path);
  }
  return FileSink(fd, path, temporary, replace);
}

FileSink::FileSink(int fd, std::string path, std::string temporary, bool replace)
    : fd_(fd), path_(std::move(path)), temporary_(std::move(temporary)), replace_(replace) {}

FileSink::FileSink(FileSink&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      replace_(other.replace_),
      buffer_(std::move(other.buffer_)),
      position_(other.position_) {}

FileSink::~FileSink() {
  if (fd_ >= 0) {
    ::close(fd_);
    ::unlink(temporary_.c_str());
  }
}

Status FileSink::write(ByteView bytes) {
  buffer_ += as_text(bytes);
  position_ += bytes.size();
  return buffer_.size() >= kBuffer ? flush() : Status();
}

Status FileSink::flush() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno != EINTR) {
      return system_failure("cannot be written", path_);
    }
    done += n > 0 ? static_cast<std::size_t>(n) : 0;
  }
  buffer_.clear();
  return {};
}

Status FileSink::commit(bool sync) {
  FONDS_CHECK(flush());
  if (sync && ::fsync(fd_) != 0) {
    return system_failure("cannot be synced", path_);
  }
  // A link does not replace what has come to be there meanwhile; a rename does.
  const bool closed = ::close(std::exchange(fd_, -1)) == 0;
  const bool there = closed && (replace_ ? ::rename(temporary_.c_str(), path_.c_str())
                                         : ::link(temporary_.c_str(), path_.c_str())) == 0;
  Status status;
  if (!there) {
    status = system_failure("cannot be finished", path_);
  }
  ::unlink(temporary_.c_str());
  return status;
}

}  // namespace fonds
