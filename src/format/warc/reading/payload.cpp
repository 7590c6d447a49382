#include "format/warc/reading/payload.hpp"

#include <algorithm>
#include <cstddef>
#include <string>

#include "format/common/http_message.hpp"
#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/record.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kLargestHead = std::size_t{1} << 20;

}  // namespace

bool is_part_of_record(const Header& header) {
  return header.segment &&
         (header.segment->number > 1 || header.segment->code == 'p' || header.segment->code == 0);
}

Status find_head(RecordReader& reader, const WarcRecord& record, std::string& octets,
                 http::Head& head) {
  const auto expect =
      record.header.type == "request" ? http::Expect::Request : http::Expect::Response;
  for (std::size_t wanted = 4096;; wanted *= 4) {
    FONDS_TRY(const ByteView shown, reader.peek_block(wanted));
    const bool whole = shown.size() < wanted;
    octets.assign(as_text(shown.first(std::min(shown.size(), wanted))));
    http::parse_head(as_bytes(octets), expect, whole || wanted >= kLargestHead, head);
    if (head.complete || whole || wanted >= kLargestHead) {
      return {};
    }
  }
}

}  // namespace fonds::warc
