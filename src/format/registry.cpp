// The one list of formats.
#include <array>
#include <span>

#include <fonds/format.hpp>

#include "format/warc/format.hpp"

namespace fonds {

std::span<const Format* const> formats() {
  static const std::array<const Format*, 1> all = {&warc::warc_format()};
  return all;
}

}  // namespace fonds
