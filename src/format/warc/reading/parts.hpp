// The parts of a record that `cat` gives, and what is said about the codings of its payload.
#pragma once

#include <vector>

#include <fonds/format.hpp>

#include "format/common/http_message.hpp"
#include "format/warc/reading/record.hpp"

namespace fonds::warc {

Status write_record_part(RecordReader& reader, const WarcRecord& record, RecordPart part,
                         std::uint64_t max_payload, const ByteOutput& out,
                         std::vector<Finding>& findings);

// Appends what `head` and the undoing of its codings gave reason to say.
void report_head(const http::Head& head, bool empty_block, const Location& where,
                 std::vector<Finding>& findings);
void report_length(const WarcRecord& record, const http::Head& head, std::uint64_t body_length,
                   std::vector<Finding>& findings);
void report_transfer(const WarcRecord& record, const http::Decoded& decoded,
                     std::vector<Finding>& findings);
void report_content(const WarcRecord& record, const http::Head& head, const http::Decoded& decoded,
                    std::vector<Finding>& findings);

}  // namespace fonds::warc
