// What the commands that write archives share.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>
#include <fonds/remote.hpp>
#include <fonds/writing.hpp>

#include "codec/zstd/train.hpp"
#include "flags.hpp"
#include "io/file_sink.hpp"
#include "terminal.hpp"

namespace fonds::cli {

// What --output names: a file, an object of S3, or "-" for standard output. Files and objects
// appear whole or not at all.
class OutputFile final : public ByteSink {
 public:
  OutputFile() = default;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  // Errors: Io, also if it is there already, without --force, or is no plain file; Unsupported for
  // other URLs.
  Status open(const std::string& path, bool replace);
  Status write(ByteView bytes) override;  // Cancelled after Ctrl-C
  std::uint64_t position() const override;
  Result<std::shared_ptr<ByteSource>> written() const override;
  Status commit();
  // Leaves nothing of what was not committed; to be called where an error can still be told.
  Status abandon();

 private:
  std::optional<FileSink> file_;
  std::unique_ptr<ObjectSink> object_;
  StdoutSink stdout_;
  ByteSink* sink_ = &stdout_;  // the one of them that is used
};

// Whether two names are of one file: by what the file system says of files that are there, by where
// others would be, of URLs by their text.
bool same_file(const std::string& a, const std::string& b);
// Throws UsageError if what the flag names is one of the inputs: for outputs that never replace
// what they are made of.
void refuse_replacing(std::string_view flag, const std::string& path,
                      std::span<const std::string> inputs);

// Throws UsageError for a URL where only what the machine has can be meant: "a directory".
void refuse_remote_output(std::string_view path, std::string_view meant);

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

// The course of a command that writes: each says only what is its own. One use; to be called from
// the top to the bottom.
class WritingCommand {
 public:
  // `value_name`: what --output names. Throws UsageError if that is missing.
  WritingCommand(const Arguments& arguments, std::string_view value_name);

  // Does `work` and gives the exit status. Errors are told. Throws UsageError for what the user can
  // put right.
  int run(const std::function<Result<Exit>()>& work);
  // The same with all archives opened; not done if one cannot be opened.
  int run_with_archives(const std::function<Result<Exit>()>& work);

  // What the command line has.
  const std::string& out_name() const { return out_name_; }
  const std::vector<Archive>& archives() const { return archives_; }
  // The only one. Throws UsageError if there are more.
  const Archive& archive(std::string_view command) const;

  // Throws UsageError if the output is one of the archives.
  void keep_inputs() const;
  // The output; with `replace` also if it is there already.
  Status open_output(bool replace);
  Status open_output() { return open_output(arguments_.has("--force")); }
  OutputFile& out() { return out_; }

  // Options of the flags that all have, with half of the memory each for reading and for writing.
  // From here on Ctrl-C stops the work. Findings go to the messages, each once.
  RewriteOptions rewrite_options();
  // With `write` for what is written.
  RewriteOptions rewrite_options(WriteOptions write);
  using ReadSoFar = std::function<void(std::uint64_t)>;
  ReadSoFar progress_of_output();
  ReadSoFar progress_of(const Archive& archive);

  Messages& messages() { return messages_; }
  // Lists what was lost, and how much was kept.
  void tell(const RewriteReport& report);
  // Lets the output appear.
  Result<Exit> commit();

 private:
  ReadSoFar shown();

  const Arguments& arguments_;
  Messages messages_;
  std::string out_name_;
  std::vector<Archive> archives_;
  OutputFile out_;
  std::optional<Interruption> interruption_;
  std::optional<Progress> progress_;
};

}  // namespace fonds::cli
