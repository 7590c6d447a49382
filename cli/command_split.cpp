// fonds split
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "ops/rewrite.hpp"
#include "outputs.hpp"
#include "terminal.hpp"
#include "write_flags.hpp"

namespace fonds::cli {
namespace {

SplitOptions::Oversize parse_oversize(const std::string& name) {
  if (name == "keep") {
    return SplitOptions::Oversize::Keep;
  }
  if (name == "segment") {
    return SplitOptions::Oversize::Segment;
  }
  if (name == "truncate") {
    return SplitOptions::Oversize::Truncate;
  }
  throw UsageError{fmt::format("--oversize {}: keep, segment or truncate", name)};
}

// `rewrite` holds only what is to be written.
SplitOptions split_options(const Arguments& arguments, const Archive& archive) {
  SplitOptions options;
  WriteOptions& write = options.rewrite.write;
  if (arguments.has("--size")) {
    options.size = parse_size(arguments.get("--size"));
  }
  options.oversize = parse_oversize(arguments.get("--oversize", "keep"));
  if (arguments.has("--by") && arguments.get("--by") != "mime") {
    throw UsageError{fmt::format("--by {}: only mime is known", arguments.get("--by"))};
  }
  options.by_type = arguments.has("--by");
  options.train_dictionaries = add_write_options(arguments, write);
  if (archive.format->traits().captures) {
    return options;
  }
  for (const std::string_view flag :
       {"--oversize", "--by", "--dictionary", "--compression", "--level", "--no-warcinfo"}) {
    if (arguments.has(flag)) {
      throw UsageError{
          fmt::format("{} is for web archives, not for {}", flag, archive.format->name())};
    }
  }
  return options;
}

bool is_timestamp(const std::string& text) {
  return text.size() == 14 && text.find_first_not_of("0123456789") == std::string::npos;
}

ops::PartNames part_names(const Arguments& arguments, const std::string& prefix,
                          std::string ending) {
  ops::PartNames names{.prefix = prefix, .ending = std::move(ending)};
  const std::string timestamp = arguments.get("--timestamp");
  names.timestamp_of_first = timestamp == "first";
  if (timestamp == "now" || timestamp == "first") {
    names.timestamp = ops::timestamp_of_now();
  } else if (is_timestamp(timestamp)) {
    names.timestamp = timestamp;
  } else if (arguments.has("--timestamp")) {
    throw UsageError{
        fmt::format("--timestamp {}: now, first, or 14 digits YYYYMMDDhhmmss", timestamp)};
  }
  names.crawlhost = arguments.get("--crawlhost");
  if (names.crawlhost.find('/') != std::string::npos) {
    throw UsageError{"--crawlhost is part of a file name and has no /"};
  }
  names.first_serial = parse_count(arguments, "--first-serial", 0);
  return names;
}

}  // namespace

int run_split(const Arguments& arguments) {
  WritingCommand command(arguments, "PREFIX");
  const std::string& prefix = command.out_name();
  if (prefix == "-") {
    throw UsageError{"-o takes the beginning of file names; parts cannot go to standard output"};
  }
  refuse_remote_output(prefix, "the beginning of file names");
  return command.run_with_archives([&]() -> Result<Exit> {
    const Archive& archive = command.archive("split");
    SplitOptions options = split_options(arguments, archive);
    options.rewrite = command.rewrite_options(std::move(options.rewrite.write));
    options.rewrite.progress = command.progress_of(archive);
    ops::PartFiles parts(part_names(arguments, prefix, ops::part_ending(archive, options)),
                         arguments.has("--force"));
    const auto next_part = [&parts](const PartStart& start) -> Result<Part> {
      if (interrupted()) {
        return fail(ErrorCode::Cancelled, "stopped");
      }
      auto part = parts.next(start);
      if (!part) {
        return fail(ErrorCode::Io, part.error().message(), part.error().where());
      }
      return part;
    };
    FONDS_TRY(const RewriteReport report, ops::split(archive, next_part, options));
    command.tell(report);
    FONDS_CHECK(parts.commit());
    return command.messages().status();
  });
}

}  // namespace fonds::cli
