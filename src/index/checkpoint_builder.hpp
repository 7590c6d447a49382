// Makes checkpoints of an archive while its records are read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>
#include <fonds/seek_index.hpp>

#include "index/checkpoint_writer.hpp"

namespace fonds::index {

inline constexpr std::uint64_t kCheckpointSpacing = std::uint64_t{8} << 20;  // of ir_datasets

struct CheckpointOptions {
  std::uint64_t spacing = kCheckpointSpacing;  // stored bytes between checkpoints, at least
  // The header field that holds the ids of documents; empty: WARC-TREC-ID, or else WARC-Record-ID.
  std::string id_field = {};
  bool sparse = false;  // zeros for the bytes of windows that nothing refers to
  // The choice of ir_datasets' builder, which compares equal; see checkpoint_reference.hpp. Then
  // neither `sparse` nor the functions below but `progress` may be set.
  bool reference = false;
  ReadOptions read = {};  // `collect` is set here
  // All that reading finds, of records and of none.
  std::function<void(const Finding&)> on_finding = {};
  std::function<void(std::uint64_t stored_position)> progress = {};
  // For what else is to be made in the same pass. Called for every record, before anything of its
  // block was read; may read of it, but not finish() it.
  std::function<Status(RecordReader&, const Record&)> on_record = {};
  // Called when reading has passed the record that began at `place`.
  std::function<Status(const Place& place, const RecordEnd&)> on_end = {};
};

struct CheckpointReport {
  std::uint64_t checkpoints = 0;
  std::uint64_t records = 0;
  // Every record has a gzip member of its own: there are no checkpoints, and none are needed.
  bool record_at_a_time = false;
};

// Writes the checkpoint file of a gzip archive; the sink is committed by the caller. An archive
// with a member for each record gets a file without checkpoints. Errors: those of reading and of
// the sink; Unsupported for another codec than gzip and for a pipe; BadArgument for a document id
// that does not have 25 bytes (the file has no room for others), for options that exclude each
// other, and for distances above 32 bits.
Result<CheckpointReport> build_checkpoints(const Archive& archive, ByteSink& sink,
                                           const CheckpointOptions& options);

// The same for a loop of one's own: give `collector()` to the reader, and see() every record before
// anything of its block is read.
class CheckpointMaker {
 public:
  // `archive` and `sink` must outlive the maker. Of `options` spacing, id_field and sparse count.
  // Errors: Unsupported, BadArgument as above.
  static Result<std::unique_ptr<CheckpointMaker>> create(const Archive& archive, ByteSink& sink,
                                                         const CheckpointOptions& options);
  const std::shared_ptr<SeekCollector>& collector() const { return collector_; }
  // Errors: those of the sink; Io; BadArgument for an id that cannot be written.
  Status see(const Record& record);
  Status finish();
  CheckpointReport report() const;

 private:
  CheckpointMaker(const Archive& archive, ByteSink& sink, const CheckpointOptions& options);
  Status add(SeekPoint point, const Record& record, std::string_view id);
  tl::unexpected<Error> refuse_id(const Record& record, std::string_view id) const;

  const Archive& archive_;
  CheckpointWriter writer_;
  std::shared_ptr<SeekCollector> collector_;
  std::string id_field_;
  bool sparse_;
  std::uint64_t records_ = 0;
  std::uint64_t documents_ = 0;
  bool shared_member_ = false;  // a record began inside a member
  bool named_ = false;          // a document had an id that can be written
};

// The id by which a document is looked up: the value of the header field `field`, without regard to
// case; if that is empty of WARC-TREC-ID, or else WARC-Record-ID. Empty if there is none. Lives as
// long as the record.
std::string_view document_id(const Record& record, std::string_view field);

}  // namespace fonds::index
