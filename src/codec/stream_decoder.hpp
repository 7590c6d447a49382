// The decoder of bzip2 and xz: streams one after the other, each decoded from its beginning in
// pieces. A subclass wraps one library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codec/resync.hpp"
#include "codec/unit_decoder.hpp"
#include "io/window.hpp"

namespace fonds {

// One library's decoder.
class StreamEngine {
 public:
  enum class State : std::uint8_t {
    More,         // the input is used up or the output is full
    End,          // the stream is over
    Corrupt,      // what was written is all that can be had
    Unsupported,  // correct as far as it goes, but not readable here
    OverLimit,    // it asks for more memory than is allowed
  };
  struct Step {
    State state;
    std::size_t used, written;
  };

  virtual ~StreamEngine() = default;
  virtual std::string_view name() const = 0;
  // What each stream begins with.
  virtual ByteView magic() const = 0;
  // Whether a stream begins at `stored`, which has at least kBeginning bytes unless the data ends.
  static constexpr std::size_t kBeginning = 16;
  virtual bool begins(ByteView stored) const = 0;
  // NUL bytes between streams come in multiples of this; 0: there should be none.
  virtual std::size_t padding_unit() const = 0;
  // Makes ready for a new stream. False if there is no memory.
  virtual bool start() = 0;
  virtual Step step(ByteView in, MutableByteView out) = 0;
};

// The beginning of the stream at the start of `stored`, up to 64 KiB, for record probes; empty if
// it cannot be decoded.
ByteView decode_head(StreamEngine& engine, ByteView stored, std::vector<std::byte>& room);

// Codec::find_unit for such streams.
std::uint64_t find_stream(StreamEngine& engine, ByteView stored, std::uint64_t from,
                          std::uint64_t to, const RecordProbe& probe);

class StreamDecoder final : public UnitDecoder {
 public:
  // `probe` is a second engine of the same kind.
  StreamDecoder(std::shared_ptr<ByteSource> source, const DecodeOptions& options,
                std::unique_ptr<StreamEngine> engine, std::unique_ptr<StreamEngine> probe);

 protected:
  Result<Fill> fill(std::size_t wanted) override;
  std::uint64_t stored_used() const override { return position_; }

 private:
  enum class Mode : std::uint8_t { Start, Between, Inside, Over };

  Result<Fill> begin_stream();
  Result<Fill> pass_zeros();
  Result<Fill> more();
  // Goes on at the next stream at or behind `from` that begins a record.
  Result<Fill> lose(std::uint64_t from);
  Result<bool> begins_record(std::uint64_t offset);
  Fill over();

  Window window_;
  std::unique_ptr<StreamEngine> engine_, probe_;
  Mode mode_ = Mode::Start;
  std::uint64_t position_ = 0;  // the next stored byte
  std::uint64_t stream_ = 0;    // where the current stream began
  std::uint64_t decoded_ = 0;   // bytes of it
  std::vector<std::byte> head_;
  DamageBudget budget_;
};

}  // namespace fonds
