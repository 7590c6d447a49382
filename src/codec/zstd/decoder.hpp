// The zstd decoder. Small frames are decoded in one call, large ones and damaged ones in pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "codec/resync.hpp"
#include "codec/unit_decoder.hpp"
#include "codec/zstd/dictionary.hpp"
#include "codec/zstd/frame.hpp"
#include "codec/zstd/frame_decoder.hpp"
#include "codec/zstd/frame_probe.hpp"
#include "io/window.hpp"

namespace fonds::zstd {

class ZstdDecoder final : public UnitDecoder {
 public:
  ZstdDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options);
  // Loads the dictionary and goes to DecodeOptions::start. Call once, before anything else.
  Status open();
  // Steps over whole frames without decoding them, when skimming.
  Result<std::uint64_t> skip(std::uint64_t n) override;

 protected:
  Result<Fill> fill(std::size_t wanted) override;
  std::uint64_t stored_used() const override {
    return mode_ == Mode::Pieces ? next_stored_ : position_;
  }
  Result<bool> skim_open_unit(std::uint64_t unit, std::uint64_t inner_end) override;

 private:
  // For scan(): however long it is.
  static constexpr std::uint64_t kWholeFrame = std::numeric_limits<std::uint64_t>::max();
  enum class Mode : std::uint8_t {
    Between,  // a frame should begin at position_
    Pieces,   // inside the frame at frame_
    Over,
  };

  Status open_dictionary(ByteView head);
  Result<Fill> begin_frame(std::size_t wanted);
  Result<Fill> foreign_bytes(ByteView stored);
  Result<Fill> pass_skippable(ByteView stored, std::uint32_t magic);
  Result<bool> lacks_frame(std::uint64_t offset);
  Result<Fill> zstd_frame(std::size_t wanted);
  // Reports what the header alone shows. False if the frame needs a dictionary that is not there.
  bool check_header();
  Result<bool> decode_whole();
  Result<Fill> start_pieces(std::size_t wanted);
  Result<Fill> more_pieces(std::size_t wanted);
  Status give_back_magic();
  void end_frame(std::uint64_t decoded_size, std::uint64_t stored_end);
  // The frame at position_ as far as `most` stored bytes show it.
  Result<FrameInfo> scan(std::uint64_t offset, std::uint64_t most);
  // When skimming, steps over the rest of the frame in hand, or over the next one, if it has at
  // most `most` decoded bytes left. Returns their number; 0 if the frame must be decoded.
  Result<std::uint64_t> step_over_frame(std::uint64_t most);
  // Of a frame that is over and whose content is wrong: goes back to the frames that it took for
  // its own.
  Result<Fill> end_damaged_frame();
  Fill go_back(std::uint64_t damaged, std::uint64_t to);
  // Where such frames begin, of a frame that seems to end at `end`. Of a pipe nothing.
  Result<std::optional<std::uint64_t>> swallowed(std::uint64_t frame, std::uint64_t end);
  Status make_probe();
  // Goes on behind a frame that cannot be decoded but is whole.
  Result<Fill> pass_frame();
  Result<Fill> damaged();
  Result<Fill> cut_short();
  Fill over();
  // Goes to the next frame that begins a record: by walking frames from `walk_from`, which must be
  // the end of a frame or nothing, else by search from `search_from`.
  Result<std::optional<std::uint64_t>> next_record(std::optional<std::uint64_t> walk_from,
                                                   std::uint64_t search_from);
  Result<bool> begins_record(std::uint64_t offset);

  Window window_;
  FrameDecoder decoder_;
  std::unique_ptr<FrameProbe> probe_;
  Dictionary dictionary_;
  bool dictionary_lost_ = false;  // the file has a dictionary that cannot be used
  Mode mode_ = Mode::Between;
  std::uint64_t position_ = 0;             // where the next frame begins
  std::uint64_t frame_ = 0;                // the current frame
  FrameHeader header_;                     // its header
  std::uint64_t next_stored_ = 0;          // Pieces: the next stored byte to be used
  std::uint64_t decoded_ = 0;              // Pieces: decoded bytes of the frame
  std::optional<std::uint64_t> doubtful_;  // the frame before, if it did not end as it should
  DamageBudget budget_;
};

}  // namespace fonds::zstd
