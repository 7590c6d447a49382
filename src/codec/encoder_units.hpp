// What each codec gives the one Encoder: the stored form of units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

namespace fonds {

// Encodes units that lie in memory. Each thread has its own.
class WholeEncoder {
 public:
  virtual ~WholeEncoder() = default;
  // Appends the stored form of `unit` to `out`. Returns how many bytes of it stand before the unit
  // proper.
  virtual Result<std::size_t> encode(ByteView unit, Buffer& out) = 0;
};

// Encodes a unit that is not held; the members append to `out`.
class StreamEncoder {
 public:
  virtual ~StreamEncoder() = default;
  virtual Status begin(std::optional<std::uint64_t> decoded_size, Buffer& out) = 0;
  // `decoded` is at most kMostStreamed bytes.
  virtual Status write(ByteView decoded, Buffer& out) = 0;
  virtual Status end(Buffer& out) = 0;
};
inline constexpr std::size_t kMostStreamed = std::size_t{256} << 10;

// One codec with its options. const members may be called from many threads.
class UnitCodec {
 public:
  virtual ~UnitCodec() = default;
  // What to do with a unit of more than most_held() decoded bytes.
  enum class Larger : std::uint8_t {
    Stream,  // begin anew with a stream
    Cut,     // each most_held() bytes become a stored unit of their own
    Pass,    // no codec: all units are as large as this, and go to the sink as they are
  };
  virtual Larger larger() const { return Larger::Stream; }
  virtual std::size_t most_held() const { return kMostHeld; }
  virtual Result<std::unique_ptr<WholeEncoder>> whole_encoder() const = 0;
  virtual Result<std::unique_ptr<StreamEncoder>> stream_encoder() const = 0;

  // What stands at the start of a file whose next bytes are `first`.
  virtual Status emit_head(ByteView first, Buffer& out);
  // BadArgument if `stored` is not what put_stored() takes.
  virtual Status check_stored(ByteView stored) const = 0;
  // Told of everything that is written, in order; only what is streamed may come in parts.
  virtual void note(ByteView stored);
  virtual Status emit_tail(Buffer& out);

 protected:
  // Larger units are rare, and a thread may hold several of this size.
  static constexpr std::size_t kMostHeld = std::size_t{16} << 20;
};

// Errors: those of make_encoder().
Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options);

// Fails with BadArgument if the level is out of range; else the level to use.
Result<int> choose_level(const EncodeOptions& options);

namespace gzip {
Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options);
}
namespace zstd {
Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options);
}
namespace lz4 {
Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options);
}
namespace none {
Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options);
}

}  // namespace fonds
