#include "codec/gzip/decoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <utility>

#include <fmt/core.h>
#include <libdeflate.h>

#include "base/bytes.hpp"
#include "codec/gzip/member_search.hpp"

namespace fonds::gzip {
namespace {

constexpr std::string_view kPlainState = "plain";  // the start lies among records stored plain
// Room that is tried for a whole member; what needs more is decoded as a stream.
constexpr std::array kWholeSizes = {std::size_t{256} << 10, std::size_t{2} << 20};
constexpr std::size_t kStreamPiece = std::size_t{256} << 10;
constexpr std::size_t kTrailer = 8;  // CRC-32 and ISIZE; RFC 1952, 2.3.1
constexpr std::size_t kMaxHeader = std::size_t{1} << 20;
constexpr std::uint64_t kMostDamagedWork = std::uint64_t{1}
                                           << 30;  // decoded bytes of damaged members
constexpr std::size_t kProbeRoom = std::size_t{64}
                                   << 10;  // stored bytes that show whether a record starts
constexpr std::size_t kHeadBegin = 256;    // decoded bytes of a head that are looked at first,
constexpr std::size_t kHeadStep = 96;      // at each further step,
constexpr std::size_t kHeadMost = 1024;    // and before somebody asks for more
constexpr std::size_t kProbeHead = 128;    // decoded bytes that show whether a record starts
constexpr std::size_t kProbeMore = 8192;   // and once more for long first lines
constexpr std::uint64_t kLargestSkimmed = std::uint64_t{1} << 60;
constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();
constexpr std::size_t kShortGap = 64;  // octets; longer gaps are errors

std::uint32_t update_crc(std::uint32_t crc, ByteView bytes) {
  return static_cast<std::uint32_t>(libdeflate_crc32(crc, bytes.data(), bytes.size()));
}

// The greatest length of deflate data for `n` bytes that skimming reckons with: stored blocks.
std::uint64_t longest_deflate(std::uint64_t n) { return n + 5 * (n / 65535 + 1) + 16; }

}  // namespace

bool begins_record(ByteView stored, std::uint64_t offset, const RecordProbe& probe,
                   HeadInflater& inflater, MemberHeader& header) {
  if (offset >= stored.size() ||
      parse_member_header(stored.subspan(offset), header) != HeaderState::Good) {
    return false;
  }
  const std::uint64_t data = offset + header.length;
  if (data > stored.size()) {
    return false;
  }
  inflater.start(stored.subspan(data));
  auto state = inflater.run(kProbeHead);
  if (inflater.output().empty()) {
    return state == HeadInflater::State::End;
  }
  if (probe.starts_record == nullptr || probe.starts_record(inflater.output())) {
    return true;
  }
  if (state != HeadInflater::State::More) {
    return false;
  }
  inflater.run(kProbeMore);
  return probe.starts_record(inflater.output());
}

GzipDecoder::GzipDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options)
    : BufferedDecoder(options), window_(std::move(source)), position_(options.start) {}

GzipDecoder::~GzipDecoder() { libdeflate_free_decompressor(whole_); }

Result<BufferedDecoder::Fill> GzipDecoder::fill(std::size_t wanted) {
  switch (mode_) {
    case Mode::Between:
      return begin_member(wanted);
    case Mode::Head:
      return more_head(wanted);
    case Mode::Whole:
      return decode_whole();
    case Mode::Stream:
      return more_stream();
    case Mode::Plain:
      return more_plain(wanted);
    case Mode::Resync:
      return resync();
    case Mode::Over:
      return Fill::End;
  }
  return Fill::End;
}

Result<BufferedDecoder::Fill> GzipDecoder::begin_member(std::size_t wanted) {
  window_.release(position_);
  FONDS_TRY(ByteView stored, window_.at(position_, 64));
  if (stored.empty()) {
    mode_ = Mode::Over;
    return Fill::End;
  }
  const bool ready = ready_ == position_;
  ready_.reset();
  auto state = HeaderState::Good;
  if (ready) {
    header_ = next_header_;
  } else {
    state = parse_member_header(stored, header_);
    for (std::size_t more = 4096; state == HeaderState::NeedMore && more <= 2 * kMaxHeader;
         more *= 4) {
      FONDS_TRY(stored, window_.at(position_, more));
      state = parse_member_header(stored, header_);
      if (stored.size() < more) {
        break;
      }
    }
  }
  if (state == HeaderState::NeedMore) {
    // A damaged header can ask for more than there is while members follow.
    if (window_.mapped()) {
      FONDS_TRY(const std::uint64_t behind, find_member(position_ + 1, kNowhere));
      if (behind < position_ + stored.size()) {
        report("member-damaged", "gzip member has a header that cannot be", position_);
        position_ = behind;
        return Fill::Gap;
      }
    }
    report("truncated-member",
           fmt::format("gzip member is cut short in its header after {} bytes", stored.size()),
           position_);
    position_ += stored.size();
    mode_ = Mode::Over;
    return Fill::End;
  }
  if (state == HeaderState::Not) {
    return foreign_bytes(stored);
  }
  member_ = position_;
  data_ = position_ + header_.length;
  decoded_ = 0;
  head_done_ = 0;
  drop_ = 0;
  crc_ = 0;
  if (header_.bad_header_crc) {
    report("header-crc", "the checksum of the gzip header is wrong", member_);
  }
  begin_unit(member_);
  if (!options_.skim || !window_.mapped()) {
    return decode_whole();
  }
  if (ready) {
    std::swap(head_, next_head_);
  } else {
    if (head_ == nullptr) {
      head_ = std::make_unique<HeadInflater>();
    }
    head_->start(stored.subspan(header_.length));
  }
  mode_ = Mode::Head;
  return more_head(wanted);
}

Result<BufferedDecoder::Fill> GzipDecoder::foreign_bytes(ByteView stored) {
  if (stored[0] == std::byte{0}) {
    std::uint64_t zeros = 0;
    const std::uint64_t from = position_;
    while (!stored.empty()) {
      const auto end =
          std::find_if(stored.begin(), stored.end(), [](std::byte b) { return b != std::byte{0}; });
      const auto n = static_cast<std::uint64_t>(end - stored.begin());
      zeros += n;
      if (end != stored.end()) {
        break;
      }
      window_.release(from + zeros);
      FONDS_TRY(stored, window_.at(from + zeros, 1));
    }
    report("nul-padding", fmt::format("{} NUL octets between gzip members", zeros), from);
    position_ = from + zeros;
    return Fill::More;
  }
  FONDS_TRY(stored, window_.at(position_, std::size_t{64} << 10));
  const ByteView head = stored.first(std::min(stored.size(), std::size_t{64} << 10));
  if (options_.probe.starts_record != nullptr && position_ > 0 &&
      options_.probe.starts_record(head)) {
    if (options_.state != kPlainState) {
      report("plain-after-compressed", "records are stored plain from here on", position_);
    }
    begin_unit(position_);
    plain_from_ = position_;
    mode_ = Mode::Plain;
    return Fill::More;
  }
  mode_ = Mode::Resync;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> GzipDecoder::resync() {
  const std::uint64_t from = position_;
  FONDS_TRY(const std::uint64_t found, find_member(from, kNowhere));
  if (found ==
      from) {  // a gap of nothing: the data behind the last member was already accounted for
    mode_ = Mode::Between;
    return Fill::More;
  }
  FONDS_TRY(const ByteView there, window_.at(found, 1));
  const std::uint64_t skipped = found - from;
  if (there.empty()) {
    report("trailing-garbage", fmt::format("{} octets behind the last gzip member", skipped), from);
    mode_ = Mode::Over;
    position_ = found;
    return Fill::End;
  }
  report(skipped > kShortGap ? "resync" : "resync-short",
         fmt::format("{} octets that are no gzip member skipped", skipped), from);
  position_ = found;
  mode_ = Mode::Between;
  return Fill::More;
}

Result<std::uint64_t> GzipDecoder::find_member(std::uint64_t from, std::uint64_t to) {
  if (next_head_ == nullptr) {
    next_head_ = std::make_unique<HeadInflater>();
  }
  ready_.reset();
  std::uint64_t at = from;
  while (at < to) {
    window_.release(at);
    FONDS_TRY(const ByteView stored, window_.at(at, kStreamPiece));
    if (stored.size() < 3) {
      return at + stored.size();
    }
    // A candidate is looked at only with enough behind it to judge it.
    const bool end = window_.mapped() || stored.size() < kStreamPiece;
    const std::size_t judged = end ? stored.size() : stored.size() - kProbeRoom;
    const std::size_t span = static_cast<std::size_t>(std::min<std::uint64_t>(judged, to - at));
    std::size_t hit = 0;
    while ((hit = find_member_magic(stored, hit, span)) != npos) {
      if (begins_record(stored, hit, options_.probe, *next_head_, next_header_)) {
        if (window_.mapped()) {
          ready_ = at + hit;
        }
        return at + hit;
      }
      ++hit;
    }
    if (window_.mapped()) {
      return at + span;
    }
    if (end) {
      return at + stored.size();
    }
    at += span;
  }
  return to;
}

Result<BufferedDecoder::Fill> GzipDecoder::decode_whole() {
  if (whole_ == nullptr) {
    whole_ = libdeflate_alloc_decompressor();
    if (whole_ == nullptr) {
      return fail(ErrorCode::Internal, "no memory for a decompressor");
    }
  }
  FONDS_TRY(const ByteView stored, window_.at(data_, kStreamPiece));
  auto engine = InflateStream::Engine::Fast;
  for (const std::size_t size : kWholeSizes) {
    const MutableByteView out = reserve(std::min(size, options_.max_whole_unit));
    std::size_t used = 0;
    std::size_t written = 0;
    const auto verdict = libdeflate_deflate_decompress_ex(whole_, stored.data(), stored.size(),
                                                          out.data(), out.size(), &used, &written);
    if (verdict == LIBDEFLATE_SUCCESS) {
      crc_ = update_crc(0, out.first(written));
      commit_behind_head(out, written);
      decoded_ = written;
      return end_member(data_ + used, crc_, written);
    }
    if (verdict != LIBDEFLATE_INSUFFICIENT_SPACE) {
      // Damaged, unless a pipe just shows too little of the member: what comes before the damage is
      // delivered.
      const bool all_seen = window_.mapped() || stored.size() < kStreamPiece;
      engine = all_seen ? InflateStream::Engine::Exact : InflateStream::Engine::Fast;
      break;
    }
  }
  drop_ = head_done_;
  return start_stream(engine);
}

void GzipDecoder::commit_behind_head(MutableByteView out, std::size_t n) {
  const auto drop = static_cast<std::size_t>(std::min<std::uint64_t>(n, head_done_));
  if (drop > 0) {
    std::memmove(out.data(), out.data() + drop, n - drop);
  }
  commit(n - drop);
}

Result<BufferedDecoder::Fill> GzipDecoder::start_stream(InflateStream::Engine engine) {
  if (stream_ == nullptr) {
    stream_ = std::make_unique<InflateStream>();
  }
  stream_->start(engine);
  stream_position_ = data_;
  decoded_ = 0;
  crc_ = 0;
  mode_ = Mode::Stream;
  return more_stream();
}

Result<BufferedDecoder::Fill> GzipDecoder::more_stream() {
  window_.release(stream_position_ -
                  std::min<std::uint64_t>(stream_position_, InflateStream::kMostReturned));
  FONDS_TRY(const ByteView stored, window_.at(stream_position_, kStreamPiece));
  const MutableByteView out = reserve(kStreamPiece).first(kStreamPiece);
  const auto step = stream_->run(stored, out);
  const bool stuck =
      step.used == 0 && step.written == 0 && step.state == InflateStream::State::More;
  stream_position_ =
      static_cast<std::uint64_t>(static_cast<std::int64_t>(stream_position_) + step.used);
  crc_ = update_crc(crc_, out.first(step.written));
  decoded_ += step.written;
  const auto drop = static_cast<std::size_t>(std::min<std::uint64_t>(drop_, step.written));
  if (drop > 0) {
    std::memmove(out.data(), out.data() + drop, step.written - drop);
    drop_ -= drop;
  }
  commit(step.written - drop);
  switch (step.state) {
    case InflateStream::State::More:
      if (stored.empty() || stuck) {
        if (window_.mapped()) {
          // A damaged length can make the member swallow all that follows.
          FONDS_TRY(const std::uint64_t inside, find_member(data_, kNowhere));
          if (inside < stream_position_) {
            return damaged(fmt::format("gzip member seems to reach over the member at {}", inside));
          }
        }
        report("truncated-member",
               fmt::format("gzip member is cut short; {} bytes of it decode", decoded_), member_);
        position_ = stream_position_;
        mode_ = Mode::Over;
        return Fill::End;
      }
      return Fill::More;
    case InflateStream::State::End:
      return end_member(stream_position_, crc_, decoded_);
    case InflateStream::State::Corrupt:
      break;
  }
  return damaged(fmt::format("gzip member cannot be decoded behind its first {} bytes", decoded_));
}

Result<BufferedDecoder::Fill> GzipDecoder::damaged(std::string message) {
  // The decoder may have run on into the members behind before it noticed, so the search begins in
  // this one. Members nested in damaged ones could make that quadratic; when much has been decoded
  // in vain, it goes on behind.
  damaged_work_ += decoded_;
  const bool again = window_.mapped() && damaged_work_ < kMostDamagedWork;
  const std::uint64_t from = again ? data_ : std::max(stream_position_, data_);
  FONDS_TRY(const std::uint64_t next, find_member(from, kNowhere));
  member_size_ = kNowhere;
  report("member-damaged", std::move(message), member_);
  position_ = next;
  mode_ = Mode::Between;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> GzipDecoder::end_member(std::uint64_t trailer, std::uint32_t crc,
                                                      std::uint64_t decoded) {
  member_size_ = decoded;
  mode_ = Mode::Between;
  if (decoded == 0) {
    report("empty-member", "gzip member without content", member_);
  }
  FONDS_TRY(const ByteView stored, window_.at(trailer, kTrailer));
  if (stored.size() < kTrailer) {
    report(
        "truncated-member",
        fmt::format("gzip member lacks {} of the 8 bytes of its trailer", kTrailer - stored.size()),
        member_);
    position_ = trailer + stored.size();
    return Fill::More;
  }
  position_ = trailer + kTrailer;
  const std::uint32_t stored_crc = load_le32(stored);
  const std::uint32_t stored_size = load_le32(stored.subspan(4));
  if (stored_crc == crc && stored_size == static_cast<std::uint32_t>(decoded)) {
    return Fill::More;
  }
  if (window_.mapped()) {
    // Damage can make deflate data seem to end far behind its true end: a member inside is the
    // proof.
    FONDS_TRY(const std::uint64_t inside, find_member(data_, position_));
    if (inside < position_) {
      report("member-damaged",
             fmt::format(
                 "gzip member cannot be decoded: its data seems to reach over the member at {}",
                 inside),
             member_);
      position_ = inside;
      return Fill::Gap;
    }
    ready_.reset();
  }
  if (stored_crc != crc) {
    report("member-crc",
           fmt::format("gzip member has CRC-32 {:08x}, its trailer says {:08x}", crc, stored_crc),
           member_);
  }
  if (stored_size != static_cast<std::uint32_t>(decoded)) {
    report("member-isize",
           fmt::format("gzip member holds {} bytes, its trailer says {}", decoded, stored_size),
           member_);
  }
  return Fill::More;
}

Result<BufferedDecoder::Fill> GzipDecoder::more_head(std::size_t wanted) {
  std::size_t target = head_done_ + std::max(wanted, kHeadBegin);
  if (target > HeadInflater::kMaxOutput) {
    return decode_whole();
  }
  // Up to where a head ends, in small steps: what is decoded behind it is decoded in vain.
  auto state = head_->run(target);
  for (std::size_t known = head_done_;
       state == HeadInflater::State::More && target < head_done_ + kHeadMost;) {
    if (options_.probe.ends_head == nullptr || options_.probe.ends_head(head_->output(), known)) {
      break;
    }
    target = head_->output().size() + kHeadStep;
    if (target > HeadInflater::kMaxOutput) {
      break;
    }
    known = head_->output().size();
    state = head_->run(target);
  }
  if (state == HeadInflater::State::Corrupt || state == HeadInflater::State::NeedInput) {
    return decode_whole();
  }
  const ByteView fresh = head_->output().subspan(head_done_);
  if (!fresh.empty()) {
    std::memcpy(reserve(fresh.size()).data(), fresh.data(), fresh.size());
    commit(fresh.size());
  }
  head_done_ = head_->output().size();
  if (state == HeadInflater::State::End) {
    return end_member(data_ + head_->consumed(), update_crc(0, head_->output()), head_done_);
  }
  return Fill::More;
}

Result<BufferedDecoder::Fill> GzipDecoder::more_plain(std::size_t wanted) {
  window_.release(position_);
  FONDS_TRY(const ByteView stored, window_.at(position_, std::max(wanted, kStreamPiece)));
  if (stored.empty()) {
    mode_ = Mode::Over;
    return Fill::End;
  }
  const std::size_t n = std::min(stored.size(), std::max(wanted, kStreamPiece));
  std::memcpy(reserve(n).data(), stored.data(), n);
  commit(n);
  position_ += n;
  return Fill::More;
}

std::string GzipDecoder::state(const Place& place) const {
  return plain_from_ && *plain_from_ < place.unit ? std::string(kPlainState) : std::string();
}

Place GzipDecoder::place() const {
  const Place place = BufferedDecoder::place();
  return plain_from_ && place.unit >= *plain_from_ ? Place{place.unit + place.inner, 0} : place;
}

Result<std::uint64_t> GzipDecoder::skip(std::uint64_t n) {
  if (mode_ == Mode::Head && n > buffered()) {
    mode_ = Mode::Whole;
  }
  return BufferedDecoder::skip(n);
}

// Whether a member that begins a record stands at `offset`. It is then ready to be read.
bool GzipDecoder::begins_here(ByteView stored, std::uint64_t offset) {
  if (next_head_ == nullptr) {
    next_head_ = std::make_unique<HeadInflater>();
  }
  ready_.reset();
  if (!begins_record(stored, offset, options_.probe, *next_head_, next_header_)) {
    return false;
  }
  ready_ = offset;
  return true;
}

// Where the current member ends if it holds `size` bytes: its last four bytes say so, and a member
// that begins a record, or the end of the data, follows. Nothing if another member begins before
// that. The skip lengths of draft 00.11 ("sl") would save this search, but they can lie.
std::optional<std::uint64_t> GzipDecoder::find_end(ByteView stored, std::uint64_t size) {
  const auto says_size = [&](std::uint64_t end) {
    return load_le32(stored.subspan(end - 4)) == static_cast<std::uint32_t>(size);
  };
  // Behind the data come CRC-32 and size.
  const std::uint64_t from = data_ + head_->consumed() + kTrailer;
  const std::uint64_t limit =
      std::min<std::uint64_t>(stored.size(), from + longest_deflate(size - head_done_));
  for (std::size_t at = from; (at = find_member_magic(stored, at, limit + 1)) != npos; ++at) {
    if (begins_here(stored, at)) {
      return says_size(at) ? std::optional<std::uint64_t>(at) : std::nullopt;
    }
  }
  fruitless_ += limit > from ? limit - from : 0;
  const bool last = limit == stored.size() && from <= limit && says_size(limit);
  return last ? std::optional<std::uint64_t>(limit) : std::nullopt;
}

Result<bool> GzipDecoder::skim_unit(std::uint64_t inner_end) {
  if (place().unit != member_ || !window_.mapped() || !options_.skim) {
    return false;
  }
  if (mode_ == Mode::Between && member_size_ == inner_end) {
    discard();
    return true;
  }
  if (mode_ != Mode::Head || inner_end < head_done_ || inner_end > kLargestSkimmed) {
    return false;
  }
  FONDS_TRY(const ByteView stored, window_.at(0, 1));
  if (fruitless_ > 2 * stored.size() + (std::uint64_t{64} << 20)) {
    return false;  // too many wrong lengths in this file: searching costs more than decoding
  }
  const auto end = find_end(stored, inner_end);
  if (!end) {
    return false;
  }
  discard();
  position_ = *end;
  mode_ = Mode::Between;
  return true;
}

}  // namespace fonds::gzip
