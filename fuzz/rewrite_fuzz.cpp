// Any archive, written anew in every way there is: converted, merged, split, deduplicated, compared
// with its conversion, made a dictionary of. No crash, no hang, bounded memory; errors tell where;
// what succeeds gives archives that are whole, which a repair leaves as they are, and that hold
// what they should. The first four octets choose; the rest is the archive.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/dedup.hpp>
#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "memory_sink.hpp"
#include "ops/compare.hpp"
#include "ops/convert.hpp"
#include "ops/dedup.hpp"
#include "ops/rewrite.hpp"
#include "ops/train.hpp"
#include "require.hpp"

namespace {

using fonds::Archive;
using fonds::fuzz::MemorySink;
using fonds::fuzz::opened;
using fonds::fuzz::require;
namespace ops = fonds::ops;

constexpr std::size_t kMostParts = 500;
constexpr std::uint64_t kMemory = std::uint64_t{4} << 20;

struct Chosen {
  unsigned operation, flags, target, size;
  bool flag(unsigned i) const { return (flags >> i & 1) != 0; }
};

struct Held {
  std::string header, block;
  friend bool operator==(const Held&, const Held&) = default;
};
struct Content {
  std::vector<Held> records;
  bool damaged = false;  // any error
  bool told = true;      // all records tell their length; else a writer adds it
  bool cut = false;      // what a writer never makes
};

bool is_cut(std::string_view code) {
  return code == "member-crc" || code.starts_with("truncated-") || code == "frame-checksum";
}

void judge(const std::vector<fonds::Finding>& findings, Content& content) {
  for (const fonds::Finding& finding : findings) {
    const bool error = finding.severity == fonds::Severity::Error;
    content.damaged = content.damaged || error;
    content.cut = content.cut || (error && is_cut(finding.code));
  }
}

void require_good(const fonds::Error& error) {
  using fonds::ErrorCode;
  require(error.code() != ErrorCode::Internal);
  const bool of_bytes = error.code() == ErrorCode::Corrupt || error.code() == ErrorCode::Truncated;
  require(!of_bytes || !error.where().source.empty());
}

// Nothing if a limit was met.
std::optional<Content> read(const Archive& archive) {
  Content content;
  fonds::ReadOptions options;
  options.memory_budget = kMemory;
  const auto reader = archive.format->open(archive, options);
  if (!reader) {
    require_good(reader.error());
    return std::nullopt;
  }
  std::size_t octets = 0;
  while (octets < fonds::fuzz::kMostOutput) {
    const auto record = (*reader)->next();
    if (!record) {
      require_good(record.error());
      return std::nullopt;
    }
    judge((*reader)->take_loose_findings(), content);
    if (*record == nullptr) {
      return content;
    }
    Held held;
    held.header = fonds::as_text((*record)->raw_header());
    content.told = content.told && (*record)->length().has_value();
    auto shown = (*reader)->peek_block(1);
    for (; shown && !shown->empty() && octets < fonds::fuzz::kMostOutput;
         shown = (*reader)->peek_block(1)) {
      octets += shown->size();
      held.block += fonds::as_text(*shown);
      (*reader)->consume_block(shown->size());
    }
    octets += held.header.size();
    content.records.push_back(std::move(held));
    const auto end = (*reader)->finish();
    if (!end) {
      require_good(end.error());
      return std::nullopt;
    }
    judge(end->findings, content);
  }
  return std::nullopt;
}

fonds::RewriteOptions rewrite_options(const Chosen& chosen) {
  fonds::RewriteOptions options;
  options.skip_damaged = chosen.flag(0);
  options.strict = chosen.flag(1);
  options.read.memory_budget = options.write.memory_budget = kMemory;
  options.write.level = 1;
  return options;
}

constexpr std::array<const char*, 4> kCodecs = {"none", "gzip", "zstd", "lz4"};

// What a repair makes of it; nothing if it fails.
std::optional<std::string> repaired(const std::string& text) {
  const auto archive = opened(text);
  if (!archive || archive->format->name() != "warc") {
    return std::nullopt;
  }
  MemorySink sink;
  const auto report = ops::repair(*archive, sink, rewrite_options({}));
  if (!report) {
    require_good(report.error());
    return std::nullopt;
  }
  return std::move(sink.text);
}

// What was written: whole, and as a repair would have it if what was read is.
std::optional<Content> check_output(const std::string& text, bool unchanged_by_repair) {
  if (text.empty()) {
    return Content();
  }
  const auto archive = opened(text, "output");
  if (!archive) {
    return std::nullopt;  // an archive without records is none
  }
  auto content = read(*archive);
  require(!content || !content->cut);
  if (content && !content->records.empty() && unchanged_by_repair) {
    const auto again = repaired(text);
    require(!again || *again == text);
  }
  return content;
}

class Rewriting {
 public:
  Rewriting(const Archive& archive, const std::string& text, const Chosen& chosen)
      : archive_(archive), text_(text), chosen_(chosen) {}

  void run() {
    switch (chosen_.operation % 6) {
      case 0:
        return convert();
      case 1:
        return merge();
      case 2:
        return split();
      case 3:
        return dedup();
      case 4:
        return train();
      default:
        return compare();
    }
  }

 private:
  bool sound() const { return repaired(text_) == text_; }

  // Nothing if it could not be converted.
  std::optional<std::string> converted(ops::Target& target) {
    constexpr std::array<const char*, 6> kTargets = {"warc",      "warc/1.1",   "warc/1.0",
                                                     "warc/0.18", "warc/00.11", "arc/1.1"};
    auto parsed = ops::parse_target(kTargets[chosen_.target / 4 % kTargets.size()]);
    require(parsed.has_value());
    target = std::move(*parsed);
    const std::string codec = kCodecs[chosen_.target % kCodecs.size()];
    ops::ConvertOptions options;
    options.rewrite = rewrite_options(chosen_);
    fonds::WriteOptions& write = options.rewrite.write;
    write.compression = {codec};
    write.level = codec == "none" ? std::nullopt : std::optional(1);
    write.one_unit = chosen_.flag(2) && (codec == "gzip" || codec == "lz4");
    write.skip_lengths = chosen_.flag(3) && codec == "gzip";
    write.original_header = !chosen_.flag(4);
    write.legal_ids = chosen_.flag(5);
    write.describe = !chosen_.flag(6);
    if (codec == "zstd") {
      write.extension = chosen_.flag(2) ? "size-prefix" : chosen_.flag(3) ? "seek-table" : "";
      options.train_dictionary = chosen_.flag(7);
    }
    options.check = chosen_.flag(7);
    MemorySink sink(true);
    const auto report = ops::convert(std::span(&archive_, 1), target, sink, options);
    if (!report) {
      require_good(report.error());
      return std::nullopt;
    }
    return std::move(sink.text);
  }

  void convert() {
    ops::Target target;
    const auto text = converted(target);
    if (!text) {
      return;
    }
    const bool same = target.layout.empty();
    const auto after = check_output(*text, !chosen_.flag(2) && sound());
    if (const auto before = same ? read(archive_) : std::nullopt;
        before && !before->damaged && before->told) {
      require(!after || before->records == after->records);
    }
  }

  void compare() {
    ops::Target target;
    const auto text = converted(target);
    const auto other = text ? opened(*text) : fonds::fail(fonds::ErrorCode::NotFound, "none");
    if (!other) {
      return;
    }
    ops::CompareOptions options;
    options.scan.read.memory_budget = kMemory;
    options.blocks_only = chosen_.flag(2);
    options.headers.strict = chosen_.flag(3);
    ops::CompareReport report;
    report.difference = [](const ops::Difference&) { return fonds::Status(); };
    report.finding = [](const fonds::Finding&) {};
    const auto summary = ops::compare(archive_, *other, options, report);
    if (!summary) {
      require_good(summary.error());
    } else if (const auto before = read(archive_);
               target.layout.empty() && before && !before->damaged && before->told) {
      require(summary->differences == 0);
    }
  }

  // An archive of the same compression.
  std::string another() const {
    const auto record = [](std::string_view fields, std::string_view block) {
      return "WARC/1.1\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n" + std::string(fields) +
             "Content-Length: " + std::to_string(block.size()) + "\r\n\r\n" + std::string(block) +
             "\r\n\r\n";
    };
    const std::array<std::string, 4> records = {
        record("WARC-Type: warcinfo\r\nWARC-Record-ID: <urn:x:info>\r\nContent-Type: "
               "application/warc-fields\r\n",
               "software: x\r\n"),
        record("WARC-Type: response\r\nWARC-Record-ID: <urn:x:1>\r\nWARC-Target-URI: http://a/\r\n"
               "Content-Type: application/http;msgtype=response\r\nWARC-Segment-Number: 1\r\n",
               "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nhel"),
        record("WARC-Type: continuation\r\nWARC-Record-ID: <urn:x:2>\r\nWARC-Target-URI: "
               "http://a/\r\nWARC-Segment-Number: 2\r\nWARC-Segment-Origin-ID: <urn:x:1>\r\n"
               "WARC-Segment-Total-Length: 49\r\n",
               "lo"),
        record("WARC-Type: resource\r\nWARC-Record-ID: <urn:x:3>\r\nWARC-Target-URI: http://b/\r\n",
               "hello")};
    MemorySink sink;
    const auto encoder = fonds::make_encoder(sink, {.codec = std::string(archive_.codec().name())});
    if (!encoder) {
      return {};  // a codec that is only read
    }
    for (const std::string& one : records) {
      require((*encoder)->begin_unit(one.size()) && (*encoder)->write(fonds::as_bytes(one)) &&
              (*encoder)->end_unit());
    }
    require((*encoder)->finish().has_value());
    return std::move(sink.text);
  }

  std::vector<Archive> several() const {
    std::vector<Archive> archives = {archive_};
    if (chosen_.flag(4)) {
      archives.push_back(*opened(text_, "again"));
    }
    if (chosen_.flag(5)) {
      if (auto other = opened(another(), "other")) {
        archives.insert(chosen_.flag(6) ? archives.begin() : archives.end(), std::move(*other));
      }
    }
    return archives;
  }

  void merge() {
    const std::vector<Archive> archives = several();
    fonds::RewriteOptions options = rewrite_options(chosen_);
    options.join_segments = chosen_.flag(2);
    options.write.skip_lengths = chosen_.flag(3);
    MemorySink sink(chosen_.flag(7));
    const auto report = ops::merge(archives, sink, options);
    if (!report) {
      return require_good(report.error());
    }
    check_output(sink.text, sound());
    if (archives.size() == 1 && !chosen_.flag(0) && !chosen_.flag(2) && report->lost.empty() &&
        report->changes.empty()) {
      require(sink.text == text_);
    }
  }

  void split() {
    using Oversize = fonds::SplitOptions::Oversize;
    fonds::SplitOptions options;
    options.rewrite = rewrite_options(chosen_);
    options.size = std::uint64_t{64} + (std::uint64_t{chosen_.size} << (chosen_.target / 8 % 8));
    options.oversize = chosen_.flag(2)   ? Oversize::Segment
                       : chosen_.flag(3) ? Oversize::Truncate
                                         : Oversize::Keep;
    options.by_type = chosen_.flag(4);
    const std::string codec = kCodecs[chosen_.target % kCodecs.size()];
    if (chosen_.flag(5)) {
      options.rewrite.write.compression = {codec};
      options.rewrite.write.level = codec == "none" ? std::nullopt : std::optional(1);
      options.train_dictionaries = chosen_.flag(6) && codec == "zstd";
    } else {
      options.rewrite.write.level.reset();
    }
    std::deque<MemorySink> parts;
    const auto next = [&](const fonds::PartStart&) -> fonds::Result<fonds::Part> {
      if (parts.size() == kMostParts) {
        return fonds::fail(fonds::ErrorCode::Cancelled, "enough");
      }
      parts.emplace_back(chosen_.flag(7));
      return fonds::Part{&parts.back(), std::to_string(parts.size()) + ".warc"};
    };
    const auto report = ops::split(archive_, next, options);
    if (!report) {
      return require_good(report.error());
    }
    const bool is_sound = sound();
    std::vector<Held> written;
    for (const MemorySink& part : parts) {
      auto content = check_output(part.text, is_sound);
      if (!content) {
        return;
      }
      std::move(content->records.begin(), content->records.end(), std::back_inserter(written));
    }
    const auto before = read(archive_);
    if (!options.by_type && options.oversize == Oversize::Keep && !chosen_.flag(0) && before &&
        !before->damaged) {
      // What a part begins with stands between the records.
      std::size_t at = 0;
      for (const Held& held : written) {
        at += at < before->records.size() && held.block == before->records[at].block ? 1U : 0U;
      }
      require(at == before->records.size());
    }
  }

  void dedup() {
    const std::vector<Archive> archives = several();
    fonds::DedupOptions options;
    options.rewrite = rewrite_options(chosen_);
    const std::string codec = kCodecs[chosen_.target % kCodecs.size()];
    options.rewrite.write.compression = {codec};
    options.rewrite.write.level = codec == "none" ? std::nullopt : std::optional(1);
    options.not_modified = chosen_.flag(2);
    options.min_size = chosen_.size % 8;
    MemorySink sink(chosen_.flag(7));
    const auto report = ops::dedup(archives, sink, {}, options);
    if (!report) {
      return require_good(report.error());
    }
    check_output(sink.text, sound());
  }

  void train() {
    ops::TrainOptions options;
    options.rewrite = rewrite_options(chosen_);
    options.size = 1024;
    options.sample = chosen_.size * std::uint64_t{256};
    const auto trained = ops::train(std::span(&archive_, 1), options);
    if (!trained) {
      require_good(trained.error());
    }
  }

  const Archive& archive_;
  const std::string& text_;
  Chosen chosen_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 5) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data) + 4, size - 4);
  const auto archive = opened(text);
  if (!archive || archive->format->name() != "warc") {
    return 0;
  }
  Rewriting(*archive, text, {data[0], data[1], data[2], data[3]}).run();
  return 0;
}
