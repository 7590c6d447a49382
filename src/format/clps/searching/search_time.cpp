// The timestamp column of an archive, as searches see it.
#include <algorithm>
#include <bitset>

#include <fmt/core.h>

#include "base/calendar.hpp"
#include "format/clps/searching/search_plan.hpp"

namespace fonds::clps {
namespace {

std::int64_t ns_of_ms(std::int64_t ms) {
  return ms > kLastNs / kNsPerMs ? kLastNs : ms < kFirstNs / kNsPerMs ? kFirstNs : ms * kNsPerMs;
}

bool has_new_times(const Archive& archive) {
  return !(archive.header().version < Version{0, 5, 0});
}

// Before 0.5.0 a range counts as its column does: milliseconds, unless a pattern is a number.
bool counts_milliseconds(const Archive& archive, const TimeRange& range) {
  if (has_new_times(archive)) {
    return true;
  }
  const auto patterns = archive.metadata().time_patterns;
  return std::all_of(range.nodes.begin(), range.nodes.end(),
                     [&](NodeId node) {
                       return archive.tree().contains(node) &&
                              archive.tree()[node].type == NodeType::DateString;
                     }) &&
         std::none_of(patterns.begin(), patterns.end(), [](const StoredPattern& stored) {
           return stored.pattern.find("%E") != std::string::npos ||
                  stored.pattern.find("%F") != std::string::npos;
         });
}

}  // namespace

std::span<const NodeId> time_nodes(const Archive& archive) {
  const auto& ranges = archive.metadata().time_ranges;
  return ranges.empty() ? std::span<const NodeId>() : std::span<const NodeId>(ranges[0].nodes);
}

bool counts_time(const Archive& archive, NodeId node) {
  const NodeType type = archive.tree()[node].type;
  if (type == NodeType::Timestamp || type == NodeType::DateString) {
    return true;
  }
  const auto nodes = time_nodes(archive);
  return !has_new_times(archive) && std::find(nodes.begin(), nodes.end(), node) != nodes.end() &&
         (type == NodeType::Integer || type == NodeType::DeltaInteger || type == NodeType::Float ||
          type == NodeType::FormattedFloat || type == NodeType::DictionaryFloat);
}

bool may_lie_in_range(const Archive& archive, NodeId node, const FilterTest& filter) {
  const NodeType type = archive.tree()[node].type;
  const Interval& wanted = filter.instants();
  if (filter.instant_text() || (type != NodeType::Timestamp && type != NodeType::DateString)) {
    return true;
  }
  for (const TimeRange& range : archive.metadata().time_ranges) {
    if (range.encoding != TimeRange::Encoding::Epoch || range.begin > range.end ||
        std::find(range.nodes.begin(), range.nodes.end(), node) == range.nodes.end() ||
        !counts_milliseconds(archive, range)) {
      continue;
    }
    return !wanted.empty() && wanted.low <= ns_of_ms(range.end) &&
           wanted.high >= ns_of_ms(range.begin);
  }
  return true;
}

bool may_match_time_text(const Archive& archive, const FilterTest& filter) {
  if (!filter.instant_text()) {
    return false;
  }
  // What a pattern does not hold itself is digits, blanks, signs, and the names that old ones know.
  std::bitset<256> octets;
  const auto add = [&octets](std::string_view text) {
    for (const char c : text) {
      octets.set(static_cast<unsigned char>(c));
    }
  };
  add("0123456789 +-AMP");
  for (const StoredPattern& stored : archive.metadata().time_patterns) {
    add(stored.pattern);
    for (const char* const names : {"%a", "%b", "%B", "%p"}) {
      if (stored.pattern.find(names) != std::string::npos) {
        add("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
      }
    }
  }
  return filter.strings().may_consist_of(octets);
}

Result<TimeBounds> TimeBounds::make(const Archive& archive, std::optional<std::int64_t> since,
                                    std::optional<std::int64_t> until) {
  TimeBounds bounds;
  bounds.archive_ = &archive;
  if (!since && !until) {
    return bounds;
  }
  if (time_nodes(archive).empty()) {
    return fail(ErrorCode::BadArgument,
                "the archive has no timestamp column that a time could be compared with",
                {.source = archive.name()});
  }
  if (since && until && *since > *until) {
    return fail(ErrorCode::BadArgument, "no time lies between the two that were given");
  }
  const auto add = [&](std::optional<std::int64_t> instant,
                       query::Comparison comparison) -> Status {
    if (!instant) {
      return {};
    }
    query::Filter filter;
    filter.path.steps.push_back({.wildcard = true, .key = {}});
    filter.comparison = comparison;
    filter.literal.instant = instant;
    FONDS_TRY(auto test, FilterTest::make(filter, {}));
    bounds.filters_.push_back(std::move(test));
    return {};
  };
  FONDS_CHECK(add(since, query::Comparison::GreaterEqual));
  FONDS_CHECK(add(until, query::Comparison::LessEqual));
  return bounds;
}

Condition TimeBounds::plan(std::size_t table) const {
  const auto columns = archive_->column_nodes(archive_->tables()[table].schema);
  const auto times = time_nodes(*archive_);
  std::vector<Condition> all;
  for (const auto& filter : filters_) {
    Condition condition;
    condition.kind = Condition::Kind::Columns;
    condition.filter = filter.get();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const NodeId node = columns[i];
      if (std::find(times.begin(), times.end(), node) != times.end() &&
          may_lie_in_range(*archive_, node, *filter)) {
        const ColumnTest test = {
            .column = i, .type = archive_->tree()[node].type, .time = counts_time(*archive_, node)};
        if (may_lie_in_column(*archive_, table, test, *filter)) {
          condition.columns.push_back(test);
        }
      }
    }
    all.push_back(condition.columns.empty() ? Condition::constant(false) : std::move(condition));
  }
  return all_of(std::move(all));
}

}  // namespace fonds::clps
