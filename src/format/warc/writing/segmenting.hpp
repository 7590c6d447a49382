// Headers of records that are cut: into segments (WARC 1.1, 7; WARC 00.11, 3.5) or shortened. Pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/digest.hpp"
#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

// Why a record can only be kept whole; empty if it can be cut.
std::string_view cannot_be_cut(const Header& header);
// The same for segments only: nothing refers to the segments of a warcinfo.
std::string_view cannot_be_segmented(const Header& header);

// A piece of a block and where it stands in it.
struct Piece {
  std::uint32_t number = 1;  // of the segment, from 1
  std::uint64_t length = 0;  // octets of it
  bool last = false;
  DigestValue digest = {};  // of it
};

// A header of 00.11 with another record-id and block length, its fields as they are. Errors:
// BadArgument for a header-line without five columns; LimitExceeded for a length beyond 64 bits.
Result<std::string> with_positional_id(ByteView raw, std::string_view id,
                                       std::uint64_t block_length);

// Makes the headers of one record's pieces.
class PieceHeaders {
 public:
  // `raw` are the octets of the header; both must outlive this. `block_length`: octets of the whole
  // block. `positional_digits`: how many digits data-length of 00.11 gets at least. Errors: those
  // of make_id().
  static Result<PieceHeaders> make(const Header& header, ByteView raw, std::uint64_t block_length,
                                   std::size_t positional_digits);

  // With which the digest of a piece is made; nothing if pieces of this number have none.
  std::optional<DigestAlgorithm> digest_of(std::uint32_t number, bool truncated) const;
  // Of a segment. The first keeps the record's type and fields, also the digest of its payload; the
  // last one says how long all are together, and what the record was truncated by.
  Result<std::string> segment(const Piece& piece) const;
  // Of a record that ends early. The digest of the payload goes: it is not that of what is left.
  Result<std::string> truncated(const Piece& piece) const;
  bool had_payload_digest() const { return !header_->payload_digest.empty(); }

 private:
  PieceHeaders(const Header& header, ByteView raw) : header_(&header), raw_(raw) {}
  std::string digest_text(const DigestValue& digest) const;
  Result<std::string> id_of(std::uint32_t number) const;
  Result<std::string> modern_later(const Piece& piece) const;
  Result<std::string> positional(const Piece& piece, char status, std::string id) const;

  const Header* header_;
  ByteView raw_;
  std::string id_;  // of the record; made if it had none
  std::uint64_t block_length_ = 0;
  std::size_t digits_ = 1;
  DigestAlgorithm algorithm_ = DigestAlgorithm::Sha1;
  std::string label_ = "sha1";
  bool had_digest_ = false;
};

}  // namespace fonds::warc
