#include "index/checkpoint_reference.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/text.hpp"
#include "index/checkpoint.hpp"
#include "index/checkpoint_writer.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kRawBuffer = 32768;    // of input, and of output
constexpr std::size_t kReadBuffer = 8192;    // on top of the output
constexpr std::size_t kLongestLine = 65536;  // what of a line is looked at

// The inflater as it was between two blocks.
struct State {
  std::uint64_t stored_offset = 0;
  std::uint64_t decoded_offset = 0;
  std::uint8_t bits = 0;
  std::uint8_t byte = 0;
  std::array<std::byte, kRawBuffer> window = {};
};

// The decoded bytes of the first member, read through two buffers. How far ahead of the reader the
// last state lies depends on them.
class BufferedInflater {
 public:
  explicit BufferedInflater(ByteSource& source) : source_(&source) {}
  BufferedInflater(const BufferedInflater&) = delete;
  BufferedInflater& operator=(const BufferedInflater&) = delete;
  ~BufferedInflater() { inflateEnd(&stream_); }

  Status start() {
    // Gzip or zlib, as the header says.
    if (inflateInit2(&stream_, 15 + 32) != Z_OK) {
      return fail(ErrorCode::Internal, "no memory for zlib");
    }
    stream_.next_out = output_.data();
    stream_.avail_out = kRawBuffer;
    return {};
  }

  // States before this stored offset are not wanted.
  void want_from(std::uint64_t stored_offset) { wanted_ = stored_offset; }
  // The last one, if it is wanted.
  const State* last_state() const {
    return state_.stored_offset != 0 && state_.stored_offset >= wanted_ ? &state_ : nullptr;
  }
  std::uint64_t position() const { return filled_ - (stop_ - start_); }
  std::uint64_t stored_position() const { return stored_; }

  // The next line with its end; empty at the end of the data. Very long ones are cut in `line`.
  Status read_line(std::string& line) {
    line.clear();
    while (true) {
      if (start_ == stop_) {
        FONDS_CHECK(fill());
        if (start_ == stop_) {
          return {};
        }
      }
      const auto* const begin = buffer_.data() + start_;
      const auto* const newline =
          static_cast<const char*>(std::memchr(begin, '\n', stop_ - start_));
      const std::size_t n =
          newline != nullptr ? static_cast<std::size_t>(newline - begin) + 1 : stop_ - start_;
      line.append(begin, std::min(n, kLongestLine - std::min(kLongestLine, line.size())));
      start_ += n;
      if (newline != nullptr) {
        return {};
      }
    }
  }

  // Passes over `n` bytes; fewer at the end of the data.
  Status skip(std::uint64_t n) {
    while (n > 0) {
      if (start_ == stop_) {
        FONDS_CHECK(fill());
        if (start_ == stop_) {
          return {};
        }
      }
      const std::size_t step = static_cast<std::size_t>(std::min<std::uint64_t>(n, stop_ - start_));
      start_ += step;
      n -= step;
    }
    return {};
  }

 private:
  // Fills the empty read buffer with what one or more calls of inflate() give; nothing at the end.
  Status fill() {
    start_ = stop_ = 0;
    while (stop_ == 0 && !over_) {
      if (stream_.avail_in == 0) {
        FONDS_CHECK(feed());
      }
      FONDS_CHECK(inflate_once());
    }
    return {};
  }

  // The bytes of the input buffer behind a short read stay what they were.
  Status feed() {
    FONDS_TRY(const std::size_t n,
              source_->read_at(stored_, std::as_writable_bytes(std::span(input_))));
    stored_ += n;
    stream_.next_in = input_.data();
    stream_.avail_in = static_cast<uInt>(n);
    return {};
  }

  Status inflate_once() {
    const std::size_t room = std::min(kRawBuffer - pivot_, kReadBuffer);
    stream_.next_out = output_.data() + pivot_;
    stream_.avail_out = static_cast<uInt>(room);
    const int verdict = inflate(&stream_, Z_BLOCK);
    const std::size_t written = room - stream_.avail_out;
    std::memcpy(buffer_.data(), output_.data() + pivot_, written);
    stop_ = written;
    filled_ += written;
    pivot_ = (pivot_ + written) % kRawBuffer;
    over_ = verdict == Z_STREAM_END;
    if (verdict != Z_OK && verdict != Z_STREAM_END) {
      const bool cut = verdict == Z_BUF_ERROR;
      return fail(cut ? ErrorCode::Truncated : ErrorCode::Corrupt,
                  cut ? std::string("the data ends inside the gzip member")
                      : fmt::format("the gzip member cannot be inflated: {}",
                                    stream_.msg != nullptr ? stream_.msg : "zlib gives no reason"),
                  {.stored_offset = stored_ - stream_.avail_in, .decoded_offset = filled_});
    }
    if ((stream_.data_type & 128) != 0) {
      remember();
    }
    return {};
  }

  void remember() {
    state_.stored_offset = stored_ - stream_.avail_in;
    state_.decoded_offset = filled_;
    if (state_.stored_offset < wanted_) {
      return;
    }
    state_.bits = static_cast<std::uint8_t>(stream_.data_type & 7);
    // Counted from the end of the buffer, even if the last read did not fill it.
    state_.byte = input_[(2 * kRawBuffer - 1 - stream_.avail_in) % kRawBuffer];
    const auto window = std::as_bytes(std::span(output_));
    std::rotate_copy(window.begin(), window.begin() + static_cast<std::ptrdiff_t>(pivot_),
                     window.end(), state_.window.begin());
  }

  ByteSource* source_;
  z_stream stream_ = {};
  std::array<Bytef, kRawBuffer> input_ = {};
  std::array<Bytef, kRawBuffer> output_ = {};  // a ring
  std::array<char, kReadBuffer> buffer_ = {};
  std::size_t pivot_ = 0;             // where in output_ the next byte goes
  std::size_t start_ = 0, stop_ = 0;  // what of buffer_ has not been read
  std::uint64_t stored_ = 0;          // bytes taken from the source
  std::uint64_t filled_ = 0;          // bytes decoded
  std::uint64_t wanted_ = 0;
  State state_;
  bool over_ = false;
};

enum class Dialect : std::uint8_t { Warc10, Warc018 };

struct Header {
  std::string kind, id;
  std::uint64_t length = 0;
};

// Reads records as the two libraries do that the reference builder uses, one for each dialect.
class ReferenceReader {
 public:
  ReferenceReader(BufferedInflater& in, std::string_view id_field)
      : in_(in), id_field_(id_field.empty() ? "WARC-TREC-ID" : id_field) {}

  // The next header; nothing at the end of the data. The block behind a header of the 0.18 dialect
  // has been passed over.
  Result<std::optional<Header>> next() {
    if (in_block_ && dialect_ == Dialect::Warc10) {
      FONDS_CHECK(finish_block());
      FONDS_CHECK(expect_blank());
      FONDS_CHECK(expect_blank());
    }
    FONDS_TRY(const bool found, read_version());
    if (!found) {
      return std::optional<Header>();
    }
    FONDS_TRY(auto header, read_header());
    if (header) {
      left_ = header->length;
      in_block_ = true;
      if (dialect_ == Dialect::Warc018) {
        FONDS_CHECK(finish_block());
      }
    }
    return header;
  }

  Status finish_block() {
    const std::uint64_t n = std::exchange(left_, 0);
    return in_.skip(n);
  }

 private:
  tl::unexpected<Error> refuse(std::string_view what) {
    return fail(ErrorCode::Unsupported,
                fmt::format("the reference builder takes no {}: {}", what, to_utf8(trim(line_))),
                {.decoded_offset = in_.position()});
  }

  Status expect_blank() {
    FONDS_CHECK(in_.read_line(line_));
    if (line_ != "\r\n") {
      return refuse("line between records that is not empty");
    }
    return {};
  }

  // The version line, or false at the end of the data.
  Result<bool> read_version() {
    while (true) {
      FONDS_CHECK(in_.read_line(line_));
      if (line_.empty()) {
        return false;
      }
      if (std::exchange(first_, false)) {
        dialect_ = line_.starts_with("WARC/0.18") || !line_.ends_with("\r\n") ? Dialect::Warc018
                                                                              : Dialect::Warc10;
      }
      if (line_ == (dialect_ == Dialect::Warc10 ? "WARC/1.0\r\n" : "WARC/0.18\n") ||
          (dialect_ == Dialect::Warc018 && line_ == "WARC/1.0\n")) {
        return true;
      }
      // The other library passes over everything else.
      if (dialect_ == Dialect::Warc10 || is_version()) {
        return refuse("version line");
      }
    }
  }

  // "WARC/" digits, any character, digits, LF.
  bool is_version() const {
    std::string_view rest = line_;
    if (!rest.starts_with("WARC/") || !rest.ends_with('\n')) {
      return false;
    }
    rest = rest.substr(5, rest.size() - 6);
    const auto digits = [](std::string_view text) {
      return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    for (std::size_t dot = 1; dot + 1 < rest.size(); ++dot) {
      if (digits(rest.substr(0, dot)) && digits(rest.substr(dot + 1))) {
        return true;
      }
    }
    return false;
  }

  Result<std::optional<Header>> read_header() {
    Header header;
    std::optional<std::string> length;
    const std::string_view line_end = dialect_ == Dialect::Warc10 ? "\r\n" : "\n";
    while (true) {
      FONDS_CHECK(in_.read_line(line_));
      if (line_.empty() && dialect_ == Dialect::Warc018) {
        return std::optional<Header>();
      }
      if (line_ == line_end) {
        if (dialect_ == Dialect::Warc10 || length) {
          break;
        }
        continue;
      }
      std::string_view line = line_;
      const std::size_t colon =
          line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-");
      const bool field = colon != std::string_view::npos && colon != 0 && line[colon] == ':' &&
                         line.ends_with(line_end);
      if (!field) {
        if (dialect_ == Dialect::Warc10) {
          return refuse("such header line");
        }
        continue;
      }
      const std::string_view name = line.substr(0, colon);
      line = line.substr(colon + 1, line.size() - colon - 1 - line_end.size());
      line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
      if (equals_ignoring_case(name, "WARC-Type")) {
        header.kind = line;
      }
      if (equals_ignoring_case(name, id_field_)) {
        header.id = line;
      }
      if (dialect_ == Dialect::Warc10 ? equals_ignoring_case(name, "Content-Length")
                                      : name == "Content-Length") {
        length = line;
      }
    }
    const auto number = length ? parse_number(trim(*length)) : std::nullopt;
    if (!number) {
      return refuse("record without Content-Length");
    }
    header.length = *number;
    return std::optional(std::move(header));
  }

  BufferedInflater& in_;
  std::string id_field_;
  Dialect dialect_ = Dialect::Warc10;
  std::string line_;
  std::uint64_t left_ = 0;  // bytes of the block that have not been read
  bool in_block_ = false;
  bool first_ = true;
};

struct Pending {
  State state;
  std::uint64_t skip = 0;
};

}  // namespace

Result<std::uint64_t> build_reference_checkpoints(ByteSource& source, ByteSink& sink,
                                                  const ReferenceOptions& options) {
  if (!source.random_access()) {
    return fail(ErrorCode::Unsupported, "checkpoints of a pipe are of no use",
                {.source = source.name()});
  }
  const auto in = std::make_unique<BufferedInflater>(source);
  FONDS_CHECK(in->start());
  ReferenceReader reader(*in, options.id_field);
  CheckpointWriter writer(sink);
  std::unique_ptr<Pending> pending;
  std::uint64_t document = 0;
  in->want_from(options.spacing);
  while (true) {
    FONDS_TRY(const auto header, reader.next());
    if (!header) {
      break;
    }
    if (options.progress) {
      options.progress(in->stored_position());
    }
    if (header->kind == "warcinfo") {
      continue;
    }
    if (pending) {
      const State& state = pending->state;
      FONDS_CHECK(writer.add({.id = header->id,
                              .document = document,
                              .stored_offset = state.stored_offset,
                              .bits = state.bits,
                              .byte = state.byte,
                              .window = state.window,
                              .skip = pending->skip}));
      in->want_from(state.stored_offset + options.spacing);
      pending.reset();
    }
    if (in->last_state() != nullptr) {
      FONDS_CHECK(reader.finish_block());
      const State& state = *in->last_state();
      // The block should be followed by two empty lines, CR LF each.
      const std::uint64_t next = in->position() + 4;
      if (next >= state.decoded_offset) {
        pending = std::make_unique<Pending>(Pending{state, next - state.decoded_offset});
      }
    }
    ++document;
  }
  FONDS_CHECK(writer.finish());
  return writer.count();
}

}  // namespace fonds::index
