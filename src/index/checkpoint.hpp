// ClueWeb checkpoint files (`.chk.lz4`): states of an inflater that was about to decode a document,
// one about every 8 MiB of a large gzip member. Layout: docs/formats/clueweb-checkpoints.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/seek_index.hpp>

#include "index/checkpoint_chunks.hpp"

namespace fonds::index {

inline constexpr std::string_view kCheckpointEnding = ".chk.lz4";
inline constexpr std::size_t kCheckpointId = 25;  // bytes of a document's id
inline constexpr std::size_t kCheckpointWindow = 32768;

// A checkpoint without its window.
struct CheckpointHead {
  std::array<char, kCheckpointId> id_bytes = {};
  std::uint32_t document = 0;       // 0-based number among the records that are not warcinfo
  std::uint64_t stored_offset = 0;  // of the first stored byte of which no bit has been read
  std::uint8_t bits = 0;            // how many high bits of the byte before are still to be read
  std::uint8_t byte = 0;            // that byte; in files of others it can be wrong
  std::uint64_t number = 0;         // 0-based, of the chunk in its file
  std::uint64_t file_offset = 0;    // of the lz4 frame in which the chunk begins

  std::string_view id() const { return {id_bytes.data(), id_bytes.size()}; }
};

struct Checkpoint {
  SeekPoint point;
  std::uint32_t skip = 0;  // decoded bytes from the point to the document, which may be a few off
};

// The checkpoints of one file that can be used. Faults of the others are findings.
class CheckpointFile final : public SeekIndex {
 public:
  // `archive_size` is the size in bytes of the archive that the file belongs to. A file that holds
  // no checkpoints at all, or something else, gives no error but findings. Errors: Io, NotFound;
  // Unsupported for a pipe; LimitExceeded for a file above 1 GiB that is not mapped.
  static Result<std::shared_ptr<const CheckpointFile>> open(std::string_view path,
                                                            std::uint64_t archive_size);
  static Result<std::shared_ptr<const CheckpointFile>> read(std::shared_ptr<ByteSource> file,
                                                            std::uint64_t archive_size);

  std::size_t size() const override { return heads_.size(); }
  SeekPoint border(std::size_t i) const override;
  Result<SeekPoint> point(std::size_t i) const override;
  // The same with the distance to the document.
  Result<Checkpoint> checkpoint(std::size_t i) const;

  const CheckpointHead& head(std::size_t i) const { return heads_[i]; }
  std::span<const CheckpointHead> heads() const { return heads_; }
  // What was found wrong when the file was opened, with offsets in it. Windows have not been looked
  // at, but for the last one.
  std::span<const Finding> findings() const { return findings_; }
  const std::string& name() const { return file_->name(); }

  // Whether the ids of the documents ascend as octets, and so can be searched.
  bool ids_ascend() const { return ids_ascend_; }
  // The last checkpoint whose document can lie before or at that of this id: its id is not greater.
  // Nothing if the document lies before the first checkpoint, or the ids do not ascend.
  std::optional<std::size_t> find_id(std::string_view id) const;
  // The last checkpoint whose document has this number or a smaller one. Nothing if there is none.
  std::optional<std::size_t> find_document(std::uint64_t document) const;

 private:
  CheckpointFile() = default;
  // Takes a chunk. Returns false if none behind it can be used.
  bool take(std::span<const std::byte, kChunkHead> bytes, StoredChunk chunk,
            std::uint64_t archive_size);
  void check_order(const CheckpointHead& head);
  void check_frame(const CheckpointHead& head);
  void report(std::string_view code, std::string message, const CheckpointHead& head);

  std::shared_ptr<ByteSource> file_;
  std::vector<std::byte> own_;  // the file's bytes, if the source gives no view
  std::vector<CheckpointHead> heads_;
  std::vector<StoredChunk> chunks_;  // of heads_
  std::vector<Finding> findings_;
  std::uint64_t position_ = 0;  // stored_offset of the last chunk that was taken
  std::uint64_t taken_ = 0;     // chunks, usable or not
  std::size_t faults_ = 0;
  std::uint64_t last_frame_ = 0;  // where the frame of the last chunk begins
  bool frames_shared_ = false;
  bool ids_ascend_ = true;
  bool documents_ascend_ = true;
};

}  // namespace fonds::index
