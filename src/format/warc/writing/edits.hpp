// Headers of records that stay what they are but for one thing: the parts that became one record,
// and the warcinfo that is named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/bytes.hpp>

#include "format/warc/reading/grammar.hpp"

namespace fonds::warc {

struct HeaderChange {
  // The record was the first of several segments and is now the whole one.
  struct Whole {
    std::uint64_t block_length = 0;
    std::string truncated = {};  // as the last segment was; empty: it was not
    // Of the whole block, for a record that had one of its own part.
    std::optional<std::string> block_digest = {};
  };
  std::optional<Whole> whole = {};
  std::string warcinfo_id = {};  // to be named, without <>; empty: as it was
};

// The header with this change, its other fields as they are. 00.11: the padding of the header-line
// is lost. `header` is complete, of a WARC record, and `raw` its octets.
std::string changed_header(const Header& header, ByteView raw, const HeaderChange& change);

}  // namespace fonds::warc
