// A file under another name than its own.
#pragma once

#include <memory>
#include <string>

#include <fonds/byte_source.hpp>
#include <fonds/error.hpp>

namespace fonds {

// open_source() of a path, or "-", that is called `name` in messages: an output that is read before
// it appears. Errors: the same.
Result<std::shared_ptr<ByteSource>> open_file(const std::string& path, std::string name);

}  // namespace fonds
