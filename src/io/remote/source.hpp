// Objects at URLs as sources.
#pragma once

#include <memory>
#include <string_view>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

namespace fonds::remote {

// Opens a URL when it is first used: one request asks for the bytes that will_read()
// has told of, or for the first ones; by its reply the object is read at positions, or, if the
// server gives no ranges, once from start to end. The source is called as the URL, without secrets.
// Errors: BadArgument for what is no URL; Unsupported without the module; of the first use
// NotFound, Io with status and tries, Cancelled.
Result<std::shared_ptr<ByteSource>> open(std::string_view url);

}  // namespace fonds::remote
