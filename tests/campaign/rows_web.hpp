// Rows of the campaign that are web archives.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "campaign/rows.hpp"

namespace fonds::campaign {

void add_web_rows(std::vector<RowMaker>& all);
// The stored bytes of a row; of WARC 1.x with ids of 25 octets, as checkpoint files hold them.
std::string web_archive(std::string_view dialect, std::string_view codec, bool short_ids = false);

}  // namespace fonds::campaign
