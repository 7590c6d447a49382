#include "index/checkpoint_verify.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "base/text.hpp"
#include "codec/gzip/member_header.hpp"
#include "index/checkpoint.hpp"

namespace fonds::index {
namespace {

constexpr std::size_t kInputBuffer = std::size_t{64} << 10;
constexpr std::size_t kOutputBuffer = std::size_t{160} << 10;
constexpr std::uint64_t kNear = 8;  // bytes by which landings are off that others wrote
constexpr std::uint64_t kLanding = std::uint64_t{64} << 10;  // where the record's header must end

// Raw inflate that stops at borders.
class Inflater {
 public:
  Inflater() { ready_ = inflateInit2(&stream_, -15) == Z_OK; }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) {
      inflateEnd(&stream_);
    }
  }

  bool ready() const { return ready_; }
  z_stream& stream() { return stream_; }
  void restart() { inflateReset2(&stream_, -15); }
  void resume(unsigned bits, std::byte before, ByteView window) {
    restart();
    if (bits != 0) {
      inflatePrime(&stream_, static_cast<int>(bits), std::to_integer<int>(before) >> (8 - bits));
    }
    inflateSetDictionary(&stream_, reinterpret_cast<const Bytef*>(window.data()),
                         static_cast<uInt>(window.size()));
  }
  // inflate() with Z_BLOCK. Takes from `in` and `out` what was used.
  int run(ByteView& in, MutableByteView& out) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int verdict = inflate(&stream_, Z_BLOCK);
    in = in.last(stream_.avail_in);
    out = out.last(stream_.avail_out);
    return verdict;
  }
  bool at_border() const { return (stream_.data_type & (128 | 64)) == 128; }
  unsigned bits() const { return static_cast<unsigned>(stream_.data_type & 7); }

 private:
  z_stream stream_ = {};
  bool ready_ = false;
};

// Decoded bytes of a member that are wanted when decoding comes to them.
struct Capture {
  enum class Use : std::uint8_t { Landing, Window };
  Use use = Use::Landing;
  std::size_t checkpoint = 0;
  std::uint64_t from = 0, to = 0;  // decoded, in the member
  std::uint64_t target = 0;        // of a landing
  std::string bytes = {};
};

// Whether the header at the start of `text` has a field with this value.
bool has_value(std::string_view text, std::string_view value) {
  bool length_seen = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (trim(line).empty()) {
      if (length_seen) {
        return false;
      }
      continue;
    }
    const std::size_t colon = std::min(line.find(':'), line.size());
    if (colon != line.size() && trim(line.substr(colon + 1)) == value) {
      return true;
    }
    length_seen = length_seen || equals_ignoring_case(line.substr(0, colon), "Content-Length");
  }
  return false;
}

class Verification {
 public:
  Verification(ByteSource& archive, const CheckpointFile& file,
               const std::function<void(const Finding&)>& on_finding,
               const std::function<void(std::uint64_t)>& progress)
      : archive_(archive),
        file_(file),
        on_finding_(on_finding),
        progress_(progress),
        input_(kInputBuffer),
        output_(kOutputBuffer) {}

  Status run() {
    if (!inflater_.ready() || !second_.ready()) {
      return fail(ErrorCode::Internal, "no memory for zlib");
    }
    while (next_ < file_.size()) {
      FONDS_TRY(const bool more, member());
      if (!more) {
        break;
      }
    }
    for (; next_ < file_.size(); ++next_) {
      report("chk-border", next_,
             fmt::format("the archive could be decoded up to {} only", position()));
    }
    return {};
  }

 private:
  // The stored offset of the next byte of input.
  std::uint64_t position() const { return input_end_ - in_.size(); }

  void report(std::string_view code, std::size_t i, std::string_view words) {
    const CheckpointHead& head = file_.head(i);
    on_finding_(make_finding(code, fmt::format("checkpoint {}: {}", head.number, words),
                             {.source = archive_.name(),
                              .stored_offset = head.stored_offset,
                              .record_id = to_utf8(head.id())}));
  }

  Status go_to(std::uint64_t offset) {
    FONDS_TRY(const std::size_t n, archive_.read_at(offset, input_));
    in_ = ByteView(input_).first(n);
    input_end_ = offset + n;
    return {};
  }

  // Decodes the member at position(). False if there is none, or it is damaged.
  Result<bool> member() {
    FONDS_CHECK(go_to(position()));
    gzip::MemberHeader header;
    gzip::HeaderState state = gzip::parse_member_header(in_, header);
    if (state == gzip::HeaderState::NeedMore && in_.size() == kInputBuffer) {
      std::vector<std::byte> bytes(gzip::kLongestHeader);
      FONDS_TRY(const std::size_t n, archive_.read_at(position(), bytes));
      state = gzip::parse_member_header(ByteView(bytes).first(n), header);
    }
    if (state != gzip::HeaderState::Good) {
      return false;
    }
    FONDS_CHECK(go_to(position() + header.length));
    inflater_.restart();
    decoded_ = 0;
    filled_ = 0;
    FONDS_CHECK(border(0));
    FONDS_TRY(const bool whole, inflate_member());
    FONDS_CHECK(flush());
    if (whole) {
      FONDS_CHECK(go_to(position() + 8));
    }
    return whole;
  }

  Result<bool> inflate_member() {
    while (true) {
      if (in_.empty()) {
        FONDS_CHECK(go_to(input_end_));
        if (in_.empty()) {
          return false;
        }
        if (progress_) {
          progress_(input_end_);
        }
      }
      if (output_.size() - filled_ < kInputBuffer) {
        std::memmove(output_.data(), output_.data() + filled_ - kCheckpointWindow,
                     kCheckpointWindow);
        filled_ = kCheckpointWindow;
      }
      MutableByteView room = MutableByteView(output_).subspan(filled_);
      const std::size_t free = room.size();
      const int verdict = inflater_.run(in_, room);
      const std::size_t written = free - room.size();
      const ByteView fresh = ByteView(output_).subspan(filled_, written);
      filled_ += written;
      decoded_ += written;
      FONDS_CHECK(deliver(fresh));
      if (verdict == Z_STREAM_END) {
        return true;
      }
      if (verdict != Z_OK && verdict != Z_BUF_ERROR) {
        return false;
      }
      if (inflater_.at_border()) {
        FONDS_CHECK(border(inflater_.bits()));
      }
    }
  }

  // A border lies here: the checkpoint that is next may, those that should have come before do not.
  Status border(unsigned bits) {
    const auto bit_offset = [](std::uint64_t stored_offset, unsigned unread) {
      return stored_offset * 8 - unread;
    };
    const std::uint64_t here = bit_offset(position(), bits);
    for (; next_ < file_.size(); ++next_) {
      const CheckpointHead& head = file_.head(next_);
      const std::uint64_t wanted = bit_offset(head.stored_offset, head.bits);
      if (wanted > here) {
        return {};
      }
      if (wanted < here) {
        report("chk-border", next_,
               fmt::format("no block ends at {} with {} bits to be read", head.stored_offset,
                           head.bits));
      } else {
        FONDS_CHECK(check(next_));
      }
    }
    return {};
  }

  // The checkpoint lies here.
  Status check(std::size_t i) {
    const CheckpointHead& head = file_.head(i);
    FONDS_TRY(const std::byte before, byte_before(head.stored_offset));
    if (head.bits != 0 && std::to_integer<std::uint8_t>(before) != head.byte) {
      report("chk-byte", i,
             fmt::format("it stores the byte {:#04x}, the archive has {:#04x}", head.byte,
                         std::to_integer<unsigned>(before)));
    }
    const auto whole = file_.checkpoint(i);
    if (!whole) {
      report("chk-lz4", i, whole.error().message());
      return {};
    }
    const ByteView truth = history();
    if (!std::equal(truth.begin(), truth.end(),
                    ByteView(whole->point.window).last(truth.size()).begin())) {
      // Behind 32 KiB of output nothing can refer to the window.
      want({Capture::Use::Window, i, decoded_, decoded_ + kCheckpointWindow});
    }
    const std::uint64_t target = decoded_ + whole->skip;
    want({Capture::Use::Landing, i, target - std::min(target, kNear), target + kLanding, target});
    return {};
  }

  Result<std::byte> byte_before(std::uint64_t offset) {
    std::array<std::byte, 1> byte = {};
    FONDS_TRY(const std::size_t n, archive_.read_at(offset - 1, byte));
    return n == 1 ? byte[0] : std::byte{0};
  }

  // What was decoded last of the member, at most a window.
  ByteView history() const {
    return ByteView(output_).first(filled_).last(std::min(filled_, kCheckpointWindow));
  }

  void want(Capture capture) {
    if (capture.from < decoded_) {
      capture.bytes = as_text(history().last(static_cast<std::size_t>(decoded_ - capture.from)));
    }
    const std::uint64_t from = capture.from;
    captures_.emplace(from, std::move(capture));
  }

  // Gives decoded bytes to whom they are wanted by.
  Status deliver(ByteView fresh) {
    const std::uint64_t start = decoded_ - fresh.size();
    for (auto it = captures_.begin(); it != captures_.end() && it->first < decoded_;) {
      Capture& capture = it->second;
      const std::uint64_t from = std::max(capture.from, start);
      const std::uint64_t to = std::min(capture.to, decoded_);
      if (from < to) {
        capture.bytes += as_text(fresh.subspan(static_cast<std::size_t>(from - start),
                                               static_cast<std::size_t>(to - from)));
      }
      if (capture.to > decoded_) {
        ++it;
        continue;
      }
      FONDS_CHECK(judge(capture));
      it = captures_.erase(it);
    }
    return {};
  }

  // The member is over.
  Status flush() {
    for (const auto& [from, capture] : captures_) {
      FONDS_CHECK(judge(capture));
    }
    captures_.clear();
    return {};
  }

  Status judge(const Capture& capture) {
    if (capture.use == Capture::Use::Window) {
      return judge_window(capture);
    }
    judge_landing(capture);
    return {};
  }

  void judge_landing(const Capture& capture) {
    const std::string_view text = capture.bytes;
    const std::string_view id = file_.head(capture.checkpoint).id();
    const std::size_t exact = static_cast<std::size_t>(capture.target - capture.from);
    std::size_t found = exact;
    if (!text.substr(std::min(exact, text.size())).starts_with("WARC/")) {
      found = text.substr(0, exact + kNear + 5).find("WARC/");
    }
    const std::string_view record = found < text.size() ? text.substr(found) : std::string_view();
    if (record.empty()) {
      // Other formats have no mark by which their records could be told.
      const std::string_view line = text.substr(std::min(exact, text.size()));
      if (line.substr(0, line.find('\n')).find(id) == std::string_view::npos) {
        report(
            "chk-landing", capture.checkpoint,
            fmt::format("no record begins {} decoded bytes into the gzip member", capture.target));
      }
    } else if (!has_value(record, id)) {
      report("chk-landing", capture.checkpoint,
             fmt::format("the record that it leads to is not {}", to_utf8(id)));
    } else if (found != exact) {
      report("chk-landing-near", capture.checkpoint,
             found < exact ? fmt::format("the record begins {} bytes before", exact - found)
                           : fmt::format("the record begins {} bytes behind", found - exact));
    }
  }

  // The window differs from what was decoded. Bytes that something refers to would come out
  // different as well.
  Status judge_window(const Capture& capture) {
    const std::size_t i = capture.checkpoint;
    const CheckpointHead& head = file_.head(i);
    const auto whole = file_.checkpoint(i);
    FONDS_TRY(const std::byte before, byte_before(head.stored_offset));
    if (!whole) {
      return {};
    }
    second_.resume(head.bits, before, whole->point.window);
    std::vector<std::byte> out(capture.bytes.size());
    MutableByteView room = out;
    std::vector<std::byte> input(kInputBuffer);
    std::uint64_t at = head.stored_offset;
    int verdict = Z_OK;
    while (!room.empty() && verdict == Z_OK) {
      FONDS_TRY(const std::size_t n, archive_.read_at(at, input));
      ByteView in = ByteView(input).first(n);
      at += n;
      while (!in.empty() && !room.empty() && verdict == Z_OK) {
        verdict = second_.run(in, room);
      }
      if (n == 0) {
        break;
      }
    }
    if (room.empty() && as_text(out) == capture.bytes) {
      report("chk-sparse", i, "bytes of its window differ that nothing refers to");
    } else {
      report("chk-window", i, "its window is not what the archive holds before it");
    }
    return {};
  }

  ByteSource& archive_;
  const CheckpointFile& file_;
  const std::function<void(const Finding&)>& on_finding_;
  const std::function<void(std::uint64_t)>& progress_;
  Inflater inflater_, second_;
  std::vector<std::byte> input_;
  ByteView in_ = {};             // of input_, not yet used
  std::uint64_t input_end_ = 0;  // stored offset behind in_
  std::vector<std::byte> output_;
  std::size_t filled_ = 0;     // of output_; all of the member, or at least a window of it
  std::uint64_t decoded_ = 0;  // of the member
  std::size_t next_ = 0;       // the first checkpoint that was not met
  std::multimap<std::uint64_t, Capture> captures_;  // by where they begin
};

}  // namespace

Status verify_checkpoints(ByteSource& archive, const CheckpointFile& file,
                          const std::function<void(const Finding&)>& on_finding,
                          const std::function<void(std::uint64_t)>& progress) {
  if (!archive.random_access()) {
    return fail(ErrorCode::Unsupported, "a pipe cannot be compared with its checkpoints",
                {.source = archive.name()});
  }
  return std::make_unique<Verification>(archive, file, on_finding, progress)->run();
}

}  // namespace fonds::index
