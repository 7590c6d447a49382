// The WARC family's own view of a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <fonds/record.hpp>

namespace fonds::warc {

// Views into a record of format "warc" or "arc"; they live as long as the record's own (until the
// reader's next call). What a header does not say is empty.
class RecordView {
 public:
  // Nothing if the record is of another format.
  static std::optional<RecordView> of(const Record& record);

  std::string_view version() const;       // "WARC/1.0", "warc/00.11", "ARC/1.1"
  std::string_view stored_type() const;   // where the file's word differs from Record::kind()
  std::string_view target_uri() const;    // without <>, blanks as %20
  std::string_view content_type() const;  // of the block
  std::string_view ip_address() const;
  std::string_view block_digest() const;  // "sha1:…" as stored
  std::string_view payload_digest() const;
  std::string_view refers_to()
      const;  // record id of a revisit's original, or of what is described or converted
  std::string_view refers_to_uri() const;
  std::string_view refers_to_date() const;
  std::vector<std::string_view> concurrent_to() const;
  std::string_view profile() const;    // of a revisit
  std::string_view truncated() const;  // "length", "time", …
  std::string_view warcinfo_id() const;
  std::string_view trec_id() const;  // ClueWeb
  std::optional<std::uint32_t> segment_number() const;
  std::string_view segment_origin() const;
  // With ReadOptions::http: of the HTTP response in the block; 0 if there is none.
  int http_status() const;

 private:
  explicit RecordView(const class WarcRecord& record) : record_(&record) {}
  const class WarcRecord* record_;
};

}  // namespace fonds::warc
