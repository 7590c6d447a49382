// Making clp-s archives of events. What is written depends on the events, their inputs and the
// options alone, not on the number of threads; docs/formats/clp-s.md tells what becomes of each
// value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/reader.hpp>

namespace fonds::clps {

// Versions that can be written: 0.3.1, 0.4.1, 0.5.0.
std::span<const Version> writable_versions();

// A finished archive, in memory: it is smaller than what it was made of by far.
struct WrittenArchive {
  std::string head;                                      // header and metadata section
  std::array<std::vector<std::byte>, kMembers> members;  // by Member
  std::string id;                                        // a UUID of its content
  // Of records in this archive and of its parts, for people.
  std::uint64_t number = 0;  // among the archives of one writer, from 0
  std::uint64_t records = 0;
  std::uint64_t input_bytes = 0;       // of events, decompressed, with what lies between them
  std::uint64_t columns_bytes = 0;     // before compression
  std::uint64_t dictionary_bytes = 0;  // before compression
  std::uint64_t tables = 0, nodes = 0, variables = 0, log_types = 0, array_types = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> times;  // ns, of the timestamp column

  std::uint64_t size() const;  // of all of it, as a single file
};

// A stretch of an input that became no event.
struct RejectedText {
  std::string_view input;    // its name
  std::uint64_t offset = 0;  // in the decompressed input
  std::uint64_t length = 0;  // of the stretch; `text` may be a part of it
  std::string_view text;     // its bytes, or the next piece of them, without the LF
  bool last = true;          // whether `text` ends the stretch
  std::string_view reason;   // "bad JSON: …"
};

struct WriterOptions {
  Version version{0, 5, 0};
  // The key of the events' time, as the query language writes it: `a.b`, `\.` for a dot in a key,
  // `@` in front for a generated key. Empty: none.
  std::string timestamp_key = {};
  bool structurize_arrays = false;
  bool log_order = true;
  bool retain_float_format = true;  // before 0.4.1 never
  // Keeps what is needed to give back the original bytes; with log_order only.
  bool exact = false;
  // Keeps ranges of numbers and filters of strings by table, which only this library's search uses.
  bool search_data = true;
  // Before compression; what an archive may take before the next one begins.
  std::uint64_t target_encoded_size = std::uint64_t{8} << 30;
  std::uint64_t min_table_size = std::uint64_t{1} << 20;       // of a stream of tables
  std::uint64_t max_document_size = std::uint64_t{512} << 20;  // octets of one event
  int level = 3;                                               // of zstd, 1 to 19
  unsigned threads = 1;
  // The UUID of the run in the range index; see derived_creator_id().
  std::string creator_id = {};
  // Entries of the range index beside the usual ones: key, value as JSON text.
  std::vector<std::pair<std::string, std::string>> properties = {};
  bool keep_unparsed = false;  // what is no event becomes {"_unparsed":"…"}
  bool strict = false;         // what would be changed or left out is an error
  ReadOptions read = {};       // stop, max_window, memory_budget
  // Takes each archive when it is complete. Errors end the writing.
  std::function<Status(WrittenArchive&& archive)> archive = {};
  // Takes what becomes no event, in its order. Not needed.
  std::function<Status(const RejectedText& rejected)> rejected = {};
  std::function<void(const Finding&)> on_finding = {};
  std::function<void(std::uint64_t input_bytes)> progress = {};
};

// What the writing changed or left out, by kind: "duplicate keys", "lines that are no JSON".
using ChangeCounts = std::map<std::string, std::uint64_t, std::less<>>;

struct WriterReport {
  std::uint64_t archives = 0;
  std::uint64_t records = 0;
  std::uint64_t input_bytes = 0;
  std::uint64_t rejected = 0;  // stretches that became no event
  ChangeCounts changes;
  std::uint64_t peak_held = 0;  // bytes that were held at once for columns and dictionaries
};

// The UUID of a run with these inputs, as they are named in the range index.
std::string derived_creator_id(std::span<const std::string> input_names, Version version);
Result<std::string> random_creator_id();  // errors: Io

// Why a key may be no property of the range index; empty: it may. Keys with a leading `_` are the
// format's own.
std::string property_fault(std::string_view key);

// Makes archives of inputs, one after the other. After an error every further call returns the same
// error, and nothing more is given to WriterOptions::archive.
class ArchiveWriter {
 public:
  // Errors: BadArgument for options that cannot be met.
  static Result<std::unique_ptr<ArchiveWriter>> make(WriterOptions options);
  ~ArchiveWriter();
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  // Adds the events of one input: JSON documents one after the other, or a KV-IR stream; plain, or
  // compressed by gzip, zstd or lz4. `name` goes into the range index as it is; `properties` (JSON
  // texts) beside it. Errors: those of reading; Corrupt with `strict`; LimitExceeded; Cancelled.
  Status add(std::shared_ptr<ByteSource> source, std::string_view name);
  // Adds all events of an archive, in log order, input by input.
  Status add(std::shared_ptr<const Archive> archive);
  // Adds an input whose events the caller spells: begin(), and the events in as many calls as it
  // likes, each call whole lines, each line one JSON object and an LF. How the lines are spread
  // over calls does not show in the archive. The next input, or finish(), ends it. Errors: Corrupt
  // with `strict`; LimitExceeded; Cancelled.
  Status begin(std::string_view name);
  Status add_lines(std::string_view lines);
  // Completes the last archive.
  Result<WriterReport> finish();

 private:
  struct State;
  explicit ArchiveWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace fonds::clps
