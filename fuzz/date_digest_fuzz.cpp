// Dates and digests as archives and people write them: no input may crash, and what was understood
// must be understood again in the form that we print.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>
#include <fonds/date.hpp>

#include "base/digest.hpp"

namespace {

void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

void check_date(const std::optional<fonds::Date>& date) {
  if (!date) {
    return;
  }
  const std::string printed = date->to_string();
  require(fonds::is_strict_warc_date(printed, 1));
  const fonds::ParsedDate back = fonds::parse_warc_date(printed);
  require(back.value.has_value() && back.value->seconds == date->seconds);
  require(back.value->to_string() == printed);
}

void check_dates(std::string_view text) {
  const fonds::ParsedDate warc = fonds::parse_warc_date(text);
  check_date(warc.value);
  check_date(fonds::parse_positional_date(text).value);
  check_date(fonds::parse_arc_date(text).value);
  check_date(fonds::parse_user_date(text));
  if (fonds::is_strict_warc_date(text, 0)) {
    require(fonds::is_strict_warc_date(text, 1));
  }
  if (fonds::is_strict_warc_date(text, 1)) {
    require(warc.value.has_value() && !warc.quirks.invalid && !warc.quirks.other_form);
  }
}

void check_encodings(std::string_view text) {
  const fonds::ByteView bytes = fonds::as_bytes(text);
  require(fonds::from_hex(fonds::to_hex(bytes)) == text);
  require(fonds::from_base32(fonds::to_base32(bytes)) == text);
  require(fonds::from_base64(fonds::to_base64(bytes)) == text);
  fonds::from_hex(text);
  fonds::from_base32(text);
  fonds::from_base64(text);
}

void check_digest(std::string_view text) {
  const fonds::LabelledDigest digest = fonds::parse_digest(text);
  if (digest.state == fonds::LabelledDigest::State::Good) {
    require(digest.value.size >= 16 && digest.value.size <= digest.value.bytes.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_dates(text);
  check_digest(text);
  check_encodings(text);
  return 0;
}
