#include "ops/pack.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "codec/decoded_source.hpp"
#include "format/common/judge.hpp"
#include "ops/archive_files.hpp"
#include "ops/catalog.hpp"
#include "ops/found_events.hpp"

namespace fonds::ops {
namespace {

// An archive in memory, as a source; views it.
class WrittenSource final : public ByteSource {
 public:
  explicit WrittenSource(const clps::WrittenArchive& archive) : name_(archive.id) {
    pieces_[0] = as_bytes(archive.head);
    for (std::size_t i = 0; i < clps::kMembers; ++i) {
      pieces_[i + 1] = archive.members[i];
    }
  }
  const std::string& name() const override { return name_; }
  bool random_access() const override { return true; }
  Result<std::uint64_t> size() override {
    std::uint64_t size = 0;
    for (const ByteView piece : pieces_) {
      size += piece.size();
    }
    return size;
  }
  Result<std::size_t> read_at(std::uint64_t offset, MutableByteView out) override {
    std::size_t done = 0;
    for (ByteView piece : pieces_) {
      if (offset >= piece.size()) {
        offset -= piece.size();
        continue;
      }
      piece = piece.subspan(static_cast<std::size_t>(offset));
      offset = 0;
      const std::size_t n = std::min(piece.size(), out.size() - done);
      if (n > 0) {
        std::memcpy(out.data() + done, piece.data(), n);
      }
      done += n;
    }
    return done;
  }
  Result<std::size_t> read_next(MutableByteView /*out*/) override {
    return fail(ErrorCode::Unsupported, "has random access");
  }

 private:
  std::string name_;
  std::array<ByteView, clps::kMembers + 1> pieces_;
};

class Packing {
 public:
  explicit Packing(const PackOptions& options)
      : options_(options),
        files_({.output = options.output,
                .directories = options.directories,
                .replace = options.replace}) {}

  Result<PackReport> run(std::span<const std::string> given) {
    FONDS_TRY(paths_, files_below(given));
    for (const std::string& path : paths_) {
      FONDS_TRY(std::string name, name_of_source(path, options_.naming));
      names_.push_back(std::move(name));
    }
    FONDS_CHECK(look_at_first());
    FONDS_TRY(auto writer, clps::ArchiveWriter::make(writer_options()));
    if (options_.sink == nullptr) {
      FONDS_CHECK(files_.open());
    }
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (auto status = add(*writer, i); !status) {
        return tl::unexpected(std::move(status.error()).with({.source = paths_[i]}));
      }
    }
    FONDS_TRY(report_.written, writer->finish());
    return finish();
  }

 private:
  // The first input says what is made: a catalog, if it is a web archive.
  Status look_at_first() {
    if (paths_.empty()) {
      return {};
    }
    auto opened = open_event_source(paths_.front());
    if (!opened) {
      return tl::unexpected(std::move(opened.error()).with({.source = paths_.front()}));
    }
    first_ = std::move(*opened);
    return {};
  }

  clps::WriterOptions writer_options() {
    clps::WriterOptions options = options_.writer;
    if (first_ && first_->is_crawl() && options.timestamp_key.empty()) {
      options.timestamp_key = kCatalogTime;
    }
    if (options.creator_id.empty()) {
      options.creator_id = clps::derived_creator_id(names_, options.version);
    }
    options.archive = [this](clps::WrittenArchive&& archive) { return take(archive); };
    return options;
  }

  Status add(clps::ArchiveWriter& writer, std::size_t number) {
    if (std::ranges::find(companions_, paths_[number]) != companions_.end()) {
      return {};
    }
    EventSource input;
    if (first_) {
      input = std::move(*first_);
      first_.reset();
    } else {
      FONDS_TRY(input, open_event_source(paths_[number]));
    }
    const bool text = input.format == nullptr;
    if (options_.where != nullptr && (text || input.format->traits().events)) {
      return add_found(writer, std::move(input), names_[number]);
    }
    if (text || input.is("kv-ir")) {
      return writer.add(std::move(input.source), names_[number]);
    }
    if (input.is("clp-s")) {
      return add_archive(writer, input);
    }
    if (input.is_crawl()) {
      return add_crawl(writer, input, number);
    }
    return fail(ErrorCode::Unsupported,
                fmt::format("is {}, which holds no events; `fonds convert --to jsonl` writes its "
                            "items as lines",
                            input.format->name()));
  }

  // Damage of an archive that stays what it is takes nothing from the catalog of all else.
  Status add_crawl(clps::ArchiveWriter& writer, const EventSource& input, std::size_t number) {
    if (options_.writer.exact) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("is {}: a catalog tells of its records and holds no bytes that "
                              "--exact could give back",
                              input.format->name()));
    }
    const Archive archive = input.archive();
    std::ranges::move(companion_paths(archive), std::back_inserter(companions_));
    ScanOptions scan;
    scan.threads = options_.writer.threads;
    scan.read = options_.writer.read;
    scan.strict = options_.writer.strict;
    return add_catalog(writer, archive, names_[number], options_.where, scan,
                       options_.writer.on_finding);
  }

  // The events of an input that match.
  Status add_found(clps::ArchiveWriter& writer, EventSource input, std::string_view name) {
    if (options_.writer.exact) {
      return fail(ErrorCode::BadArgument,
                  "--exact keeps inputs whole, of which --where would leave out a part");
    }
    Archive archive = input.archive();
    if (input.format == nullptr) {
      FONDS_TRY(archive, open_archive(std::move(input.source), {.format = "jsonl"}));
      archive.format = &events_format();
    }
    SearchOptions search;
    search.read = options_.writer.read;
    search.threads = options_.writer.threads;
    if (!input.is("clp-s") && !options_.writer.timestamp_key.empty()) {
      FONDS_TRY(search.time_key, query::parse_path(options_.writer.timestamp_key));
    }
    FONDS_CHECK(writer.begin(name));
    const RewriteOptions by = judging();
    Judge judged(archive, by);
    const SearchSink sink = {.lines = [&](std::string_view lines) -> Result<bool> {
                               FONDS_CHECK(judged.status());
                               FONDS_CHECK(writer.add_lines(lines));
                               return true;
                             },
                             .finding = [&](const Finding& finding) { judged.take(finding); }};
    FONDS_CHECK(find_events(archive, *options_.where, search, sink));
    return judged.status();
  }

  RewriteOptions judging() const {
    RewriteOptions judging;
    judging.skip_damaged = options_.skip_damaged;
    judging.strict = options_.writer.strict;
    judging.on_finding = options_.writer.on_finding;
    return judging;
  }

  Status add_archive(clps::ArchiveWriter& writer, const EventSource& input) {
    const Archive archive = input.archive();
    const auto findings = std::make_shared<std::vector<Finding>>();
    clps::ArchiveOptions with;
    with.read = options_.writer.read;
    with.on_finding = [findings](const Finding& finding) { findings->push_back(finding); };
    std::shared_ptr<ByteSource> source = archive.source;
    if (archive.codec().name() != "none") {
      FONDS_TRY(auto decoder, open_decoder(archive, decode_options(with.read)));
      source = std::make_shared<DecodedSource>(std::move(decoder), archive.source->name());
    }
    FONDS_TRY(auto events, clps::Archive::open(std::move(source), std::move(with)));
    FONDS_CHECK(writer.add(std::move(events)));
    return judge(archive, std::move(*findings), judging());
  }

  // Takes a finished archive.
  Status take(const clps::WrittenArchive& archive) {
    PackedArchive packed;
    packed.id = archive.id;
    packed.records = archive.records;
    packed.input_bytes = archive.input_bytes;
    packed.size = archive.size();
    packed.tables = archive.tables;
    packed.nodes = archive.nodes;
    packed.variables = archive.variables;
    packed.log_types = archive.log_types;
    packed.array_types = archive.array_types;
    packed.times = archive.times;
    if (options_.describe) {
      FONDS_TRY(const auto opened, clps::Archive::open(std::make_shared<WrittenSource>(archive)));
      packed.inputs = opened->metadata().inputs;
    }
    if (options_.sink == nullptr) {
      FONDS_CHECK(files_.add(archive));
    } else if (report_.archives.empty()) {
      FONDS_CHECK(write_single_file(archive, *options_.sink));
    } else {
      return fail(
          ErrorCode::LimitExceeded,
          "the events take more than one archive, and only one goes to standard output or an "
          "object of S3; a larger --target-encoded-size, or -o FILE");
    }
    report_.archives.push_back(std::move(packed));
    return {};
  }

  Result<PackReport> finish() {
    if (options_.sink == nullptr) {
      FONDS_CHECK(files_.commit());
    }
    for (std::size_t i = 0; i < report_.archives.size(); ++i) {
      PackedArchive& archive = report_.archives[i];
      archive.is_split = i + 1 < report_.archives.size();
      if (options_.sink == nullptr) {
        archive.name = files_.names()[i];
      }
    }
    return std::move(report_);
  }

  const PackOptions& options_;
  ArchiveFiles files_;
  std::vector<std::string> paths_, names_;
  std::optional<EventSource> first_;     // until it is added
  std::vector<std::string> companions_;  // of web archives, which are no inputs
  PackReport report_;
};

}  // namespace

Result<PackReport> pack(std::span<const std::string> paths, const PackOptions& options) {
  return Packing(options).run(paths);
}

}  // namespace fonds::ops
