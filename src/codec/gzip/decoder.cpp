#include "codec/gzip/decoder.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/core.h>
#include <libdeflate.h>

#include <fonds/seek_index.hpp>

#include "base/bytes.hpp"
#include "codec/gzip/member_search.hpp"
#include "codec/resync.hpp"

namespace fonds::gzip {
namespace {

constexpr std::size_t kMostPlain = 64;             // ranges of plain records that are remembered
constexpr std::string_view kPlainState = "plain";  // the start lies among records stored plain
// Room that is tried for a whole member; what needs more is decoded as a stream.
constexpr std::array kWholeSizes = {std::size_t{256} << 10, std::size_t{2} << 20};
constexpr std::uint64_t kMostDamagedWork = std::uint64_t{1}
                                           << 30;  // decoded bytes of damaged members
constexpr std::size_t kProbeRoom = std::size_t{64}
                                   << 10;  // stored bytes that show whether a record starts
constexpr std::size_t kShortGap = 64;      // octets; longer gaps are errors

}  // namespace

GzipDecoder::GzipDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options)
    : BufferedDecoder(options), window_(std::move(source)), position_(options.start) {
  if (options_.resume != nullptr) {
    mode_ = Mode::Resume;
    position_ = options_.resume->stored_offset;
  }
}

GzipDecoder::~GzipDecoder() { libdeflate_free_decompressor(whole_); }

Result<BufferedDecoder::Fill> GzipDecoder::fill(std::size_t wanted) {
  switch (mode_) {
    case Mode::Between:
      return begin_member(wanted);
    case Mode::Resume:
      return begin_at_point();
    case Mode::Head:
      return more_head(wanted);
    case Mode::Whole:
      return decode_whole();
    case Mode::Stream:
      return more_stream();
    case Mode::Spans:
      return more_spans();
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
    FONDS_TRY(state, read_header(stored));
  }
  if (state == HeaderState::NeedMore) {
    return cut_in_header(stored.size());
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
  point_ = nullptr;
  if (header_.bad_header_crc) {
    report("header-crc", "the checksum of the gzip header is wrong", member_);
  }
  begin_unit(member_);
  offer_member();
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

// `stored`: what is shown from position_ on.
Result<HeaderState> GzipDecoder::read_header(ByteView& stored) {
  auto state = parse_member_header(stored, header_);
  for (std::size_t more = 4096; state == HeaderState::NeedMore && more <= 2 * kLongestHeader;
       more *= 4) {
    FONDS_TRY(stored, window_.at(position_, more));
    state = parse_member_header(stored, header_);
    if (stored.size() < more) {
      break;
    }
  }
  return state;
}

// A damaged header can ask for more than there is while members follow.
Result<BufferedDecoder::Fill> GzipDecoder::cut_in_header(std::size_t seen) {
  FONDS_TRY(const std::optional<std::uint64_t> left, bytes_left(window_, position_));
  if (left) {
    FONDS_TRY(const std::uint64_t behind, find_member(position_ + 1, kNowhere));
    if (behind < position_ + *left) {
      report("member-damaged", "gzip member has a header that cannot be", position_);
      position_ = behind;
      return Fill::Gap;
    }
  }
  const std::uint64_t shown = left.value_or(seen);
  report("truncated-member",
         fmt::format("gzip member is cut short in its header after {} bytes", shown), position_);
  position_ += shown;
  mode_ = Mode::Over;
  return Fill::End;
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
    if (options_.state != kPlainState || position_ != options_.start) {
      report("plain-after-compressed", "records are stored plain from here on", position_);
    }
    begin_unit(position_);
    if (plain_.size() == kMostPlain) {
      plain_.erase(plain_.begin());
    }
    plain_.push_back({position_, kNowhere - position_});
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
  // Whoever begins where each read is a round trip may want nothing behind the first members: they
  // are tried with what has come, as long as that can be the whole of one.
  const bool first = !window_.mapped() && window_.source()->random_access() &&
                     member_ < options_.start + kProbeRoom;
  std::size_t least = first ? 1 : kStreamPiece;
  // What any member has that decodes to so little.
  const std::size_t most = std::max(
      kStreamPiece + 1, std::min(kWholeSizes.back(), options_.max_whole_unit) + kProbeRoom);
  auto engine = InflateStream::Engine::Fast;
  for (std::size_t i = 0; i < kWholeSizes.size();) {
    if (options_.collect != nullptr && i > 0) {
      break;  // only streams show their borders
    }
    FONDS_TRY(const ByteView stored, window_.at(data_, least));
    const MutableByteView out = reserve(std::min(kWholeSizes[i], options_.max_whole_unit));
    std::size_t used = 0;
    std::size_t written = 0;
    const auto verdict = libdeflate_deflate_decompress_ex(whole_, stored.data(), stored.size(),
                                                          out.data(), out.size(), &used, &written);
    if (verdict == LIBDEFLATE_SUCCESS) {
      crc_ = libdeflate_crc32(0, out.data(), written);
      commit_behind_head(out, written);
      decoded_ = written;
      return end_member(data_ + used, crc_, written);
    }
    if (verdict == LIBDEFLATE_INSUFFICIENT_SPACE) {
      ++i;
      continue;
    }
    if (least < kStreamPiece && stored.size() >= least) {
      least = std::min(stored.size() + 1, kStreamPiece);
      continue;
    }
    const bool all_seen = window_.mapped() || stored.size() < least || least == most;
    if (!all_seen && !first && window_.goes_back()) {
      least = most;
      continue;
    }
    // Damaged, unless a pipe just shows too little of the member: what comes before the damage is
    // delivered.
    engine = all_seen ? InflateStream::Engine::Exact : InflateStream::Engine::Fast;
    break;
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

Result<BufferedDecoder::Fill> GzipDecoder::damaged(std::string message) {
  // The decoder may have run on into the members behind before it noticed, so the search begins in
  // this one. Members nested in damaged ones could make that quadratic; when much has been decoded
  // in vain, it goes on behind.
  damaged_work_ += decoded_;
  decoded_before_ += decoded_;
  const bool again = window_.goes_back() && damaged_work_ < kMostDamagedWork;
  const std::uint64_t from = again ? member_ + 1 : std::max(stream_position_, data_);
  FONDS_TRY(const std::uint64_t next, find_member(from, kNowhere));
  member_size_ = kNowhere;
  if (point_ != nullptr && !point_good_) {
    report_bad_point();
  } else {
    report("member-damaged", std::move(message), member_);
  }
  position_ = next;
  mode_ = Mode::Between;
  return Fill::Gap;
}

Result<BufferedDecoder::Fill> GzipDecoder::end_member(std::uint64_t trailer, std::uint32_t crc,
                                                      std::uint64_t decoded) {
  member_size_ = decoded;
  decoded_before_ += decoded;
  mode_ = Mode::Between;
  if (decoded == 0 && point_ == nullptr) {
    report("empty-member", "gzip member without content", member_);
  }
  FONDS_TRY(const ByteView stored, window_.at(trailer, kTrailer));
  if (stored.size() < kTrailer) {
    const std::size_t lacks = kTrailer - stored.size();
    position_ = trailer + stored.size();
    FONDS_TRY(const bool over, reaches_over_member());
    if (over) {
      return Fill::Gap;
    }
    report("truncated-member",
           fmt::format("gzip member lacks {} of the 8 bytes of its trailer", lacks), member_);
    return Fill::More;
  }
  position_ = trailer + kTrailer;
  const std::uint32_t stored_crc = load_le32(stored);
  const std::uint32_t stored_size = load_le32(stored.subspan(4));
  // Behind a point the first part of the member was not seen.
  const bool good_crc = stored_crc == crc || point_ != nullptr;
  const bool good_size =
      stored_size == static_cast<std::uint32_t>(decoded) || (point_ != nullptr && !point_->place);
  if (good_crc && good_size) {
    return Fill::More;
  }
  FONDS_TRY(const bool over, reaches_over_member());
  if (over) {
    return Fill::Gap;
  }
  if (!good_crc) {
    report("member-crc",
           fmt::format("gzip member has CRC-32 {:08x}, its trailer says {:08x}", crc, stored_crc),
           member_);
  }
  if (!good_size) {
    report("member-isize",
           fmt::format("gzip member holds {} bytes, its trailer says {}", decoded, stored_size),
           member_);
  }
  return Fill::More;
}

// Damage can make deflate data seem to end far behind its true end: a member inside is the proof.
// Then that one is next.
Result<bool> GzipDecoder::reaches_over_member() {
  if (!window_.goes_back()) {
    return false;
  }
  FONDS_TRY(const std::uint64_t inside, find_member(member_ + 1, position_));
  if (inside >= position_) {
    ready_.reset();
    return false;
  }
  report("member-damaged",
         fmt::format("gzip member cannot be decoded: its data seems to reach over the member at {}",
                     inside),
         member_);
  position_ = inside;
  return true;
}

Result<BufferedDecoder::Fill> GzipDecoder::more_plain(std::size_t wanted) {
  window_.release(position_);
  const std::size_t most = std::max(wanted, kStreamPiece);
  FONDS_TRY(const ByteView stored, window_.at(position_, most + kProbeRoom));
  if (stored.empty()) {
    mode_ = Mode::Over;
    return Fill::End;
  }
  if (next_head_ == nullptr) {
    next_head_ = std::make_unique<HeadInflater>();
  }
  ready_.reset();
  // Damage can make deflate data that was stored as it is look like plain records; behind it
  // members go on.
  std::size_t n = std::min(stored.size(), most);
  for (std::size_t hit = 0; (hit = find_member_magic(stored, hit, n)) != npos; ++hit) {
    if (begins_record(stored, hit, options_.probe, *next_head_, next_header_)) {
      n = hit;
      plain_.back().length = position_ + hit - plain_.back().offset;
      mode_ = Mode::Between;
      break;
    }
  }
  std::memcpy(reserve(n).data(), stored.data(), n);
  commit(n);
  position_ += n;
  decoded_before_ += n;
  return Fill::More;
}

std::string GzipDecoder::state(const Place& place) const {
  const bool plain = std::ranges::any_of(plain_, [&place](const ByteRange& range) {
    return range.offset < place.unit && place.unit - range.offset < range.length;
  });
  return plain ? std::string(kPlainState) : std::string();
}

Place GzipDecoder::place() const {
  const Place place = BufferedDecoder::place();
  const bool plain = std::ranges::any_of(
      plain_, [&place](const ByteRange& range) { return range.offset == place.unit; });
  return plain ? Place{place.unit + place.inner, 0} : place;
}

}  // namespace fonds::gzip
