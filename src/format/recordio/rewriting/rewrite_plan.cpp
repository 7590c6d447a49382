#include "format/recordio/rewriting/rewrite_plan.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "format/recordio/reading/record_reader.hpp"
#include "format/recordio/reading/trailer.hpp"

namespace fonds::recordio {
namespace {

// What a look through the whole file tells.
struct Survey {
  bool trailer = false;
  std::optional<std::vector<std::string>> transformers;  // of the first block
  bool alike = true;                                     // of all others too
};

Result<Survey> survey(const RewriteInput& input, const RewriteOptions& options) {
  RewriteOptions quiet = options;
  quiet.progress = {};
  FONDS_TRY(const auto again, RewriteInput::open(input.archive(), quiet));
  Survey found;
  while (true) {
    FONDS_TRY(const RewriteInput::Step step, again->next());
    if (step == RewriteInput::Step::End) {
      return found;
    }
    if (step == RewriteInput::Step::Trailer) {
      found.trailer = found.trailer || again->unchecked() || again->items().count() == 1;
    }
    if (step == RewriteInput::Step::Block) {
      if (!found.transformers) {
        found.transformers = again->transformers();
      }
      found.alike = found.alike && reads_alike(*found.transformers, again->transformers());
    }
  }
}

// Whether there is a trailer; a look at the end of the file mostly tells.
Result<bool> has_trailer(const RewriteInput& input, const RewriteOptions& options) {
  if (!input.repeatable()) {
    return true;
  }
  if (input.size()) {
    Buffer unused;
    const auto there = read_trailer(input.archive().source, {input.header().transformers}, false,
                                    reader_options(options.read), unused);
    if (there.value_or(false)) {
      return true;
    }
  }
  FONDS_TRY(const Survey found, survey(input, options));
  return found.trailer;
}

Result<OutputPlan> plan_without_header(const RewriteInput& input, Promise promise,
                                       const RewriteOptions& options) {
  OutputPlan plan;
  Survey found;
  if (input.repeatable()) {
    FONDS_TRY(found, survey(input, options));
  }
  plan.transformers = options.read.transformers;
  if (plan.transformers.empty() && found.transformers && found.alike) {
    plan.transformers = *found.transformers;
  }
  plan.sure = !options.read.transformers.empty() || (found.transformers && found.alike);
  std::vector<HeaderEntry>& entries = plan.entries;
  for (const std::string& transformer : plan.transformers) {
    entries.push_back({std::string(kTransformerKey), transformer});
  }
  if (found.trailer && promise != Promise::Drop) {
    entries.push_back({std::string(kTrailerKey), true});
  }
  for (HeaderEntry& entry : free_entries(input.header().entries)) {
    entries.push_back(std::move(entry));
  }
  plan.header = header_block(entries);
  return plan;
}

}  // namespace

Result<OutputPlan> make_plan(const RewriteInput& input, Promise promise,
                             const RewriteOptions& options) {
  OutputPlan plan;
  plan.legacy = input.legacy() || input.empty();
  if (plan.legacy) {
    return plan;
  }
  if (input.header_state() != RewriteInput::HeaderState::Good) {
    return plan_without_header(input, promise, options);
  }
  plan.transformers = input.header().transformers;
  if (promise == Promise::Check && input.header().trailer) {
    FONDS_TRY(const bool there, has_trailer(input, options));
    if (!there) {
      warn(options, input, "trailer-missing",
           "announced trailer missing; the new file does not promise one", 0);
      promise = Promise::Drop;
    }
  }
  plan.entries = input.header().entries;
  if (promise == Promise::Drop && input.header().trailer) {
    std::erase_if(plan.entries, [](const HeaderEntry& entry) { return entry.key == kTrailerKey; });
    plan.header = header_block(plan.entries);
  } else {
    plan.header.append(input.header_block());
  }
  return plan;
}

void tell_finding(const RewriteOptions& options, Finding finding) {
  if (options.on_finding) {
    options.on_finding(finding);
  }
}

void warn(const RewriteOptions& options, const RewriteInput& input, std::string_view code,
          std::string message, std::uint64_t offset) {
  tell_finding(options, {.code = code,
                         .severity = Severity::Warning,
                         .message = std::move(message),
                         .where = {.source = input.name(), .stored_offset = offset}});
}

void lose(RewriteReport& report, const RewriteInput& input, const Fault& fault,
          std::string_view saved) {
  report.lost_bytes += input.range().length;
  report.lost.push_back(make_finding(
      fault.code,
      fmt::format("{}; {} bytes are left out{}", fault.message, input.range().length, saved),
      {.source = input.name(), .stored_offset = input.range().offset}));
  report.lost_ranges.push_back(input.range());
}

tl::unexpected<Error> damage_error(const RewriteInput& input, const Fault& fault) {
  return fail(error_code(fault.code), fault.message,
              {.source = input.name(), .stored_offset = input.range().offset});
}

}  // namespace fonds::recordio
