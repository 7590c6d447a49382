// A pipe whose beginning has been looked at.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

// Gives the first bytes of a pipe, which were read to recognize it, again, then the rest.
class ReplayedSource final : public ByteSource {
 public:
  ReplayedSource(std::vector<std::byte> head, std::shared_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}
  const std::string& name() const override { return rest_->name(); }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override { return rest_->size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    return rest_->read_at(offset, out);
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    if (given_ == head_.size()) {
      return rest_->read_next(out);
    }
    const std::size_t n = std::min(out.size(), head_.size() - given_);
    std::memcpy(out.data(), head_.data() + given_, n);
    given_ += n;
    return n;
  }

 private:
  std::vector<std::byte> head_;
  std::size_t given_ = 0;
  std::shared_ptr<ByteSource> rest_;
};

}  // namespace fonds
