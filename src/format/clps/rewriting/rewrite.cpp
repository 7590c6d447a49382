#include "format/clps/rewriting/rewrite.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "format/clps/reading/record_reader.hpp"
#include "format/common/judge.hpp"

namespace fonds::clps {
namespace {

using TakeArchive = std::function<Status(WrittenArchive&& archive)>;

constexpr std::uint64_t kNoTarget = std::uint64_t{1} << 62;

bool has_nodes_of(const Archive& archive, NodeType type) {
  const auto nodes = archive.tree().nodes();
  return std::any_of(nodes.begin(), nodes.end(),
                     [type](const Node& node) { return node.type == type; });
}

std::string timestamp_key(const Archive& archive) {
  const auto& ranges = archive.metadata().time_ranges;
  return ranges.empty() ? std::string() : ranges.front().key;
}

// What the archives themselves are like.
Result<WriterOptions> options_like(std::span<const fonds::Archive> archives,
                                   const RewriteOptions& options) {
  WriterOptions like;
  like.log_order = false;
  like.read = options.read;
  like.threads = options.write.threads;
  like.level = options.write.level.value_or(like.level);
  like.target_encoded_size = kNoTarget;
  like.strict = options.strict;
  like.on_finding = options.on_finding;
  std::vector<std::string> names;
  for (const fonds::Archive& archive : archives) {
    names.push_back(archive.source->name());
    if (!archive.source->random_access()) {
      return fail(ErrorCode::Unsupported, "a pipe cannot be read twice; clp-s takes files here",
                  {.source = names.back()});
    }
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options.read));
    const Archive& events = *opened.archive;
    like.log_order = like.log_order || events.tree().log_order() != kNoNode;
    like.structurize_arrays =
        like.structurize_arrays || has_nodes_of(events, NodeType::StructuredArray);
    if (const std::string key = timestamp_key(events); like.timestamp_key.empty()) {
      like.timestamp_key = key;
    } else if (!key.empty() && key != like.timestamp_key) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("has its times at {}, archives before at {}; `fonds convert --to "
                              "clp-s --timestamp-key KEY` joins both",
                              key, like.timestamp_key),
                  {.source = names.back()});
    }
  }
  like.creator_id = derived_creator_id(names, like.version);
  return like;
}

// Writes the events of all archives; what is found is judged if `tell`.
Result<WriterReport> write_anew(std::span<const fonds::Archive> archives, WriterOptions like,
                                const RewriteOptions& options, bool tell) {
  FONDS_TRY(const auto writer, ArchiveWriter::make(std::move(like)));
  for (const fonds::Archive& archive : archives) {
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options.read));
    FONDS_CHECK(writer->add(opened.archive));
    if (tell) {
      FONDS_CHECK(judge(archive, std::exchange(*opened.findings, {}), options));
    }
  }
  return writer->finish();
}

Status write_to(ByteSink& sink, const WrittenArchive& archive) {
  FONDS_CHECK(sink.write(as_bytes(archive.head)));
  for (const auto& member : archive.members) {
    FONDS_CHECK(sink.write(member));
  }
  return {};
}

RewriteReport report_of(const WriterReport& written) {
  RewriteReport report;
  report.records_kept = written.records;
  for (const auto& [kind, n] : written.changes) {
    report.changes.emplace(kind, n);
  }
  return report;
}

class ClpsWriting final : public FormatWriting {
 public:
  Result<RewriteReport> merge(std::span<const fonds::Archive> archives, ByteSink& sink,
                              const RewriteOptions& options) const override {
    FONDS_TRY(WriterOptions like, options_like(archives, options));
    like.archive = [&sink](WrittenArchive&& archive) -> Status {
      if (archive.number > 0) {
        return fail(ErrorCode::LimitExceeded,
                    "the events have more keys or kinds of texts than one archive can hold");
      }
      return write_to(sink, archive);
    };
    like.progress = options.progress;
    FONDS_TRY(const WriterReport written, write_anew(archives, std::move(like), options, true));
    return report_of(written);
  }

  // How large a part becomes is known once it is compressed: how much goes into one is found by
  // trying, before the first is given away.
  Result<RewriteReport> split(const fonds::Archive& archive, const NextPart& next_part,
                              const SplitOptions& options) const override {
    const std::span<const fonds::Archive> one(&archive, 1);
    FONDS_TRY(WriterOptions like, options_like(one, options.rewrite));
    FONDS_TRY(like.target_encoded_size, usual_target(archive, options));
    while (true) {
      FONDS_TRY(const std::uint64_t largest, largest_part(one, like, options));
      if (largest <= options.size) {
        break;
      }
      if (like.target_encoded_size == 1) {
        return fail(ErrorCode::BadArgument,
                    fmt::format("parts of {} bytes cannot be made of this archive, only such of {}",
                                options.size, largest),
                    {.source = archive.source->name()});
      }
      const double over = static_cast<double>(options.size) / static_cast<double>(largest);
      const double target = static_cast<double>(like.target_encoded_size);
      like.target_encoded_size = std::max<std::uint64_t>(
          1, static_cast<std::uint64_t>(target * std::min(0.8, over * 0.95)));
    }
    like.archive = [&next_part](WrittenArchive&& part) -> Status {
      FONDS_TRY(const Part place, next_part({}));
      return write_to(*place.sink, part);
    };
    like.progress = options.rewrite.progress;
    FONDS_TRY(const WriterReport written, write_anew(one, std::move(like), options.rewrite, true));
    return report_of(written);
  }

  std::string part_ending(const fonds::Archive& archive,
                          const SplitOptions& /*options*/) const override {
    return std::string(archive.format->traits().file_ending);
  }

 private:
  // Bytes before compression that make parts of about the right size.
  static Result<std::uint64_t> usual_target(const fonds::Archive& archive,
                                            const SplitOptions& options) {
    if (options.size == 0) {
      return fail(ErrorCode::BadArgument, "parts have at least one byte");
    }
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options.rewrite.read));
    double plain = 1;
    for (const StreamInfo& stream : opened.archive->streams()) {
      plain += static_cast<double>(stream.plain);
    }
    for (const Member member : {Member::Variables, Member::LogTypes, Member::ArrayTypes}) {
      FONDS_TRY(const Dictionary* const dictionary, opened.archive->dictionary(member));
      plain += static_cast<double>(dictionary->buffer().size());
    }
    const double stored = static_cast<double>(opened.archive->header().compressed_size) + 1;
    const double target = plain / stored * static_cast<double>(options.size) * 0.9;
    return static_cast<std::uint64_t>(std::clamp(target, 1.0, static_cast<double>(kNoTarget)));
  }

  // Behind a part that is too large the others are not looked at.
  static Result<std::uint64_t> largest_part(std::span<const fonds::Archive> one, WriterOptions like,
                                            const SplitOptions& options) {
    std::uint64_t largest = 0;
    like.on_finding = {};
    like.archive = [&](WrittenArchive&& part) -> Status {
      largest = std::max(largest, part.size());
      return largest <= options.size ? Status()
                                     : fail(ErrorCode::LimitExceeded, "this part is too large");
    };
    RewriteOptions quiet = options.rewrite;
    quiet.on_finding = {};
    const auto written = write_anew(one, std::move(like), quiet, false);
    if (!written && largest <= options.size) {
      return fail(written.error().code(), written.error().message(), written.error().where());
    }
    return largest;
  }
};

}  // namespace

const FormatWriting& clps_writing() {
  static const ClpsWriting writing;
  return writing;
}

}  // namespace fonds::clps
