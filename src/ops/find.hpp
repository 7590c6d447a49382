// Finding the records that keys name: by companions where they tell, else by reading the archive.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "ops/scan.hpp"

namespace fonds::ops {

// Where a record is.
struct Found {
  Place place;
  std::uint64_t ordinal = 0;
};

// The id without the brackets and the urn:uuid: that some writers leave out.
std::string_view bare_id(std::string_view id);
// The options of a pass in which only heads are looked at.
ScanOptions skimming(const ScanOptions& options);

// Looks for the record of each key in one pass; nothing where there is none. Of several records
// with one URI the one nearest to the key's time counts; without a time the first that is no
// request and no metadata. Errors: those of reading; Unsupported for a pipe, and for a key that the
// format's records do not have.
Result<std::vector<std::optional<Found>>> find_records(const Archive& archive,
                                                       const ScanOptions& options,
                                                       const std::vector<Key>& keys);

// A reader that stands before the record at `place`.
Result<std::unique_ptr<RecordReader>> open_at(const Archive& archive, const ReadOptions& options,
                                              Place place);

// Opens readers at places of one archive; what it begins with is read once.
class Opener {
 public:
  explicit Opener(const Archive& archive) : archive_(archive) {}
  // As open_at().
  Result<std::unique_ptr<RecordReader>> at(const ReadOptions& options, Place place);
  // The record that begins there, in a reader that has consumed nothing of it; nothing if none
  // does.
  Result<std::optional<OpenRecord>> record(const ReadOptions& options, Place place);
  // The same of a record that was read there: Corrupt if it is not met.
  Result<OpenRecord> record_again(const ReadOptions& options, Place place);
  // RecordReader::state() behind the first record, by which those behind it are understood.
  Result<std::string> state(const ReadOptions& options);

 private:
  // Whether the record there needs nothing of what the archive begins with: asked only where that
  // would have to be fetched.
  bool stands_alone(const ReadOptions& options, Place place) const;

  const Archive& archive_;
  std::optional<std::string> state_;  // of a reader behind the first record
};

// The stored bytes in which the first record lies whose place is known by its key, or by
// companions, for open_archive_at(); nothing if none is. Of `archive` only the source is used.
std::optional<ByteRange> first_range(const Archive& archive, const Companions& companions,
                                     std::span<const Key> keys);

// Opens the records of keys one by one. What a companion says counts only if the record that is
// found there fits the key; a companion that leads elsewhere is told of and not asked again.
class RecordFinder {
 public:
  // All outlive the finder. Companions come from `options`.
  RecordFinder(const Archive& archive, const ScanOptions& options, const std::vector<Key>& keys,
               std::function<void(const Finding&)> finding)
      : archive_(archive),
        options_(options),
        keys_(keys),
        finding_(std::move(finding)),
        opener_(archive) {}

  struct Opened {
    OpenRecord open;
    std::uint64_t ordinal = 0;  // 0 where it is not known
  };
  // The record of keys[i]; nothing if there is none. Errors: as find_records.
  Result<std::optional<Opened>> find(std::size_t i);
  // Whether the archive had to be read.
  bool scanned() const { return places_.has_value(); }

 private:
  Result<std::optional<Opened>> by_companions(const Key& key);
  // The record at a place, read without anything behind its unit; nothing if that does not hold the
  // whole record.
  std::optional<OpenRecord> alone(Place place);
  std::optional<Archive> up_to_unit(Place place) const;
  void expect(const RecordIndex& index, const Key& key) const;
  Result<RecordHint::Verdict> follow(const RecordHint& hint, const Key& key, Opened& opened);
  Result<std::optional<Opened>> by_place(const Found& found, bool exact);
  void drop(const RecordIndex& index, std::string why);

  const Archive& archive_;
  const ScanOptions& options_;
  const std::vector<Key>& keys_;
  std::function<void(const Finding&)> finding_;
  Opener opener_;
  std::deque<Archive> units_;  // archives that end with one unit, for the readers that were given
  std::vector<const RecordIndex*> dropped_;
  std::optional<std::vector<std::optional<Found>>> places_;
};

}  // namespace fonds::ops
