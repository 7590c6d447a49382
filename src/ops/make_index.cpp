#include "ops/make_index.hpp"

#include <fmt/core.h>

namespace fonds::ops {
namespace {

// The writing part of a format that has this index.
Result<const FormatWriting*> indexer(const Archive& archive, std::string_view type) {
  const FormatWriting* writing = archive.format->writing();
  if (writing == nullptr || writing->index_ending(type).empty()) {
    return fail(ErrorCode::Unsupported,
                type.empty() ? fmt::format("{} archives have no index yet", archive.format->name())
                             : fmt::format("{} archives have no index of type {}",
                                           archive.format->name(), type),
                {.source = archive.source->name()});
  }
  return writing;
}

}  // namespace

Result<std::string> index_path(const Archive& archive, std::string_view type) {
  FONDS_TRY(const FormatWriting* const writing, indexer(archive, type));
  if (archive.source->name() == "-") {
    return fail(ErrorCode::Unsupported, "standard input has no name; -o FILE gives the index one",
                {.source = "-"});
  }
  return archive.source->name() + std::string(writing->index_ending(type));
}

Result<std::uint64_t> make_index(const Archive& archive, std::string_view type, ByteSink& sink,
                                 const RewriteOptions& options) {
  FONDS_TRY(const FormatWriting* const writing, indexer(archive, type));
  return writing->index(archive, type, sink, options);
}

}  // namespace fonds::ops
