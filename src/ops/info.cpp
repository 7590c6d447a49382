#include "ops/info.hpp"

#include <algorithm>

#include <fmt/core.h>

#include <fonds/record_index.hpp>

#include "base/text.hpp"
#include "ops/describe.hpp"
#include "ops/field_tree.hpp"

namespace fonds::ops {
namespace {

constexpr std::size_t kLongestKind = 100;
constexpr std::size_t kMostKinds = 10000;  // distinct media types that are told apart

// Attributes as lines for people: an object's under dotted names, a list's one a line.
class RowAttributes final : public AttributeSink {
 public:
  explicit RowAttributes(std::vector<std::pair<std::string, std::string>>& rows) : rows_(rows) {}
  void text(std::string_view name, std::string_view value) override {
    if (lists_ > 1) {
      inner_ += fmt::format("{}{}", inner_.empty() ? "" : " ", value);
    } else {
      rows_.emplace_back(lists_ > 0 ? outer_ : outer_ + std::string(name), value);
    }
  }
  void number(std::string_view name, std::uint64_t value) override {
    text(name, std::to_string(value));
  }
  void begin_object(std::string_view name) override { outer_ = fmt::format("{}.", name); }
  void end_object() override { outer_.clear(); }
  void begin_list(std::string_view name) override {
    if (++lists_ == 1) {
      outer_ = name;
    }
    inner_.clear();
  }
  void end_list() override {
    if (lists_-- > 1) {
      rows_.emplace_back(outer_, inner_);
    } else {
      outer_.clear();
    }
  }

 private:
  std::vector<std::pair<std::string, std::string>>& rows_;
  std::string outer_, inner_;
  int lists_ = 0;
};

class InfoWorker final : public Worker {
 public:
  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    flat_.clear();
    record.describe(flat_, false);
    const std::optional<Date> date = record.date();
    const std::size_t header = record.raw_header().size();
    FONDS_TRY(RecordEnd end, reader.finish());
    count_place(record.place);
    ++counted.records;
    counted.totals.bytes += end.length.value_or(0);
    if (end.length) {
      counted.shortest = std::min(counted.shortest.value_or(*end.length), *end.length);
      counted.longest = std::max(counted.longest.value_or(*end.length), *end.length);
    }
    counted.uncompressed_size += header + end.length.value_or(0) + end.trailing;
    count(counted.by_type, record.kind());
    if (const auto status = flat_.get("http.status"); !status.empty()) {
      ++counted.by_status[std::string(status)];
    }
    count_media_type();
    if (date) {
      const auto earlier = [](const Date& a, const Date& b) {
        return std::pair(a.seconds, a.nanoseconds) < std::pair(b.seconds, b.nanoseconds);
      };
      if (!counted.first || earlier(*date, *counted.first)) {
        counted.first = date;
      }
      if (!counted.last || earlier(*counted.last, *date)) {
        counted.last = date;
      }
    }
    counted.damaged += std::any_of(end.findings.begin(), end.findings.end(),
                                   [](const Finding& f) { return f.severity == Severity::Error; });
    for (Finding& finding : end.findings) {
      out.findings.push_back(std::move(finding));
    }
    return true;
  }

  Counted counted;

 private:
  void count_place(const Place& place) {
    ++counted.totals.records;
    counted.totals.units += counted.last_unit == place.unit ? 0 : 1;
    counted.last_unit = place.unit;
    if (!counted.first_unit) {
      counted.first_unit = place.unit;
    }
  }

  static void count(std::map<std::string, std::uint64_t>& counts, std::string_view kind) {
    const std::string name(kind.empty() ? std::string_view("-") : kind.substr(0, kLongestKind));
    if (counts.size() < kMostKinds || counts.contains(name)) {
      ++counts[name];
    } else {
      ++counts["(others)"];
    }
  }

  void count_media_type() {
    std::string_view type = flat_.get("http.content_type");
    if (type.empty()) {
      type = flat_.get("content_type");
    }
    const std::string name = to_lower(trim(type.substr(0, type.find(';'))));
    count(counted.by_media_type, name);
  }

  FlatAttributes flat_;
};

void merge(std::map<std::string, std::uint64_t>& into,
           const std::map<std::string, std::uint64_t>& from) {
  for (const auto& [name, n] : from) {
    into[name] += n;
  }
}

void merge(Counted& into, const Counted& from) {
  into.records += from.records;
  into.totals.records += from.totals.records;
  into.totals.bytes += from.totals.bytes;
  const bool shared = into.last_unit && into.last_unit == from.first_unit;
  into.totals.units += from.totals.units - (shared ? 1 : 0);
  into.last_unit = from.last_unit ? from.last_unit : into.last_unit;
  into.uncompressed_size += from.uncompressed_size;
  into.damaged += from.damaged;
  if (from.shortest) {
    into.shortest = std::min(into.shortest.value_or(*from.shortest), *from.shortest);
    into.longest = std::max(into.longest.value_or(*from.longest), *from.longest);
  }
  merge(into.by_type, from.by_type);
  merge(into.by_status, from.by_status);
  merge(into.by_media_type, from.by_media_type);
  if (from.first && (!into.first || from.first->seconds < into.first->seconds)) {
    into.first = from.first;
  }
  if (from.last && (!into.last || into.last->seconds < from.last->seconds)) {
    into.last = from.last;
  }
}

// Looks at the first two records: version, whether units hold one record each.
Status look_at_beginning(const Archive& archive, const ScanOptions& options, Info& out) {
  ReadOptions read = options.read;
  read.skim = true;
  const std::string codec(archive.codec().name());
  out.compression = codec;
  if (archive.format->traits().events) {
    return {};  // the container tells everything
  }
  FONDS_TRY(const auto reader, archive.format->open(archive, read));
  FONDS_TRY(const Record* record, reader->next());
  if (record == nullptr) {
    return {};
  }
  out.format = record->format();
  FlatAttributes flat;
  record->describe(flat, false);
  out.version = flat.get("version");
  const Place first = record->place;
  out.facts.text("first_record", std::string(record->kind()));
  // A second record is asked for only where it is near: the first unit may be the whole file.
  if (codec == "none") {
    return {};
  }
  FONDS_TRY(const Record* second, reader->next());
  const bool per_record =
      first.inner == 0 &&
      (second == nullptr || (second->place.inner == 0 && second->place.unit > first.unit));
  out.facts.truth("record_per_unit", per_record);
  if (codec == "gzip" && per_record && archive.codecs.size() == 1) {
    out.compression = "gzip-per-record";
  }
  if (archive.codecs.size() > 1) {
    out.compression += fmt::format("+{}", archive.codecs[1]->name());
  }
  return {};
}

// Hands attributes to two others. The container's version is that of the whole.
class BothAttributes final : public AttributeSink {
 public:
  BothAttributes(AttributeSink& one, AttributeSink& other, Info& info)
      : one_(one), other_(other), info_(info) {}
  void text(std::string_view name, std::string_view value) override {
    if (name == "version") {
      info_.version = value;
      return;
    }
    one_.text(name, value);
    other_.text(name, value);
  }
  void number(std::string_view name, std::uint64_t value) override {
    one_.number(name, value);
    other_.number(name, value);
  }
  void integer(std::string_view name, std::int64_t value) override {
    one_.integer(name, value);
    other_.integer(name, value);
  }
  void begin_object(std::string_view name) override {
    one_.begin_object(name);
    other_.begin_object(name);
  }
  void end_object() override {
    one_.end_object();
    other_.end_object();
  }
  void begin_list(std::string_view name) override {
    one_.begin_list(name);
    other_.begin_list(name);
  }
  void end_list() override {
    one_.end_list();
    other_.end_list();
  }

 private:
  AttributeSink &one_, &other_;
  Info& info_;
};

Status describe_container(const Archive& archive, const ReadOptions& options, const Totals* totals,
                          const std::function<void(const Finding&)>& finding, Info& out) {
  JsonWriter json(out.container_json);
  json.begin_object();
  JsonAttributes members(json);
  RowAttributes rows(out.container_rows);
  BothAttributes both(members, rows, out);
  FONDS_CHECK(archive.format->describe(archive, options, totals, both, finding));
  if (totals != nullptr && archive.format->traits().events && archive.source->random_access()) {
    FieldTree tree;
    const auto take = [&tree](const EventField& field) -> Status {
      tree.take(field);
      return {};
    };
    FONDS_CHECK(archive.format->event_fields(archive, options, take, [](const Finding&) {}));
    tree.append_to(json);
    out.tree = tree.text();
    if (tree.left_out() > 0) {
      out.tree += fmt::format("    and {} more\n", tree.left_out());
    }
  }
  json.end_object();
  out.container_json = out.container_json.substr(1, out.container_json.size() - 2);
  return {};
}

Result<Counted> count_all(const Archive& archive, const ScanOptions& options,
                          const std::function<void(const Finding&)>& finding) {
  ScanOptions scan_options = options;
  scan_options.read.http = true;
  scan_options.read.http_requests = true;
  scan_options.read.skim = false;
  Counted counted;
  const auto sink = [&](Stretch& piece, Worker& worker, std::uint64_t first, bool done) -> Status {
    for (Finding& f : piece.findings) {
      if (f.where.ordinal) {
        *f.where.ordinal += first;
      }
      finding(f);
    }
    if (done) {
      merge(counted, static_cast<InfoWorker&>(worker).counted);
    }
    return {};
  };
  FONDS_CHECK(scan(archive, scan_options, [] { return std::make_unique<InfoWorker>(); }, sink));
  return counted;
}

}  // namespace

Result<Info> info(const Archive& archive, const ScanOptions& options, bool deep,
                  const std::function<void(const Finding&)>& finding) {
  Info out;
  out.archive = archive.source->name();
  out.format = archive.format->name();
  out.companions = companion_paths(archive);
  if (archive.source->random_access()) {
    FONDS_TRY(out.size, archive.source->size());
    FONDS_CHECK(look_at_beginning(archive, options, out));
  } else {
    out.compression = archive.codec().name();
  }
  for (const auto& [name, value] : archive.codec().describe(*archive.source)) {
    if (const auto number = parse_number(value)) {
      out.facts.number(name, *number);
    } else {
      out.facts.text(name, value);
    }
  }
  if (!deep) {
    FONDS_CHECK(describe_container(archive, options.read, nullptr, finding, out));
    return out;
  }
  FONDS_TRY(Counted counted, count_all(archive, options, finding));
  FONDS_CHECK(describe_container(archive, options.read, &counted.totals, finding, out));
  out.counted = std::move(counted);
  return out;
}

}  // namespace fonds::ops
