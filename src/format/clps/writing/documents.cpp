#include "format/clps/writing/documents.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error_copy.hpp"
#include "base/guarded.hpp"
#include "format/clps/writing/blanks.hpp"
#include "format/clps/writing/open_input.hpp"
#include "format/common/judge.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kMostBlanks = std::size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// The line feed in [at, end) that a `{` follows in [at, end]; `end` if there is none.
const char* find_line_with_object(const char* at, const char* end) {
  for (at = find_line_feed(at, end); at < end && at[1] != '{'; at = find_line_feed(at + 1, end)) {
  }
  return at;
}
Error as_error(const Finding& finding) {
  const ErrorCode code = finding.code.starts_with("truncated") ? ErrorCode::Truncated
                         : finding.code == "limit-exceeded"    ? ErrorCode::LimitExceeded
                                                               : ErrorCode::Corrupt;
  return Error(code, finding.message.empty() ? std::string(finding.code) : finding.message,
               finding.where)
      .as(finding.code);
}

DocumentOptions checked(DocumentOptions options) {
  options.piece_bytes = std::clamp<std::size_t>(options.piece_bytes, 1, std::size_t{1} << 30);
  options.max_document_size =
      std::clamp<std::uint64_t>(options.max_document_size, 1, kMostDocument);
  options.long_line = static_cast<std::size_t>(
      std::min<std::uint64_t>(options.long_line, options.max_document_size));
  return options;
}

}  // namespace

Status PieceBuffer::reserve(std::size_t capacity, std::size_t used) {
  if (capacity <= capacity_) {
    return {};
  }
  if (used == 0) {
    bytes_.reset();
    capacity_ = 0;
  }
  // What is grown may be hundreds of megabytes, which realloc() need not copy.
  char* const larger = static_cast<char*>(std::realloc(bytes_.get(), capacity));
  if (larger == nullptr) {
    return fail(ErrorCode::LimitExceeded, "out of memory");
  }
  static_cast<void>(bytes_.release());
  bytes_.reset(larger);
  capacity_ = capacity;
  return {};
}

Result<std::unique_ptr<DocumentReader>> DocumentReader::open(std::shared_ptr<ByteSource> source,
                                                             DocumentOptions options) {
  const std::string name = source->name();
  FONDS_TRY(auto decoder, open_input(std::move(source), options.read));
  return guarded([&]() -> Result<std::unique_ptr<DocumentReader>> {
    return std::make_unique<DocumentReader>(std::move(decoder), name, std::move(options));
  });
}

DocumentReader::DocumentReader(std::unique_ptr<Decoder> decoder, std::string name,
                               DocumentOptions options)
    : decoder_(std::move(decoder)), name_(std::move(name)), options_(checked(std::move(options))) {}

Result<bool> DocumentReader::next(Piece& piece) {
  if (!error_) {
    auto given = guarded([&] { return next_piece(piece); });
    if (given) {
      return *given;
    }
    error_ = std::move(given.error()).with({.source = name_});
  }
  return tl::unexpected(copy_of(*error_));
}

Result<bool> DocumentReader::next_piece(Piece& piece) {
  const std::size_t capacity = piece.buffer_.capacity();
  if (capacity > spare_.capacity() && capacity <= 4 * usual_capacity()) {
    spare_ = std::move(piece.buffer_);
  }
  piece = Piece();
  while (true) {
    if (left_out_) {
      FONDS_CHECK(give_left_out(piece));
      return true;
    }
    FONDS_TRY(const Step step, item());
    if (step == Step::Taken) {
      continue;
    }
    if (has_items()) {
      FONDS_CHECK(give(piece));
      return true;
    }
    if (step == Step::RunOver) {
      FONDS_CHECK(keep_blanks(at_));
      FONDS_TRY(const bool more, next_run());
      if (!more) {
        return false;
      }
    }
  }
}

void DocumentReader::note_findings() {
  for (Finding& finding : decoder_->take_findings()) {
    if (finding.where.source.empty()) {
      finding.where.source = name_;
    }
    const bool damage = is_damage(finding, false);
    if (damage && !options_.read.search_damaged && !pending_) {
      pending_ = as_error(finding);
    }
    // Rules of WARC-Zstandard say nothing about other data.
    if (damage || !finding.code.starts_with('z')) {
      findings_.push_back(std::move(finding));
    }
  }
}

// Goes on behind a gap. What lies on both sides of it is never one document.
Result<bool> DocumentReader::next_run() {
  if (!pending_) {
    FONDS_TRY(const bool more, decoder_->next_run());
    note_findings();
    if (!pending_) {
      run_over_ = !more;
      unbalanced_until_ = 0;
      return more;
    }
  }
  return tl::unexpected(std::move(*std::exchange(pending_, std::nullopt)));
}

// Reads until limit_ is `to` at least, or the run is over.
Status DocumentReader::fill(std::uint64_t to) {
  while (limit_ < to && !run_over_) {
    if (options_.read.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped");
    }
    auto shown = decoder_->peek(1);
    note_findings();
    if (!shown && shown.error().code() == ErrorCode::Cancelled) {
      return tl::unexpected(std::move(shown.error()));
    }
    if (!shown && !pending_) {
      pending_ = std::move(shown.error());
    }
    if (!shown || shown->empty()) {
      run_over_ = true;
      break;
    }
    FONDS_CHECK(make_room(to));
    const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(shown->size(), to - limit_));
    std::memcpy(buffer_.data() + (limit_ - base_), shown->data(), n);
    decoder_->consume(n);
    limit_ += n;
  }
  return {};
}

// Room for all octets before `to` and for the padding.
Status DocumentReader::make_room(std::uint64_t to) {
  if (to - base_ + Piece::kPadding <= buffer_.capacity()) {
    return {};
  }
  const std::uint64_t keep = has_items() ? piece_begin_ : at_;
  FONDS_CHECK(keep_blanks(keep));
  const auto held = static_cast<std::size_t>(limit_ - keep);
  const auto needed = static_cast<std::size_t>(to - keep) + Piece::kPadding;
  if (needed <= usual_capacity() && buffer_.capacity() > 4 * usual_capacity()) {
    PieceBuffer smaller;
    FONDS_CHECK(smaller.reserve(usual_capacity(), 0));
    std::memcpy(smaller.data(), at(keep), held);
    buffer_ = std::move(smaller);
  } else {
    if (held > 0 && keep > base_) {
      std::memmove(buffer_.data(), at(keep), held);
    }
    if (needed > buffer_.capacity()) {
      const auto most = static_cast<std::size_t>(options_.max_document_size) + usual_capacity();
      FONDS_CHECK(buffer_.reserve(
          std::max({needed, usual_capacity(), std::min(2 * buffer_.capacity(), most)}), held));
    }
  }
  base_ = keep;
  return {};
}

// Keeps what lies behind the last piece, before `to`; it is in the buffer.
Status DocumentReader::keep_blanks(std::uint64_t to) {
  if (!options_.keep_blanks || to <= blanks_to_) {
    return {};
  }
  if (to - blanks_to_ > kMostBlanks - blanks_.size()) {
    return fail(ErrorCode::LimitExceeded,
                "there are too many blanks between documents to keep them");
  }
  blanks_.append(at(blanks_to_), at(to));
  blanks_to_ = to;
  return {};
}

// Goes to the next octet that is no blank. Taken: it is there.
Result<DocumentReader::Step> DocumentReader::find_item() {
  while (true) {
    if (at_ < limit_) {
      at_ = offset_of(skip_blanks(at(at_), at(limit_)));
    }
    if (has_items() && at_ >= piece_limit()) {
      return Step::Full;
    }
    if (at_ < limit_) {
      return Step::Taken;
    }
    if (run_over_) {
      return Step::RunOver;
    }
    FONDS_CHECK(fill(has_items() ? piece_limit() + 1 : at_ + options_.piece_bytes + 1));
  }
}

// Adds an item to the piece, or several: lines, or a document.
Result<DocumentReader::Step> DocumentReader::item() {
  if (mode_ == Mode::Unknown && at_ == 0) {
    FONDS_CHECK(fill(kByteOrderMark.size()));
    byte_order_mark_ = std::string_view(buffer_.data(), static_cast<std::size_t>(limit_))
                           .starts_with(kByteOrderMark);
    at_ = byte_order_mark_ ? kByteOrderMark.size() : 0;
  }
  FONDS_TRY(const Step step, find_item());
  if (step != Step::Taken) {
    return step;
  }
  if (mode_ == Mode::Unknown) {
    FONDS_TRY(mode_, choose_mode());
  }
  if (mode_ == Mode::Documents) {
    return document_item();
  }
  // Not where the line's end is known: then it is not one of these.
  const bool new_line = no_feed_before_ <= at_;
  return has_items() && new_line && take_simple_lines() ? Step::Taken : line_item();
}

// By the line at at_.
Result<DocumentReader::Mode> DocumentReader::choose_mode() {
  if (*at(at_) != '{' && *at(at_) != '[') {
    return Mode::Lines;
  }
  std::uint64_t end = 0;
  FONDS_TRY(const Found found, find_line_end(end));
  if (found != Found::Yes) {
    return Mode::Documents;
  }
  // With the line feed, so that it can break a string.
  const char* const stop = at(std::min(end + 1, limit_));
  for (const char* from = at(at_); from < stop && (*from == '{' || *from == '[');) {
    scanner_.start(0);
    const BracketScanner::State state = scanner_.scan(from, stop);
    if (state != BracketScanner::State::Complete) {
      return state == BracketScanner::State::Open ? Mode::Documents : Mode::Lines;
    }
    from = skip_blanks(from + scanner_.position(), stop);
  }
  return Mode::Lines;
}

// Takes the lines that are documents by the look of it, as long as they lie in what was read and in
// the piece. Whether there was one. It is what line_item() does, for most lines and at once.
bool DocumentReader::take_simple_lines() {
  const char* const end = at(std::min(limit_, piece_limit() + 1));
  const char* line = at(at_);
  const char* taken = nullptr;
  while (line < end && *line == '{') {
    const char* const feed = find_line_feed(line, end);
    const char* const last = trim(line, feed);
    if (feed == end || last[-1] != '}' ||
        static_cast<std::size_t>(feed - line) > options_.long_line) {
      break;
    }
    const char* const next = skip_blanks(feed, end);
    if (next == end || *next != '{') {
      break;  // the document may go on there
    }
    taken = last;
    line = next;
  }
  if (taken != nullptr) {
    piece_end_ = offset_of(taken);
    at_ = offset_of(line);
  }
  return taken != nullptr;
}

Result<DocumentReader::Step> DocumentReader::line_item() {
  std::uint64_t end = 0;
  FONDS_TRY(const Found ends, find_line_end(end));
  if (ends == Found::Full) {
    return Step::Full;
  }
  const auto whole = [&] {  // of a line that ends
    return take(end, Take::Line);
  };
  if (*at(at_) != '{') {
    return ends == Found::Yes ? whole() : bad_stretch();
  }
  FONDS_TRY(const Found balanced, balance());
  if (balanced == Found::Full) {
    return Step::Full;
  }
  if (balanced == Found::Yes && ends == Found::Yes && scanner_.position() <= end &&
      last_of_line(end) == '}') {
    return whole();
  }
  if (balanced == Found::Yes) {
    return take(scanner_.position(), Take::Document);
  }
  return ends == Found::Yes ? whole() : bad_stretch();
}

Result<DocumentReader::Step> DocumentReader::document_item() {
  if (*at(at_) == '{' || *at(at_) == '[') {
    FONDS_TRY(const Found balanced, balance());
    if (balanced != Found::No) {
      return balanced == Found::Full ? Step::Full : take(scanner_.position(), Take::Document);
    }
  }
  return bad_stretch();
}

// The end of the line at at_: its line feed, or that of the run. No: the line is long. What was
// found is remembered: a line may hold many documents.
Result<DocumentReader::Found> DocumentReader::find_line_end(std::uint64_t& end) {
  const std::uint64_t furthest = at_ + options_.long_line;
  while (true) {
    no_feed_before_ = std::max(no_feed_before_, at_);
    const std::uint64_t most = has_items() ? std::min(furthest, piece_limit()) : furthest;
    const std::uint64_t to = std::min(limit_, most + 1);
    if (no_feed_before_ < to) {
      const char* const feed = find_line_feed(at(no_feed_before_), at(to));
      no_feed_before_ = offset_of(feed);
      if (no_feed_before_ < to) {
        end = no_feed_before_;
        return Found::Yes;
      }
    }
    if (limit_ > most) {
      return most == furthest ? Found::No : Found::Full;
    }
    if (run_over_) {
      end = limit_;
      return Found::Yes;
    }
    FONDS_CHECK(fill(std::min(further(), most + 1)));
  }
}

// The last octet that is no blank of the line at at_, which ends at `end`.
char DocumentReader::last_of_line(std::uint64_t end) {
  if (end != trimmed_line_) {
    trimmed_line_ = end;
    last_of_line_ = *(trim(at(at_), at(end)) - 1);
  }
  return last_of_line_;
}

// Whether the brackets that at_ opens are closed again, before scanner_.position().
Result<DocumentReader::Found> DocumentReader::balance() {
  if (at_ < unbalanced_until_ && std::ranges::binary_search(unbalanced_, at_)) {
    return Found::No;
  }
  if (!std::exchange(balancing_, true)) {
    scanner_.start(at_);
  }
  const std::uint64_t furthest = at_ + options_.max_document_size;
  while (true) {
    const std::uint64_t most = has_items() ? std::min(furthest, piece_limit()) : furthest;
    const std::uint64_t to = std::min(limit_, most);
    const auto state = scanner_.scan(at(scanner_.position()), at(to));
    if (state == BracketScanner::State::Complete) {
      balancing_ = false;
      return Found::Yes;
    }
    if (state == BracketScanner::State::Open && to == most && most < furthest) {
      FONDS_CHECK(fill(most + 1));
      if (limit_ > most) {
        return Found::Full;
      }
    }
    if (state == BracketScanner::State::Broken || to == furthest || (run_over_ && to == limit_)) {
      balancing_ = false;
      unbalanced_ = scanner_.open_brackets();
      unbalanced_until_ = scanner_.position();
      return Found::No;
    }
    FONDS_CHECK(fill(std::min(further(), most)));
  }
}

// What begins at at_ is no document. Finds its end, and takes it if it is not too long.
Result<DocumentReader::Step> DocumentReader::bad_stretch() {
  const bool lines = mode_ == Mode::Lines;
  const std::uint64_t look = lines ? 0 : 1;  // octets behind a line feed that must be known
  const std::uint64_t furthest = at_ + options_.max_document_size;
  for (std::uint64_t searched = at_;;) {
    const std::uint64_t most = has_items() ? std::min(furthest, piece_limit()) : furthest;
    // Line feeds up to `most` count.
    const std::uint64_t to =
        std::max(searched, std::min(limit_ - std::min(limit_, look), most + 1));
    const char* const feed =
        lines ? find_line_feed(at(searched), at(to)) : find_line_with_object(at(searched), at(to));
    const std::uint64_t end = offset_of(feed);
    if (end < to) {
      return take(end, lines ? Take::Line : Take::Document);
    }
    searched = to;
    if (limit_ > most + look || (run_over_ && limit_ > most)) {
      if (!has_items()) {
        left_out_ = {.offset = at_, .first = true};
      }
      return Step::Full;
    }
    if (run_over_) {
      return take(limit_, lines ? Take::Line : Take::Document);
    }
    FONDS_CHECK(fill(std::min(further(), most + look + 1)));
  }
}

// Adds what lies between at_ and `end` to the piece, without blanks behind it.
DocumentReader::Step DocumentReader::take(std::uint64_t end, Take as) {
  if (!has_items()) {
    piece_begin_ = at_;
  }
  piece_end_ = offset_of(trim(at(at_), at(end)));
  if (as == Take::Document) {
    documents_.push_back({static_cast<std::uint32_t>(at_ - piece_begin_),
                          static_cast<std::uint32_t>(piece_end_ - piece_begin_)});
  }
  at_ = end;
  return Step::Taken;
}

// Gives the items that were taken.
Status DocumentReader::give(Piece& piece) {
  FONDS_CHECK(keep_blanks(piece_begin_));
  piece.before_ = std::exchange(blanks_, {});
  blanks_to_ = piece_end_;
  FONDS_CHECK(keep_blanks(at_));
  const auto length = static_cast<std::size_t>(piece_end_ - piece_begin_);
  const auto rest = static_cast<std::size_t>(limit_ - at_);
  piece.size_ = length;
  piece.offset_ = piece_begin_;
  // Usually the piece takes the buffer, and what follows is copied. But where little of a large
  // buffer is given, it is the piece that is copied.
  const bool whole = rest <= length && buffer_.capacity() <= 4 * (length + usual_capacity());
  FONDS_CHECK(
      spare_.reserve(std::max((whole ? rest : length) + Piece::kPadding, usual_capacity()), 0));
  if (whole) {
    std::memset(buffer_.data() + (limit_ - base_), 0, Piece::kPadding);
    std::memcpy(spare_.data(), at(at_), rest);
    piece.begin_ = static_cast<std::size_t>(piece_begin_ - base_);
    std::swap(buffer_, spare_);
    base_ = at_;
  } else {
    std::memcpy(spare_.data(), at(piece_begin_), length);
    std::memset(spare_.data() + length, 0, Piece::kPadding);
  }
  piece.buffer_ = std::exchange(spare_, {});
  piece.documents_ = std::exchange(documents_, {});
  piece_begin_ = piece_end_ = at_;
  return {};
}

// Gives the next part of a stretch that is left out.
Status DocumentReader::give_left_out(Piece& piece) {
  FONDS_CHECK(keep_blanks(at_));
  piece.before_ = std::exchange(blanks_, {});
  const bool lines = mode_ == Mode::Lines;
  const std::uint64_t most = at_ + options_.piece_bytes;
  FONDS_CHECK(fill(most + 2));
  const std::uint64_t to = std::min(limit_ - (lines || limit_ == at_ ? 0 : 1), most + 1);
  const char* const feed =
      lines ? find_line_feed(at(at_), at(to)) : find_line_with_object(at(at_), at(to));
  std::uint64_t end = offset_of(feed);
  const bool found = end < to;
  end = found ? end : std::min(limit_, most);
  left_out_->last = found || (run_over_ && end == limit_);
  piece.size_ = static_cast<std::size_t>(end - at_);
  piece.offset_ = at_;
  FONDS_CHECK(spare_.reserve(piece.size_ + Piece::kPadding, 0));
  std::memcpy(spare_.data(), at(at_), piece.size_);
  std::memset(spare_.data() + piece.size_, 0, Piece::kPadding);
  piece.buffer_ = std::exchange(spare_, {});
  piece.left_out_ = left_out_;
  left_out_->first = false;
  if (left_out_->last) {
    left_out_.reset();
  }
  at_ = piece_begin_ = piece_end_ = blanks_to_ = end;
  return {};
}

Result<Piece> Piece::of_lines(std::string_view lines, std::uint64_t offset) {
  Piece piece;
  FONDS_CHECK(piece.buffer_.reserve(lines.size() + kPadding, 0));
  std::memcpy(piece.buffer_.data(), lines.data(), lines.size());
  std::memset(piece.buffer_.data() + lines.size(), 0, kPadding);
  piece.size_ = lines.size();
  piece.offset_ = offset;
  return piece;
}

}  // namespace fonds::clps
