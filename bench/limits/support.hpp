// What the limit drivers share: a mapped input file and the list of known units.
//
// A limit driver does only the work that no reader can avoid (inflate, digest, touch), over unit
// boundaries that `list_units` wrote down before. Its CPU time is the floor that fonds is held to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fonds::bench {

using ByteView = std::span<const std::byte>;
using Sha1 = std::array<std::byte, 20>;

// Seconds: of a steady clock, and of CPU by this process so far.
struct Times {
  double wall = 0;
  double user = 0;
  double system = 0;
  Times operator-(const Times& earlier) const {
    return {wall - earlier.wall, user - earlier.user, system - earlier.system};
  }
};
Times times_now();

// Peak resident memory (VmHWM): unlike ru_maxrss it holds nothing of the process that started this
// one.
std::uint64_t peak_kib();

// One gzip member or Zstandard frame that holds one record. Written by `list_units` in the byte
// order of the machine: the file lives in the work directory of one machine and is never shipped.
struct Unit {
  std::uint64_t stored_offset = 0;
  std::uint64_t stored_length = 0;
  std::uint64_t decoded_length = 0;
  std::uint64_t block_start = 0;    // decoded bytes from the unit's start; 0 if not parsed (ARC)
  std::uint64_t block_length = 0;   // the record's Content-Length
  std::uint64_t payload_start = 0;  // decoded bytes from the unit's start; up to the block's end
  std::uint32_t has_block_digest = 0;
  std::uint32_t has_payload_digest = 0;  // only where this record itself holds the payload
  Sha1 block_digest{};
  Sha1 payload_digest{};
};

// Prints `message` with the program's name to stderr and ends the program with status 3.
[[noreturn]] void fail(std::string_view message);

// A whole file, mapped for reading. Ends the program if the file cannot be mapped.
class MappedFile {
 public:
  explicit MappedFile(const char* path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  ByteView bytes() const { return bytes_; }

 private:
  ByteView bytes_;
};

// Reads a list of units. Ends the program unless every unit lies within `file` and every block and
// payload within its unit.
std::vector<Unit> load_units(const char* path, ByteView file);

// The largest decoded_length: what one reused output buffer must hold.
std::size_t largest_unit(std::span<const Unit> units);

}  // namespace fonds::bench
