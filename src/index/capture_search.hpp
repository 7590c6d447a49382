// Searching indexes of captures by URL and time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/date.hpp>
#include <fonds/error.hpp>
#include <fonds/finding.hpp>
#include <fonds/record.hpp>

#include "index/capture.hpp"
#include "index/capture_search_file.hpp"
#include "index/surt.hpp"

namespace fonds::index {

struct CaptureQuery {
  std::string url;
  bool is_key = false;  // `url` is a SURT key; its first part up to ")" for KeyMatch::Host, Domain
  KeyMatch match = KeyMatch::Exact;
  // Timestamps or the first digits of some, both included: "2017" to "201803" ends with March 2018.
  // Empty: open.
  std::string from = {};
  std::string to = {};
  std::uint64_t limit = 0;  // most captures; 0: all
};

struct FoundCapture {
  Capture capture;
  std::size_t file = 0;  // number of the index file, in the order they were added
  Location where;        // of the line there
};

// Searches one or more index files as one. Once files are added, for many threads.
class CaptureSearch {
 public:
  // False ends the search.
  using Output = std::function<Result<bool>(const FoundCapture&)>;
  using Findings = std::function<void(const Finding&)>;

  // Errors: as open_capture_file().
  Status add(std::shared_ptr<ByteSource> source);
  std::size_t size() const { return files_.size(); }
  const CaptureFile& file(std::size_t i) const { return files_[i]; }

  // Gives captures in the order of key, time and file. Lines that are no captures and blocks that
  // cannot be read are told to `finding` (cdx-line) and passed over. Where lines are seen to be out
  // of order (cdx-order), all lines of that file are looked at, and its captures come in no order.
  // Errors: Io and NotFound of files; those of `out`.
  Status find(const CaptureQuery& query, const Output& out, const Findings& finding) const;

  // The captures of exactly this URL, the nearest in time first, of two equally near ones the
  // earlier; at most `limit` of them, which bounds what is held, or all if it is 0.
  Result<std::vector<FoundCapture>> closest(std::string_view url, const Date& time,
                                            std::size_t limit, const Findings& finding) const;

 private:
  std::vector<CaptureFile> files_;
};

// Keys that match a query.
KeyRange range_of_query(const CaptureQuery& query);

// Whether the record that was found where a capture leads is the one it tells of: by its URL, or
// else its key, and its time. False for records that have no such things.
bool leads_to(const Capture& capture, const Record& record);

}  // namespace fonds::index
