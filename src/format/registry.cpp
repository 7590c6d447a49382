// The one list of formats.
#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <fonds/format.hpp>

#include "format/clps/format.hpp"
#include "format/format_names.hpp"
#include "format/kvir/format.hpp"
#include "format/lines/format.hpp"
#include "format/recordio/format.hpp"
#include "format/warc/format.hpp"

namespace fonds {

std::span<const Format* const> formats() {
  static const std::array<const Format*, 7> all = {
      &warc::warc_format(),   &recordio::recordio_format(), &clps::clps_format(),
      &kvir::kvir_format(),   &lines::lines_format(),       &lines::jsonl_format(),
      &lines::events_format()};
  return all;
}

std::string format_names(bool (*which)(const Format&)) {
  std::vector<std::string_view> names;
  for (const Format* format : formats()) {
    if (which(*format) && std::ranges::find(names, format->name()) == names.end()) {
      names.push_back(format->name());
    }
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace fonds
