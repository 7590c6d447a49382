#include "index/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/seek_index.hpp>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "index/checkpoint_chunks.hpp"
#include "index/seek_limits.hpp"

namespace fonds::index {
namespace {

// Offsets of the fields in a chunk.
constexpr std::size_t kDocument = 25;
constexpr std::size_t kDelta = 29;
constexpr std::size_t kBits = 33;
constexpr std::size_t kByte = 34;
constexpr std::size_t kSkip = kChunkHead + kCheckpointWindow;
static_assert(kSkip + 4 == kChunkSize);

constexpr std::uint64_t kMostUnmapped = std::uint64_t{1} << 30;

Result<std::vector<std::byte>> read_all(ByteSource& file) {
  FONDS_TRY(const std::uint64_t size, file.size());
  if (size > kMostUnmapped) {
    return fail(
        ErrorCode::LimitExceeded,
        fmt::format("a checkpoint file of {} bytes is too large to be read into memory", size),
        {.source = file.name()});
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  FONDS_TRY(const std::size_t n, file.read_at(0, bytes));
  bytes.resize(n);
  return bytes;
}

}  // namespace

Result<std::shared_ptr<const CheckpointFile>> CheckpointFile::open(std::string_view path,
                                                                   std::uint64_t archive_size) {
  FONDS_TRY(auto source, open_source(path));
  return read(std::move(source), archive_size);
}

Result<std::shared_ptr<const CheckpointFile>> CheckpointFile::read(
    std::shared_ptr<ByteSource> source, std::uint64_t archive_size) {
  std::shared_ptr<CheckpointFile> file(new CheckpointFile);
  file->file_ = std::move(source);
  const auto view = file->file_->view();
  if (!view) {
    FONDS_TRY(file->own_, read_all(*file->file_));
  }
  const ByteView bytes = view ? *view : ByteView(file->own_);
  if (bytes.empty()) {
    file->findings_.push_back(make_finding(
        "chk-empty-file", "the file has no bytes; without checkpoints it would hold an empty frame",
        {.stored_offset = 0}));
  }
  list_chunks(
      bytes,
      [&](std::span<const std::byte, kChunkHead> head, StoredChunk chunk) {
        return file->take(head, std::move(chunk), archive_size);
      },
      file->findings_);
  for (Finding& finding : file->findings_) {
    finding.where.source = file->name();
  }
  return std::shared_ptr<const CheckpointFile>(std::move(file));
}

void CheckpointFile::report(std::string_view code, std::string message,
                            const CheckpointHead& head) {
  ++faults_;
  findings_.push_back(make_finding(
      code, fmt::format("chunk {}: {}", head.number, message),
      {.stored_offset = head.file_offset, .decoded_offset = head.number * kChunkSize}));
}

bool CheckpointFile::take(std::span<const std::byte, kChunkHead> bytes, StoredChunk chunk,
                          std::uint64_t archive_size) {
  CheckpointHead head;
  std::copy_n(as_text(bytes).begin(), kCheckpointId, head.id_bytes.begin());
  head.document = load_le32(bytes.subspan(kDocument));
  const std::uint32_t delta = load_le32(bytes.subspan(kDelta));
  head.stored_offset = position_ += delta;
  head.bits = std::to_integer<std::uint8_t>(bytes[kBits]);
  head.byte = std::to_integer<std::uint8_t>(bytes[kByte]);
  head.number = taken_++;
  head.file_offset = chunk.file_offset;
  check_frame(head);
  if (head.stored_offset >= archive_size) {
    report("chk-position",
           fmt::format("it lies at {}, behind the {} bytes of the archive; neither it nor the "
                       "chunks behind it are used",
                       head.stored_offset, archive_size),
           head);
    return false;
  }
  bool usable = chunk.form != StoredChunk::Form::Lost;
  if (delta == 0 && head.number != 0) {
    report("chk-position", "it lies where the chunk before does", head);
    usable = false;
  } else if (head.stored_offset < kGzipHeader) {
    report("chk-position",
           fmt::format("it lies at {}, inside the header of the first gzip member",
                       head.stored_offset),
           head);
    usable = false;
  }
  if (head.bits > 7) {
    report("chk-bits", fmt::format("{} bits of a byte are to be read", head.bits), head);
    usable = false;
  }
  if (usable) {
    check_order(head);
    heads_.push_back(head);
    chunks_.push_back(std::move(chunk));
  }
  if (faults_ >= kMostFaults) {
    report("chk-order", fmt::format("more than {} faults; no chunk behind is used", kMostFaults),
           head);
    return false;
  }
  return true;
}

// Each chunk can be read alone where it has a frame of its own.
void CheckpointFile::check_frame(const CheckpointHead& head) {
  if (head.number > 0 && head.file_offset == last_frame_ && !frames_shared_) {
    frames_shared_ = true;
    findings_.push_back(make_finding(
        "chk-frames", fmt::format("chunk {} has no lz4 frame of its own", head.number),
        {.stored_offset = head.file_offset, .decoded_offset = head.number * kChunkSize}));
  }
  last_frame_ = head.file_offset;
}

void CheckpointFile::check_order(const CheckpointHead& head) {
  if (heads_.empty()) {
    return;
  }
  const CheckpointHead& before = heads_.back();
  if (head.id() <= before.id()) {
    if (ids_ascend_) {
      report("chk-order",
             fmt::format("its id {} does not follow {}; ids are not searched for here",
                         to_utf8(head.id()), to_utf8(before.id())),
             head);
    }
    ids_ascend_ = false;
  }
  if (head.document <= before.document) {
    if (documents_ascend_) {
      report("chk-order",
             fmt::format("document {} follows document {}; numbers are not searched for here",
                         head.document, before.document),
             head);
    }
    documents_ascend_ = false;
  }
}

SeekPoint CheckpointFile::border(std::size_t i) const {
  return {.stored_offset = heads_[i].stored_offset, .bits = heads_[i].bits};
}

Result<SeekPoint> CheckpointFile::point(std::size_t i) const {
  FONDS_TRY(Checkpoint whole, checkpoint(i));
  return std::move(whole.point);
}

Result<Checkpoint> CheckpointFile::checkpoint(std::size_t i) const {
  std::array<std::byte, kChunkSize> room;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t size = read_chunk(chunks_[i], room);
  if (size != kChunkSize) {
    const CheckpointHead& head = heads_[i];
    return fail(ErrorCode::Corrupt,
                size == 0
                    ? fmt::format("chunk {}: its lz4 data are damaged", head.number)
                    : fmt::format("chunk {} has {} bytes, not {}", head.number, size, kChunkSize),
                {.source = name(), .stored_offset = head.file_offset});
  }
  Checkpoint whole;
  whole.point = border(i);
  const ByteView window = ByteView(room).subspan(kChunkHead, kCheckpointWindow);
  whole.point.window.assign(window.begin(), window.end());
  whole.skip = load_le32(ByteView(room).subspan(kSkip));
  return whole;
}

std::optional<std::size_t> CheckpointFile::find_id(std::string_view id) const {
  if (!ids_ascend_) {
    return std::nullopt;
  }
  const auto behind = std::upper_bound(
      heads_.begin(), heads_.end(), id,
      [](std::string_view wanted, const CheckpointHead& head) { return wanted < head.id(); });
  return behind == heads_.begin()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(behind - heads_.begin()) - 1);
}

std::optional<std::size_t> CheckpointFile::find_document(std::uint64_t document) const {
  if (!documents_ascend_) {
    return std::nullopt;
  }
  const auto behind = std::upper_bound(
      heads_.begin(), heads_.end(), document,
      [](std::uint64_t wanted, const CheckpointHead& head) { return wanted < head.document; });
  return behind == heads_.begin()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(behind - heads_.begin()) - 1);
}

}  // namespace fonds::index
