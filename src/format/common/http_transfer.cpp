#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <fmt/format.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/text.hpp"
#include "format/common/http_coding.hpp"
#include "format/common/http_message.hpp"

namespace fonds::http {
namespace internal {
namespace {

// No honest message stacks more codings than this.
constexpr int kMaxCodings = 8;
constexpr std::size_t kMaxTrailers = 1000;
// Empty lines too many before a chunk's size line.
constexpr int kMaxSurplusLineEnds = 2;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// A place in the chunked body.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  std::size_t left() const { return text_.size() - at_; }
  bool at_end() const { return at_ == text_.size(); }
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  std::string_view take(std::size_t length) {
    const std::string_view part = text_.substr(at_, length);
    at_ += part.size();
    return part;
  }

  // Passes CR* LF. `odd` is set if it is not CR LF.
  bool pass_line_end(bool& odd) {
    const std::size_t n = std::min(text_.find_first_not_of('\r', at_), text_.size());
    if (n == text_.size() || text_[n] != '\n') {
      return false;
    }
    odd |= n - at_ != 1;
    at_ = n + 1;
    return true;
  }

  // Passes `1*HEXDIG [blanks] [; extension] CR* LF`; moves only if that is there. A size beyond
  // 64 bits is the largest.
  bool pass_size_line(std::uint64_t& size, bool& odd) {
    constexpr auto kMaxSize = std::numeric_limits<std::uint64_t>::max();
    const std::size_t begin = at_;
    size = 0;
    for (; !at_end() && hex_value(text_[at_]) >= 0; ++at_) {
      const auto digit = static_cast<std::uint64_t>(hex_value(text_[at_]));
      size = size > kMaxSize / 16 ? kMaxSize : size * 16 + digit;
    }
    if (at_ == begin) {
      return false;
    }
    while (!at_end() && is_blank(text_[at_])) {
      ++at_;
    }
    if (!at_end() && text_[at_] == ';') {
      at_ = std::min(text_.find('\n', at_), text_.size());
      while (text_[at_ - 1] == '\r') {
        --at_;
      }
    }
    if (!pass_line_end(odd)) {
      at_ = begin;
      return false;
    }
    return true;
  }

  // Passes a line; what is left if it has no line end. `odd` is set if that is not CR LF.
  std::string_view pass_line(bool& odd) {
    const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
    std::string_view line = text_.substr(at_, line_end - at_);
    at_ = std::min(line_end + 1, text_.size());
    const std::size_t with_cr = line.size();
    while (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    odd |= with_cr - line.size() != 1;
    return line;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

bool is_trailer(std::string_view line) {
  const std::size_t colon = line.find(':');
  return colon != std::string_view::npos && colon > 0 &&
         line.substr(0, colon).find_first_of(" \t<>\"") == std::string_view::npos;
}

// RFC 9112, 7.1, with what real servers make of it.
class ChunkReader {
 public:
  ChunkReader(std::string_view text, std::uint64_t max_size, Decoded& notes)
      : cursor_(text), max_size_(max_size), notes_(notes) {}

  // Whether the body may be believed to be chunked: a size line, followed by a chunk that is cut,
  // or that has another line where it ends. Bodies of which a crawler undid the chunks keep the
  // header field, and some of them begin with a number.
  bool probe() {
    Cursor ahead = cursor_;
    std::uint64_t size = 0;
    bool odd = false;
    if (!ahead.pass_size_line(size, odd)) {
      return false;
    }
    if (size == 0) {
      return ahead.at_end() || ahead.pass_line_end(odd) || is_trailer(ahead.pass_line(odd));
    }
    if (size > ahead.left()) {
      return !odd;
    }
    ahead.take(static_cast<std::size_t>(size));
    return ahead.at_end() || ahead.pass_line_end(odd) || ahead.pass_size_line(size, odd) ||
           (ahead.left() == 1 && ahead.take(1) == "\r");
  }

  Result<Stage> read() {
    Stage stage;
    stage.bytes.reserve(
        static_cast<std::size_t>(std::min<std::uint64_t>(cursor_.left(), max_size_)));
    for (;;) {
      std::uint64_t size = 0;
      if (!next_size(size)) {
        return damaged(std::move(stage));
      }
      if (size == 0) {
        break;
      }
      const std::uint64_t present = std::min<std::uint64_t>(size, cursor_.left());
      if (present > max_size_ - stage.bytes.size()) {
        return too_large(max_size_);
      }
      stage.bytes += cursor_.take(static_cast<std::size_t>(present));
      if (present < size) {
        return damaged(std::move(stage));
      }
      after_data_ = true;
    }
    read_trailers();
    notes_.odd_chunks |= odd_;
    stage.outcome = odd_ ? Outcome::Tolerated : Outcome::Ok;
    return stage;
  }

 private:
  // The line end after a chunk's data, then the next size line.
  bool next_size(std::uint64_t& size) {
    if (after_data_ && !cursor_.pass_line_end(odd_)) {
      odd_ = true;
    }
    for (int surplus = 0; after_data_ && surplus < kMaxSurplusLineEnds; ++surplus) {
      if (!cursor_.pass_line_end(odd_)) {
        break;
      }
      odd_ = true;
    }
    return cursor_.pass_size_line(size, odd_);
  }

  // Trailer fields up to the empty line; octets after it are surplus.
  void read_trailers() {
    for (;;) {
      const std::size_t begin = cursor_.position();
      if (cursor_.at_end()) {
        odd_ = true;  // the empty line is missing
        return;
      }
      const std::string_view line = cursor_.pass_line(odd_);
      if (line.empty()) {
        break;
      }
      if (!is_trailer(line) || notes_.trailers.size() == kMaxTrailers) {
        cursor_.move_to(begin);
        break;
      }
      notes_.trailers.emplace_back(line);
    }
    odd_ |= !cursor_.at_end();
  }

  Stage damaged(Stage stage) {
    notes_.bad_chunks = true;
    stage.outcome = Outcome::Damaged;
    return stage;
  }

  Cursor cursor_;
  std::uint64_t max_size_;
  Decoded& notes_;
  bool odd_ = false;
  bool after_data_ = false;
};

// Calls `visit` with each element that is not empty, from the last to the first, until it returns
// false.
template <typename Visit>
void for_each_from_the_right(std::string_view list, Visit visit) {
  for (;;) {
    const std::size_t comma = list.rfind(',');
    const std::string_view element =
        trim(comma == std::string_view::npos ? list : list.substr(comma + 1));
    if ((!element.empty() && !visit(element)) || comma == std::string_view::npos) {
      return;
    }
    list = list.substr(0, comma);
  }
}

bool has_coding(const Head& head, std::string_view name) {
  bool found = false;
  for (const HeaderField& field : head.fields) {
    if (!found && equals_ignoring_case(field.name, name)) {
      for_each_from_the_right(field.value, [&found](std::string_view element) {
        found = coding_named(element) != Coding::Identity;
        return !found;
      });
    }
  }
  return found;
}

// Whether a Content-Length value means `length`. Equal values in a list count as one (RFC
// 9112, 6.3).
bool is_length(std::string_view value, std::string_view length) {
  bool all = true;
  bool any = false;
  for_each_from_the_right(value, [&](std::string_view element) {
    const std::size_t zeros = std::min(element.find_first_not_of('0'), element.size() - 1);
    any = true;
    all = element.substr(zeros) == length;
    return all;
  });
  return any && all;
}

}  // namespace

Coding coding_named(std::string_view element) {
  const std::string name = to_lower(trim(element.substr(0, element.find(';'))));
  if (name == "identity" || name.empty()) {
    return Coding::Identity;
  }
  if (name == "chunked") {
    return Coding::Chunked;
  }
  if (name == "gzip" || name == "x-gzip") {
    return Coding::Gzip;
  }
  if (name == "deflate") {
    return Coding::Deflate;
  }
  if (name == "br") {
    return Coding::Brotli;
  }
  return name == "zstd" ? Coding::Zstd : Coding::Unknown;
}

tl::unexpected<Error> too_large(std::uint64_t max_size) {
  return fail(ErrorCode::LimitExceeded,
              fmt::format("decoded HTTP body is larger than the limit of {} bytes", max_size));
}

tl::unexpected<Error> no_memory() {
  return fail(ErrorCode::LimitExceeded, "not enough memory for the decoded HTTP body");
}

Result<Stage> undo_chunked(ByteView input, std::uint64_t max_size, Decoded& notes) {
  ChunkReader reader(as_text(input), max_size, notes);
  if (!reader.probe()) {
    return Stage{Outcome::NotApplied, {}};
  }
  return reader.read();
}

void Unwrapping::note(Outcome outcome) { result_.outcome = std::max(result_.outcome, outcome); }

Status Unwrapping::undo_one(Coding coding) {
  Stage stage;
  if (coding == Coding::Chunked) {
    FONDS_TRY(stage, undo_chunked(view_, max_size_, result_));
  } else {
    FONDS_TRY(stage, undo_compression(coding, view_, max_size_));
  }
  note(stage.outcome);
  if (stage.outcome == Outcome::NotApplied) {
    (coding == Coding::Chunked ? result_.not_chunked : result_.coding_not_applied) = true;
    return {};
  }
  if (stage.outcome == Outcome::UnknownCoding) {
    unknown_ = true;
    return {};
  }
  storage_ = std::move(stage.bytes);
  view_ = as_bytes(storage_);
  stored_ = true;
  return {};
}

Status Unwrapping::undo(std::string_view list) {
  Status status;
  int count = 0;
  for_each_from_the_right(list, [&](std::string_view element) {
    const Coding coding = coding_named(element);
    if (coding == Coding::Identity) {
      return true;
    }
    // What is under an unknown coding cannot be undone.
    if (unknown_ || view_.empty()) {
      return false;
    }
    if (coding == Coding::Unknown || ++count > kMaxCodings) {
      note(Outcome::UnknownCoding);
      unknown_ = true;
      return false;
    }
    status = undo_one(coding);
    return status.has_value();
  });
  return status;
}

Result<Decoded> Unwrapping::take() {
  if (view_.size() > max_size_) {
    return too_large(max_size_);
  }
  if (stored_) {
    result_.bytes = std::move(storage_);
  } else {
    result_.bytes = as_text(view_);
  }
  return std::move(result_);
}

Status undo_transfer(const Head& head, ByteView body, Unwrapping& unwrapping) {
  if (head.kind == Head::Kind::None) {
    return {};
  }
  unwrapping.notes().length_differs = length_differs(head, body.size());
  if (head.odd || !head.complete || unwrapping.notes().length_differs) {
    unwrapping.note(Outcome::Tolerated);
  }
  return unwrapping.undo(head.joined("Transfer-Encoding"));
}

}  // namespace internal

bool has_transfer_coding(const Head& head) {
  return internal::has_coding(head, "Transfer-Encoding");
}

bool has_content_coding(const Head& head) { return internal::has_coding(head, "Content-Encoding"); }

bool length_differs(const Head& head, std::uint64_t body_length) {
  const bool bodyless =
      head.status == 204 || head.status == 304 || (head.status >= 100 && head.status < 200);
  if (head.kind == Head::Kind::None || (body_length == 0 && bodyless) ||
      has_transfer_coding(head)) {
    return false;
  }
  const fmt::format_int length(body_length);
  return std::any_of(head.fields.begin(), head.fields.end(), [&length](const HeaderField& field) {
    return equals_ignoring_case(field.name, "Content-Length") &&
           !internal::is_length(field.value, {length.data(), length.size()});
  });
}

Result<Decoded> decode_transfer(const Head& head, ByteView body, std::uint64_t max_size) {
  try {
    internal::Unwrapping unwrapping(body, max_size);
    FONDS_CHECK(internal::undo_transfer(head, body, unwrapping));
    return unwrapping.take();
  } catch (const std::bad_alloc&) {
    return internal::no_memory();
  } catch (const std::length_error&) {
    return internal::no_memory();
  }
}

}  // namespace fonds::http
