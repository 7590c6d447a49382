// What `verify` can say only of whole archives of the WARC family: how they begin, the container
// rules of WARC-Zstandard, and what their records say of each other.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "codec/zstd/frame.hpp"
#include "format/warc/format.hpp"
#include "format/warc/verifying/verify_facts.hpp"
#include "format/warc/verifying/verify_references.hpp"
#include "format/warc/verifying/verify_segments.hpp"

namespace fonds::warc {
namespace {

using Report = std::function<void(Finding)>;

// One sentence of each; the record that is named is the first one.
std::string_view text_of(Recommended what) {
  switch (what) {
    case Recommended::ResponseAddress:
      return "response records should have WARC-IP-Address";
    case Recommended::RequestAddress:
      return "request records should have WARC-IP-Address";
    case Recommended::RevisitRefersTo:
      return "WARC-Refers-To is recommended for revisit records";
    case Recommended::RevisitTarget:
      return "WARC-Refers-To-Target-URI is recommended for revisit records";
    case Recommended::RevisitDate:
      return "WARC-Refers-To-Date is recommended for revisit records";
    case Recommended::ConversionRefersTo:
      return "conversion records should have WARC-Refers-To";
    case Recommended::PositionalType:
      return "the field type is recommended";
    case Recommended::PositionalContentType:
      return "the field content-type is recommended";
    case Recommended::Digest:
      return "the block has no digest";
    case Recommended::kCount:
      break;
  }
  return {};
}

constexpr std::uint64_t kLargestFile = 1'000'000'000;

bool is_digits(std::string_view text, std::size_t least, std::size_t most) {
  return text.size() >= least && text.size() <= most &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// WARC 1.1, Annex C: Prefix-Timestamp-Serial-Crawlhost. Heritrix writes times of 17 digits.
bool has_conventional_name(std::string_view stem) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t dash = stem.find('-');
    parts.push_back(stem.substr(0, dash));
    if (dash == std::string_view::npos) {
      break;
    }
    stem.remove_prefix(dash + 1);
  }
  for (std::size_t i = 1; i + 2 < parts.size(); ++i) {
    if (is_digits(parts[i], 14, 17) && is_digits(parts[i + 1], 1, 20) && !parts[i + 2].empty()) {
      return true;
    }
  }
  return false;
}

class Whole final : public VerifyWhole {
 public:
  explicit Whole(std::uint64_t memory) : references_(memory / 2), segments_(memory / 2) {}

  void begin(const Archive& archive) override {
    archive_ = archive;
    references_.begin(archive.source->name());
    lacks_ = {};
    begun_ = false;
  }

  void add(VerifyPart& part, std::uint64_t first_ordinal) override {
    VerifyFacts facts = static_cast<VerifyPartWithFacts&>(part).take();
    if (facts.records > 0 && !std::exchange(begun_, true)) {
      begins_with_warcinfo_ = facts.begins_with_warcinfo;
      begins_with_arc_ = facts.begins_with_arc;
      first_stored_offset_ = facts.first_stored_offset;
      first_inner_ = facts.first_inner;
    }
    for (std::size_t i = 0; i < lacks_.size(); ++i) {
      if (lacks_[i].records == 0) {
        lacks_[i].first_ordinal = facts.lacks[i].first_ordinal + first_ordinal;
        lacks_[i].first_stored_offset = facts.lacks[i].first_stored_offset;
      }
      lacks_[i].records += facts.lacks[i].records;
    }
    segments_.add(std::move(facts.segments), archive_.source->name(), first_ordinal);
    references_.add(std::move(facts), first_ordinal);
  }

  void end(std::uint64_t records, bool all_read, const Report& out) override {
    const bool empty = records == 0 && all_read;
    const std::string& source = archive_.source->name();
    if (empty) {
      Finding finding =
          make_finding("no-record", "the archive holds no record", {.source = source});
      // No bytes at all are a good archive of any format that has no header (RecordIO, section 1).
      if (archive_.source->random_access() && archive_.source->size().value_or(1) == 0) {
        finding.severity = Severity::Note;
        finding.message = "the file is empty";
      }
      out(std::move(finding));
    }
    report_file(source, out);
    report_first(source, out);
    report_lacks(source, out);
    references_.end(out);
    if (archive_.codec().name() == "zstd") {
      check_zstd(source, empty, out);
    }
    archive_ = {};
  }

  void finish(const Report& out) override {
    references_.finish(out);
    segments_.finish(out);
  }

 private:
  bool is_file() const {
    return archive_.source->random_access() && !archive_.source->name().starts_with('<');
  }

  // What the annexes recommend for files of WARC. Of Zstandard files the ending is a rule of its
  // own.
  void report_file(const std::string& source, const Report& out) const {
    if (!begun_ || begins_with_arc_ || !is_file()) {
      return;
    }
    const std::string_view codec = archive_.codec().name();
    std::string_view stem = std::string_view(source).substr(source.rfind('/') + 1);
    const std::string ending = codec == "none" ? ".warc"
                               : codec == "gzip"
                                   ? ".warc.gz"
                                   : fmt::format(".warc.{}", codec == "zstd" ? "zst" : codec);
    const bool ends = stem.ends_with(ending);
    if (!ends && codec != "zstd") {
      out(make_finding("file-name", fmt::format("the name of the file does not end in {}", ending),
                       {.source = source}));
    } else if (ends && !has_conventional_name(stem.substr(0, stem.size() - ending.size()))) {
      out(make_finding("file-name", "the name is not Prefix-Timestamp-Serial-Crawlhost",
                       {.source = source}));
    }
    if (const std::uint64_t size = archive_.source->size().value_or(0); size > kLargestFile) {
      out(make_finding(
          "file-size",
          fmt::format("the file has {} bytes; {} are the size to aim at", size, kLargestFile),
          {.source = source}));
    }
  }

  void report_first(const std::string& source, const Report& out) const {
    if (begun_ && !begins_with_warcinfo_) {
      out(make_finding("warcinfo-not-first", "the first record is no warcinfo",
                       {.source = source, .stored_offset = first_stored_offset_, .ordinal = 0}));
    }
  }

  void report_lacks(const std::string& source, const Report& out) const {
    for (std::size_t i = 0; i < lacks_.size(); ++i) {
      const Lack& lack = lacks_[i];
      if (lack.records > 0) {
        const bool digest = i == static_cast<std::size_t>(Recommended::Digest);
        out(make_finding(digest ? "digest-absent" : "missing-recommended-field",
                         fmt::format("{}; {} records from here on lack it",
                                     text_of(static_cast<Recommended>(i)), lack.records),
                         {.source = source,
                          .stored_offset = lack.first_stored_offset,
                          .ordinal = lack.first_ordinal}));
      }
    }
  }

  void check_zstd(const std::string& source, bool empty, const Report& out) {
    const bool named = source.ends_with(".warc.zst");
    if (empty) {
      out(make_finding("zs-record", "the file holds no record", {.source = source}));
    } else if (begun_ && begins_with_arc_ && !named) {
      out(make_finding("arc-zstd", "ARC records in Zstandard frames, which no standard tells of",
                       {.source = source, .stored_offset = first_stored_offset_}));
    } else if (begun_ && (begins_with_arc_ || first_inner_ > 0)) {
      out(make_finding("zs-warc", "what the frames hold does not begin with a WARC record",
                       {.source = source, .stored_offset = first_stored_offset_}));
    }
    if (is_file() && !named && !begins_with_arc_) {
      out(make_finding("zn-name", "the name does not end in .warc.zst", {.source = source}));
    }
    if (const auto stored = archive_.source->view()) {
      zstd::check_frames(*stored, zstd::kCommonDictionary, [&](Finding finding) {
        finding.where.source = source;
        out(std::move(finding));
      });
    }
  }

  Archive archive_;
  verify::References references_;
  verify::Segments segments_;
  Lacks lacks_;
  bool begun_ = false;  // a record of the archive was seen
  bool begins_with_warcinfo_ = false;
  bool begins_with_arc_ = false;
  std::uint64_t first_stored_offset_ = 0, first_inner_ = 0;
};

}  // namespace

std::unique_ptr<VerifyWhole> make_verify_whole(const VerifyOptions& options) {
  return std::make_unique<Whole>(options.memory);
}

}  // namespace fonds::warc
