// Records that are written from a second reading: large ones, and those that fit into no part and
// are cut.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "format/warc/rewriting/split_output.hpp"
#include "format/warc/rewriting/split_stored.hpp"
#include "format/warc/writing/segmenting.hpp"

namespace fonds::warc {

// Encodes a record, or a piece of it, from a cursor. Nothing of the block is held but a window.
class RecordPieces {
 public:
  // `held`: octets of a block that may lie in memory. All must outlive this.
  RecordPieces(PartSequence& sequence, const SplitRecord& record, BlockCursor& cursor,
               std::uint64_t held)
      : sequence_(sequence),
        record_(record),
        cursor_(cursor),
        ahead_(cursor.another()),
        held_(held) {}

  // Stored bytes of a unit of `header`, `length` octets of the block from `offset` on, `closing`.
  Result<std::uint64_t> measure(std::string_view header, std::uint64_t offset, std::uint64_t length,
                                std::string_view closing);
  // Writes it. Errors: also Internal if the part in hand grows beyond its limit, unless `may_pass`.
  Status write(std::string_view header, std::uint64_t offset, std::uint64_t length,
               std::string_view closing, bool may_pass);

  // Writes the block as segments, each in a part of its own; the last part stays open. Returns how
  // many. Errors: also BadArgument for a limit that has no room for a segment.
  Result<std::uint32_t> segment(const PieceHeaders& headers, std::uint64_t block_length);
  // Writes as much as one part holds. Returns how many octets of the block were left out.
  Result<std::uint64_t> truncate(const PieceHeaders& headers, std::uint64_t block_length);

 private:
  struct Plan {
    const PieceHeaders& headers;
    bool truncates = false;
    std::uint32_t number = 1;
    std::uint64_t offset = 0;  // of the piece in the block
    std::uint64_t most = 0;    // octets that it may have
    std::uint64_t end = 0;     // of the block, if a piece that reaches it is the last
  };
  Result<std::string> header_of(const Plan& plan, const Piece& piece) const;
  Piece piece_of(const Plan& plan, std::uint64_t length) const;
  Result<Piece> fit(const Plan& plan);
  Result<Piece> fit_plain(const Plan& plan);
  Result<Piece> fit_window(const Plan& plan, ByteView window, std::uint64_t whole_size);
  Result<Piece> fit_stream(const Plan& plan, std::uint64_t least, std::uint64_t least_size);
  Result<std::uint64_t> size_of_stream(const Plan& plan, Piece& piece);
  Result<std::uint64_t> estimate(const Plan& plan, std::uint64_t least);
  Result<std::uint64_t> size_in_window(const Plan& plan, ByteView window, Piece& piece);
  // Passes over the piece; sets its digest, and gives its octets to `each`.
  Status pass(BlockCursor& cursor, const Plan& plan, Piece& piece,
              const std::function<Status(ByteView)>& each);
  Status put_piece(const Plan& plan, Piece& piece);
  Status put_in_place(const Plan& plan, Piece& piece);
  tl::unexpected<Error> no_room() const;

  PartSequence& sequence_;
  const SplitRecord& record_;
  BlockCursor& cursor_;
  BlockCursor ahead_;              // for what is measured before it is written
  std::uint64_t last_length_ = 0;  // of the piece before
  std::uint64_t held_;
};

}  // namespace fonds::warc
