// Segments in the archives that are merged, and the whole records they become.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "format/warc/reading/record.hpp"
#include "format/warc/rewriting/segments.hpp"
#include "format/warc/writing/edits.hpp"

namespace fonds::warc {

// Stored offset of a unit, and decoded octets from there to the record.
using RecordPlace = std::pair<std::uint64_t, std::uint64_t>;
inline RecordPlace place_of(const Place& place) { return {place.unit, place.inner}; }

struct FoundSegment {
  SegmentPart part;
  std::size_t archive = 0;  // its position
  RecordPlace place;
  std::uint64_t group = 0;    // stored offset at which copying could begin
  std::uint64_t ordinal = 0;  // of the record in its archive
};

// The block of one segment, read from its archive by its place.
class SegmentStream {
 public:
  // Errors: those of reading; Corrupt if the segment is no longer there.
  static Result<SegmentStream> open(const Archive& archive, const RewriteOptions& options,
                                    const FoundSegment& segment);
  // The next octets; none at the end, behind which it must not be called. Errors: those of reading;
  // Corrupt for damage and for a block that is not as long as it was; Cancelled.
  Result<ByteView> peek();
  void consume(std::size_t n);

 private:
  SegmentStream(const FoundSegment& segment, Location where, std::stop_token stop)
      : segment_(&segment), where_(std::move(where)), stop_(std::move(stop)) {}
  const FoundSegment* segment_;
  Location where_;
  std::stop_token stop_;
  std::unique_ptr<RecordReader> reader_;
  std::uint64_t seen_ = 0;
};

class Joins {
 public:
  // `archives` and `options` must outlive this.
  Joins(std::span<const Archive> archives, const RewriteOptions& options)
      : archives_(archives), options_(options) {}

  // Errors: LimitExceeded if there are more than can be remembered.
  Status add(FoundSegment segment);
  // Finds the chains that are complete; `tell` gets what is wrong with the others, by ruling R23.
  // Errors: those of reading, of `tell`.
  Status settle(const std::function<Status(Finding)>& tell);
  // Calls `touched` with archive and group of each part that will be moved or changed.
  void for_each_touched(const std::function<void(std::size_t, std::uint64_t)>& touched) const;

  // The record at this place became part of another one.
  bool absorbed(std::size_t archive, const RecordPlace& place) const;
  // The whole record that begins with the segment at this place; nullptr if none does.
  struct Whole {
    std::vector<std::size_t> parts;  // positions in what was added
    std::uint64_t length = 0;
  };
  const Whole* whole(std::size_t archive, const RecordPlace& place) const;
  // What changes in the header of the first segment. Reads all blocks if it has a digest. Errors:
  // as write_blocks().
  Result<HeaderChange::Whole> change(const Whole& whole, const Header& first) const;
  // Gives the blocks of all parts to `out`, in order and piece by piece. Errors: those of reading
  // and of `out`; Corrupt for a part that is not as long as it was.
  Status write_blocks(const Whole& whole, const ByteOutput& out) const;
  // The block of the part that was added as number `i`.
  Result<SegmentStream> open(std::size_t i) const {
    return SegmentStream::open(archives_[found_[i].archive], options_, found_[i]);
  }

 private:
  using Key = std::pair<std::size_t, RecordPlace>;
  Key key_of(std::size_t i) const { return {found_[i].archive, found_[i].place}; }
  Location location(std::size_t i) const;
  Status write_block(std::size_t i, const ByteOutput& out) const;
  Result<bool> same_block(std::size_t a, std::size_t b) const;

  std::span<const Archive> archives_;
  const RewriteOptions& options_;
  std::vector<FoundSegment> found_;
  std::uint64_t held_ = 0;       // bytes of them
  std::map<Key, Whole> wholes_;  // by the place of the first part
  std::set<Key> absorbed_;
};

}  // namespace fonds::warc
