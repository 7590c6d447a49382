// What a rewritten v2 file begins with.
#pragma once

#include <optional>

#include <fonds/error.hpp>
#include <fonds/writing.hpp>

#include "format/recordio/rewriting/rewrite_input.hpp"
#include "format/recordio/rewriting/rewrite_output.hpp"

namespace fonds::recordio {

enum class Promise : std::uint8_t {
  Keep,   // of a trailer, as the header has it
  Check,  // it goes if there is no trailer
  Drop,
};

// The header block is that of `input` as it is stored, if it can be. Where it is lost, the
// transformers are those that options.read names, or those by which all blocks can be read, or
// none. Looks through the whole file where it must, if it can be read twice. Findings:
// trailer-missing. Errors: those of reading.
Result<OutputPlan> make_plan(const RewriteInput& input, Promise promise,
                             const RewriteOptions& options);

// How a rewriter speaks of what it found.
void tell_finding(const RewriteOptions& options, Finding finding);
// A warning that belongs to rewriting alone.
void warn(const RewriteOptions& options, const RewriteInput& input, std::string_view code,
          std::string message, std::uint64_t offset);
// Takes the current range of `input` into the lost ones.
void lose(RewriteReport& report, const RewriteInput& input, const Fault& fault,
          std::string_view saved = {});
// The error that a lost range is where nothing may be lost.
tl::unexpected<Error> damage_error(const RewriteInput& input, const Fault& fault);

}  // namespace fonds::recordio
