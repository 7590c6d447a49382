// Archives in memory for fuzz targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>

namespace fonds::fuzz {

inline constexpr std::size_t kMostOutput = std::size_t{16}
                                           << 20;  // a bomb's rest is not waited for

class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(bool rewrites = false) : rewrites_(rewrites) {}
  Status write(ByteView bytes) override {
    if (text.size() + bytes.size() > kMostOutput) {
      return fail(ErrorCode::Cancelled, "enough");
    }
    text += as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return text.size(); }
  bool can_rewrite() const override { return rewrites_; }
  Status rewrite_at(std::uint64_t offset, ByteView bytes) override {
    if (offset > text.size() || bytes.size() > text.size() - offset) {
      return fail(ErrorCode::BadArgument, "bytes that were not written");
    }
    text.replace(static_cast<std::size_t>(offset), bytes.size(), as_text(bytes));
    return {};
  }
  Result<std::shared_ptr<ByteSource>> written() const override {
    const ByteView bytes = as_bytes(text);
    return memory_source({bytes.begin(), bytes.end()}, "written");
  }
  std::string text;

 private:
  bool rewrites_;
};

inline Result<Archive> opened(const std::string& text, std::string name = "input") {
  const ByteView bytes = as_bytes(text);
  return open_archive(memory_source({bytes.begin(), bytes.end()}, std::move(name)));
}

}  // namespace fonds::fuzz
