// Text archives and a sink in memory, for tests.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include <fonds/format.hpp>

#include "codec/testing.hpp"
#include "format/lines/format.hpp"

namespace fonds::testing_lines {

// A text archive of plain bytes.
inline Archive archive_of(const Format& format, std::shared_ptr<ByteSource> source) {
  return {.source = std::move(source), .format = &format, .codecs = {&probe_codec({})}};
}
inline Archive archive_of(const Format& format, const std::string& stored) {
  Archive archive = archive_of(format, testing_codec::mapped(stored));
  archive.codecs = {&probe_codec(as_bytes(stored))};
  return archive;
}

}  // namespace fonds::testing_lines
