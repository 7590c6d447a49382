// Stored bytes of an archive that goes into a merged one: as they are, whole units at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "io/window.hpp"

namespace fonds::warc {

// A pipe whose bytes are kept until they are released, so that they can be copied behind the reader
// that takes them.
class TeeSource final : public ByteSource {
 public:
  explicit TeeSource(std::shared_ptr<ByteSource> pipe) : pipe_(std::move(pipe)) {}
  const std::string& name() const override { return pipe_->name(); }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override { return pipe_->size(); }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    return pipe_->read_at(offset, out);
  }
  Result<std::size_t> read_next(MutableByteView out) override;

  // Reads ahead of the reader, up to `size` bytes from the pipe's start.
  Status prefetch(std::size_t size);
  // All kept bytes from `offset` on, which is none before the last release.
  ByteView from(std::uint64_t offset) const;
  void release(std::uint64_t offset);
  // Bytes that were taken from the pipe.
  std::uint64_t end() const { return begin_ + kept_.size() - gone_; }

 private:
  std::shared_ptr<ByteSource> pipe_;
  Buffer kept_;
  std::size_t gone_ = 0;     // released bytes that still lie in kept_
  std::uint64_t begin_ = 0;  // offset of the first kept byte
  std::uint64_t given_ = 0;  // offset of the next byte for the reader
};

// Copies ranges of one archive. `Frames` (zstd): frame by frame, without dictionaries and tables of
// what was where; else byte by byte.
class StoredCopy {
 public:
  struct Target {
    ByteSink* sink = nullptr;    // takes the bytes if there is no encoder
    Encoder* encoder = nullptr;  // takes them as units
    bool frames = false;
    bool keep_tables = false;  // seek tables go along: nothing is moved
  };
  StoredCopy(std::shared_ptr<ByteSource> source, std::shared_ptr<TeeSource> tee, Target target);

  void use(Encoder& encoder) { target_.encoder = &encoder; }
  // The bytes from `offset` on are the next ones; nothing is copied of those before.
  void start(std::uint64_t offset) { next_ = offset; }
  // Where what was told of the size of the unit at `offset` begins, which stands before it; or
  // `offset`. Both lie behind position().
  Result<std::uint64_t> with_prefix(std::uint64_t offset);
  // Bytes of a pipe that wait are not needed.
  void pass_over();
  std::uint64_t position() const { return next_; }
  // Copies all before `to`, where a unit begins or the archive ends. Errors: those of source and
  // sink; Unsupported for frames that the merged archive must not have.
  Status up_to(std::uint64_t to);
  // Bytes of a pipe that wait are copied as far as that can be, so that they do not grow too many.
  Status relieve(std::uint64_t most);
  // The range has ended, and something else comes.
  Status pause();
  // Directly into the sink, before there is an encoder.
  Status head(std::uint64_t to, ByteSink& sink);
  bool tables_left_out() const { return tables_left_out_; }
  std::optional<std::byte> last() const { return last_; }
  // The next range is followed by one that is made anew: its last size prefix would be wrong.
  void drop_last_prefix() { drop_last_prefix_ = true; }

 private:
  Result<ByteView> at(std::uint64_t offset, std::size_t at_least);
  Status bytes_up_to(std::uint64_t to);
  Status frames_up_to(std::uint64_t to, bool all);
  Status put(ByteView bytes);
  void release();

  std::shared_ptr<TeeSource> tee_;
  std::optional<Window> window_;
  Target target_;
  std::uint64_t next_ = 0;
  bool unit_ = false;  // one is open in the encoder
  bool tables_left_out_ = false, drop_last_prefix_ = false;
  std::optional<std::byte> last_;
};

}  // namespace fonds::warc
