// Whether a record is the one that a capture tells of.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/core.h>

#include <fonds/formats/warc.hpp>

#include "base/text.hpp"
#include "index/capture.hpp"
#include "index/capture_search.hpp"
#include "index/surt.hpp"

namespace fonds::index {
namespace {

std::string digits_of(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      digits += c;
    }
  }
  return digits;
}

// The digits that both have are the same, and these are as many as say something.
bool same_time(std::string_view a, std::string_view b) {
  constexpr std::size_t kYear = 4;
  const std::size_t n = std::min(a.size(), b.size());
  return n >= kYear && a.substr(0, n) == b.substr(0, n);
}

bool time_fits(std::string_view timestamp, const Record& record) {
  if (auto date = record.date()) {
    const std::uint32_t milliseconds = date->nanoseconds / 1'000'000;
    date->precision = Date::Precision::Second;
    if (same_time(timestamp, digits_of(date->to_string()) + fmt::format("{:03}", milliseconds))) {
      return true;
    }
  }
  // Of a date that is no date, makers of indexes take the digits.
  for (const Field& field : record.fields()) {
    constexpr std::string_view kDate = "date";
    if (field.name.size() >= kDate.size() &&
        equals_ignoring_case(field.name.substr(field.name.size() - kDate.size()), kDate) &&
        same_time(timestamp, digits_of(field.value))) {
      return true;
    }
  }
  return false;
}

std::string_view without_brackets(std::string_view url) {
  return url.size() >= 2 && url.front() == '<' && url.back() == '>' ? url.substr(1, url.size() - 2)
                                                                    : url;
}

}  // namespace

bool leads_to(const Capture& capture, const Record& record) {
  const auto view = warc::RecordView::of(record);
  if (!view || !time_fits(capture.timestamp, record)) {
    return false;
  }
  const std::string_view uri = view->target_uri();
  if (capture.url.empty()) {
    return capture.key == (uri.empty() ? "-" : surt(uri));
  }
  const std::string_view url = without_brackets(capture.url);
  return url == uri || (!uri.empty() && (surt(url) == surt(uri) || url == cdx_value(uri)));
}

}  // namespace fonds::index
