// A sink in memory.
#pragma once

#include <cstdint>
#include <string>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>

namespace fonds::laws {

class TextSink final : public ByteSink {
 public:
  Status write(ByteView bytes) override {
    content += as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return content.size(); }

  std::string content;
};

}  // namespace fonds::laws
