// The archives that a command line names, and the options all commands share.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fonds/format.hpp>

#include "flags.hpp"
#include "ops/scan.hpp"
#include "terminal.hpp"

namespace fonds::cli {

// The names on the command line, those of --files-from, and with -r the archives in directories:
// all files, and directories that are archives by themselves. Throws UsageError.
std::vector<std::string> input_names(const Arguments& arguments, Messages& messages);
// The same; without -r a directory that is no archive means the archives that lie in it.
std::vector<std::string> input_names_of_directories(const Arguments& arguments, Messages& messages);

// Opens each archive and calls `work`; what cannot be opened or read is told and the others are
// done. `enough`, if given, is asked before each. `keys` tell what will be read.
// With its companions, unless --no-index is given: those of --index, or those beside it.
enum class Use : std::uint8_t { Companions, ArchiveAlone };
void for_each_archive(const Arguments& arguments, Messages& messages,
                      const std::vector<std::string>& names,
                      const std::function<Status(const Archive&, const ops::ScanOptions&)>& work,
                      Use use = Use::Companions, const std::function<bool()>& enough = {},
                      std::span<const Key> keys = {});

// The name of an archive as it may stand in messages: a URL without what is secret in it.
std::string shown_name(const std::string& name);

// Throws UsageError if --format names none.
void check_format_name(const Arguments& arguments);
// Makes the transformers of --undo and --apply known to the library. Throws UsageError.
void register_transformers(const Arguments& arguments);

// Errors: Unsupported if a flag for events is given and the archive holds none.
Status check_event_flags(const Arguments& arguments, const Archive& archive);

ops::ScanOptions scan_options(const Arguments& arguments);  // throws UsageError
std::uint64_t parse_size(std::string_view text);            // "256M"; throws UsageError
std::uint64_t parse_count(const Arguments& arguments, std::string_view flag,
                          std::uint64_t otherwise);
// The same of numbers that are not 0.
std::uint64_t parse_at_least_one(const Arguments& arguments, std::string_view flag,
                                 std::uint64_t otherwise);

}  // namespace fonds::cli
