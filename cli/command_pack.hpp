// fonds convert --to clp-s
#pragma once

#include <string_view>

#include "flags.hpp"

namespace fonds::cli {

// `layout`: the version that is asked for, empty for the usual one. Throws UsageError.
int run_pack(const Arguments& arguments, std::string_view layout);
// Throws UsageError if there is a flag that means something only for run_pack().
void refuse_pack_flags(const Arguments& arguments);

}  // namespace fonds::cli
