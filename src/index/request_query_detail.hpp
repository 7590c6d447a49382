// Parts of request_query. Private to request_query*.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace fonds::index::detail {

// Appends `octets` as a form has them: letters, digits and `-._~` stay, a blank becomes `+`, all
// else is percent-encoded.
void append_form_encoded(std::string& out, std::string_view octets);

// The members of a JSON value as fields of a form, or of one JSON value a line. Nothing if it is no
// JSON.
std::optional<std::string> json_query(std::string_view body);
// The fields of a multipart body as those of a form. Nothing if there are no parts.
std::optional<std::string> multipart_query(std::string_view content_type, std::string_view body);

// As Python's str() shows it: "1.0", "1e+16".
std::string python_number(double value);

}  // namespace fonds::index::detail
