// The small grammars that values of fields must follow. Pure functions; private to verify*.cpp.
#pragma once

#include <string_view>

namespace fonds::warc::verify {

// RFC 2616, 2.2: one or more US-ASCII characters without controls and separators.
bool is_token(std::string_view text) noexcept;
// A scheme, a colon, and only what RFC 3986 allows behind it: no blanks, no octets beyond US-ASCII,
// `%` with two hexadecimal digits, one `#`, brackets around a host only.
bool is_uri(std::string_view text) noexcept;
// A dotted quad, or an IPv6 address by RFC 4291, 2.2.
bool is_ip_address(std::string_view text) noexcept;
// WARC 1.1, 5.6: type "/" subtype *( ";" attribute "=" value ), with blanks around `;`.
bool is_media_type(std::string_view text) noexcept;
// True if both name one type; what follows the first `;` is left out.
bool same_media_type(std::string_view text, std::string_view wanted) noexcept;
// The value of a parameter of a media type, without quotes; empty if it is not there.
std::string_view media_parameter(std::string_view text, std::string_view name) noexcept;
// A control character (RFC 2616: CTL) other than HTAB.
bool has_control(std::string_view text) noexcept;
// The first line of a block of `application/warc-fields` that is neither a named field nor the
// continuation of one nor empty; empty if all are.
std::string_view bad_line_of_fields(std::string_view block) noexcept;

}  // namespace fonds::warc::verify
