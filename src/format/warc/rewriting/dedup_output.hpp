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
  // `options.compression` empty: as the first archive. Errors: BadArgument for what cannot be.
  static Result<std::unique_ptr<DedupOutput>> create(const Archive& first, ByteSink& sink,
                                                     const WriteOptions& options);

  // To be called before the records of an archive. Only what is `whole` is copied. Errors: those of
  // reading its dictionary.
  Status begin(const Archive& archive, bool whole);
  // Then, to say what stands before its first record: `head` stored bytes, which are whole. Of the
  // first archive they are copied, where the compression stays; nothing: they are damaged, or
  // unknown. Errors: those of reading, of the sink and of the encoder.
  Status put_head(std::optional<std::uint64_t> head);
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
