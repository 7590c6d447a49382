// Where records go that stay as they are stored, or are written anew.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include <fonds/byte_sink.hpp>
#include <fonds/encoder.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

namespace fonds::warc {

// Hands large pieces on in small ones, so that nobody keeps them.
class SlicingSink final : public ByteSink {
 public:
  explicit SlicingSink(ByteSink& sink) : sink_(sink) {}
  Status write(ByteView bytes) override;
  std::uint64_t position() const override { return sink_.position(); }

 private:
  ByteSink& sink_;
};

class DedupOutput {
 public:
  // `options.compression` empty: as the first archive. Errors: those of the encoder.
  static Result<std::unique_ptr<DedupOutput>> create(const Archive& first, ByteSink& sink,
                                                     const WriteOptions& options);

  // To be called before the records of an archive. Errors: those of reading its dictionary.
  Status begin(const Archive& archive);
  // What stands before the first record of the archive. Errors: those of reading and the sink.
  Status put_head(std::uint64_t length);
  // Copies stored bytes, which are whole units. False if they cannot be: nothing was written then.
  // Without `with_table` a seek table at the end is left out.
  Result<bool> copy(ByteRange stored, bool with_table);
  Encoder& encoder() { return *encoder_; }

 private:
  DedupOutput(ByteSink& sink, EncodeOptions encode) : sink_(sink), encode_(std::move(encode)) {}
  bool fits(ByteView stored) const;

  SlicingSink sink_;
  EncodeOptions encode_;
  std::unique_ptr<Encoder> encoder_;
  const Archive* archive_ = nullptr;
  bool can_copy_ = false;
  bool first_ = true;
};

}  // namespace fonds::warc
