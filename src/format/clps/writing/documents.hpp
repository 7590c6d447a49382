// JSON documents of an input: the input is cut into pieces that hold whole documents, on one thread
// and fast; other threads cut pieces into documents.
//
// What is taken for a document depends on the octets and on the options, not on how a source gives
// them, nor on the size of pieces. An octet of the input is a blank, part of a byte-order mark at
// its start, or in exactly one candidate or one stretch that is left out.
//
// Lines. The first line that is not blank decides: if it is short and the brackets that it opens
// are closed in it, or if it begins with no bracket, the input holds lines. In such an input a line
// is what lies between two line feeds, without blanks at both ends.
// - A line from `{` to `}` whose brackets are balanced is a document, or several, if brackets say
// so
//   (DocumentCutter).
// - Another line with `{` in front begins a document that goes over lines, if brackets are balanced
//   somewhere behind it (BracketScanner tells what makes them not). What follows on the line where
//   it ends is looked at like a line.
// - All other lines are bad candidates: someone else will say what is wrong with them.
// - Lines longer than DocumentOptions::long_line are cut by their brackets as far as possible.
//
// Documents. In all other inputs brackets delimit the documents, objects and arrays. Where they do
// not, all up to the next line with `{` as its first octet is one bad candidate.
//
// Where brackets turn out not to be balanced, those that are open there begin no document.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/codec.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/reader.hpp>

#include "format/clps/writing/bracket_scanner.hpp"

namespace fonds::clps {

// Octets of a document that pieces can hold: 4 GiB less 1 MiB.
inline constexpr std::uint64_t kMostDocument = (std::uint64_t{4} << 30) - (std::uint64_t{1} << 20);

struct DocumentOptions {
  // Octets of a piece; one document or one bad line may make a piece larger.
  std::size_t piece_bytes = std::size_t{1} << 20;
  // Octets of a document or of a bad candidate: what is longer is left out. At most
  // kMostDocument, which is what larger values mean.
  std::uint64_t max_document_size = std::uint64_t{512} << 20;
  std::size_t long_line = std::size_t{1} << 20;  // at most max_document_size
  bool keep_blanks = false;                      // gives what lies between pieces: Piece::before()
  // max_window, memory_budget, decode_threads, stop; with search_damaged reading goes on behind
  // what cannot be decoded.
  ReadOptions read = {};
};

// Octets of a piece that can grow without being copied twice.
class PieceBuffer {
 public:
  char* data() const { return bytes_.get(); }
  std::size_t capacity() const { return capacity_; }
  // Keeps the first `used` octets. Errors: LimitExceeded if there is no memory.
  Status reserve(std::size_t capacity, std::size_t used);

 private:
  struct Free {
    void operator()(char* bytes) const { std::free(bytes); }
  };
  std::unique_ptr<char, Free> bytes_;
  std::size_t capacity_ = 0;
};

// Part of a stretch that is longer than any document may be.
struct LeftOut {
  std::uint64_t offset = 0;  // of the stretch, in the decoded input
  bool first = false;        // whether the piece begins the stretch
  bool last = false;         // whether it ends it
};

// Octets of an input that hold whole documents, or a part of a stretch that is left out.
class Piece {
 public:
  // How many octets may be read behind text() and behind each candidate.
  static constexpr std::size_t kPadding = 64;
  struct Extent {
    std::uint32_t begin, end;  // in text()
  };

  // Lines, each a document, that come from elsewhere. Errors: LimitExceeded if there is no memory.
  static Result<Piece> of_lines(std::string_view lines, std::uint64_t offset);

  std::string_view text() const { return {buffer_.data() + begin_, size_}; }
  std::uint64_t offset() const { return offset_; }  // of text() in the decoded input
  // With DocumentOptions::keep_blanks: what lies between the piece before and this one.
  const std::string& before() const { return before_; }
  // Whether no document goes over lines. Else documents() says where some are.
  bool lines() const { return documents_.empty(); }
  const std::vector<Extent>& documents() const { return documents_; }  // ascending
  // If set, text() is no document.
  const std::optional<LeftOut>& left_out() const { return left_out_; }

 private:
  friend class DocumentReader;
  PieceBuffer buffer_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
  std::uint64_t offset_ = 0;
  std::string before_;
  std::vector<Extent> documents_;
  std::optional<LeftOut> left_out_;
};

// Cuts an input into pieces. Holds one piece, or one document with what was decoded behind it.
class DocumentReader {
 public:
  static Result<std::unique_ptr<DocumentReader>> open(std::shared_ptr<ByteSource> source,
                                                      DocumentOptions options);
  // Reads what is left in a decoder. `name` is that of the input.
  DocumentReader(std::unique_ptr<Decoder> decoder, std::string name, DocumentOptions options);

  // The next piece; false at the end. The memory of `piece` is used again. Errors: those of
  // reading; Truncated and Corrupt where the input cannot be decoded, when all before was given;
  // LimitExceeded; Cancelled. After an error every further call returns the same error.
  Result<bool> next(Piece& piece);

  std::uint64_t decoded_bytes() const { return limit_; }  // read so far
  std::uint64_t stored_position() const { return decoder_->stored_position(); }
  bool had_byte_order_mark() const { return byte_order_mark_; }  // known when next() has returned
  // With keep_blanks: what lies behind the last piece; known when next() gives no more.
  std::string take_rest() { return std::exchange(blanks_, {}); }
  // What was found about the compression since the last call.
  std::vector<Finding> take_findings() { return std::exchange(findings_, {}); }

 private:
  enum class Mode : std::uint8_t { Unknown, Lines, Documents };
  enum class Step : std::uint8_t {
    Taken,    // an item was added to the piece
    Full,     // the next item does not fit, or is no matter of this piece
    RunOver,  // nothing follows in this run of the decoder
  };
  enum class Found : std::uint8_t { Yes, No, Full };  // Full: the piece must end before
  enum class Take : std::uint8_t { Line, Document };
  static constexpr std::size_t kSlack = std::size_t{64} << 10;

  Result<bool> next_piece(Piece& piece);
  Result<bool> next_run();
  Status fill(std::uint64_t to);
  Status make_room(std::uint64_t to);
  Status keep_blanks(std::uint64_t to);
  void note_findings();
  // How far to read where an item goes on: to the end of a piece first.
  std::uint64_t further() const {
    return std::max(at_ + options_.piece_bytes + 1,
                    limit_ + std::max(options_.piece_bytes / 4, kSlack));
  }
  std::size_t usual_capacity() const { return options_.piece_bytes + kSlack; }

  Result<Step> find_item();
  Result<Step> item();
  Result<Mode> choose_mode();
  bool take_simple_lines();
  Result<Step> line_item();
  Result<Step> document_item();
  Result<Step> bad_stretch();
  Result<Found> find_line_end(std::uint64_t& end);
  char last_of_line(std::uint64_t end);
  Result<Found> balance();
  Step take(std::uint64_t end, Take as);

  Status give(Piece& piece);
  Status give_left_out(Piece& piece);

  const char* at(std::uint64_t offset) const { return buffer_.data() + (offset - base_); }
  std::uint64_t offset_of(const char* octet) const {
    return base_ + static_cast<std::uint64_t>(octet - buffer_.data());
  }
  bool has_items() const { return piece_end_ > piece_begin_; }
  // The piece must end here.
  std::uint64_t piece_limit() const { return piece_begin_ + options_.piece_bytes; }

  std::unique_ptr<Decoder> decoder_;
  std::string name_;
  DocumentOptions options_;
  std::vector<Finding> findings_;
  std::optional<Error> error_;    // what every call returns
  std::optional<Error> pending_;  // ends reading where the run is over
  bool run_over_ = false;
  bool byte_order_mark_ = false;

  // All offsets are of the decoded input. buffer_ holds [base_, limit_).
  PieceBuffer buffer_;
  PieceBuffer spare_;
  std::uint64_t base_ = 0;
  std::uint64_t limit_ = 0;
  Mode mode_ = Mode::Unknown;
  std::uint64_t at_ = 0;                            // the next octet to be looked at
  std::uint64_t piece_begin_ = 0, piece_end_ = 0;   // items so far; none if equal
  std::vector<Piece::Extent> documents_;            // of the piece
  std::uint64_t no_feed_before_ = 0;                // from at_ on
  std::uint64_t trimmed_line_ = ~std::uint64_t{0};  // the end of a line, of which
  char last_of_line_ = 0;                           // this is the last octet
  BracketScanner scanner_;
  bool balancing_ = false;                 // the scanner has begun with at_
  std::uint64_t unbalanced_until_ = 0;     // where the last document was broken
  std::vector<std::uint64_t> unbalanced_;  // brackets before that which were open, ascending
  std::optional<LeftOut> left_out_;        // the stretch that at_ lies in
  std::string blanks_;                     // behind the last piece, as far as
  std::uint64_t blanks_to_ = 0;            // this
};

// Cuts a piece into candidates of documents. The piece must outlive it. It may be used on any
// thread.
class DocumentCutter {
 public:
  explicit DocumentCutter(const Piece& piece);
  // The next candidate, without blanks at both ends, a view of the piece's text; false at the end.
  bool next(std::string_view& text);

 private:
  void split(std::string_view& text);

  const Piece* piece_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t extent_ = 0;
  std::string_view rest_;  // of a line that holds several documents
  BracketScanner scanner_;
};

}  // namespace fonds::clps
