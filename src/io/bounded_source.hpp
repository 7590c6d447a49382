// A source of which only the beginning is read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

// Ends at a stored offset, whatever lies behind. For sources with random access.
class BoundedSource final : public ByteSource {
 public:
  BoundedSource(std::shared_ptr<ByteSource> source, std::uint64_t end)
      : source_(std::move(source)), end_(end) {}
  const std::string& name() const override { return source_->name(); }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return end_; }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    return source_->read_at(offset, within(offset, out));
  }
  Result<std::size_t> read_some_at(std::uint64_t offset, MutableByteView out) override {
    return source_->read_some_at(offset, within(offset, out));
  }
  Result<std::size_t> read_next(MutableByteView out) override { return source_->read_next(out); }
  std::optional<ByteView> view() override {
    auto all = source_->view();
    return all ? std::optional(all->first(
                     static_cast<std::size_t>(std::min<std::uint64_t>(end_, all->size()))))
               : std::nullopt;
  }

 private:
  MutableByteView within(std::uint64_t offset, MutableByteView out) const {
    const std::uint64_t left = end_ - std::min(offset, end_);
    return out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left)));
  }
  std::shared_ptr<ByteSource> source_;
  std::uint64_t end_;
};

}  // namespace fonds
