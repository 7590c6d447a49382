// Skimming: members of which only the head is decoded.
#include <algorithm>
#include <cstring>
#include <utility>

#include <libdeflate.h>

#include "base/bytes.hpp"
#include "codec/gzip/decoder.hpp"
#include "codec/gzip/member_search.hpp"

namespace fonds::gzip {
namespace {

constexpr std::size_t kHeadBegin = 256;   // decoded bytes of a head that are looked at first,
constexpr std::size_t kHeadStep = 96;     // at each further step,
constexpr std::size_t kHeadMost = 1024;   // and before somebody asks for more
constexpr std::size_t kProbeHead = 128;   // decoded bytes that show whether a record starts
constexpr std::size_t kProbeMore = 8192;  // and once more for long first lines
constexpr std::uint64_t kLargestSkimmed = std::uint64_t{1} << 60;

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
    return end_member(data_ + head_->consumed(),
                      libdeflate_crc32(0, head_->output().data(), head_->output().size()),
                      head_done_);
  }
  return Fill::More;
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
  decoded_before_ += inner_end;
  position_ = *end;
  mode_ = Mode::Between;
  return true;
}

}  // namespace fonds::gzip
