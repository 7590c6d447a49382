// Inputs of archives of events: which there are, how they are called, what they hold.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>
#include <fonds/format.hpp>

namespace fonds::ops {

// With all files below the directories among `paths` in the place of the directory, as
// add_directory() lists them. A directory that is an archive stays. Errors: NotFound, Io.
Result<std::vector<std::string>> files_below(std::span<const std::string> paths);

// How the names of inputs follow from their paths.
struct SourceNaming {
  bool normalize = false;          // absolute, without `.`, `..` and repeated `/`; links stay
  std::string remove_prefix = {};  // whole components; what is left keeps its leading `/`
  bool remove_slash = false;       // the leading `/`
};

// Standard input is always "-". Errors: BadArgument if the path does not begin with remove_prefix,
// or nothing is left.
Result<std::string> name_of_source(std::string_view path, const SourceNaming& naming);

// An input that has been recognized by its content.
struct EventSource {
  std::shared_ptr<ByteSource> source;
  // Of an archive that this library knows; null for texts.
  const Format* format = nullptr;
  std::vector<const Codec*> codecs = {};  // with `format`

  bool is(std::string_view name) const { return format != nullptr && format->name() == name; }
  // Whether it is an archive of captures, whose records a catalog tells of.
  bool is_crawl() const { return format != nullptr && format->traits().captures; }
  Archive archive() const { return {source, format, codecs}; }
};
// Errors: those of opening the source.
Result<EventSource> open_event_source(std::string_view path);

}  // namespace fonds::ops
