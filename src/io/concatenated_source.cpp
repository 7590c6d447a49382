// Several files in a row as one source.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>

#include "io/will_read.hpp"

namespace fonds {
namespace {

class ConcatenatedSource final : public ByteSource, public ReadsAhead {
 public:
  ConcatenatedSource(std::vector<std::shared_ptr<ByteSource>> files,
                     std::vector<SourcePiece> pieces, std::string name)
      : files_(std::move(files)), pieces_(std::move(pieces)), name_(std::move(name)) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return end(); }

  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    std::size_t done = 0;
    for (std::size_t i = first_behind(offset); i < pieces_.size() && done < out.size(); ++i) {
      const ByteRange& range = pieces_[i].range;
      const std::uint64_t inside = offset + done - range.offset;
      const MutableByteView room =
          out.subspan(done, static_cast<std::size_t>(
                                std::min<std::uint64_t>(out.size() - done, range.length - inside)));
      for (std::size_t had = 0; had < room.size();) {
        FONDS_TRY(const std::size_t n, files_[i]->read_at(inside + had, room.subspan(had)));
        if (n == 0) {
          return fail(ErrorCode::Io, "has become shorter while it was read",
                      {.source = files_[i]->name()});
        }
        had += n;
      }
      done += room.size();
    }
    return done;
  }

  Result<std::size_t> read_next(MutableByteView /*out*/) override {
    return fail(ErrorCode::Unsupported, "a directory is read at positions", {.source = name_});
  }

  void forget(ByteRange range) override {
    for_each_piece(range, [](ByteSource& file, ByteRange part) { file.forget(part); });
  }
  void will_read(ByteRange range) override {
    for_each_piece(range, [](ByteSource& file, ByteRange part) { fonds::will_read(file, part); });
  }
  Result<std::shared_ptr<const std::byte>> lend(ByteRange range) override {
    const std::size_t i = first_behind(range.offset);
    if (i == pieces_.size()) {
      return nullptr;
    }
    const std::uint64_t inside = range.offset - pieces_[i].range.offset;
    if (range.length > pieces_[i].range.length - inside) {
      return nullptr;
    }
    return fonds::lend(*files_[i], {inside, range.length});
  }

  std::span<const SourcePiece> pieces() const override { return pieces_; }

 private:
  // Calls `take` with each file of which a part lies in the range, and that part.
  template <typename Take>
  void for_each_piece(ByteRange range, Take take) {
    const std::uint64_t stop =
        range.offset +
        std::min(range.length, std::numeric_limits<std::uint64_t>::max() - range.offset);
    for (std::size_t i = first_behind(range.offset); i < pieces_.size(); ++i) {
      const ByteRange& piece = pieces_[i].range;
      if (piece.offset >= stop) {
        break;
      }
      const std::uint64_t from = std::max(range.offset, piece.offset) - piece.offset;
      const std::uint64_t to = std::min(stop - piece.offset, piece.length);
      take(*files_[i], ByteRange{from, to - from});
    }
  }
  std::uint64_t end() const {
    return pieces_.empty() ? 0 : pieces_.back().range.offset + pieces_.back().range.length;
  }
  // The first piece that ends behind `offset`.
  std::size_t first_behind(std::uint64_t offset) const {
    const auto found =
        std::partition_point(pieces_.begin(), pieces_.end(), [offset](const SourcePiece& piece) {
          return piece.range.offset + piece.range.length <= offset;
        });
    return static_cast<std::size_t>(found - pieces_.begin());
  }

  std::vector<std::shared_ptr<ByteSource>> files_;
  std::vector<SourcePiece> pieces_;  // one a file
  std::string name_;
};

}  // namespace

Result<std::shared_ptr<ByteSource>> open_source(std::string_view directory,
                                                std::span<const std::string> names) {
  std::vector<std::shared_ptr<ByteSource>> files;
  std::vector<SourcePiece> pieces;
  std::uint64_t at = 0;
  for (const std::string& name : names) {
    const std::string path = (std::filesystem::path(directory) / name).string();
    // A pipe would be waited for, were it opened.
    std::error_code ignored;
    if (const auto status = std::filesystem::status(path, ignored);
        std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
      return fail(ErrorCode::Unsupported, "is no regular file, as the files of an archive are",
                  {.source = path});
    }
    FONDS_TRY(auto file, open_source(path));
    if (!file->random_access()) {
      return fail(ErrorCode::Unsupported, "cannot be read at positions", {.source = path});
    }
    FONDS_TRY(const std::uint64_t size, file->size());
    pieces.push_back({name, {at, size}});
    at += size;
    files.push_back(std::move(file));
  }
  return std::shared_ptr<ByteSource>(std::make_shared<ConcatenatedSource>(
      std::move(files), std::move(pieces), std::string(directory)));
}

}  // namespace fonds
