// Everything that the library offers.
#pragma once

#include <fonds/buffer.hpp>            // IWYU pragma: export
#include <fonds/byte_sink.hpp>         // IWYU pragma: export
#include <fonds/byte_source.hpp>       // IWYU pragma: export
#include <fonds/bytes.hpp>             // IWYU pragma: export
#include <fonds/codec.hpp>             // IWYU pragma: export
#include <fonds/date.hpp>              // IWYU pragma: export
#include <fonds/error.hpp>             // IWYU pragma: export
#include <fonds/events.hpp>            // IWYU pragma: export
#include <fonds/finding.hpp>           // IWYU pragma: export
#include <fonds/format.hpp>            // IWYU pragma: export
#include <fonds/formats/clps.hpp>      // IWYU pragma: export
#include <fonds/formats/recordio.hpp>  // IWYU pragma: export
#include <fonds/formats/warc.hpp>      // IWYU pragma: export
#include <fonds/query.hpp>             // IWYU pragma: export
#include <fonds/reader.hpp>            // IWYU pragma: export
#include <fonds/record.hpp>            // IWYU pragma: export
#include <fonds/record_fields.hpp>     // IWYU pragma: export
#include <fonds/record_index.hpp>      // IWYU pragma: export
#include <fonds/search.hpp>            // IWYU pragma: export
#include <fonds/seek_index.hpp>        // IWYU pragma: export
#include <fonds/writing.hpp>           // IWYU pragma: export
