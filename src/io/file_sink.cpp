#include "io/file_sink.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "io/open_file.hpp"
#include "io/write_all.hpp"

namespace fonds {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10;

tl::unexpected<Error> system_failure(const std::string& what, const std::string& path) {
  return fail(ErrorCode::Io, fmt::format("{}: {}", what, std::generic_category().message(errno)),
              {.source = path});
}

std::string provisional(const std::string& path) {
  return fmt::format("{}.fonds-{}.tmp", path, ::getpid());
}

// Makes the new name of a file outlive a power cut. Where that cannot be, the content is safe.
void sync_directory(const std::string& path) {
  const std::string directory = std::filesystem::path(path).parent_path().string();
  const int fd =
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) {
    static_cast<void>(::fsync(fd));
    ::close(fd);
  }
}

}  // namespace

Result<FileSink> FileSink::create(const std::string& path, bool replace) {
  if (!replace && ::access(path.c_str(), F_OK) == 0) {
    return fail(ErrorCode::BadArgument, "is there already; --force replaces it", {.source = path});
  }
  // Without a name nothing is left behind, however the process ends. Not all file systems can.
  const std::string directory = std::filesystem::path(path).parent_path().string();
  int fd = -1;
  if (::access("/proc/self/fd", X_OK) == 0) {  // by way of which it will get its name
    fd =
        ::open(directory.empty() ? "." : directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  }
  if (fd >= 0) {
    return FileSink(fd, path, {}, replace);
  }
  const std::string temporary = provisional(path);
  fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
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
    if (!temporary_.empty()) {
      ::unlink(temporary_.c_str());
    }
  }
}

Status FileSink::write(ByteView bytes) {
  buffer_ += as_text(bytes);
  position_ += bytes.size();
  return buffer_.size() >= kBuffer ? flush() : Status();
}

Status FileSink::flush() const {
  if (!write_all(fd_, buffer_)) {
    return system_failure("cannot be written", path_);
  }
  buffer_.clear();
  return {};
}

Status FileSink::rewrite_at(std::uint64_t offset, ByteView bytes) {
  if (offset > position_ || bytes.size() > position_ - offset) {
    return fail(ErrorCode::BadArgument, "bytes that have not been written cannot be replaced",
                {.source = path_});
  }
  FONDS_CHECK(flush());
  return write_all_at(fd_, offset, as_text(bytes)) ? Status()
                                                   : system_failure("cannot be written", path_);
}

Result<std::shared_ptr<ByteSource>> FileSink::written() const {
  FONDS_CHECK(flush());
  return open_file(temporary_.empty() ? fmt::format("/proc/self/fd/{}", fd_) : temporary_, path_);
}

// Gives the file a name in its directory, which it replaces if it may.
bool FileSink::appear() {
  if (temporary_.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", fd_);
    const std::string name = replace_ ? provisional(path_) : path_;
    if (::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
      return false;
    }
    if (!replace_) {
      return true;
    }
    temporary_ = name;
  }
  // A link does not replace what has come to be there meanwhile; a rename does.
  return (replace_ ? ::rename(temporary_.c_str(), path_.c_str())
                   : ::link(temporary_.c_str(), path_.c_str())) == 0;
}

Status FileSink::settle() {
  FONDS_CHECK(flush());
  buffer_ = {};
  return ::fsync(fd_) == 0 ? Status() : system_failure("cannot be synced", path_);
}

Status FileSink::commit(bool sync) {
  FONDS_CHECK(flush());
  if (sync && ::fsync(fd_) != 0) {
    return system_failure("cannot be synced", path_);
  }
  Status status;
  if (!appear()) {
    status = system_failure("cannot be finished", path_);
  }
  const bool closed = ::close(std::exchange(fd_, -1)) == 0;
  if (status && !closed) {
    status = system_failure("cannot be closed", path_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
  if (sync) {
    sync_directory(path_);
  }
  return status;
}

}  // namespace fonds
