#include "format/warc/rewriting/split_oversize.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/core.h>

namespace fonds::warc {
namespace {

constexpr std::string_view kClosing = "\r\n\r\n";
constexpr std::size_t kLook = std::size_t{64} << 10;
constexpr int kMostTries = 24;

}  // namespace

tl::unexpected<Error> RecordPieces::no_room() const {
  return fail(ErrorCode::BadArgument,
              fmt::format("parts of {} bytes have no room for a piece of the record at offset {}; "
                          "--size takes more",
                          sequence_.settings().limit, record_.place.unit));
}

Result<std::uint64_t> RecordPieces::measure(std::string_view header, std::uint64_t offset,
                                            std::uint64_t length, std::string_view closing) {
  CountingSink sink;
  FONDS_CHECK(cursor_.seek(offset));
  FONDS_TRY(auto encoder, make_encoder(sink, sequence_.settings().encode));
  FONDS_CHECK(encoder->begin_unit(header.size() + length + closing.size()));
  FONDS_CHECK(encoder->write(as_bytes(header)));
  while (cursor_.offset() < offset + length) {
    FONDS_TRY(const ByteView shown, cursor_.peek(static_cast<std::size_t>(std::min<std::uint64_t>(
                                        kLook, offset + length - cursor_.offset()))));
    if (shown.empty()) {
      break;  // end_unit() tells
    }
    FONDS_CHECK(encoder->write(shown));
    cursor_.consume(shown.size());
  }
  FONDS_CHECK(encoder->write(as_bytes(closing)));
  FONDS_CHECK(encoder->end_unit());
  FONDS_CHECK(encoder->finish());
  return sink.position();
}

Status RecordPieces::write(std::string_view header, std::uint64_t offset, std::uint64_t length,
                           std::string_view closing, bool may_pass) {
  FONDS_CHECK(cursor_.seek(offset));
  FONDS_TRY(auto encoder, make_encoder(sequence_.sink(), sequence_.settings().encode));
  FONDS_CHECK(encoder->begin_unit(header.size() + length + closing.size()));
  FONDS_CHECK(encoder->write(as_bytes(header)));
  while (cursor_.offset() < offset + length) {
    FONDS_TRY(const ByteView shown, cursor_.peek(static_cast<std::size_t>(std::min<std::uint64_t>(
                                        kLook, offset + length - cursor_.offset()))));
    if (shown.empty()) {
      break;
    }
    FONDS_CHECK(encoder->write(shown));
    cursor_.consume(shown.size());
  }
  FONDS_CHECK(encoder->write(as_bytes(closing)));
  FONDS_CHECK(encoder->end_unit());
  FONDS_CHECK(encoder->finish());
  sequence_.note(record_);
  if (!may_pass && sequence_.used() > sequence_.settings().limit) {
    return fail(ErrorCode::Internal, fmt::format("a part has {} bytes, {} are allowed",
                                                 sequence_.used(), sequence_.settings().limit));
  }
  return {};
}

Result<std::string> RecordPieces::header_of(const Plan& plan, const Piece& piece) const {
  return plan.truncates ? plan.headers.truncated(piece) : plan.headers.segment(piece);
}

Piece RecordPieces::piece_of(const Plan& plan, std::uint64_t length) const {
  Piece piece{.number = plan.number, .length = length};
  piece.last = !plan.truncates && plan.offset + length == plan.end;
  if (const auto algorithm = plan.headers.digest_of(plan.number, plan.truncates)) {
    piece.digest = Hasher(*algorithm).finish();  // of the right size
  }
  return piece;
}

Status RecordPieces::pass(BlockCursor& cursor, const Plan& plan, Piece& piece,
                          const std::function<Status(ByteView)>& each) {
  const auto algorithm = plan.headers.digest_of(plan.number, plan.truncates);
  std::optional<Hasher> hasher;
  if (algorithm) {
    hasher.emplace(*algorithm);
  }
  const std::uint64_t end = plan.offset + piece.length;
  FONDS_CHECK(cursor.seek(plan.offset));
  while (cursor.offset() < end) {
    FONDS_TRY(const ByteView shown, cursor.peek(static_cast<std::size_t>(
                                        std::min<std::uint64_t>(kLook, end - cursor.offset()))));
    if (shown.empty()) {
      return cursor.seek(end);  // which fails
    }
    if (hasher) {
      hasher->update(shown);
    }
    if (each) {
      FONDS_CHECK(each(shown));
    }
    cursor.consume(shown.size());
  }
  if (hasher) {
    piece.digest = hasher->finish();
  }
  return {};
}

// ---- how much fits ----

Result<Piece> RecordPieces::fit(const Plan& plan) {
  if (plan.most == 0) {
    return no_room();
  }
  if (sequence_.settings().encode.codec == "none") {
    return fit_plain(plan);
  }
  FONDS_CHECK(cursor_.seek(plan.offset));
  FONDS_TRY(const ByteView window,
            cursor_.window(static_cast<std::size_t>(std::min<std::uint64_t>(plan.most, held_))));
  Piece all = piece_of(plan, window.size());
  FONDS_TRY(const std::uint64_t size, size_in_window(plan, window, all));
  if (size > sequence_.room()) {
    return fit_window(plan, window, size);
  }
  return window.size() >= plan.most ? Result<Piece>(all) : fit_stream(plan, window.size(), size);
}

Result<Piece> RecordPieces::fit_plain(const Plan& plan) {
  const std::uint64_t room = sequence_.room();
  for (const std::uint64_t length : {plan.most, std::min(plan.most, room)}) {
    Piece piece = piece_of(plan, length);
    FONDS_TRY(const std::string header, header_of(plan, piece));
    const std::uint64_t around = header.size() + kClosing.size();
    if (around <= room && length <= room - around) {
      return piece;
    }
    if (around < room && length < plan.most) {
      return piece_of(plan, room - around);
    }
  }
  // All fits but for the header of a last piece.
  Piece piece = piece_of(plan, plan.most - 1);
  FONDS_TRY(const std::string header, header_of(plan, piece));
  const std::uint64_t around = header.size() + kClosing.size();
  if (around + 1 >= room || plan.most == 1) {
    return no_room();
  }
  piece.length = std::min(plan.most - 1, room - around);
  return piece;
}

// The exact size of a piece whose octets lie in memory; sets its digest.
Result<std::uint64_t> RecordPieces::size_in_window(const Plan& plan, ByteView window,
                                                   Piece& piece) {
  const ByteView block = window.first(static_cast<std::size_t>(piece.length));
  if (const auto algorithm = plan.headers.digest_of(plan.number, plan.truncates)) {
    Hasher hasher(*algorithm);
    hasher.update(block);
    piece.digest = hasher.finish();
  }
  FONDS_TRY(const std::string header, header_of(plan, piece));
  FONDS_TRY(const Buffer unit,
            encode_unit(sequence_.settings().encode, as_bytes(header), block, as_bytes(kClosing)));
  return unit.size();
}

// The most octets that fit, or nearly so, of those in memory, which do not all fit.
Result<Piece> RecordPieces::fit_window(const Plan& plan, ByteView window,
                                       std::uint64_t whole_size) {
  const std::uint64_t room = sequence_.room();
  std::uint64_t low = 0, low_size = 0, high = window.size(), high_size = whole_size;
  std::optional<Piece> best;
  for (int i = 0; i < kMostTries && high - low > 1; ++i) {
    // Between the two in the proportion of their sizes, and now and then in the middle.
    const double share = i % 3 == 2 ? 0.5
                                    : 0.99 * static_cast<double>(room - std::min(room, low_size)) /
                                          static_cast<double>(high_size - low_size);
    const auto step = static_cast<std::uint64_t>(share * static_cast<double>(high - low));
    Piece piece = piece_of(plan, low + std::clamp<std::uint64_t>(step, 1, high - low - 1));
    FONDS_TRY(const std::uint64_t size, size_in_window(plan, window, piece));
    if (size > room) {
      high = piece.length;
      high_size = std::max(size, low_size + 1);
      continue;
    }
    low = piece.length;
    low_size = size;
    best = piece;
    if (size >= room - room / 64) {
      break;
    }
  }
  if (!best) {
    return no_room();
  }
  return *best;
}

// The size of a piece that is not held, but for the letters of its digest, which it sets.
Result<std::uint64_t> RecordPieces::size_of_stream(const Plan& plan, Piece& piece) {
  FONDS_TRY(const std::string header, header_of(plan, piece));
  CountingSink sink;
  FONDS_TRY(auto encoder, make_encoder(sink, sequence_.settings().encode));
  FONDS_CHECK(encoder->begin_unit(header.size() + piece.length + kClosing.size()));
  FONDS_CHECK(encoder->write(as_bytes(header)));
  FONDS_CHECK(pass(ahead_, plan, piece, [&](ByteView shown) { return encoder->write(shown); }));
  FONDS_CHECK(encoder->write(as_bytes(kClosing)));
  FONDS_CHECK(encoder->end_unit());
  FONDS_CHECK(encoder->finish());
  return sink.position();
}

// More fits than memory may hold: the `least` octets that are known to take `least_size` bytes.
Result<Piece> RecordPieces::fit_stream(const Plan& plan, std::uint64_t least,
                                       std::uint64_t least_size) {
  const std::uint64_t room = sequence_.room();
  // What is written has another digest than what is measured.
  const std::uint64_t most_size = room - room / 1024 - std::min<std::uint64_t>(room / 16, 1024);
  std::uint64_t length = last_length_ - last_length_ / 32;  // which keeps to one way through it
  if (length <= least) {
    FONDS_TRY(length, estimate(plan, least));
  }
  std::uint64_t low = least, low_size = least_size, high = plan.most + 1;
  std::optional<Piece> best;
  constexpr int kMostPasses = 10;
  for (int i = 0; i < kMostPasses && length > low && length < high; ++i) {
    Piece piece = piece_of(plan, std::min(length, plan.most));
    FONDS_TRY(const std::uint64_t size, size_of_stream(plan, piece));
    const std::uint64_t from = low, from_size = low_size;
    if (size > most_size) {
      high = piece.length;
    } else {
      low = piece.length;
      low_size = size;
      best = piece;
      if (size >= most_size - most_size / 4 || low == plan.most) {
        break;
      }
    }
    // Along the line from what fits to what was measured beside it.
    const double each =
        std::max(static_cast<double>(size - std::min(size, from_size)) /
                     static_cast<double>(std::max<std::uint64_t>(piece.length - from, 1)),
                 1e-6);  // bytes that an octet takes
    const double more =
        0.97 * static_cast<double>(most_size - std::min(most_size, low_size)) / each;
    length = low + static_cast<std::uint64_t>(
                       std::min(more, static_cast<double>(std::min(high - 1, plan.most) - low)));
  }
  if (best) {
    return *best;
  }
  Piece piece = piece_of(plan, least);
  FONDS_CHECK(pass(ahead_, plan, piece, {}));
  return piece;
}

// About how many octets fit, by compressing them once. What an encoder has taken shows late.
Result<std::uint64_t> RecordPieces::estimate(const Plan& plan, std::uint64_t least) {
  const std::uint64_t room = sequence_.room();
  const std::uint64_t target = room - room / 64 - std::min<std::uint64_t>(room / 8, kLook * 2);
  EncodeOptions options = sequence_.settings().encode;
  options.threads = 1;
  CountingSink sink;
  FONDS_TRY(auto encoder, make_encoder(sink, options));
  FONDS_CHECK(encoder->begin_unit(plan.most));  // a large one shows at once
  FONDS_CHECK(ahead_.seek(plan.offset));
  std::uint64_t fed = 0, good = least, before = 0;
  while (fed < plan.most) {
    FONDS_TRY(
        const ByteView shown,
        ahead_.peek(static_cast<std::size_t>(std::min<std::uint64_t>(kLook, plan.most - fed))));
    if (shown.empty()) {
      break;
    }
    FONDS_CHECK(encoder->write(shown));
    fed += shown.size();
    ahead_.consume(shown.size());
    if (sink.position() > target) {
      return std::max(good, least);
    }
    if (sink.position() > before) {
      before = sink.position();
      good = fed;
    }
  }
  return fed;
}

// ---- pieces ----

Status RecordPieces::put_piece(const Plan& plan, Piece& piece) {
  if (sequence_.settings().encode.codec == "none") {
    const bool later =
        cursor_.record().header.dialect == Dialect::Positional && sequence_.sink().can_rewrite();
    if (later) {
      return put_in_place(plan, piece);
    }
    FONDS_CHECK(pass(ahead_, plan, piece, {}));  // for the digest
  }
  FONDS_TRY(const std::string header, header_of(plan, piece));
  return write(header, plan.offset, piece.length, kClosing, false);
}

// As the draft of 00.11 has it: room in the header-line, the block, then what could not be known.
Status RecordPieces::put_in_place(const Plan& plan, Piece& piece) {
  ByteSink& sink = sequence_.sink();
  const std::uint64_t begin = sink.position();
  Piece unknown = piece_of(plan, 0);
  unknown.last = true;  // w1, until it is known that more follows
  FONDS_TRY(const std::string reserved, header_of(plan, unknown));
  FONDS_CHECK(sink.write(as_bytes(reserved)));
  FONDS_CHECK(pass(cursor_, plan, piece, [&](ByteView shown) { return sink.write(shown); }));
  FONDS_CHECK(sink.write(as_bytes(kClosing)));
  FONDS_TRY(const std::string header, header_of(plan, piece));
  if (header.size() != reserved.size()) {
    return fail(ErrorCode::Internal, "a header of WARC 00.11 does not fit where it was begun");
  }
  FONDS_CHECK(sink.rewrite_at(begin, as_bytes(header)));
  sequence_.note(record_);
  return {};
}

Result<std::uint32_t> RecordPieces::segment(const PieceHeaders& headers,
                                            std::uint64_t block_length) {
  std::uint64_t done = 0;
  for (std::uint32_t number = 1;; ++number) {
    FONDS_CHECK(sequence_.begin_part(record_));
    const std::uint64_t rest = block_length - done;
    // A first segment is never the last one.
    const Plan plan{.headers = headers,
                    .number = number,
                    .offset = done,
                    .most = number == 1 ? rest - std::min<std::uint64_t>(rest, 1) : rest,
                    .end = block_length};
    FONDS_TRY(Piece piece, fit(plan));
    FONDS_CHECK(put_piece(plan, piece));
    done += piece.length;
    last_length_ = piece.length;
    if (done == block_length) {
      return number;
    }
    sequence_.end_part();
  }
}

Result<std::uint64_t> RecordPieces::truncate(const PieceHeaders& headers,
                                             std::uint64_t block_length) {
  FONDS_CHECK(sequence_.begin_part(record_));
  const Plan plan{.headers = headers,
                  .truncates = true,
                  .most = block_length - std::min<std::uint64_t>(block_length, 1),
                  .end = block_length};
  FONDS_TRY(Piece piece, fit(plan));
  FONDS_CHECK(put_piece(plan, piece));
  return block_length - piece.length;
}

}  // namespace fonds::warc
