#include "ops/ruled_out.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include <fonds/byte_source.hpp>
#include <fonds/date.hpp>
#include <fonds/record_fields.hpp>

#include "base/date_span.hpp"
#include "base/text.hpp"
#include "format/warc/searching/fields.hpp"
#include "index/capture.hpp"
#include "index/capture_search_file.hpp"
#include "query/record_plan.hpp"

namespace fonds::ops {
namespace {

using index::Capture;

// A field of which a line may tell.
enum class Told : std::uint8_t { Nothing, Uri, Host, Status, Mime, Date, Offset };

Told told_of(const query::Path& path) {
  constexpr std::array<std::pair<std::string_view, Told>, 6> kNames = {{{"uri", Told::Uri},
                                                                        {"host", Told::Host},
                                                                        {"status", Told::Status},
                                                                        {"mime", Told::Mime},
                                                                        {"date", Told::Date},
                                                                        {"offset", Told::Offset}}};
  if (path.space != query::Namespace::User || path.steps.size() != 1 ||
      path.steps.front().wildcard) {
    return Told::Nothing;
  }
  const auto found = std::ranges::find(kNames, std::string_view(path.steps.front().key),
                                       &std::pair<std::string_view, Told>::first);
  return found == kNames.end() ? Told::Nothing : found->second;
}

// Whether every question about dates has the same answer for all instants of a second, which is all
// that lines tell of one.
bool asks_whole_seconds(const query::Node& node) {
  const query::Filter& filter = node.filter;
  if (node.kind == query::Node::Kind::Filter && told_of(filter.path) == Told::Date &&
      !filter.literal.exists) {
    constexpr std::size_t kCountsFrom1970 = 10;  // digits; or more
    const std::string& typed = filter.literal.typed;
    if (filter.literal.number && typed.size() >= kCountsFrom1970) {
      return false;
    }
    const auto date = parse_user_date(typed);
    return date && date->precision != Date::Precision::Fraction && !filter.literal.instant &&
           !filter.literal.pattern;
  }
  return std::ranges::all_of(node.children, asks_whole_seconds);
}

// What lines tell of the fields that a query names, as a stage of a plan.
class LineFields final : public FieldReader {
 public:
  LineFields(std::span<const query::Path> wanted, bool dates) {
    std::ranges::transform(wanted, std::back_inserter(told_), [dates](const query::Path& path) {
      const Told told = told_of(path);
      return told == Told::Date && !dates ? Told::Nothing : told;
    });
  }
  // What lines do not tell is not known before the content is.
  FieldStage stage(std::size_t wanted) const override {
    return told_[wanted] == Told::Nothing ? FieldStage::Content : FieldStage::Header;
  }
  Status read(FieldStage /*stage*/, RecordReader& /*reader*/, const Record& /*record*/,
              FieldSink& /*out*/) override {
    return fail(ErrorCode::Internal, "lines are no records");
  }

  // False if the line does not tell of all fields of that stage.
  bool tell(const Capture& line, FieldSink& out) const {
    for (std::size_t i = 0; i < told_.size(); ++i) {
      if (told_[i] != Told::Nothing && !tell(line, i, out)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool tell(const Capture& line, std::size_t wanted, FieldSink& out) const {
    using Kind = FieldValue::Kind;
    switch (told_[wanted]) {
      case Told::Uri:
        return give(wanted, Kind::Text, line.url, out);
      case Told::Host:
        return give(wanted, Kind::Text, warc::host_of(line.url), out);
      case Told::Status:
        return parse_number(line.status) && give(wanted, Kind::Number, line.status, out);
      case Told::Mime:
        // Of a revisit, or of a record that is an HTTP message, the field is the message's.
        return line.mime != "warc/revisit" && !line.mime.starts_with("application/http") &&
               give(wanted, Kind::Text, to_lower(line.mime), out);
      case Told::Date:
        return tell_date(line.timestamp, wanted, out);
      case Told::Offset:
        return give(wanted, Kind::Number, std::to_string(*line.offset), out);
      case Told::Nothing:
        break;
    }
    return false;
  }

  static bool give(std::size_t wanted, FieldValue::Kind kind, std::string_view text,
                   FieldSink& out) {
    if (!text.empty()) {
      out.value(wanted, {}, {.kind = kind, .text = text});
    }
    return !text.empty();
  }

  // What the record's date leaves open counts as its start there, and fractions are left away.
  static bool tell_date(std::string_view timestamp, std::size_t wanted, FieldSink& out) {
    const auto date = parse_user_date(timestamp);
    if (timestamp.size() != 14 || timestamp.ends_with("00") || !date) {
      return false;
    }
    const DateSpan span = span_of(*date);
    const std::string text = date->to_string();
    out.value(wanted, {},
              {.kind = FieldValue::Kind::Time, .text = text, .begin = span.begin, .end = span.end});
    return true;
  }

  std::vector<Told> told_;
};

struct Line {
  std::uint64_t begin = 0, end = 0;
  bool out = false;  // cannot match
};

class Ruling {
 public:
  Ruling(const Archive& archive, const query::Query& query, std::uint64_t memory,
         const std::function<void(const Finding&)>& finding)
      : archive_(archive),
        memory_(memory),
        finding_(finding),
        file_(base_name(archive.source->name())),
        plan_(query),
        fields_(plan_.paths(), asks_whole_seconds(query.root)) {
    plan_.learn_stages(fields_);
  }

  Status read(const std::string& path) {
    FONDS_TRY(auto source, open_source(path));
    FONDS_TRY(const auto file, index::open_capture_file(std::move(source)));
    if (!file.layout.cdxj) {
      return fail(ErrorCode::Unsupported,
                  "is no CDXJ: a search takes no other index; fonds index makes one",
                  {.source = path});
    }
    const auto cursor = file.lines->lines();
    while (true) {
      auto there = cursor->next();
      if (there && !*there) {
        return {};
      }
      if (there) {
        auto line = index::parse_line(cursor->line(), file.layout);
        if (line) {
          FONDS_CHECK(take(*line));
          continue;
        }
        there = tl::unexpected(std::move(line.error()));
      }
      const ErrorCode code = there.error().code();
      if (code != ErrorCode::Corrupt && code != ErrorCode::LimitExceeded) {
        return tl::unexpected(std::move(there.error()));
      }
      finding_(make_finding("cdx-line", there.error().message(), cursor->where()));
    }
  }

  Result<std::vector<RuledOut>> finish() {
    std::ranges::sort(lines_, {}, &Line::begin);
    FONDS_TRY(const std::uint64_t size, archive_.source->size());
    std::vector<RuledOut> all;
    for (std::size_t i = 0; i < lines_.size();) {
      const Line& first = lines_[i];
      bool out = true;
      for (; i < lines_.size() && lines_[i].begin == first.begin; ++i) {
        out = out && lines_[i].out && lines_[i].end == first.end;
      }
      const std::uint64_t behind = i < lines_.size() ? std::min(lines_[i].begin, size) : size;
      if (first.end > behind) {
        return fail(ErrorCode::Corrupt,
                    fmt::format("the index has a record from {} to {}, where another one begins or "
                                "the archive ends at {}; was it made of this archive?",
                                first.begin, first.end, behind),
                    {.source = archive_.source->name()});
      }
      if (out) {
        all.push_back({first.begin, next_record(first.end)});
      }
    }
    return all;
  }

 private:
  static std::string base_name(const std::string& path) {
    return std::filesystem::path(path).filename().string();
  }

  Status take(const Capture& line) {
    if (!line.offset || line.length.value_or(0) == 0 || line.inner ||
        *line.length > ~std::uint64_t{0} - *line.offset || base_name(line.filename) != file_) {
      return {};
    }
    if (lines_.size() >= memory_ / (2 * sizeof(Line))) {
      return fail(ErrorCode::LimitExceeded,
                  fmt::format("the index has more than {} lines, which do not fit into the memory "
                              "limit",
                              lines_.size()));
    }
    plan_.begin();
    const bool told = fields_.tell(line, plan_);
    const bool out = told && plan_.after(FieldStage::Header) == query::Truth::False;
    lines_.push_back({*line.offset, *line.offset + *line.length, out});
    return {};
  }

  // Lines of plain archives do not count the line ends behind a record.
  std::uint64_t next_record(std::uint64_t end) const {
    if (archive_.codec().name() != "none") {
      return end;
    }
    const ByteView stored = *archive_.source->view();
    const std::string_view rest = as_text(stored.subspan(static_cast<std::size_t>(end)));
    return end + std::min(rest.find_first_not_of("\r\n"), rest.size());
  }

  const Archive& archive_;
  std::uint64_t memory_;
  const std::function<void(const Finding&)>& finding_;
  std::string file_;
  query::RecordPlan plan_;
  LineFields fields_;
  std::vector<Line> lines_;
};

}  // namespace

Result<std::vector<RuledOut>> ruled_out(const Archive& archive, const query::Query& query,
                                        std::span<const std::string> indexes, std::uint64_t memory,
                                        const std::function<void(const Finding&)>& finding) {
  const bool plain = archive.codec().name() == "none";
  if (!archive.format->traits().captures || archive.codecs.size() > 1 ||
      !archive.source->random_access() || (plain && !archive.source->view())) {
    return fail(ErrorCode::Unsupported, "--index is for web archives that are files",
                {.source = archive.source->name()});
  }
  Ruling ruling(archive, query, memory, finding);
  for (const std::string& path : indexes) {
    FONDS_CHECK(ruling.read(path));
  }
  return ruling.finish();
}

}  // namespace fonds::ops
