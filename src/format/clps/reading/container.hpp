// The archive's stored bytes, cut into header, metadata section and members: of one file, of a
// directory, or of a pipe.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include <fonds/buffer.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/formats/clps.hpp>

#include "format/clps/reading/plain.hpp"
#include "format/clps/reading/sections.hpp"

namespace fonds::clps {

// Stored bytes: a view of the source's memory, or bytes of their own.
struct Stored {
  ByteView view;
  std::shared_ptr<const void> held;
};

class Container {
 public:
  // Reads header and metadata section. What does not end reading goes to `finding`. `source` and
  // `budget` must outlive the container. Errors: Corrupt, Truncated, Unsupported, LimitExceeded,
  // Io.
  static Result<Container> open(ByteSource& source, Budget& budget, std::uint64_t max_window,
                                const std::function<void(Finding)>& finding);

  const Header& header() const { return header_; }
  const Metadata& metadata() const { return metadata_; }
  // The packets of search data; gone after the call.
  std::vector<SearchPacket> take_search() { return std::move(search_); }
  ByteRange range(Member member) const { return ranges_[static_cast<std::size_t>(member)]; }
  // A part of a member. Of a pipe the members can be had once and in their order, but for the
  // dictionaries; /0 in ascending pieces. Errors: Io; Unsupported; LimitExceeded.
  Result<Stored> read(Member member, std::uint64_t offset, std::uint64_t length) const;
  // Tells the source that tree, schemas and tables will be read.
  void will_read_front() const;
  Result<Stored> read(Member member) const { return read(member, 0, range(member).length); }

 private:
  struct Pipe;  // what was read of a source that cannot seek
  explicit Container(ByteSource& source) : source_(&source) {}
  Status place_members(std::span<const FileEntry> files, std::uint64_t begin, std::uint64_t end,
                       const std::function<void(Finding)>& finding);
  Status place_pieces(std::span<const SourcePiece> pieces,
                      const std::function<void(Finding)>& finding);
  void tell_oddities(const MetadataSection& section,
                     const std::function<void(Finding)>& finding) const;
  Result<Stored> read_at(std::uint64_t offset, std::uint64_t length) const;
  Status keep_dictionaries();

  ByteSource* source_;
  std::shared_ptr<Pipe> pipe_;  // null for sources with random access
  Header header_;
  Metadata metadata_;
  BudgetShare originals_;
  std::vector<SearchPacket> search_;
  std::array<ByteRange, kMembers> ranges_ = {};
};

// Tells a source that what every reader of the archive begins with will be read. What is wrong with
// the archive is told to whoever reads it.
void will_read_front(ByteSource& source, const ReadOptions& options);

}  // namespace fonds::clps
