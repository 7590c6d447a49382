#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fonds/formats/warc.hpp>

#include "format/warc/reading/record.hpp"

namespace fonds::warc {

std::optional<RecordView> RecordView::of(const Record& record) {
  if (record.format() != "warc" && record.format() != "arc") {
    return std::nullopt;
  }
  return RecordView(static_cast<const WarcRecord&>(record));
}

std::string_view RecordView::version() const { return record_->header.version; }
std::string_view RecordView::stored_type() const { return record_->header.stored_type; }
std::string_view RecordView::target_uri() const { return record_->header.uri; }
std::string_view RecordView::content_type() const { return record_->header.content_type; }
std::string_view RecordView::ip_address() const { return record_->header.ip; }
std::string_view RecordView::block_digest() const { return record_->header.block_digest; }
std::string_view RecordView::payload_digest() const { return record_->header.payload_digest; }
std::string_view RecordView::refers_to() const { return record_->header.refers_to; }
std::string_view RecordView::refers_to_uri() const { return record_->header.refers_to_uri; }
std::string_view RecordView::refers_to_date() const { return record_->header.refers_to_date; }
std::vector<std::string_view> RecordView::concurrent_to() const {
  return record_->header.concurrent_to;
}
std::string_view RecordView::profile() const { return record_->header.profile; }
std::string_view RecordView::truncated() const { return record_->header.truncated; }
std::string_view RecordView::warcinfo_id() const { return record_->header.warcinfo_id; }
std::string_view RecordView::trec_id() const { return record_->header.trec_id; }
std::string_view RecordView::segment_origin() const { return record_->header.segment_origin; }
int RecordView::http_status() const { return record_->has_http ? record_->http.status : 0; }

std::optional<std::uint32_t> RecordView::segment_number() const {
  return record_->header.segment ? std::optional(record_->header.segment->number) : std::nullopt;
}

}  // namespace fonds::warc
