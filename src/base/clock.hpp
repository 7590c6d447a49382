// The time of day, for what is written into files.
#pragma once

#include <fonds/date.hpp>

namespace fonds {

// The time that new records bear: that of the build, where one is prescribed (SOURCE_DATE_EPOCH,
// reproducible-builds.org), else the clock's, in seconds.
Date time_of_writing();

}  // namespace fonds
