// The directory that `fonds cat -o` writes records into.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include <fonds/error.hpp>
#include <fonds/record.hpp>

#include "base/digest.hpp"
#include "io/file_sink.hpp"
#include "ops/cat.hpp"

namespace fonds::ops {

// One file a record, with names that are safe everywhere, and a manifest of them.
class CatDirectory {
 public:
  // Both outlive the object.
  CatDirectory(const CatOptions& options, const std::string& archive)
      : options_(options), archive_(archive) {}

  // Makes the directory and begins the manifest. Errors: Io.
  Status open();
  // Of each record its file: begin(), pieces, end(). Errors: Io; Cancelled.
  Status begin(const Record& record, std::uint64_t ordinal);
  Status write(ByteView piece);
  Status end();
  Status close();

 private:
  void choose_name(const std::string& begin, const std::string& end);

  const CatOptions& options_;
  const std::string& archive_;
  std::optional<FileSink> manifest_, file_;
  std::string name_, line_;
  std::set<std::string> used_;
  std::optional<Hasher> hasher_;  // made when needed: setting up the library takes a millisecond
};

}  // namespace fonds::ops
