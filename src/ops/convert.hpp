// Archives of one format out of archives of any: `fonds convert`.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fonds/format.hpp>
#include <fonds/query.hpp>

#include "ops/missing_names.hpp"
#include "ops/train.hpp"

namespace fonds::ops {

// What is to be written.
struct Target {
  const Format* format = nullptr;
  std::string layout;  // WriteOptions::layout
};

// Parses "recordio", "recordio/packed", "jsonl". Whether the format has the layout is seen when it
// is written. Errors: BadArgument if there is no such format or it cannot be written; the message
// names those that can.
Result<Target> parse_target(std::string_view name);
// What an archive becomes if nothing is said: its own format; of text, recordio.
// Errors: BadArgument if that cannot be written.
Result<Target> default_target(const Archive& archive);

// Parses KEY=VALUE or KEY:TYPE=VALUE with the type string, bool, int64 or uint64; another word
// behind the colon belongs to the key. Errors: BadArgument without "=".
Result<WriteOptions::Entry> parse_header_entry(std::string_view text);

struct ConvertOptions {
  RewriteOptions rewrite = {};  // `progress` is not called; the layout is that of the target
  // Read what was written and compare a digest of each record with that of what was read: of its
  // header too, if records stay as they are. Takes 16 bytes of memory a record.
  bool check = false;
  // zstd: a first pass over the archives makes a dictionary, which is used if it pays.
  bool train_dictionary = false;
  // Only records that match, and those that define others. All are read and checked as without it.
  const query::Query* where = nullptr;
  MissingNames* missing = nullptr;  // if given, gets what `where` names and no record has
  std::function<void(const Archive&, std::uint64_t stored_position)> progress = {};
};

struct ConvertReport {
  std::uint64_t records = 0;       // read; with `where` those that match
  std::uint64_t records_kept = 0;  // those of them that are in the output, whole
  // What the target cannot hold: "record headers" and the number of them.
  std::map<std::string, std::uint64_t, std::less<>> not_carried;
  // With train_dictionary: what was made; nothing if none could be, for the reason in
  // `no_training`.
  std::optional<Trained> trained;
  std::string no_training;
};

// Writes the records of all archives, in order, into one archive; a few blocks are in memory at a
// time. The entries and the trailer of RecordIO headers are carried over where the target has a
// place for them: options.write overrides them; of several archives the first one's trailer and
// entries count. The sink is committed by the caller.
//
// Errors: those of reading and writing; Corrupt at the first damage, which was told to on_finding,
// unless skip_damaged, and if the check fails; Unsupported if the sink of the check cannot be read,
// and for train_dictionary with a pipe; BadArgument for train_dictionary where there is no zstd to
// use it; with `where` those of RecordChoice::make() and Format::search().
Result<ConvertReport> convert(std::span<const Archive> archives, const Target& target,
                              ByteSink& sink, const ConvertOptions& options);

}  // namespace fonds::ops
