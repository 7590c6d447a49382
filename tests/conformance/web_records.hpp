// The records of the WARC and ARC rows, and their text in each dialect.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace fonds::laws {

struct WebRecord {
  std::string type;          // "response", …
  std::string id;            // without <>
  std::string uri = {};      // target; empty: none
  std::string date = {};     // W3C-DTF to the second
  std::string content = {};  // media type of the block
  std::string block = {};
  std::vector<std::pair<std::string, std::string>> more = {};  // further fields, after 1.1
};

// A warcinfo, responses with plain, chunked and compressed bodies, a duplicate and its revisit,
// requests, metadata, resources that are empty, binary, full of what looks like records, and, with
// `large_block` above 0, of so many bytes.
std::vector<WebRecord> web_records(std::size_t large_block);
// Those that an ARC file can hold, the version block in front.
std::vector<WebRecord> arc_records(std::size_t large_block);

// `version`: "1.1", "1.0", "0.18", "0.17".
std::string modern_text(const WebRecord& record, const std::string& version);
std::string arc_text(const WebRecord& record);

}  // namespace fonds::laws
