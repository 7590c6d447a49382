#include "format/clps/writing/writer_options.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <fonds/query.hpp>

namespace fonds::clps {
namespace {

constexpr std::array kVersions = {Version{0, 3, 1}, Version{0, 4, 1}, Version{0, 5, 0}};

}  // namespace

std::span<const Version> writable_versions() { return kVersions; }

std::string property_fault(std::string_view key) {
  if (key.starts_with('_')) {
    return fmt::format("the property '{}' begins with '_': such keys are the format's own", key);
  }
  return key.empty() ? "a property has no key" : "";
}

namespace writing {

Result<Rules> rules_of(const WriterOptions& options) {
  Rules rules;
  rules.version = options.version;
  rules.structured_arrays = options.structurize_arrays;
  rules.float_texts = options.retain_float_format;
  rules.log_order = options.log_order;
  rules.exact = options.exact;
  if (!options.timestamp_key.empty()) {
    FONDS_TRY(const query::Path path, query::parse_path(options.timestamp_key));
    rules.time_generated = path.space == query::Namespace::Generated;
    if (path.space != query::Namespace::User && path.space != query::Namespace::Generated) {
      return fail(ErrorCode::BadArgument, "the timestamp key is one of events");
    }
    for (const query::PathStep& step : path.steps) {
      if (step.wildcard) {
        return fail(ErrorCode::BadArgument, "the timestamp key names one key; it has no wildcards");
      }
      rules.time_key.push_back(step.key);
    }
  }
  return rules;
}

Status check(const WriterOptions& options) {
  if (std::find(kVersions.begin(), kVersions.end(), options.version) == kVersions.end()) {
    return fail(ErrorCode::BadArgument,
                fmt::format("archives of version {} cannot be written; 0.3.1, 0.4.1 and 0.5.0 can",
                            options.version.to_string()));
  }
  if (options.level < 1 || options.level > 19) {
    return fail(ErrorCode::BadArgument, fmt::format("level {} is none of 1 to 19", options.level));
  }
  if (options.target_encoded_size == 0 || options.max_document_size == 0) {
    return fail(ErrorCode::BadArgument, "sizes are at least 1");
  }
  if (options.exact && !options.log_order) {
    return fail(ErrorCode::BadArgument, "the original bytes need the order of the log");
  }
  for (const auto& [key, value] : options.properties) {
    if (const std::string fault = property_fault(key); !fault.empty()) {
      return fail(ErrorCode::BadArgument, fault);
    }
  }
  return {};
}

}  // namespace writing
}  // namespace fonds::clps
