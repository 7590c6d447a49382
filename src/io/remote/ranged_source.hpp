// An object at a URL that is read at positions, by ranges.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

#include "io/remote/extents.hpp"
#include "io/remote/reply.hpp"
#include "io/remote/request.hpp"
#include "io/remote/session.hpp"
#include "io/remote/url.hpp"
#include "io/will_read.hpp"

namespace fonds::remote {

// What the first request of an object asks for.
inline constexpr std::uint64_t kFirstPiece = std::uint64_t{64} << 10;

// "bytes 0-65535", in messages.
std::string words_of(ByteRange range);

class RangedSource final : public ByteSource, public ReadsAhead {
 public:
  // `session` outlives it. `validator` is what the reply said by which the object was opened.
  RangedSource(Session& session, Url url, Validator validator);
  RangedSource(const RangedSource&) = delete;
  RangedSource& operator=(const RangedSource&) = delete;
  ~RangedSource() override;

  // The bytes that came with that reply.
  void keep(std::uint64_t offset, std::vector<std::byte> bytes);

  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override { return validator_.size; }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override;
  Result<std::size_t> read_some_at(std::uint64_t offset, MutableByteView out) override;
  Result<std::size_t> read_next(MutableByteView out) override;
  void will_read(ByteRange range) override;
  Result<std::shared_ptr<const std::byte>> lend(ByteRange range) override;
  void forget(ByteRange range) override;

 private:
  using Memory = std::shared_ptr<std::byte>;  // of its first byte

  // Bytes that were fetched or are under way.
  struct Extent {
    ByteRange range;
    std::mutex mutex;              // of who waits for the reply; guards it and what is here
    std::shared_ptr<Reply> reply;  // until all bytes are here
    std::uint64_t here = 0;        // bytes from the first on
    Memory memory;                 // of range.length bytes
    std::uint64_t used = 0;        // when it was read last, in reads; the source's

    ByteRange missing() const { return {range.offset + here, range.length - here}; }
  };
  // Memory for a range of several extents that is wanted in one piece. Those that are asked for
  // after it was made lie in it.
  struct Whole {
    ByteRange range;
    Memory memory;
    std::mutex mutex;  // of who puts the rest there
    bool done = false;
  };
  using Extents = std::map<std::uint64_t, std::shared_ptr<Extent>>;

  Result<std::shared_ptr<Extent>> extent_at(std::uint64_t offset);
  Extents::iterator find(std::uint64_t offset);
  Status ask(ByteRange range);
  Memory memory_for(ByteRange range) const;
  Result<std::shared_ptr<Reply>> send(const Extent& extent);
  void make_whole(ByteRange range);
  Status fill(Whole& whole);
  void let_go();
  static bool is_waited_for(Extents::iterator extent);
  Extents::iterator drop(Extents::iterator at);
  Result<std::uint64_t> settle(Extent& extent, std::uint64_t least);
  std::optional<Failure> take(Extent& extent, std::uint64_t before) const;

  Session& session_;
  const Url url_;
  const std::string name_;
  const Validator validator_;
  std::mutex mutex_;
  // All under mutex_.
  ReadAhead plan_;
  Extents extents_;                                         // by their offset; none overlap
  std::map<std::uint64_t, std::shared_ptr<Whole>> wholes_;  // by their offset
  std::uint64_t held_ = 0, reads_ = 0;
};

}  // namespace fonds::remote
