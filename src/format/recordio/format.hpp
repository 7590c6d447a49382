// RecordIO of grailbio: v2 and the two legacy layouts.
#pragma once

#include <fonds/format.hpp>

namespace fonds::recordio {

const Format& recordio_format();

}  // namespace fonds::recordio
