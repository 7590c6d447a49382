// The flags that say how records are written.
#pragma once

#include <string>
#include <vector>

#include <fonds/writing.hpp>

#include "flags.hpp"

namespace fonds::cli {

// Puts what the flags say into `write`. Returns whether a dictionary is to be made of the records.
// Throws UsageError.
bool add_write_options(const Arguments& arguments, WriteOptions& write);
// The compression that the ending of the output's name asks for, if it does.
std::vector<std::string> compression_of_name(const std::string& name);

}  // namespace fonds::cli
