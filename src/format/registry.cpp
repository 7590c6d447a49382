// The one list of formats.
#include <array>
#include <span>

#include <fonds/format.hpp>

#include "format/clps/format.hpp"
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

}  // namespace fonds
