#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <fonds/byte_source.hpp>

#include "io/open_file.hpp"
#include "io/remote/source.hpp"
#include "io/remote/url.hpp"

namespace fonds {
namespace {

std::string system_words(int code) { return std::generic_category().message(code); }

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ > STDERR_FILENO) {
      ::close(fd_);
    }
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

// A signal that the program handles without SA_RESTART ends the read: that is how a reader of a
// pipe is stopped.
Result<std::size_t> read_some(int fd, MutableByteView out, const std::string& name) {
  const ssize_t n = ::read(fd, out.data(), out.size());
  if (n >= 0) {
    return static_cast<std::size_t>(n);
  }
  if (errno == EINTR) {
    return fail(ErrorCode::Cancelled, "interrupted", {.source = name});
  }
  return fail(ErrorCode::Io, "cannot be read: " + system_words(errno), {.source = name});
}

// Copies what `bytes` have from `offset` on, as much as `out` takes. Returns how much that is.
std::size_t copy_from(ByteView bytes, std::uint64_t offset, MutableByteView out) {
  if (offset >= bytes.size()) {
    return 0;
  }
  const std::size_t n = std::min(out.size(), bytes.size() - static_cast<std::size_t>(offset));
  std::memcpy(out.data(), bytes.data() + offset, n);
  return n;
}

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::vector<std::byte> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    return copy_from(bytes_, offset, out);
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    FONDS_TRY(const auto n, read_at(next_, out));
    next_ += n;
    return n;
  }
  std::optional<ByteView> view() override { return ByteView(bytes_); }

 private:
  std::vector<std::byte> bytes_;
  std::string name_;
  std::uint64_t next_ = 0;
};

class MappedSource final : public ByteSource {
 public:
  MappedSource(ByteView bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  MappedSource(const MappedSource&) = delete;
  MappedSource& operator=(const MappedSource&) = delete;
  ~MappedSource() override {
    if (!bytes_.empty()) {
      ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
    }
  }
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    return copy_from(bytes_, offset, out);
  }
  Result<std::size_t> read_next(MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a mapped file is read at positions", {.source = name_});
  }
  std::optional<ByteView> view() override { return bytes_; }
  void forget(ByteRange range) override {
    static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = (range.offset + page - 1) / page * page;
    const std::uint64_t end =
        std::min<std::uint64_t>(range.offset + range.length, bytes_.size()) / page * page;
    if (begin < end) {
      // Only a hint: a failure changes nothing.
      ::madvise(const_cast<std::byte*>(bytes_.data() + begin), end - begin, MADV_DONTNEED);
    }
  }

 private:
  ByteView bytes_;
  std::string name_;
};

class PipeSource final : public ByteSource {
 public:
  PipeSource(std::unique_ptr<FileDescriptor> fd, std::string name)
      : fd_(std::move(fd)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a pipe has no size", {.source = name_});
  }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a pipe cannot be read at positions", {.source = name_});
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    return read_some(fd_->get(), out, name_);
  }

 private:
  std::unique_ptr<FileDescriptor> fd_;
  std::string name_;
};

}  // namespace

Result<std::shared_ptr<ByteSource>> open_source(std::string_view path) {
  if (remote::is_url(path)) {
    return remote::open(path);
  }
  return open_file(std::string(path), std::string(path));
}

Result<std::shared_ptr<ByteSource>> open_file(const std::string& path, std::string name) {
  const bool standard_input = path == "-";
  const int opened = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    return fail(errno == ENOENT ? ErrorCode::NotFound : ErrorCode::Io,
                "cannot be opened: " + system_words(errno), {.source = name});
  }
  auto fd = std::make_unique<FileDescriptor>(opened);
  struct stat status = {};
  if (::fstat(opened, &status) != 0) {
    return fail(ErrorCode::Io, "cannot be examined: " + system_words(errno), {.source = name});
  }
  if (S_ISDIR(status.st_mode)) {
    return fail(ErrorCode::Io, "is a directory; -r reads the archives in it", {.source = name});
  }
  if (!S_ISREG(status.st_mode) || (standard_input && ::lseek(opened, 0, SEEK_CUR) != 0)) {
    return std::shared_ptr<ByteSource>(
        std::make_shared<PipeSource>(std::move(fd), std::move(name)));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) {
    // Files in /proc say 0 and still have content; all of it is small.
    std::vector<std::byte> content(std::size_t{64} << 10);
    FONDS_TRY(const std::size_t n, read_some(opened, content, name));
    if (n == 0) {
      return memory_source({}, std::move(name));
    }
    if (::lseek(opened, 0, SEEK_SET) != 0) {
      return fail(ErrorCode::Io, "cannot be read again: " + system_words(errno), {.source = name});
    }
    return std::shared_ptr<ByteSource>(
        std::make_shared<PipeSource>(std::move(fd), std::move(name)));
  }
  void* mapping = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, opened, 0);
  if (mapping == MAP_FAILED) {
    return fail(ErrorCode::Io, "cannot be mapped: " + system_words(errno), {.source = name});
  }
  return std::shared_ptr<ByteSource>(std::make_shared<MappedSource>(
      ByteView(static_cast<const std::byte*>(mapping), size), std::move(name)));
}

std::shared_ptr<ByteSource> memory_source(std::vector<std::byte> bytes, std::string name) {
  return std::make_shared<MemorySource>(std::move(bytes), std::move(name));
}

}  // namespace fonds
