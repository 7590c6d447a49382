#include "ops/file_content.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

namespace fonds::ops {
namespace {

constexpr std::size_t kPiece = std::size_t{256} << 10;

tl::unexpected<Error> system_failure(const std::string& what, const std::string& path, int code) {
  return fail(code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
              fmt::format("{}: {}", what, std::generic_category().message(code)), {.source = path});
}

// A file without a name, in the directory for temporary files.
int open_nameless() {
  const char* const set = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe)
  std::string name = std::string(set != nullptr && *set != '\0' ? set : "/tmp") + "/fonds-XXXXXX";
  const int fd = ::mkostemp(name.data(), O_CLOEXEC);
  if (fd >= 0) {
    ::unlink(name.c_str());
  }
  return fd;
}

}  // namespace

struct FileContent::Descriptor {
  explicit Descriptor(int number) : fd(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { ::close(fd); }
  int fd;
};

Result<FileContent> FileContent::open(const std::string& path, const std::stop_token& stop) {
  FileContent content;
  content.name_ = path;
  content.stop_ = stop;
  const bool piped = path == "-";
  // Without waiting, should a pipe have taken the place of the file.
  const int fd = piped ? open_nameless() : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    return system_failure(piped ? "no temporary file can be made" : "cannot be opened", path,
                          errno);
  }
  content.file_ = std::make_shared<Descriptor>(fd);
  if (piped) {
    FONDS_CHECK(content.spool());
  }
  FONDS_CHECK(content.look(true));
  if (!piped) {
    content.date_ = Date{.seconds = content.changed_seconds_};
  }
  return content;
}

Status FileContent::spool() {
  std::vector<char> piece(kPiece);
  while (true) {
    const ssize_t n = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (n == 0) {
      return {};
    }
    if (n < 0 && (errno != EINTR || stop_.stop_requested())) {
      return errno == EINTR ? Status(fail(ErrorCode::Cancelled, "stopped"))
                            : Status(system_failure("cannot be read", name_, errno));
    }
    for (ssize_t done = 0; done < n;) {
      const ssize_t m = ::write(file_->fd, piece.data() + done, static_cast<std::size_t>(n - done));
      if (m < 0 && errno != EINTR) {
        return system_failure("the temporary file cannot be written", name_, errno);
      }
      done += std::max<ssize_t>(m, 0);
    }
  }
}

// Notes what the file is like, or compares it with what it was like.
Status FileContent::look(bool first) {
  struct stat of = {};
  if (::fstat(file_->fd, &of) != 0) {
    return system_failure("cannot be looked at", name_, errno);
  }
  if (!S_ISREG(of.st_mode)) {
    return fail(ErrorCode::Io, "is no plain file", {.source = name_});
  }
  const auto length = static_cast<std::uint64_t>(of.st_size);
  if (first) {
    length_ = length;
    changed_seconds_ = of.st_mtim.tv_sec;
    changed_nanoseconds_ = of.st_mtim.tv_nsec;
    return {};
  }
  if (length != length_ || of.st_mtim.tv_sec != changed_seconds_ ||
      of.st_mtim.tv_nsec != changed_nanoseconds_) {
    return fail(ErrorCode::Io, "changed while it was read", {.source = name_});
  }
  return {};
}

Status FileContent::read(const std::function<Status(ByteView)>& out) {
  std::vector<std::byte> piece(
      static_cast<std::size_t>(std::clamp<std::uint64_t>(length_, 1, kPiece)));
  for (std::uint64_t done = 0; done < length_;) {
    if (stop_.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    const ssize_t n =
        ::pread(file_->fd, piece.data(),
                static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), length_ - done)),
                static_cast<off_t>(done));
    if (n < 0 && errno != EINTR) {
      return system_failure("cannot be read", name_, errno);
    }
    if (n == 0) {
      return fail(ErrorCode::Io, "changed while it was read", {.source = name_});
    }
    const std::size_t got = n > 0 ? static_cast<std::size_t>(n) : 0;
    if (got > 0) {
      FONDS_CHECK(out(ByteView(piece).first(got)));
    }
    done += got;
  }
  return look(false);
}

}  // namespace fonds::ops
