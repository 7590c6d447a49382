// The gzip decoder. Which of four ways a member is read is decided member by member; see Mode.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "codec/buffered_decoder.hpp"
#include "codec/gzip/head_inflater.hpp"
#include "codec/gzip/history.hpp"
#include "codec/gzip/inflate_stream.hpp"
#include "codec/gzip/member_header.hpp"
#include "codec/gzip/span_decoder.hpp"
#include "io/window.hpp"

struct libdeflate_decompressor;

namespace fonds::gzip {

// True if a member starts at stored[offset] whose content can begin a record (or is empty).
// `inflater` is scratch and holds the member's head afterwards; `header` its header.
bool begins_record(ByteView stored, std::uint64_t offset, const RecordProbe& probe,
                   HeadInflater& inflater, MemberHeader& header);

class GzipDecoder final : public BufferedDecoder {
 public:
  GzipDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options);
  ~GzipDecoder() override;

  Place place() const override;
  Result<std::uint64_t> skip(std::uint64_t n) override;
  Result<bool> skim_unit(std::uint64_t inner_end) override;
  std::uint64_t stored_position() const override { return position_; }
  std::string state(const Place& place) const override;

 protected:
  Result<Fill> fill(std::size_t wanted) override;

 private:
  enum class Mode : std::uint8_t {
    Between,  // position_ is where the next member should begin
    Resume,   // DecodeOptions::resume says where to begin, inside a member
    Head,     // skimming: the head inflater gives as much as is asked for
    Whole,    // skimming, but the rest is wanted too: libdeflate decodes the member again
    Stream,   // ISA-L gives one piece after the other
    Spans,    // several threads do, each from a seek point on
    Plain,   // records stored plain behind the last member, up to the next one that begins a record
    Resync,  // behind a gap: position_ is where the search for the next member begins
    Over,
  };

  Result<Fill> begin_member(std::size_t wanted);
  Result<HeaderState> read_header(ByteView& stored);
  Result<Fill> cut_in_header(std::size_t seen);
  Result<Fill> foreign_bytes(ByteView stored);
  Result<Fill> decode_whole();
  Result<Fill> begin_at_point();
  Result<Fill> start_stream(InflateStream::Engine engine);
  bool start_spans(SpanDecoder::State from);
  Result<Fill> decode_again(const SpanDecoder::State& from);
  Result<Fill> more_head(std::size_t wanted);
  Result<Fill> more_stream();
  Result<Fill> more_spans();
  Result<Fill> stream_is_stuck();
  void report_bad_point();
  Result<Fill> more_plain(std::size_t wanted);
  Result<Fill> resync();
  // The member's deflate data ended before stored offset `trailer`; checks what follows it.
  Result<Fill> end_member(std::uint64_t trailer, std::uint32_t crc, std::uint64_t decoded);
  Result<bool> reaches_over_member();
  // The next offset at or behind `from` and before `to` where a member begins a record; `to` if
  // there is none.
  Result<std::uint64_t> find_member(std::uint64_t from, std::uint64_t to);
  Result<Fill> damaged(std::string message);
  // Commits what `out` holds but for the bytes that the head inflater had delivered before.
  void commit_behind_head(MutableByteView out, std::size_t n);
  // DecodeOptions::collect.
  bool collecting() const { return options_.collect != nullptr && engine_ == Engine::Fast; }
  void offer_member();
  bool wants_border();
  std::size_t stream_piece() const;
  Status pass_border(unsigned bits);
  bool begins_here(ByteView stored, std::uint64_t offset);
  std::optional<std::uint64_t> find_end(ByteView stored, std::uint64_t size);

  using Engine = InflateStream::Engine;
  static constexpr std::uint64_t kNowhere = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::size_t kTrailer = 8;  // CRC-32 and ISIZE; RFC 1952, 2.3.1
  static constexpr std::size_t kStreamPiece = std::size_t{256} << 10;

  Window window_;
  Mode mode_ = Mode::Between;
  std::uint64_t position_ = 0;  // see Mode
  std::uint64_t member_ = 0;    // stored offset of the current member
  std::uint64_t data_ = 0;      // stored offset of its deflate data
  std::uint64_t stream_position_ = 0;
  std::uint64_t decoded_ = 0;         // bytes of the current member that were decoded
  std::uint64_t decoded_before_ = 0;  // bytes of all the members before it
  std::uint64_t member_size_ = 0;     // decoded size of the member that ended last
  std::uint32_t crc_ = 0;
  std::size_t head_done_ = 0;  // bytes that were delivered by the head inflater
  std::uint64_t drop_ = 0;     // bytes at the front of a stream that were delivered already
  // Where records are stored plain; the last ones, whose bytes may still be shown.
  std::vector<ByteRange> plain_;
  std::uint64_t damaged_work_ = 0;      // bytes that were decoded of damaged members
  std::uint64_t fruitless_ = 0;         // stored bytes that skimming searched without a hit
  std::optional<std::uint64_t> ready_;  // next_head_ stands at this member
  MemberHeader header_, next_header_;
  std::unique_ptr<HeadInflater> head_, next_head_;
  std::unique_ptr<InflateStream> stream_;
  Engine engine_ = Engine::Fast;               // of stream_
  const SeekPoint* point_ = nullptr;           // the current member was entered here
  bool point_good_ = false;                    // and something could be decoded from there
  History history_;                            // while collecting
  std::optional<std::uint64_t> wanted_since_;  // stored offset since which a border is wanted
  std::uint64_t look_at_ = 0;                  // stored offset from which on the next one is
  std::uint64_t taken_ = 0;                    // borders that had been taken then
  std::unique_ptr<SpanDecoder> spans_;
  libdeflate_decompressor* whole_ = nullptr;
};

}  // namespace fonds::gzip
