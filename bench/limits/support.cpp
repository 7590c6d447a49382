#include "support.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>  // NOLINT(misc-include-cleaner): struct rusage
#include <sys/stat.h>
#include <unistd.h>

namespace fonds::bench {

void fail(std::string_view message) {
  std::fprintf(stderr, "limit: %.*s\n", static_cast<int>(message.size()), message.data());
  std::_Exit(3);
}

Times times_now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const auto& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now().time_since_epoch();
  return {wall.count(), seconds(usage.ru_utime), seconds(usage.ru_stime)};
}

std::uint64_t peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word == "VmHWM:") {
      std::uint64_t kib = 0;
      status >> kib;
      return kib;
    }
  }
  return 0;
}

MappedFile::MappedFile(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  struct stat info{};
  if (fd < 0 || ::fstat(fd, &info) != 0) {
    fail("the input file cannot be opened");
  }
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size == 0) {
    fail("the input file is empty");
  }
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  ::close(fd);
  if (start == MAP_FAILED) {
    fail("the input file cannot be mapped");
  }
  ::madvise(start, size, MADV_SEQUENTIAL);
  bytes_ = {static_cast<const std::byte*>(start), size};
}

MappedFile::~MappedFile() { ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size()); }

std::vector<Unit> load_units(const char* path, ByteView file) {
  const MappedFile list(path);
  if (list.bytes().size() % sizeof(Unit) != 0) {
    fail("the list of units is cut short");
  }
  std::vector<Unit> units(list.bytes().size() / sizeof(Unit));
  std::memcpy(units.data(), list.bytes().data(), list.bytes().size());
  const auto within = [](std::uint64_t start, std::uint64_t length, std::uint64_t whole) {
    return start <= whole && length <= whole - start;
  };
  for (const Unit& unit : units) {
    if (!within(unit.stored_offset, unit.stored_length, file.size()) ||
        !within(unit.block_start, unit.block_length, unit.decoded_length) ||
        !within(unit.payload_start, 0, unit.block_start + unit.block_length)) {
      fail("the list of units does not belong to this file");
    }
  }
  return units;
}

std::size_t largest_unit(std::span<const Unit> units) {
  std::uint64_t largest = 1;
  for (const Unit& unit : units) {
    largest = std::max(largest, unit.decoded_length);
  }
  return static_cast<std::size_t>(largest);
}

}  // namespace fonds::bench
