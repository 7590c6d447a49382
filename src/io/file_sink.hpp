// Files that appear whole or not at all: written without a name in the directory of the target, or
// under a temporary one, then linked or renamed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>

namespace fonds {

class FileSink final : public ByteSink {
 public:
  // Begins a file that will be called `path`. Errors: Io; BadArgument if the file is there already
  // and `replace` is not set.
  static Result<FileSink> create(const std::string& path, bool replace);
  FileSink(FileSink&& other) noexcept;
  FileSink& operator=(FileSink&&) = delete;
  ~FileSink() override;  // without commit() nothing is left behind

  Status write(ByteView bytes) override;
  // Another name for the file that is being written, in the same directory. What is there is
  // replaced under the terms of create().
  void call(std::string path) { path_ = std::move(path); }
  // Brings all content to disk and gives the memory for it back; nothing more is to be written. The
  // file has no name yet. Errors: Io.
  Status settle();
  // Makes the file appear under its name, its content safely on disk if `sync`. Errors: Io.
  Status commit(bool sync);
  // Whether it has no name at all until then, so that nothing is left behind by a process that is
  // killed; but for the moment in which it replaces a file, when it is whole under a temporary one.
  bool nameless() const { return temporary_.empty(); }
  std::uint64_t position() const override { return position_; }
  bool can_rewrite() const override { return true; }
  Status rewrite_at(std::uint64_t offset, ByteView bytes) override;
  Result<std::shared_ptr<ByteSource>> written() const override;

 private:
  FileSink(int fd, std::string path, std::string temporary, bool replace);
  Status flush() const;
  bool appear();
  int fd_;
  std::string path_;
  std::string temporary_;  // its name until then; empty: it has none
  bool replace_;
  mutable std::string buffer_;  // what is not in the file yet
  std::uint64_t position_ = 0;
};

}  // namespace fonds
