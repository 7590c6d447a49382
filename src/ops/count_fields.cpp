#include "ops/count_fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/query.hpp>

#include "ops/record_filter.hpp"
#include "ops/scan.hpp"
#include "query/path_text.hpp"

namespace fonds::ops {
namespace {

constexpr unsigned kShareOfNames = 8;  // of the memory, for the names
constexpr std::uint64_t kEntry = 160;  // bytes of a field besides its name

struct Count {
  std::uint64_t records = 0;
  std::uint64_t last = 0;  // number of the last of them, from 1
};
// By name and type.
using Counts = std::map<std::pair<std::string, FieldValue::Kind>, Count, std::less<>>;

std::string_view type_of(FieldValue::Kind kind) {
  switch (kind) {
    case FieldValue::Kind::Text:
      return "text";
    case FieldValue::Kind::Number:
      return "number";
    case FieldValue::Kind::Time:
      return "time";
    case FieldValue::Kind::Object:
      break;
  }
  return "object";
}

// All that wildcards reach, and where records are.
std::vector<query::Path> wanted_paths() {
  std::vector<query::Path> paths(1);
  paths[0].steps.push_back({.wildcard = true, .key = {}});
  for (const std::string_view name : {"format", "index", "offset"}) {
    paths.emplace_back().steps.push_back({.wildcard = false, .key = std::string(name)});
  }
  return paths;
}

// The field as a query would write it: a dot divides it only behind the name of a group.
std::string written(std::string_view name, std::span<const FieldInfo> fields) {
  const std::size_t dot = name.find('.');
  const bool in_group = dot != std::string_view::npos &&
                        std::any_of(fields.begin(), fields.end(), [&](const FieldInfo& field) {
                          return field.type == "object" && field.name == name.substr(0, dot);
                        });
  const std::array<std::string_view, 2> keys = {name.substr(0, in_group ? dot : name.size()),
                                                name.substr(in_group ? dot + 1 : name.size())};
  return query::path_text({}, std::span(keys).first(in_group ? 2 : 1));
}

tl::unexpected<Error> too_many(std::uint64_t memory) {
  return fail(ErrorCode::LimitExceeded,
              fmt::format("there are more different fields than {} bytes hold; --memory raises the "
                          "limit",
                          memory));
}

std::uint64_t size_of(std::string_view name) { return kEntry + name.size(); }

class FieldsWorker final : public Worker {
 public:
  FieldsWorker(std::unique_ptr<FieldValues> values, std::uint64_t memory)
      : values_(std::move(values)), memory_(memory) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch& out) override {
    ++seen_;
    FONDS_TRY(const auto values, values_->of(reader, record));
    for (const FieldValues::Value& value : values) {
      if (value.kind != FieldValue::Kind::Object) {
        count(value);
      }
    }
    if (held_ > memory_) {
      return too_many(memory_);
    }
    out.beside = static_cast<std::size_t>(held_);
    FONDS_TRY(RecordEnd end, reader.finish());
    std::move(end.findings.begin(), end.findings.end(), std::back_inserter(out.findings));
    return true;
  }
  const Counts& counts() const { return counts_; }

 private:
  // Once a record.
  void count(const FieldValues::Value& value) {
    const auto [place, fresh] = counts_.try_emplace({value.name, value.kind});
    held_ += fresh ? size_of(value.name) : 0;
    Count& held = place->second;
    held.records += held.last == seen_ ? 0 : 1;
    held.last = seen_;
  }

  std::unique_ptr<FieldValues> values_;
  std::uint64_t memory_;
  Counts counts_;
  std::uint64_t held_ = 0, seen_ = 0;
};

}  // namespace

Status count_fields(const Archive& archive, const ScanOptions& scan_options,
                    const std::function<Status(const EventField&)>& out,
                    const std::function<void(const Finding&)>& finding) {
  FONDS_TRY(const auto checked, FieldValues::make(archive, wanted_paths()));
  static_cast<void>(checked);
  ScanOptions options = scan_options;
  options.read.http = options.read.http_requests = false;
  options.read.skim = !options.read.search_damaged;
  // For each thread what all may take, so that it does not depend on their number what fits.
  const std::uint64_t memory = options.read.memory_budget / kShareOfNames;
  options.most_threads = std::min(options.most_threads, kShareOfNames - 1);
  Counts counts;
  std::uint64_t held = 0;
  const auto merge = [&](Stretch& piece, Worker& worker, std::uint64_t first, bool done) -> Status {
    for (Finding& found : piece.findings) {
      if (found.where.ordinal) {
        *found.where.ordinal += first;
      }
      finding(found);
    }
    if (done) {
      for (const auto& [key, count] : static_cast<FieldsWorker&>(worker).counts()) {
        const auto [place, fresh] = counts.try_emplace(key);
        held += fresh ? size_of(key.first) : 0;
        place->second.records += count.records;
      }
    }
    return held > memory ? Status(too_many(memory)) : Status();
  };
  const auto make_worker = [&]() -> std::unique_ptr<Worker> {
    auto values = FieldValues::make(archive, wanted_paths());
    return std::make_unique<FieldsWorker>(std::move(*values), memory);
  };
  FONDS_CHECK(scan(archive, options, make_worker, merge));
  for (const auto& [key, count] : counts) {
    const std::string path = written(key.first, archive.format->fields());
    FONDS_CHECK(out({.path = path,
                     .key = key.first,
                     .type = type_of(key.second),
                     .leaf = true,
                     .events = count.records}));
  }
  return {};
}

}  // namespace fonds::ops
