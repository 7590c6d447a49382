// The content of a file or of standard input, to be read more than once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/making.hpp>

namespace fonds::ops {

class FileContent final : public ItemContent {
 public:
  // "-": standard input, which is put into a temporary file first. Errors: NotFound; Io, also for
  // what is no plain file; Cancelled.
  static Result<FileContent> open(const std::string& path, const std::stop_token& stop = {});

  const std::string& name() const override { return name_; }
  std::uint64_t length() const override { return length_; }
  // Files that change meanwhile are an error, as far as size and times tell.
  Status read(const std::function<Status(ByteView)>& out) override;
  // When the file was changed last, to the second; nothing for standard input.
  std::optional<Date> date() const { return date_; }

 private:
  struct Descriptor;
  FileContent() = default;
  Status spool();
  Status look(bool first);

  std::string name_;
  std::shared_ptr<Descriptor> file_;
  std::stop_token stop_;
  std::uint64_t length_ = 0;
  std::int64_t changed_seconds_ = 0;
  long changed_nanoseconds_ = 0;
  std::optional<Date> date_;
};

}  // namespace fonds::ops
