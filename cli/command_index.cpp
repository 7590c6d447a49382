// fonds index
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/byte_source.hpp>

#include "flags.hpp"
#include "inputs.hpp"
#include "interrupt.hpp"
#include "ops/make_index.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

namespace fonds::cli {
namespace {

class Indexing {
 public:
  Indexing(const Arguments& arguments, Messages& messages)
      : arguments_(arguments), messages_(messages), type_(arguments.get("--type")) {
    options_.on_finding = [&messages](const Finding& finding) { messages.finding(finding); };
    options_.spacing = arguments.has("--spacing") ? parse_size(arguments.get("--spacing")) : 0;
    if (arguments.has("--spacing") && options_.spacing == 0) {
      throw UsageError{"--spacing takes at least 1"};
    }
    options_.id_field = arguments.get("--id-field");
    options_.sparse = arguments.has("--sparse");
    options_.sort = !arguments.has("--no-sort");
    options_.all = arguments.has("--all");
    options_.post_append = arguments.has("--post-append");
    options_.record_digest = arguments.has("--record-digest");
    options_.classic = arguments.has("--classic");
    options_.block_lines = parse_at_least_one(arguments, "--block-lines", options_.block_lines);
    const std::string layout = arguments.get("--layout", "default");
    options_.reference_layout = layout == "reference";
    if (!options_.reference_layout && layout != "default") {
      throw UsageError{fmt::format("--layout takes default or reference, not '{}'", layout)};
    }
    if (type_ == "zipnum" && !options_.sort) {
      throw UsageError{"a zipnum index is always sorted; --no-sort has no meaning"};
    }
  }

  Status one(const Archive& archive, const ops::ScanOptions& scan) {
    options_.scan = scan;
    options_.scan.read.stop = interruption_.token();
    FONDS_TRY(const std::string_view type, type_of(archive));
    FONDS_TRY(const std::string path, path_of(archive.source->name(), type));
    if (type == "zipnum") {
      return zipnum({&archive, 1}, path);
    }
    return write(path,
                 [&](ByteSink& out) { return ops::make_index(archive, type, out, options_); });
  }

  // Throws UsageError if -o names one of the archives.
  void keep(std::span<const std::string> archives) const {
    if (const std::string path = arguments_.get("--output"); !path.empty()) {
      refuse_replacing("-o", path, archives);
      if (type_ == "zipnum") {
        refuse_replacing("-o", blocks_of(path), archives);
      }
    }
  }

  // One index of all archives.
  Status joint(std::span<const Archive> archives, const ops::ScanOptions& scan) {
    options_.scan = scan;
    options_.scan.read.stop = interruption_.token();
    std::string_view type;
    for (const Archive& archive : archives) {
      FONDS_TRY(type, type_of(archive));
    }
    if (type != "zipnum" && !type.starts_with("cdx")) {
      throw UsageError{fmt::format(
          "-o names the index of one archive; an index of type {} tells of one only", type)};
    }
    const std::string path = arguments_.get("--output");
    if (type == "zipnum") {
      return zipnum(archives, path);
    }
    return write(
        path, [&](ByteSink& out) { return ops::make_joint_index(archives, type, out, options_); });
  }

  // A gzip file that is no archive.
  Status gzip(const std::string& name) {
    options_.scan = scan_options(arguments_);
    FONDS_TRY(auto source, open_source(name));
    FONDS_TRY(const std::string path, path_of(name, "gzidx"));
    return write(path, [&](ByteSink& out) { return ops::make_gzip_index(source, out, options_); });
  }

 private:
  Result<std::string_view> type_of(const Archive& archive) const {
    auto type = ops::index_type(archive, type_);
    if (!type && type.error().code() == ErrorCode::BadArgument) {
      throw UsageError{type.error().message()};
    }
    return type;
  }

  Result<std::string> path_of(const std::string& name, std::string_view type) const {
    if (arguments_.has("--output")) {
      return arguments_.get("--output");
    }
    if (name == "-") {
      return fail(ErrorCode::Unsupported, "standard input has no name; -o FILE gives the index one",
                  {.source = "-"});
    }
    return name + std::string(ops::index_ending(type));
  }

  template <typename Make>
  Status write(const std::string& path, const Make& make) {
    OutputFile out;
    FONDS_CHECK(out.open(path, arguments_.has("--force")));
    FONDS_CHECK(make(out));
    return out.commit();
  }

  static std::string blocks_of(const std::string& path) {
    const std::string_view ending = ops::index_ending("zipnum");
    const std::string stem =
        path.ends_with(ending) ? path.substr(0, path.size() - ending.size()) : path;
    return stem + std::string(ops::kZipNumBlocks);
  }

  // The secondary index gets `path`, the blocks lie beside it.
  Status zipnum(std::span<const Archive> archives, const std::string& path) {
    if (path == "-") {
      throw UsageError{"a zipnum index is two files; -o FILE.idx names them"};
    }
    const std::string blocks_path = blocks_of(path);
    OutputFile blocks;
    OutputFile secondary;
    FONDS_CHECK(blocks.open(blocks_path, arguments_.has("--force")));
    FONDS_CHECK(secondary.open(path, arguments_.has("--force")));
    const std::string name = std::filesystem::path(blocks_path).filename().string();
    FONDS_CHECK(ops::make_zipnum_index(archives, blocks, secondary, name, options_));
    FONDS_CHECK(blocks.commit());
    return secondary.commit();
  }

  const Arguments& arguments_;
  Messages& messages_;
  std::string type_;
  ops::IndexOptions options_;
  Interruption interruption_;
};

}  // namespace

int run_index(const Arguments& arguments) {
  Messages messages(arguments);
  Indexing indexing(arguments, messages);
  const auto names = input_names(arguments, messages);
  indexing.keep(names);
  if (names.size() > 1 && arguments.has("--output")) {
    const auto archives = open_all(arguments, messages);
    if (!archives) {
      return static_cast<int>(Exit::Unreadable);
    }
    if (const auto status = indexing.joint(*archives, scan_options(arguments)); !status) {
      return static_cast<int>(failure(status.error(), messages));
    }
    return static_cast<int>(messages.status());
  }
  if (arguments.get("--type") == "gzidx") {
    for (const std::string& name : names) {
      if (const auto status = indexing.gzip(name); !status && !interrupted()) {
        messages.error(status.error());
      }
    }
  } else {
    for_each_archive(
        arguments, messages, names,
        [&](const Archive& archive, const ops::ScanOptions& scan) {
          return indexing.one(archive, scan);
        },
        Use::ArchiveAlone);
  }
  return static_cast<int>(interrupted() ? Exit::Interrupted : messages.status());
}

}  // namespace fonds::cli
