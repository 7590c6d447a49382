// Archives made of files and directories: `fonds create`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fonds/format.hpp>
#include <fonds/making.hpp>

namespace fonds::ops {

struct CreateOptions {
  MakeOptions make = {};
  NewItem::Kind kind = NewItem::Kind::Resource;
  std::string refers_to = {};  // of metadata and conversions
  // Put before the path of each file, relative to the input it was found in; empty: target URIs are
  // file: URIs.
  std::string base_uri = {};
  std::string target_uri = {};    // of all items; of resources it can name one only
  std::string content_type = {};  // of all items; empty: by the ending of the name
  // With `base_uri`: WARC-Source-URI says where a file was.
  bool tell_source = true;
  std::string output = {};  // a file of this name is no input
  std::stop_token stop = {};
  // A file that is left out, and why; with make.rewrite.skip_damaged also those that cannot be
  // read, which are `damage` then.
  std::function<void(const std::string& path, std::string_view why, bool damage)> left_out = {};
  std::function<void(std::uint64_t bytes)> progress = {};  // of the content, so far
};

struct CreateReport {
  std::uint64_t items = 0;
  RewriteReport archive;  // what became of an archive that was added to
};

// Makes an archive of the files that `inputs` name: files, directories with all that is in them in
// the order of names, "-" for standard input. Symbolic links that lie in directories, and what is
// no plain file, are left out. With `existing` the items are added to that archive, of the same
// format. The sink is committed by the caller.
//
// Errors: those of reading and writing; NotFound and Io for inputs; BadArgument for what cannot be
// made so; Io for a file that changes while it is read.
Result<CreateReport> create(std::span<const std::string> inputs, const Format& format,
                            const Archive* existing, ByteSink& sink, const CreateOptions& options);

// The name of the format, and layout, that files of this name have: "recordio", "arc/1.1",
// "warc/1.1".
std::string target_of_name(std::string_view file_name);
// The media type that files with this ending have; empty if it is not known.
std::string_view media_type_of_name(std::string_view file_name);
// A path as file: URI, or the rest of one.
std::string percent_encoded_path(std::string_view path);

}  // namespace fonds::ops
