#include "format/common/json_search.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include <fmt/core.h>

#include "base/calendar.hpp"
#include "query/json_time.hpp"
#include "query/tree.hpp"

namespace fonds {
namespace {

using query::JsonToken;
using Want = SearchOptions::Want;

// A text as archives in columns print it, whatever way it was spelled.
void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    constexpr std::string_view kCodes = "\b\t\n\f\r\"\\";
    constexpr std::string_view kLetters = "btnfr\"\\";
    if (const std::size_t code = kCodes.find(c); code != std::string_view::npos) {
      out += '\\';
      out += kLetters[code];
    } else if (static_cast<unsigned char>(c) < 0x20U) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

std::vector<const query::Path*> paths_of(const std::vector<query::Path>& paths,
                                         query::Namespace space) {
  std::vector<const query::Path*> found;
  for (const query::Path& path : paths) {
    if (path.space == space) {
      found.push_back(&path);
    }
  }
  return found;
}

Status check_projection(const std::vector<query::Path>& projection) {
  for (std::size_t i = 0; i < projection.size(); ++i) {
    if (query::has_wildcard(projection[i])) {
      return fail(ErrorCode::BadArgument, "a projected key has a wildcard");
    }
    for (std::size_t other = 0; other < i; ++other) {
      if (query::same_path(projection[i], projection[other])) {
        return fail(ErrorCode::BadArgument, "a projected key is given twice");
      }
    }
  }
  return {};
}

Status check_times(const SearchOptions& options, std::string_view source, std::string_view format) {
  const bool counts = options.want == Want::CountByTime;
  if (counts && options.interval <= 0) {
    return fail(ErrorCode::BadArgument, "an interval of time must be above 0");
  }
  if (options.since && options.until && *options.since > *options.until) {
    return fail(ErrorCode::BadArgument, "no time lies between the two that were given");
  }
  if ((counts || options.since || options.until) && !options.time_key) {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("{} does not tell which key is the time; --timestamp-key KEY names it", format),
        {.source = std::string(source)});
  }
  if (options.time_key && query::has_wildcard(*options.time_key)) {
    return fail(ErrorCode::BadArgument, "a timestamp key has a wildcard");
  }
  return {};
}

}  // namespace

Status JsonAnswer::add(const JsonAnswer& later, std::uint64_t memory) {
  matched += later.matched;
  lines += later.lines;
  total.add(later.total);
  return total.check(memory);
}

SearchReport JsonAnswer::report() const {
  SearchReport report;
  report.matched = matched;
  report.groups = total.groups();
  return report;
}

JsonJudge::JsonJudge(const query::Query& query, const SearchOptions& options)
    : options_(&options),
      match_(query, options.time_key),
      projection_(paths_of(options.projection, query::Namespace::User)),
      projected_(projection_),
      field_({&options.field}),
      time_({options.time_key ? &*options.time_key : nullptr}),
      all_projected_(projection_.size()) {
  std::iota(all_projected_.begin(), all_projected_.end(), 0U);
}

Result<JsonJudge> JsonJudge::make(const query::Query& query, const SearchOptions& options,
                                  std::string_view source, std::string_view format) {
  if (query.options.meaning == query::Meaning::ClpS) {
    return fail(ErrorCode::Unsupported,
                fmt::format("--compat clp-s is for clp-s archives: what it means depends on their "
                            "columns, and {} has none",
                            format),
                {.source = std::string(source)});
  }
  FONDS_CHECK(check_projection(options.projection));
  FONDS_CHECK(check_times(options, source, format));
  const bool of_field =
      options.want == Want::Min || options.want == Want::Max || options.want == Want::Unique;
  if (of_field && options.field.steps.empty()) {
    return fail(ErrorCode::BadArgument, "no field is named whose values are wanted");
  }
  return JsonJudge(query, options);
}

Status JsonJudge::take(const JsonEvent& event, JsonAnswer& answer) {
  FONDS_TRY(const bool matches, match_.matches(event.user, event.generated, event.archive));
  if (!matches) {
    return {};
  }
  const SearchOptions& options = *options_;
  if (options.since || options.until || options.want == Want::CountByTime) {
    const std::optional<std::int64_t> time = time_of(event);
    if ((options.since && (!time || *time < *options.since)) ||
        (options.until && (!time || *time > *options.until))) {
      return {};
    }
    if (options.want == Want::CountByTime) {
      answer.total.add_time(time ? std::optional(floor_to(*time, options.interval)) : time, 1);
    }
  }
  ++answer.matched;
  if (options.want == Want::Count) {
    answer.total.add_count(1);
  } else if (options.want == Want::Records) {
    if (options.projection.empty()) {
      answer.lines += event.user;
    } else {
      append_projection(event.user, answer.lines);
    }
    answer.lines += '\n';
  } else if (!options.field.steps.empty()) {
    take_values(event, answer);
  }
  return {};
}

// Calls `use(token, spelled, in_array)` for each scalar at the only path of `path`.
template <typename Use>
void JsonJudge::for_each_value(std::string_view json, query::PathTracker& path, Use&& use) {
  constexpr std::uint32_t kOnly[] = {0};
  query::JsonScanner scanner(json);
  scanner.next();
  path.start(kOnly);
  std::string open = "{";
  std::size_t arrays = 0;
  while (!open.empty()) {
    const JsonToken token = scanner.next();
    if (token == JsonToken::Damaged || token == JsonToken::End) {
      return;
    }
    if (token == JsonToken::Key) {
      path.enter(path.nowhere() ? std::string_view()
                                : query::unquoted_json(scanner.spelled(), scratch_));
      continue;
    }
    if (opens(token)) {
      arrays += token == JsonToken::BeginArray ? 1 : 0;
      open += token == JsonToken::BeginObject ? '{' : '[';
      continue;
    }
    if (closes(token)) {
      arrays -= token == JsonToken::EndArray ? 1 : 0;
      open.pop_back();
    } else {
      path.for_each_end([&](std::uint32_t) { use(token, scanner.spelled(), arrays > 0); });
    }
    if (open.ends_with('{')) {
      path.leave();
    }
  }
}

std::optional<std::int64_t> JsonJudge::time_of(const JsonEvent& event) {
  const query::Namespace space = options_->time_key->space;
  const std::string_view json = space == query::Namespace::User        ? event.user
                                : space == query::Namespace::Generated ? event.generated
                                                                       : std::string_view();
  std::optional<std::int64_t> time;
  if (!json.empty()) {
    for_each_value(json, time_, [&](JsonToken token, std::string_view spelled, bool in_array) {
      if (!in_array) {
        time = query::instant_of_json(token, spelled, text_);
      }
    });
  }
  return time;
}

void JsonJudge::take_values(const JsonEvent& event, JsonAnswer& answer) {
  const Want want = options_->want;
  values_.clear();
  const auto use = [&](JsonToken token, std::string_view spelled, bool) {
    if (want != Want::Unique) {
      if (auto number = token == JsonToken::Number ? query::Number::parse(spelled) : std::nullopt) {
        answer.total.add_extreme(spelled, std::move(number));
      }
    } else if (token == JsonToken::String && spelled.find('\\') != std::string_view::npos) {
      append_text(values_.emplace_back(), query::unquoted_json(spelled, text_));
    } else if (token == JsonToken::String || token == JsonToken::Number) {
      values_.emplace_back(spelled);
    } else {
      values_.emplace_back(token == JsonToken::True    ? "true"
                           : token == JsonToken::False ? "false"
                                                       : "null");
    }
  };
  const query::Path& field = options_->field;
  const bool any = field.any() && !field.marked;
  if (field.space == query::Namespace::User) {
    for_each_value(event.user, field_, use);
  }
  if ((field.space == query::Namespace::Generated || any) && !event.generated.empty()) {
    for_each_value(event.generated, field_, use);
  }
  std::sort(values_.begin(), values_.end());
  const auto end = std::unique(values_.begin(), values_.end());
  for (auto value = values_.begin(); value != end; ++value) {
    answer.total.add_value(*value, 1);
  }
}

// Members that are named, within the objects around them; without the blanks outside of values
// that are shown whole. Objects of which nothing is shown are left out.
void JsonJudge::append_projection(std::string_view json, std::string& out) {
  struct Level {
    bool shown = false;    // its brace is in `out`
    std::string_view key;  // before it, spelled
  };
  query::JsonScanner scanner(json);
  scanner.next();
  projected_.start(all_projected_);
  std::vector<Level> levels(1);
  std::size_t depth = 0;  // of brackets within a value that is shown or passed over
  std::size_t begin = 0;  // of that value
  bool show = false;
  std::string_view key;
  levels.front().shown = true;
  out += '{';
  const auto end_value = [&](std::size_t end) {
    if (show) {
      for (Level& level : levels) {  // its object and those around it
        if (!level.shown) {
          out += out.ends_with('{') ? "" : ",";
          out += level.key;
          out += ":{";
          level.shown = true;
        }
      }
      out += out.ends_with('{') ? "" : ",";
      out += key;
      out += ':';
      const std::size_t first = json.find_first_not_of(" \t\r\n", begin);
      out += json.substr(first, end - first);
    }
    projected_.leave();
  };
  while (!levels.empty()) {
    const JsonToken token = scanner.next();
    if (token == JsonToken::Damaged || token == JsonToken::End) {
      return;  // it was read before
    }
    if (depth == 0 && token == JsonToken::Key) {
      key = scanner.spelled();
      projected_.enter(query::unquoted_json(key, scratch_));
      show = false;
      projected_.for_each_end([&](std::uint32_t) { show = true; });
      begin = scanner.at();
    } else if (depth == 0 && token == JsonToken::BeginObject && !show && !projected_.nowhere()) {
      levels.push_back({.key = key});
    } else if (depth == 0 && token == JsonToken::EndObject) {
      out += levels.back().shown ? "}" : "";
      levels.pop_back();
      if (!levels.empty()) {
        projected_.leave();
      }
    } else if (opens(token)) {
      ++depth;
    } else if (token != JsonToken::Key && (!closes(token) || --depth == 0) && depth == 0) {
      end_value(scanner.at());
    }
  }
}

}  // namespace fonds
