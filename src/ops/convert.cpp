#include "ops/convert.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/common/judge.hpp"
#include "format/format_names.hpp"
#include "ops/convert_check.hpp"
#include "ops/found_events.hpp"
#include "ops/record_filter.hpp"

namespace fonds::ops {
namespace {

const std::vector<std::string> kZstd = {"zstd"};
constexpr std::uint64_t kMostSamples = std::uint64_t{64} << 20;

// What a web archive is compressed with if nothing is said: as the first archive, where that can be
// written.
std::string_view usual_compression(const Archive& archive) {
  const std::string_view codec = archive.codec().name();
  return codec == "none" || codec == "zstd" || codec == "lz4" ? codec : "gzip";
}

// Whether records behind it are understood by it: the version block of an ARC.
bool defines_others(const Record& record) {
  return record.format() == "arc" && record.kind() == "warcinfo";
}

bool same(const WriteOptions::Entry& a, const WriteOptions::Entry& b) {
  return a.key == b.key && a.type == b.type && a.value == b.value;
}

class Conversion {
 public:
  Conversion(const Target& target, ByteSink& sink, const ConvertOptions& options)
      : target_(target), sink_(sink), options_(options) {}

  Result<ConvertReport> run(std::span<const Archive> archives) {
    FONDS_TRY(WriteOptions write, gather(archives));
    if (options_.train_dictionary) {
      FONDS_CHECK(train(archives, write));
    }
    FONDS_TRY(writer_, target_.format->writing()->create(sink_, write));
    FONDS_CHECK(each(archives, &Conversion::survey));
    FONDS_CHECK(each(archives, &Conversion::pump));
    FONDS_CHECK(writer_->finish());
    for (const auto& [kind, n] : writer_->losses()) {
      lose(kind, n);
    }
    if (options_.check) {
      FONDS_CHECK(check_written(sink_, target_.format->name(), keeps_headers(), digests_,
                                options_.rewrite.read));
    }
    return std::move(report_);
  }

 private:
  // Lets a writer convert everything and keeps samples of what it would compress.
  Status train(std::span<const Archive> archives, WriteOptions& write) {
    if (!target_.format->traits().captures || write.compression != kZstd) {
      return fail(ErrorCode::BadArgument, "dictionaries are for web archives compressed by zstd");
    }
    for (const Archive& archive : archives) {
      if (!archive.source->random_access()) {
        return fail(ErrorCode::Unsupported,
                    "a pipe cannot be read twice, for a dictionary and for the records; "
                    "`fonds train` makes one of files",
                    {.source = archive.source->name()});
      }
    }
    zstd::DictionarySampler sampler(
        {.budget = std::min(kMostSamples, options_.rewrite.write.memory_budget / 4)});
    ConvertOptions quiet = options_;
    quiet.train_dictionary = false;
    // Damage is told of, and judged, when the records are written.
    quiet.rewrite.on_finding = {};
    quiet.rewrite.skip_damaged = true;
    quiet.rewrite.write = write;
    quiet.rewrite.write.threads = 1;
    quiet.rewrite.write.raw_dictionary = false;  // there is none yet
    quiet.rewrite.write.sampled_bytes = sampler.most();
    quiet.rewrite.write.sample = [&](ByteView unit) { sampler.add(unit); };
    FONDS_CHECK(Conversion(target_, sink_, quiet).run(archives));
    const int level = write.level.value_or(level_range("zstd")->usual);
    const bool raw = std::exchange(write.raw_dictionary, false);
    auto trained = train_on(sampler, zstd::kUsualDictionary, level);
    if (!trained) {
      if (trained.error().code() != ErrorCode::BadArgument) {
        return tl::unexpected(std::move(trained.error()));
      }
      report_.no_training = trained.error().message();
      return {};
    }
    if (trained->trial.pays()) {
      write.dictionary = std::string(as_text(trained->dictionary.bytes()));
      write.raw_dictionary = raw;
    }
    report_.trained.emplace(std::move(*trained));
    return {};
  }

  static tl::unexpected<Error> fail_at(const Error& error, const Archive& archive) {
    Location where = error.where();
    if (where.source.empty()) {
      where.source = archive.source->name();
    }
    return fail(error.code(), error.message(), std::move(where));
  }

  Status each(std::span<const Archive> archives, Status (Conversion::*work)(const Archive&)) {
    origin_ = {};
    for (const Archive& archive : archives) {
      if (const Status status = (this->*work)(archive); !status) {
        return fail_at(status.error(), archive);
      }
      ++origin_.archive;
      origin_.decoded_offset = 0;
    }
    return {};
  }

  ReadOptions reading() const {
    ReadOptions read = options_.rewrite.read;
    read.search_damaged = read.search_damaged || options_.rewrite.skip_damaged;
    read.http = target_.format->traits().captures && !target_.layout.empty();
    return read;
  }

  // What chooses among records that a reader gives; events are chosen by Format::search().
  const query::Query* where_of(const Archive& archive) const {
    return archive.format->traits().search ? nullptr : options_.where;
  }

  // Shows the records that will be written to a writer that has to know them before.
  Status survey(const Archive& archive) {
    if (!archive.source->random_access()) {
      return {};
    }
    const ReadOptions read = reading();
    FONDS_TRY(auto choice, RecordChoice::make(archive, where_of(archive), read, false, nullptr));
    FONDS_TRY(const auto reader, archive.format->open(archive, read));
    for (bool first = true;; first = false) {
      FONDS_TRY(Record* const record, reader->next());
      if (record == nullptr || (first && !writer_->wants_survey(*record))) {
        return {};
      }
      const std::size_t header = record->raw_header().size();
      std::vector<Finding> told_later;
      FONDS_TRY(const bool chosen, choice.chooses(*reader, *record, record->ordinal, told_later));
      if (chosen || defines_others(*record)) {
        writer_->survey(*record, origin_);
      }
      FONDS_TRY(const RecordEnd end, reader->finish());
      advance(header, end);
    }
  }

  // Whether each record stays as it is.
  bool keeps_headers() const { return target_.format->traits().captures && target_.layout.empty(); }

  void advance(std::size_t header, const RecordEnd& end) {
    origin_.decoded_offset += header + end.length.value_or(0) + end.trailing;
  }

  void lose(std::string_view kind, std::uint64_t n = 1) {
    if (n > 0) {
      report_.not_carried[std::string(kind)] += n;
    }
  }

  // The options of the writer, with what comes from the archives' own headers.
  Result<WriteOptions> gather(std::span<const Archive> archives) {
    WriteOptions write = options_.rewrite.write;
    write.layout = target_.layout;
    write.leave_out_damaged = options_.rewrite.skip_damaged;
    if (target_.format->traits().captures && write.compression.empty()) {
      write.compression = {std::string(usual_compression(archives.front()))};
    }
    const bool keeps = target_.format->traits().extras && target_.layout.empty();
    std::optional<Extras> first;
    for (const Archive& archive : archives) {
      if (!archive.format->traits().extras) {
        continue;
      }
      if (!archive.source->random_access()) {
        lose("headers and trailers of pipes, if there are any");
        continue;
      }
      // Damage is left to the reading of the items, which tells of it, except that of the trailer.
      ReadOptions read = options_.rewrite.read;
      read.search_damaged = options_.rewrite.skip_damaged;
      auto looked = archive.format->extras(archive, read, [](const Finding&) {});
      if (!looked && looked.error().code() == ErrorCode::Unsupported) {
        lose("headers and trailers of compressed files, if there are any");
        continue;
      }
      if (!looked) {
        return fail_at(looked.error(), archive);
      }
      if (!keeps) {
        lose("header entries", looked->header.size());
        lose("trailers", looked->trailer ? 1 : 0);
      } else if (!first) {
        first = std::move(*looked);
      } else {
        lose_what_differs(*first, *looked);
      }
    }
    if (first) {
      std::erase_if(first->header, [&](const WriteOptions::Entry& entry) {
        return std::any_of(write.header.begin(), write.header.end(),
                           [&](const auto& given) { return given.key == entry.key; });
      });
      write.header.insert(write.header.begin(), first->header.begin(), first->header.end());
      if (!write.trailer) {
        write.trailer = std::move(first->trailer);
      }
    }
    return write;
  }

  void lose_what_differs(const Extras& first, const Extras& other) {
    for (const WriteOptions::Entry& entry : other.header) {
      const bool there = std::any_of(first.header.begin(), first.header.end(),
                                     [&](const auto& kept) { return same(kept, entry); });
      lose("header entries", there ? 0 : 1);
    }
    lose("trailers", other.trailer && other.trailer != first.trailer ? 1 : 0);
  }

  // Octets between records are in no record that is written.
  void lose_strays(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      const bool stray = finding.code == "resync" || finding.code == "resync-short" ||
                         finding.code == "trailing-garbage";
      lose("stretches of octets that belong to no record", stray ? 1 : 0);
    }
  }

  Status pump(const Archive& archive) {
    if (options_.where != nullptr && archive.format->traits().search) {
      return pump_found(archive);
    }
    const ReadOptions read = reading();
    FONDS_TRY(auto choice,
              RecordChoice::make(archive, options_.where, read, true, options_.missing));
    FONDS_TRY(const auto reader, archive.format->open(archive, read));
    std::uint64_t told = 0;
    while (true) {
      FONDS_TRY(Record* const record, reader->next());
      auto loose = reader->take_loose_findings();
      lose_strays(loose);
      FONDS_CHECK(judge(archive, std::move(loose), options_.rewrite));
      if (record == nullptr) {
        return {};
      }
      FONDS_CHECK(put_if_chosen(archive, choice, *reader, *record));
      if (options_.progress && reader->stored_position() > told + (std::uint64_t{1} << 20)) {
        told = reader->stored_position();
        options_.progress(archive, told);
      }
    }
  }

  // What a format finds by itself.
  Status pump_found(const Archive& archive) {
    SearchOptions search;
    search.read = reading();
    search.table_order = search.read.stored_order;
    search.threads = options_.rewrite.write.threads;
    Judge judged(archive, options_.rewrite);
    const SearchSink sink = {.lines = [&](std::string_view lines) -> Result<bool> {
                               FONDS_CHECK(judged.status());
                               FONDS_CHECK(put_lines(archive, lines));
                               return true;
                             },
                             .finding = [&](const Finding& finding) { judged.take(finding); }};
    const auto take = [&](RecordReader& reader, const Record& record) -> Status {
      FONDS_CHECK(judged.status());
      ++report_.records;
      FONDS_TRY(RecordEnd end, put(reader, record));
      return judge(archive, std::move(end.findings), options_.rewrite);
    };
    FONDS_CHECK(find_events(archive, *options_.where, search, sink, take));
    return judged.status();
  }

  Status put_lines(const Archive& archive, std::string_view lines) {
    const Archive found = events_in_memory(lines, archive.source->name());
    FONDS_TRY(const auto reader, found.format->open(found, reading()));
    while (true) {
      FONDS_TRY(const Record* const record, reader->next());
      if (record == nullptr) {
        return {};
      }
      if (const auto end = put(*reader, *record); !end) {
        // Places in what was found are none in the archive.
        return fail(end.error().code(), end.error().message(), {.source = archive.source->name()});
      }
      ++report_.records;
    }
  }

  Status put_if_chosen(const Archive& archive, RecordChoice& choice, RecordReader& reader,
                       Record& record) {
    const std::size_t header = record.raw_header().size();
    std::vector<Finding> of_content;
    FONDS_TRY(const bool chosen, choice.chooses(reader, record, record.ordinal, of_content));
    for (Finding& finding : of_content) {
      tell(archive, record, finding);
    }
    const bool stays = target_.format->traits().captures && defines_others(record);
    Record* given = &record;
    RecordEnd end;
    if (chosen || stays) {
      FONDS_TRY(RecordReader* const from, choice.again(reader, given));
      FONDS_TRY(end, put(*from, *given));
    } else {
      FONDS_TRY(end, reader.finish());
    }
    report_.records += chosen ? 1 : 0;
    advance(header, end);
    lose_strays(end.findings);
    return judge(archive, std::move(end.findings), options_.rewrite);
  }

  // What kept a query from reading content takes nothing from a record that is kept as it is.
  void tell(const Archive& archive, const Record& record, Finding& finding) const {
    if (options_.rewrite.on_finding) {
      finding.where.source = archive.source->name();
      finding.where.ordinal = record.ordinal;
      options_.rewrite.on_finding(finding);
    }
  }

  // Writes a record of which nothing was consumed, and finishes it.
  Result<RecordEnd> put(RecordReader& reader, const Record& record) {
    std::optional<DigestingReader> digesting;
    if (options_.check) {
      digesting.emplace(reader, keeps_headers());
      digesting->begin(record);
    }
    RecordReader& from = digesting ? *digesting : reader;
    lose("record headers",
         record.raw_header().empty() || target_.format->traits().captures ? 0 : 1);
    writer_->comes_from(origin_);
    FONDS_CHECK(writer_->write(from, record));
    FONDS_TRY(RecordEnd end, from.finish());
    FONDS_CHECK(writer_->close(end));
    const bool whole = writer_->fate() == RecordWriter::Fate::Whole;
    if (digesting && whole) {
      digests_.push_back(digesting->digest());
    }
    report_.records_kept += whole ? 1 : 0;
    return end;
  }

  const Target& target_;
  ByteSink& sink_;
  const ConvertOptions& options_;
  std::unique_ptr<RecordWriter> writer_;
  RecordOrigin origin_;
  std::vector<RecordDigest> digests_;  // of what was written, if that is to be checked
  ConvertReport report_;
};

}  // namespace

Result<Target> parse_target(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view format_name = name.substr(0, slash);
  for (const Format* format : formats()) {
    const bool by_other_name = !format_name.empty() && format->traits().other_name == format_name;
    if (format->name() != format_name && !by_other_name) {
      continue;
    }
    if (format->writing() == nullptr) {
      break;
    }
    if (by_other_name) {
      return Target{format, std::string(name)};  // the name chooses a layout too
    }
    return Target{format, std::string(slash == std::string_view::npos ? std::string_view()
                                                                      : name.substr(slash + 1))};
  }
  return fail(
      ErrorCode::BadArgument,
      fmt::format("'{}' cannot be written; what can is {}", name,
                  format_names([](const Format& format) { return format.writing() != nullptr; })));
}

Result<Target> default_target(const Archive& archive) {
  const std::string_view other = archive.format->traits().converts_to;
  return parse_target(other.empty() ? archive.format->name() : other);
}

Result<WriteOptions::Entry> parse_header_entry(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("'{}' is no header entry; entries are KEY=VALUE or KEY:TYPE=VALUE", text));
  }
  WriteOptions::Entry entry;
  std::string_view key = text.substr(0, equals);
  const std::size_t colon = key.rfind(':');
  constexpr std::array<std::string_view, 4> kTypes = {"string", "bool", "int64", "uint64"};
  if (colon != std::string_view::npos &&
      std::find(kTypes.begin(), kTypes.end(), key.substr(colon + 1)) != kTypes.end()) {
    entry.type = key.substr(colon + 1);
    key = key.substr(0, colon);
  }
  entry.key = key;
  entry.value = text.substr(equals + 1);
  return entry;
}

Result<ConvertReport> convert(std::span<const Archive> archives, const Target& target,
                              ByteSink& sink, const ConvertOptions& options) {
  return Conversion(target, sink, options).run(archives);
}

}  // namespace fonds::ops
