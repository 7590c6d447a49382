// Where stored bytes come from: files, memory, standard input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

// One of the files that a source was put together of.
struct SourcePiece {
  std::string name;
  ByteRange range;  // where it lies in the source
};

// Bytes at positions. Sources with random access are stateless: every member may be called from
// many threads. Without random access only `read_next` works, from one thread.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // The path as it was given, "-" for standard input, "<memory>".
  virtual const std::string& name() const = 0;
  virtual bool random_access() const = 0;
  // The size in bytes. Errors: Unsupported without random access.
  virtual Result<std::uint64_t> size() = 0;
  // Reads up to out.size() bytes at `offset`; fewer only at the end. Errors: Io; Unsupported
  // without random access.
  virtual Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) = 0;
  // The same for who goes on behind what was read: at least one byte unless at the end, and no more
  // than is cheap. Where each read is a round trip that is what the last one has brought.
  virtual Result<std::size_t> read_some_at(std::uint64_t offset, MutableByteView out) {
    return read_at(offset, out);
  }
  // Reads the next bytes of a source without random access; 0 only at the end. Errors: Io;
  // Cancelled if a signal interrupted a read that was waiting.
  virtual Result<std::size_t> read_next(MutableByteView out) = 0;
  // The whole content if it lies in memory (mapped files, memory); lives as long as the source.
  virtual std::optional<ByteView> view() { return std::nullopt; }
  // These bytes of view() will hardly be looked at again: what holds them in memory may go. They
  // can still be read.
  virtual void forget(ByteRange range) { static_cast<void>(range); }
  // The files that it was put together of, in their order; empty for all other sources.
  virtual std::span<const SourcePiece> pieces() const { return {}; }
};

// Opens a path, a URL (<fonds/remote.hpp>), or standard input for "-". A regular file is mapped; of
// a URL only the bytes that are read are fetched, if its server can. Errors: NotFound, Io with the
// system's words; of a URL also Unsupported, BadArgument, Cancelled.
Result<std::shared_ptr<ByteSource>> open_source(std::string_view path);

// The files of a directory with these names, one behind the other, as one source with random
// access. It is called as the directory was given. Errors: NotFound, Io with the file's name;
// Unsupported for what is no file.
Result<std::shared_ptr<ByteSource>> open_source(std::string_view directory,
                                                std::span<const std::string> names);

// A source over bytes in memory, which it owns.
std::shared_ptr<ByteSource> memory_source(std::vector<std::byte> bytes,
                                          std::string name = "<memory>");

}  // namespace fonds
