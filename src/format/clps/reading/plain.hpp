// Decompressed bytes that stay where they are, counted against a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <zstd.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/formats/clps.hpp>

namespace fonds::clps {

// Bytes: whoever needs more and more asks a budget in such steps.
inline constexpr std::size_t kShareStep = std::size_t{1} << 20;

// A share of a budget; given back at the end.
class BudgetShare {
 public:
  BudgetShare() = default;
  explicit BudgetShare(Budget& budget) : budget_(&budget) {}
  ~BudgetShare() { release(); }
  BudgetShare(BudgetShare&& other) noexcept
      : budget_(other.budget_), taken_(std::exchange(other.taken_, 0)) {}
  BudgetShare& operator=(BudgetShare&& other) noexcept {
    release();
    budget_ = other.budget_;
    taken_ = std::exchange(other.taken_, 0);
    return *this;
  }
  // Takes or gives back until `n` are taken. False: there is not so much.
  bool resize(std::uint64_t n);
  void release() { static_cast<void>(resize(0)); }

 private:
  Budget* budget_ = nullptr;
  std::uint64_t taken_ = 0;
};

class PlainBytes {
 public:
  PlainBytes() = default;
  ~PlainBytes();
  PlainBytes(PlainBytes&& other) noexcept { swap(other); }
  PlainBytes& operator=(PlainBytes&& other) noexcept {
    PlainBytes old(std::move(*this));
    swap(other);
    return *this;
  }

  ByteView view() const { return {data_, size_}; }
  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::byte* data() { return data_; }
  void set_size(std::size_t size) { size_ = size; }
  bool in_file() const { return mapped_; }
  // Room for `capacity` bytes, above 0; called once. False: the budget or the system has not so
  // much.
  bool reserve(std::size_t capacity, Budget& budget);
  // The same in an unnamed file that is mapped: the system writes to the disk what the memory has
  // no room for. Errors: Io.
  Status reserve_in_file(std::size_t capacity);
  // Gives back the room behind the content.
  void shrink();

 private:
  void swap(PlainBytes& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(share_, other.share_);
    std::swap(mapped_, other.mapped_);
  }

  std::byte* data_ = nullptr;
  bool mapped_ = false;  // of a file
  std::size_t size_ = 0, capacity_ = 0;
  BudgetShare share_;
};

// What is wrong with compressed bytes, and behind how many of them.
struct InflateDamage {
  std::string what;
  std::uint64_t at = 0;   // stored bytes before it
  bool too_much = false;  // more comes out than may
};

// Decompresses zstd frames piece by piece into one place.
class Inflater {
 public:
  // `stored` must outlive the inflater. At most `most` bytes come out; that there are more is
  // damage.
  // `in_file`: what comes out is kept in a file and does not count.
  Inflater(ByteView stored, std::uint64_t most, std::uint64_t max_window, Budget& budget,
           bool in_file = false);

  // Memory that may be used for what comes out; called before ensure().
  void reuse(PlainBytes memory) { spare_ = std::move(memory); }

  // Until at least `n` bytes are there, or all, or damage comes. Errors: LimitExceeded.
  Status ensure(std::uint64_t n);
  std::uint64_t taken() const { return at_; }  // stored bytes
  bool over() const { return over_; }          // all is there, or damage came
  const InflateDamage* damage() const { return damaged_ ? &damage_ : nullptr; }
  const PlainBytes& plain() const { return plain_; }
  // What is there may be changed: nothing that comes later is made of it.
  std::byte* writable() { return plain_.data(); }
  PlainBytes take() { return std::move(plain_); }

 private:
  Status reserve();
  Status begin_frame();
  Status whole_frame();
  Status continue_frame(std::uint64_t n);
  void damaged(std::string what, std::uint64_t at);

  struct FreeContext {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };

  ByteView stored_;
  std::uint64_t most_, max_window_;
  Budget& budget_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  PlainBytes plain_, spare_;
  std::size_t room_ = 0;         // for all that can come out; 0: not made yet
  std::uint64_t at_ = 0;         // stored bytes that were taken
  std::uint64_t frame_end_ = 0;  // of the frame that is being read
  bool in_file_, in_frame_ = false, whole_ = false, over_ = false, damaged_ = false;
  InflateDamage damage_;
};

}  // namespace fonds::clps
