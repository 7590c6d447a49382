// What the commands that write archives share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/encoder.hpp>
#include <fonds/format.hpp>
#include <fonds/writing.hpp>

#include "codec/zstd/train.hpp"
#include "flags.hpp"
#include "io/file_sink.hpp"
#include "terminal.hpp"

namespace fonds::cli {

// The file of --output; "-" is standard output. Files appear whole or not at all.
class OutputFile final : public ByteSink {
 public:
  // Errors: Io; BadArgument if the file is there already, without --force, or is no plain file.
  Status open(const std::string& path, bool replace);
  Status write(ByteView bytes) override;  // Cancelled after Ctrl-C
  std::uint64_t position() const override;
  Result<std::shared_ptr<ByteSource>> written() const override;
  Status commit();

 private:
  std::optional<FileSink> file_;
  StdoutSink stdout_;
};

// The value of --output. Throws UsageError if it is missing.
std::string output_name(const Arguments& arguments, std::string_view value_name);

// From here on Ctrl-C stops the work of those who hold the token, who then clean up.
class Interruption {
 public:
  Interruption();
  std::stop_token token() const { return work_.get_token(); }

 private:
  std::stop_source work_;
  std::jthread watcher_;
};

// Opens all archives; nothing if one cannot be opened, which has been told.
std::optional<std::vector<Archive>> open_all(const Arguments& arguments, Messages& messages);

// Options for rewriting, with half of the memory each for reading and for writing. Findings go to
// `messages`, each once.
RewriteOptions rewrite_options(const Arguments& arguments, Messages& messages,
                               const Interruption& interruption);
unsigned thread_count(const Arguments& arguments);
// The value of --level. Throws UsageError for what is no number.
std::optional<int> compression_level(const Arguments& arguments);

// Shows how far each archive has been read, one after the other.
class ArchiveProgress {
 public:
  explicit ArchiveProgress(const Arguments& arguments) : arguments_(arguments) {}
  void at(const Archive& archive, std::uint64_t position);

 private:
  const Arguments& arguments_;
  const Archive* archive_ = nullptr;
  std::unique_ptr<Progress> progress_;
};

// What a dictionary saves.
std::string describe(const ZstdDictionary& dictionary, const zstd::DictionaryTrial& trial);

// Tells of an error that ended the work. Throws UsageError for what the user can put right.
Exit failure(const Error& error, Messages& messages);
// Lists what was lost, and how much was kept.
void tell(const RewriteReport& report, Messages& messages);

}  // namespace fonds::cli
