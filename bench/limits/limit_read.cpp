// limit_read FILE bytes|pages: reads a mapped file and does nothing with it: every byte, or one
// byte of every page.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "support.hpp"

int main(int argc, char** argv) {
  using namespace fonds::bench;
  if (argc != 3) {
    fail("usage: limit_read FILE bytes|pages");
  }
  constexpr std::size_t kPage = 4096;
  const MappedFile file(argv[1]);
  const ByteView bytes = file.bytes();
  const bool every_byte = std::string_view(argv[2]) == "bytes";
  std::uint64_t sum = 0;
  if (every_byte) {
    std::size_t at = 0;
    for (; at + sizeof(sum) <= bytes.size(); at += sizeof(sum)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      sum += word;
    }
    for (; at < bytes.size(); ++at) {
      sum += std::to_integer<std::uint64_t>(bytes[at]);
    }
  } else {
    for (std::size_t at = 0; at < bytes.size(); at += kPage) {
      sum += std::to_integer<std::uint64_t>(bytes[at]);
    }
  }
  // The sum is printed so that the loop cannot be left out.
  std::printf("{\"bytes\": %zu, \"sum\": %llu}\n", bytes.size(),
              static_cast<unsigned long long>(sum));
  return 0;
}
