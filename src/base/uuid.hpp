// UUIDs (RFC 9562) as the text that archives write: 36 characters, lower case.
#pragma once

#include <string>
#include <string_view>

#include <fonds/error.hpp>

namespace fonds {

// The name spaces of RFC 9562, 6.6.
inline constexpr std::string_view kUuidNamespaceDns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
inline constexpr std::string_view kUuidNamespaceUrl = "6ba7b811-9dad-11d1-80b4-00c04fd430c8";

// Version 4, from the operating system's random source. Errors: Io.
Result<std::string> random_uuid();

// Version 5: the same for the same name. `name_space` is a UUID as text. Errors: BadArgument for a
// name space that is none; Unsupported if the cryptography library is set up without SHA-1.
Result<std::string> named_uuid(std::string_view name_space, std::string_view name);

}  // namespace fonds
