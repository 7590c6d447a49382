// The lz4 decoder. Frames that fit are decoded in one go, others block by block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "codec/lz4/block_decoder.hpp"
#include "codec/lz4/frame.hpp"
#include "codec/lz4/frame_probe.hpp"
#include "codec/resync.hpp"
#include "codec/unit_decoder.hpp"
#include "io/window.hpp"

namespace fonds::lz4 {

class Lz4Decoder final : public UnitDecoder {
 public:
  Lz4Decoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options);
  bool ready() const { return decoder_.ready(); }

 protected:
  Result<Fill> fill(std::size_t wanted) override;
  std::uint64_t stored_used() const override {
    return mode_ == Mode::Blocks ? next_stored_ : position_;
  }
  Result<bool> skim_open_unit(std::uint64_t unit, std::uint64_t inner_end) override;

 private:
  enum class Mode : std::uint8_t {
    Start,    // go to DecodeOptions::start first
    Between,  // a frame should begin at position_
    Blocks,   // inside the frame at frame_, its next block at next_stored_
    Over,
  };

  Result<Fill> begin_frame();
  Result<Fill> foreign_bytes(ByteView stored);
  Result<Fill> pass_zeros();
  Result<Fill> pass_skippable(ByteView stored);
  Result<bool> decode_whole();
  Result<Fill> next_block();
  Result<Fill> bad_block(const Block& block, BlockDecoder::State state);
  void end_frame(std::uint64_t decoded_size, std::uint64_t stored_end);
  Result<FrameInfo> scan(std::uint64_t most);
  Result<Fill> damaged();
  Result<Fill> cut_short();
  Result<Fill> end_damaged_frame();
  Fill go_back(std::uint64_t damaged, std::uint64_t to);
  Status make_probe();
  std::optional<std::uint64_t> swallowed(const StoredView& stored, std::uint64_t from,
                                         std::uint64_t to);
  Result<bool> reaches_over_record(std::uint64_t from, std::uint64_t to);
  Result<std::optional<std::uint64_t>> next_record(std::uint64_t from);
  Fill over();

  Window window_;
  BlockDecoder decoder_;
  std::unique_ptr<FrameProbe> probe_;
  Mode mode_ = Mode::Start;
  std::uint64_t position_ = 0;     // where the next frame begins
  std::uint64_t frame_ = 0;        // the current frame
  FrameHeader header_;             // its header
  std::uint64_t next_stored_ = 0;  // Blocks
  std::uint64_t decoded_ = 0;      // Blocks: decoded bytes of the frame
  bool resume_ = false;            // Blocks: the run begins anew in the middle of the frame
  bool plain_ = false;  // Blocks: decoder_ was started with plain_header(), so it checks nothing
  std::optional<std::uint64_t> record_behind_;  // the frame with a record that was found last
  std::optional<std::uint64_t> doubtful_;       // the frame before, if it did not end as it should
  DamageBudget budget_;
};

}  // namespace fonds::lz4
