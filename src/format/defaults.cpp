// What a format does that does not say otherwise.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include <fonds/byte_sink.hpp>
#include <fonds/error.hpp>
#include <fonds/events.hpp>
#include <fonds/format.hpp>
#include <fonds/making.hpp>
#include <fonds/writing.hpp>

#include "format/common/event_lines.hpp"

namespace fonds {

namespace {

// Reading has checked everything.
class NothingToCheck final : public VerifyPart {
 public:
  Status check(RecordReader& /*reader*/, const Record& /*record*/,
               std::vector<Finding>& /*out*/) override {
    return {};
  }
};

class NothingBetween final : public VerifyWhole {
 public:
  void begin(const Archive& /*archive*/) override {}
  void add(VerifyPart& /*part*/, std::uint64_t /*first_ordinal*/) override {}
  void end(std::uint64_t /*records*/, bool /*all_read*/,
           const std::function<void(Finding)>& /*out*/) override {}
  void finish(const std::function<void(Finding)>& /*out*/) override {}
};

tl::unexpected<Error> cannot(std::string_view what, const Archive& archive) {
  return fail(ErrorCode::Unsupported, fmt::format("{} {}", archive.format->name(), what),
              {.source = archive.source->name()});
}

}  // namespace

Result<std::vector<std::string>> Format::directory_files(
    std::span<const std::string> /*entries*/) const {
  return std::vector<std::string>();
}

Status Format::describe(const Archive& /*archive*/, const ReadOptions& /*options*/,
                        const Totals* /*totals*/, AttributeSink& /*out*/,
                        const std::function<void(const Finding&)>& /*finding*/) const {
  return {};
}

Result<Extras> Format::extras(const Archive& archive, const ReadOptions& /*options*/,
                              const std::function<void(const Finding&)>& /*finding*/) const {
  return cannot("has no header entries and no trailer", archive);
}

void AttributeSink::integer(std::string_view name, std::int64_t value) {
  if (value >= 0) {
    number(name, static_cast<std::uint64_t>(value));
  } else {
    text(name, std::to_string(value));
  }
}

std::unique_ptr<FieldReader> Format::read_fields(std::span<const query::Path> /*wanted*/) const {
  return nullptr;
}

Result<SearchReport> Format::search(const Archive& archive, const query::Query& /*query*/,
                                    const SearchOptions& /*options*/,
                                    const SearchSink& /*sink*/) const {
  return cannot("archives are not searched", archive);
}

Result<std::vector<EventInput>> Format::event_inputs(const Archive& /*archive*/,
                                                     const ReadOptions& /*options*/) const {
  return std::vector<EventInput>();
}

Status Format::event_fields(const Archive& archive, const ReadOptions& /*options*/,
                            const std::function<Status(const EventField&)>& /*out*/,
                            const std::function<void(const Finding&)>& /*finding*/) const {
  return cannot("archives have no list of keys", archive);
}

Status Format::write_events(const Archive& archive, const ReadOptions& options,
                            unsigned /*threads*/, const EventSink& sink) const {
  if (!traits().events) {
    return cannot("archives hold no events", archive);
  }
  FONDS_TRY(const auto reader, open(archive, options));
  return write_lines(*reader, sink);
}

Result<std::unique_ptr<SegmentJoiner>> Format::join_segments(std::span<const Archive> archives,
                                                             const ReadOptions& /*options*/) const {
  return cannot("has no segments", archives.front());
}

Status Format::write_part(RecordReader& reader, const Record& /*record*/, RecordPart part,
                          std::uint64_t /*max_payload*/, const ByteOutput& out,
                          std::vector<Finding>& /*findings*/) const {
  while (part != RecordPart::Header && part != RecordPart::Http) {
    FONDS_TRY(const ByteView piece, reader.peek_block(1));
    if (piece.empty()) {
      break;
    }
    FONDS_CHECK(out(piece));
    reader.consume_block(piece.size());
  }
  return {};
}

std::unique_ptr<VerifyPart> Format::verify_part(const Archive& /*archive*/,
                                                const VerifyOptions& /*options*/) const {
  return std::make_unique<NothingToCheck>();
}

std::unique_ptr<VerifyWhole> Format::verify_whole(const VerifyOptions& /*options*/) const {
  return std::make_unique<NothingBetween>();
}

std::uint64_t Format::find_start(const Archive& archive, std::uint64_t from,
                                 std::uint64_t to) const {
  return archive.codec().find_unit(*archive.source->view(), from, to, record_probe());
}

Result<std::vector<Place>> Format::locate(const Archive& /*archive*/,
                                          std::span<const std::uint64_t> /*ordinals*/) const {
  return std::vector<Place>();
}

Result<std::unique_ptr<RecordWriter>> FormatWriting::create(ByteSink& /*sink*/,
                                                            const WriteOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported, "this format cannot be written");
}

Result<RewriteReport> FormatWriting::merge(std::span<const Archive> archives, ByteSink& /*sink*/,
                                           const RewriteOptions& /*options*/) const {
  if (archives.empty()) {
    return fail(ErrorCode::BadArgument, "there is no archive to merge");
  }
  return cannot("archives cannot be merged", archives.front());
}

std::string FormatWriting::part_ending(const Archive& archive,
                                       const SplitOptions& /*options*/) const {
  std::string ending = std::filesystem::path(archive.source->name()).extension().string();
  if (ending.empty()) {
    ending = archive.format->traits().file_ending;
  }
  return ending.empty() ? fmt::format(".{}", archive.format->name()) : ending;
}

Result<RewriteReport> FormatWriting::split(const Archive& archive, const NextPart& /*next_part*/,
                                           const SplitOptions& /*options*/) const {
  return cannot("archives cannot be split", archive);
}

Result<RewriteReport> FormatWriting::repair(const Archive& archive, ByteSink& /*sink*/,
                                            const RewriteOptions& /*options*/) const {
  return cannot("archives cannot be repaired", archive);
}

Result<std::unique_ptr<ItemMaker>> FormatWriting::make_items(ByteSink& /*sink*/,
                                                             const MakeOptions& /*options*/) const {
  return fail(ErrorCode::Unsupported,
              "archives of this format are not made of files; warc and recordio are");
}

Result<std::unique_ptr<ItemMaker>> FormatWriting::append_items(
    const Archive& archive, ByteSink& /*sink*/, const MakeOptions& /*options*/) const {
  return cannot("archives cannot be added to", archive);
}

Result<RewriteReport> FormatWriting::dedup(std::span<const Archive> archives, ByteSink& /*sink*/,
                                           const DedupOptions& /*options*/) const {
  if (archives.empty()) {
    return fail(ErrorCode::BadArgument, "there is no archive to look for duplicates in");
  }
  return cannot("archives have no references to other records", archives.front());
}

Result<std::uint64_t> FormatWriting::index(const Archive& archive, std::string_view /*type*/,
                                           ByteSink& /*sink*/,
                                           const RewriteOptions& /*options*/) const {
  return cannot("archives have no index", archive);
}

std::string_view FormatWriting::index_ending(std::string_view /*type*/) const { return {}; }

}  // namespace fonds
