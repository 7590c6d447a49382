// Objects at URLs as sources.
#pragma once

#include <memory>
#include <string_view>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

namespace fonds::remote {

// Opens a URL. One request asks for the first bytes; by its reply the object is read at positions,
// or, if the server gives no ranges, once from start to end. The source is called as the URL,
// without secrets. Errors: BadArgument for what is no URL; NotFound; Io with status and tries;
// Unsupported without the module; Cancelled.
Result<std::shared_ptr<ByteSource>> open(std::string_view url);

}  // namespace fonds::remote
