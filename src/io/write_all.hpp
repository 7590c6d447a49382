// Writing to file descriptors, all of it.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <sys/types.h>
#include <unistd.h>

namespace fonds {

// False with errno set if not all could be written; signals do not stop it.
inline bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  return true;
}

inline bool write_all_at(int fd, std::uint64_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno != EINTR) {
      return false;
    }
    const std::size_t written = n > 0 ? static_cast<std::size_t>(n) : 0;
    bytes.remove_prefix(written);
    offset += written;
  }
  return true;
}

}  // namespace fonds
