// Where the payload of a record lies (docs/formats/warc.md, "Digests").
#pragma once

#include <string>

#include <fonds/error.hpp>
#include <fonds/reader.hpp>

#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"

namespace fonds::warc {

// A segment: its block is not the whole of the logical record. In 00.11 every record has a segment
// status.
bool is_part_of_record(const Header& header);

// Finds the HTTP head of the block without consuming it; the payload is what follows. `octets` owns
// what `head` views.
Status find_head(RecordReader& reader, const WarcRecord& record, std::string& octets,
                 http::Head& head);

}  // namespace fonds::warc
