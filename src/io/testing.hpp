// A source and a sink for tests and fuzzers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>

namespace fonds::testing_io {

// Gives its bytes `step` at a time and never again.
class Pipe final : public ByteSource {
 public:
  Pipe(std::vector<std::byte> bytes, std::size_t step, std::string name = "-")
      : bytes_(std::move(bytes)), step_(step), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a pipe has no size");
  }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a pipe cannot be read at positions");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    const std::size_t n = std::min({out.size(), bytes_.size() - at_, step_});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), n, out.begin());
    at_ += n;
    return n;
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t step_;
  std::size_t at_ = 0;
  std::string name_;
};

// Reads at positions without a view, as an object at a URL is read; notes what is read.
class Unmapped final : public ByteSource {
 public:
  explicit Unmapped(std::vector<std::byte> bytes, std::string name = "unmapped")
      : bytes_(std::move(bytes)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return bytes_.size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    const std::uint64_t from = std::min<std::uint64_t>(offset, bytes_.size());
    const std::size_t n = std::min<std::size_t>(out.size(), bytes_.size() - from);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(from), n, out.begin());
    reads.push_back({from, n});
    return n;
  }
  Result<std::size_t> read_next(MutableByteView) override {
    return fail(ErrorCode::Unsupported, "it is read at positions");
  }

  std::vector<ByteRange> reads;

 private:
  std::vector<std::byte> bytes_;
  std::string name_;
};

// Keeps what is written, up to `room` bytes; then the disk is full.
class TextSink final : public ByteSink {
 public:
  explicit TextSink(std::size_t room = ~std::size_t{0}) : room_(room) {}
  Status write(ByteView bytes) override {
    const std::size_t fits = std::min(bytes.size(), room_ - content.size());
    content += as_text(bytes.first(fits));
    return fits == bytes.size() ? Status() : fail(ErrorCode::Io, "no space left on device");
  }
  std::uint64_t position() const override { return content.size(); }

  std::string content;

 private:
  std::size_t room_;
};

}  // namespace fonds::testing_io
