// Bytes in memory, and a check for what cannot fail: for tables of archives.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>

namespace fonds::testing_archives {

class TextSink final : public ByteSink {
 public:
  Status write(ByteView bytes) override {
    content += as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return content.size(); }

  std::string content;
};

inline std::shared_ptr<ByteSource> memory_of(std::string_view bytes,
                                             std::string name = "<memory>") {
  const ByteView view = as_bytes(bytes);
  return memory_source({view.begin(), view.end()}, std::move(name));
}

// Throws if what a table relies on does not hold.
inline void require(bool good, std::string_view what) {
  if (!good) {
    throw std::runtime_error(std::string(what));
  }
}

}  // namespace fonds::testing_archives
