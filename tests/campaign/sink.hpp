// Writing into memory, and a check for what cannot fail.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include <fonds/byte_sink.hpp>

namespace fonds::campaign {

class StringSink final : public ByteSink {
 public:
  Status write(ByteView bytes) override {
    content += as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return content.size(); }

  std::string content;
};

// Ends the program with a sentence; for what only a defect of the campaign itself can break.
inline void require(bool holds, std::string_view what) {
  if (!holds) {
    std::fprintf(stderr, "fonds_damage: %.*s failed\n", static_cast<int>(what.size()), what.data());
    std::_Exit(2);
  }
}

}  // namespace fonds::campaign
