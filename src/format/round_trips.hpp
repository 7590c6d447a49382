// Archives of which each read is a round trip.
#pragma once

#include <memory>
#include <string_view>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/error.hpp>
#include <fonds/format.hpp>

namespace fonds {

// As open_archive(). `first` holds a record and is wanted first: what the archive is gets told by
// that record, if it can be, and not by what the archive begins with.
Result<Archive> open_archive_at(std::shared_ptr<ByteSource> source, const OpenOptions& options,
                                ByteRange first);

// Whether the record that starts at `head` is understood without anything that came before it.
bool stands_alone(const Format& format, ByteView head);

// Asks for what every use of the archive begins with, so that it is on its way while something else
// is done.
void begin_use(const Archive& archive, const ReadOptions& options);

}  // namespace fonds
