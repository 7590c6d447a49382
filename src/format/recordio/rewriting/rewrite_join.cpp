// Merge and split.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "format/recordio/rewriting/rewrite.hpp"
#include "format/recordio/rewriting/rewrite_input.hpp"
#include "format/recordio/rewriting/rewrite_output.hpp"
#include "format/recordio/rewriting/rewrite_plan.hpp"

namespace fonds::recordio {
namespace {

// What stands in the way of an input without a good header, or nothing.
Status check_header(const RewriteInput& input, const RewriteOptions& options) {
  if (options.skip_damaged || input.empty() || input.legacy() ||
      input.header_state() != RewriteInput::HeaderState::Missing) {
    return {};  // damage comes as a lost range
  }
  return damage_error(input, {"no-header-block", "no header: the file begins with another block"});
}

// Hands the blocks of an input on: damage ends it unless options.skip_damaged.
class BlockCopy {
 public:
  // `output` may be another one for each block.
  BlockCopy(RewriteInput& input, bool with_trailer, const RewriteOptions& options,
            RewriteReport& report)
      : input_(input), with_trailer_(with_trailer), options_(options), report_(report) {}

  // `for_block` gives where the block in hand goes, `current` the output in hand.
  template <typename ForBlock, typename Current>
  Status run(const ForBlock& for_block, const Current& current) {
    while (true) {
      FONDS_TRY(const RewriteInput::Step step, input_.next());
      switch (step) {
        case RewriteInput::Step::Block: {
          FONDS_TRY(RewriteOutput* const output, for_block());
          FONDS_CHECK(take_block(*output));
          break;
        }
        case RewriteInput::Step::Lost:
          FONDS_CHECK(take_lost(input_.fault()));
          break;
        case RewriteInput::Step::Header:
          FONDS_CHECK(take_second_header());
          break;
        case RewriteInput::Step::Trailer: {
          FONDS_TRY(RewriteOutput* const output, current());
          FONDS_TRY(const bool more, take_trailer(*output));
          if (!more) {
            return finish_source();
          }
          break;
        }
        case RewriteInput::Step::End:
          return finish_source();
      }
    }
  }

 private:
  Status take_block(RewriteOutput& output) {
    FONDS_TRY(const std::optional<Fault> fault, output.put_block(input_));
    if (fault) {
      return take_lost(*fault);
    }
    ++report_.blocks_kept;
    report_.records_kept += input_.unchecked() ? 0 : input_.items().count();
    return {};
  }

  Status take_lost(const Fault& fault) {
    if (!options_.skip_damaged) {
      return damage_error(input_, fault);
    }
    lose(report_, input_, fault);
    return {};
  }

  Status take_second_header() {
    if (!options_.read.concatenated && !options_.skip_damaged) {
      return damage_error(
          input_,
          {"second-header", "magic: another header block, as where two files were put together"});
    }
    return {};
  }

  // True if what lies behind the trailer is wanted too.
  Result<bool> take_trailer(RewriteOutput& output) {
    const ByteRange range = input_.range();
    std::optional<Fault> fault;
    if (with_trailer_) {
      FONDS_TRY(fault, output.take_trailer(input_));
    }
    if (!with_trailer_ || fault) {
      warn(
          options_, input_, "trailer-dropped",
          fmt::format("the trailer is left out, {} bytes: what it says of places in the file would "
                      "be wrong",
                      range.length),
          range.offset);
    }
    FONDS_TRY(const std::uint64_t left, input_.bytes_left());
    if (left > 0 && !options_.skip_damaged) {
      warn(options_, input_, "data-behind-trailer", "data behind the trailer, which is left out",
           range.offset + range.length);
    }
    return options_.skip_damaged || options_.read.concatenated;
  }

  Status finish_source() {
    for (Finding& finding : input_.take_source_findings()) {
      if (finding.severity == Severity::Error && !options_.skip_damaged) {
        return fail(ErrorCode::Corrupt, finding.message, finding.where);
      }
      tell_finding(options_, std::move(finding));
    }
    return {};
  }

  RewriteInput& input_;
  bool with_trailer_;
  const RewriteOptions& options_;
  RewriteReport& report_;
};

using Inputs = std::vector<std::unique_ptr<RewriteInput>>;

// The header of the first v2 file with what the others have besides; no trailer is promised.
Result<OutputPlan> plan_of(const Inputs& inputs, const RewriteOptions& options) {
  OutputPlan plan;
  plan.legacy = true;
  bool added = false;
  for (const auto& input : inputs) {
    if (input->legacy() || input->empty()) {
      continue;
    }
    if (plan.legacy) {
      FONDS_TRY(plan,
                make_plan(*input, inputs.size() > 1 ? Promise::Drop : Promise::Keep, options));
      continue;
    }
    for (HeaderEntry& entry : free_entries(input->header().entries)) {
      if (std::ranges::find(plan.entries, entry) == plan.entries.end()) {
        plan.entries.push_back(std::move(entry));
        added = true;
      }
    }
  }
  if (added) {
    plan.header = header_block(plan.entries);
  }
  return plan;
}

// Where the parts of a split archive go.
class Parts {
 public:
  Parts(RewriteInput& input, const OutputPlan& plan, std::optional<std::uint64_t> size,
        const NextPart& next_part, const RewriteOptions& options)
      : input_(input), plan_(plan), size_(size), next_part_(next_part), options_(options) {}

  // The part that takes the input's block in hand.
  Result<RewriteOutput*> for_block() {
    const bool full =
        output_ && blocks_ > 0 && size_ && output_->position() + input_.range().length > *size_;
    if (full) {
      FONDS_CHECK(output_->finish());
      output_.reset();
    }
    FONDS_TRY(RewriteOutput* const output, current());
    ++blocks_;
    return output;
  }
  // There is at least one part.
  Result<RewriteOutput*> current() {
    if (!output_) {
      blocks_ = 0;
      FONDS_TRY(const Part part, next_part_({}));
      FONDS_TRY(output_, RewriteOutput::create(*part.sink, plan_, options_.write, true));
    }
    return &*output_;
  }

 private:
  RewriteInput& input_;
  const OutputPlan& plan_;
  std::optional<std::uint64_t> size_;  // of a part; nothing: there is one
  const NextPart& next_part_;
  const RewriteOptions& options_;
  std::optional<RewriteOutput> output_;
  std::uint64_t blocks_ = 0;  // in it
};

}  // namespace

Result<RewriteReport> merge_files(std::span<const Archive> archives, ByteSink& sink,
                                  const RewriteOptions& options) {
  Inputs inputs;
  std::uint64_t before = 0;  // bytes of the archives that are done
  RewriteOptions with_progress = options;
  if (options.progress) {
    with_progress.progress = [&](std::uint64_t position) { options.progress(before + position); };
  }
  for (const Archive& archive : archives) {
    FONDS_TRY(auto input, RewriteInput::open(archive, with_progress));
    FONDS_CHECK(check_header(*input, options));
    inputs.push_back(std::move(input));
  }
  FONDS_TRY(const OutputPlan plan, plan_of(inputs, options));
  FONDS_TRY(RewriteOutput output, RewriteOutput::create(sink, plan, options.write, false));
  RewriteReport report;
  for (auto& input : inputs) {
    BlockCopy copy(*input, inputs.size() == 1, options, report);
    const auto the_one = [&]() -> Result<RewriteOutput*> { return &output; };
    FONDS_CHECK(copy.run(the_one, the_one));
    FONDS_CHECK(output.end_of_input());
    before += input->size().value_or(0);
    input.reset();
  }
  FONDS_CHECK(output.finish());
  return report;
}

Result<RewriteReport> split_file(const Archive& archive, const NextPart& next_part,
                                 const SplitOptions& split) {
  if (split.by_type || split.train_dictionaries || split.oversize != SplitOptions::Oversize::Keep) {
    return fail(ErrorCode::BadArgument,
                "RecordIO items have no types and are never cut; only web archives are split so",
                {.source = archive.source->name()});
  }
  const std::uint64_t size = split.size;
  const RewriteOptions& options = split.rewrite;
  FONDS_TRY(const auto input, RewriteInput::open(archive, options));
  FONDS_CHECK(check_header(*input, options));
  const bool single = input->size() && *input->size() <= size;
  FONDS_TRY(const OutputPlan plan,
            make_plan(*input, single ? Promise::Keep : Promise::Drop, options));
  RewriteReport report;
  Parts parts(*input, plan, single ? std::nullopt : std::optional(size), next_part, options);
  BlockCopy copy(*input, single, options, report);
  FONDS_CHECK(copy.run([&] { return parts.for_block(); }, [&] { return parts.current(); }));
  FONDS_TRY(RewriteOutput* const last, parts.current());
  FONDS_CHECK(last->finish());
  return report;
}

}  // namespace fonds::recordio
