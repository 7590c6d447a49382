// Transformers must survive any bytes within their limit, agree with themselves about prefixes, and
// give back what they were given. The first byte chooses the transformers, the second the limit and
// the length of the prefix.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>

#include "format/recordio/reading/transform.hpp"

namespace {

namespace recordio = fonds::recordio;

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

recordio::Stack stack_of(std::uint8_t choice) {
  static constexpr std::array<std::array<std::string_view, 2>, 8> kStacks = {{
      {"flate", ""},
      {"zstd", ""},
      {"flate -2", ""},
      {"zstd 1", ""},
      {"flate 1", "zstd 3"},
      {"zstd 3", "flate 1"},
      {"flate 0", ""},
      {"flate 9", ""},
  }};
  std::vector<std::string> names;
  for (const std::string_view name : kStacks[choice % kStacks.size()]) {
    if (!name.empty()) {
      names.emplace_back(name);
    }
  }
  auto stack = recordio::Stack::make(names);
  require(stack.has_value());
  return std::move(*stack);
}

void undo(recordio::Stack& stack, fonds::ByteView stored, std::uint64_t enough,
          std::uint64_t most) {
  fonds::Buffer whole, beginning;
  const bool good = stack.undo(stored, most, whole).has_value();
  require(whole.size() <= most);
  const bool begins = stack.undo_prefix(stored, enough, most, beginning).has_value();
  require(!good || begins);
  if (good) {
    require(beginning.size() >= std::min<std::uint64_t>(enough, whole.size()));
    require(fonds::as_text(whole.view()).starts_with(fonds::as_text(beginning.view())));
  }
}

void round_trip(recordio::Stack& stack, fonds::ByteView content, std::uint64_t enough) {
  fonds::Buffer stored, whole;
  require(stack.apply(content, stored).has_value());
  const std::uint64_t most = content.size() + 1000;  // what lies between may be a little larger
  require(stack.undo(stored.view(), most, whole).has_value());
  require(fonds::as_text(whole.view()) == fonds::as_text(content));
  require(stack.oddity().empty());
  undo(stack, stored.view(), enough, most);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  recordio::Stack stack = stack_of(data[0]);
  const fonds::ByteView bytes(reinterpret_cast<const std::byte*>(data + 2), size - 2);
  const std::uint64_t most = std::uint64_t{1} << (data[1] % 21);
  const std::uint64_t enough = most * (data[1] / 21) / 10;
  undo(stack, bytes, enough, most);
  round_trip(stack, bytes, enough);
  return 0;
}
