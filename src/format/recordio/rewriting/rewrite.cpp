// Repair.
#include "format/recordio/rewriting/rewrite.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <fmt/core.h>

#include <fonds/buffer.hpp>

#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/rewriting/rewrite_input.hpp"
#include "format/recordio/rewriting/rewrite_output.hpp"
#include "format/recordio/rewriting/rewrite_plan.hpp"
#include "format/recordio/rewriting/rewrite_salvage.hpp"

namespace fonds::recordio {
namespace {

class Repair {
 public:
  Repair(RewriteInput& input, const OutputPlan& plan, RewriteOutput output,
         const RewriteOptions& options)
      : input_(input), plan_(plan), output_(std::move(output)), options_(options) {}

  Result<RewriteReport> run();

 private:
  Status take_block();
  Status take_lost();
  Status take_second_header();
  Status take_trailer();
  Result<bool> take_as_body();
  void tell_stale() const;
  void tell_unchecked();

  RewriteInput& input_;
  const OutputPlan& plan_;
  RewriteOutput output_;
  const RewriteOptions& options_;
  RewriteReport report_;
  bool left_out_ = false;
  bool told_unknown_ = false;
};

Result<RewriteReport> Repair::run() {
  while (true) {
    FONDS_TRY(const RewriteInput::Step step, input_.next());
    switch (step) {
      case RewriteInput::Step::Block:
        FONDS_CHECK(take_block());
        break;
      case RewriteInput::Step::Lost:
        FONDS_CHECK(take_lost());
        break;
      case RewriteInput::Step::Header:
        FONDS_CHECK(take_second_header());
        break;
      case RewriteInput::Step::Trailer:
        FONDS_CHECK(take_trailer());
        break;
      case RewriteInput::Step::End:
        tell_stale();
        FONDS_CHECK(output_.finish());
        for (Finding& finding : input_.take_source_findings()) {
          tell_finding(options_, std::move(finding));
        }
        return std::move(report_);
    }
  }
}

Status Repair::take_block() {
  FONDS_TRY(const std::optional<Fault> fault, output_.put_block(input_));
  if (fault) {
    lose(report_, input_, *fault);
    left_out_ = true;
    return {};
  }
  ++report_.blocks_kept;
  if (!input_.unchecked()) {
    report_.records_kept += input_.items().count();
  } else {
    tell_unchecked();
  }
  return {};
}

// Once for an unknown transformer, which all blocks have.
void Repair::tell_unchecked() {
  const Fault& fault = input_.fault();
  if (fault.code == "unknown-transformer") {
    if (std::exchange(told_unknown_, true)) {
      return;
    }
    warn(options_, input_, fault.code, fault.message + "; its blocks are copied unchecked",
         input_.range().offset);
    return;
  }
  tell_finding(options_,
               make_finding(fault.code, fault.message + "; the block is copied unchecked",
                            {.source = input_.name(), .stored_offset = input_.range().offset}));
}

Status Repair::take_lost() {
  left_out_ = true;
  std::string saved;
  const auto view = input_.view();
  const bool plain = plan_.sure && plan_.transformers.empty() && input_.transformers_now().empty();
  if (view && plain && !input_.legacy() && !input_.chunks_are_good()) {
    const ByteView damaged = view->subspan(static_cast<std::size_t>(input_.range().offset),
                                           static_cast<std::size_t>(input_.range().length));
    std::function<Status(ByteView)> save;
    if (!options_.whole_blocks) {
      save = [this](ByteView item) { return output_.put_item(item); };
    }
    std::uint64_t blocks = 0;
    FONDS_TRY(const Salvaged found,
              salvage_items(damaged, options_.write.memory_budget / 4, save, [&]() -> Status {
                ++blocks;
                return output_.close_block();
              }));
    report_.blocks_kept += blocks;
    report_.records_kept += found.saved;
    report_.records_lost += found.lost;
    if (found.saved > 0) {
      saved = fmt::format(", but {} of {} items in them are saved", found.saved,
                          found.saved + found.lost);
    }
  }
  lose(report_, input_, input_.fault(), saved);
  return {};
}

Status Repair::take_second_header() {
  left_out_ = true;
  warn(options_, input_, "second-header",
       fmt::format("another header block, as where two files were put together; its {} bytes are "
                   "left out",
                   input_.range().length),
       input_.range().offset);
  return {};
}

Status Repair::take_trailer() {
  FONDS_TRY(const bool taken, take_as_body());
  if (taken) {
    return {};
  }
  const std::optional<ByteRange> before = output_.trailer();
  FONDS_TRY(const std::optional<Fault> fault, output_.take_trailer(input_));
  if (fault) {
    lose(report_, input_, *fault);
    left_out_ = true;
  } else if (before) {
    warn(
        options_, input_, "trailer-dropped",
        fmt::format("another trailer follows, and only the last one is kept; {} bytes are left out",
                    before->length),
        before->offset);
    left_out_ = true;
  }
  return {};
}

// A trailer has one item. A block with more is a body block whose magic, which no checksum covers,
// was turned into that of a trailer.
Result<bool> Repair::take_as_body() {
  if (input_.unchecked() || input_.items().count() < 2 ||
      plan_.transformers != input_.transformers()) {
    return false;
  }
  FONDS_TRY(const ByteView stored, input_.stored());
  Buffer body;
  body.append(stored);
  const ByteView magic = as_bytes(magic_bytes(Magic::Packed));
  for (std::size_t at = 0; at < body.size(); at += kChunkSize) {
    std::ranges::copy(magic, body.data() + at);
  }
  warn(options_, input_, "trailer-items",
       fmt::format("trailer has {} items: it is a body block whose magic was hit, and becomes one "
                   "again",
                   input_.items().count()),
       input_.range().offset);
  FONDS_CHECK(output_.put_stored(body.view(), input_.range().offset));
  ++report_.blocks_kept;
  report_.records_kept += input_.items().count();
  return true;
}

void Repair::tell_stale() const {
  const std::optional<ByteRange> trailer = output_.trailer();
  if (trailer && (left_out_ || output_.moved())) {
    warn(options_, input_, "trailer-stale",
         "blocks were left out or have moved: what the trailer says of places in the file may be "
         "wrong now",
         trailer->offset);
  }
}

}  // namespace

Result<RewriteReport> repair_file(const Archive& archive, ByteSink& sink,
                                  const RewriteOptions& options) {
  FONDS_TRY(const auto input, RewriteInput::open(archive, options));
  FONDS_TRY(const OutputPlan plan, make_plan(*input, Promise::Check, options));
  if (input->header_state() == RewriteInput::HeaderState::Missing && !plan.legacy) {
    warn(options, *input, "no-header-block",
         "no header: the file begins with another block; the new file has one", 0);
  }
  FONDS_TRY(RewriteOutput output, RewriteOutput::create(sink, plan, options.write, true));
  return Repair(*input, plan, std::move(output), options).run();
}

}  // namespace fonds::recordio
