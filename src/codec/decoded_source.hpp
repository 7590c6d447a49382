// What a decoder gives, as a source: for formats that read stored bytes and were compressed as a
// whole.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/codec.hpp>

namespace fonds {

// Without random access. Behind a gap it goes on with what can be decoded next.
class DecodedSource final : public ByteSource {
 public:
  DecodedSource(std::unique_ptr<Decoder> decoder, std::string name)
      : decoder_(std::move(decoder)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override;
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override;
  Result<std::size_t> read_next(MutableByteView out) override;
  Decoder& decoder() { return *decoder_; }
  std::vector<Finding> take_findings() { return decoder_->take_findings(); }
  std::uint64_t stored_position() const { return decoder_->stored_position(); }

 private:
  std::unique_ptr<Decoder> decoder_;
  std::string name_;
};

}  // namespace fonds
