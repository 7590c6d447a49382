// Archives that are directories.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <fonds/error.hpp>

namespace fonds::clps {

// What Format::directory_files() answers. The files are called as SourcePiece::name: "header", then
// "schema_tree" and the other members as they follow each other in a single file; members that are
// not there are left out.
Result<std::vector<std::string>> directory_files(std::span<const std::string> entries);

}  // namespace fonds::clps
