#include "base/clock.hpp"

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/text.hpp"

namespace fonds {

Date time_of_writing() {
  Date date;
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");  // NOLINT(concurrency-mt-unsafe)
  const auto prescribed = epoch == nullptr ? std::nullopt : parse_number(std::string_view(epoch));
  date.seconds = prescribed ? static_cast<std::int64_t>(*prescribed)
                            : std::chrono::duration_cast<std::chrono::seconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  date.precision = Date::Precision::Second;
  return date;
}

}  // namespace fonds
