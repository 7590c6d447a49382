// Streams that are asked for before they are read, one behind the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <fonds/formats/clps.hpp>

namespace fonds::clps {

// Stored bytes of streams that are on their way and that nobody reads yet, about.
inline constexpr std::uint64_t kMostAhead = std::uint64_t{16} << 20;

class StreamsAhead {
 public:
  StreamsAhead() = default;
  // `streams` will be read in this order. The archive outlives it.
  StreamsAhead(const Archive& archive, std::vector<std::size_t> streams)
      : archive_(&archive), streams_(std::move(streams)) {}

  // To be called before each of them is opened.
  void open_next() {
    if (archive_ == nullptr || !archive_->reads_are_round_trips() || opened_ == streams_.size()) {
      return;
    }
    while (asked_ < streams_.size() && (asked_ <= opened_ || bytes_ < kMostAhead)) {
      bytes_ += stored(asked_);
      archive_->will_read_stream(streams_[asked_++]);
    }
    bytes_ -= stored(opened_++);
  }

 private:
  std::uint64_t stored(std::size_t place) const {
    return archive_->streams()[streams_[place]].stored;
  }

  const Archive* archive_ = nullptr;
  std::vector<std::size_t> streams_;
  std::size_t opened_ = 0, asked_ = 0;
  std::uint64_t bytes_ = 0;  // asked for and not opened
};

}  // namespace fonds::clps
