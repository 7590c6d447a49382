// How the files that lie beside an archive are called.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fonds::index {

inline constexpr std::string_view kOffsets = ".offsets";  // read by the RecordIO format itself
// Behind the archive's name; of those that are opened by themselves.
inline constexpr std::array<std::string_view, 6> kCompanionEndings = {
    ".chk.lz4", ".gzidx", ".cdxj", ".cdx", ".idx", kOffsets};

// Takes away what is called as a companion of another of the names: one of those above, or the
// blocks of a ZipNum index. The order of the others stays.
void drop_companions(std::vector<std::string>& names);

}  // namespace fonds::index
