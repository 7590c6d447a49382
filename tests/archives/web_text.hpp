// Records of WARC and ARC as text of each dialect.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fonds::testing_archives {

struct WebRecord {
  std::string type;          // "response", …
  std::string id;            // without <>
  std::string uri = {};      // target; empty: none
  std::string date = {};     // W3C-DTF to the second
  std::string content = {};  // media type; what stands behind a `;` of it is not for ARC
  std::string block = {};
  std::vector<std::pair<std::string, std::string>> more = {};  // further fields, after 1.1
};

std::string http_message(std::string_view first_line, std::string_view headers,
                         std::string_view body);
// As digest fields have it: "sha1:" and base 32.
std::string sha1_of(std::string_view bytes);

// `version`: "1.1", "1.0", "0.18", "0.17".
std::string modern_text(const WebRecord& record, std::string_view version);
// WARC 00.11.
std::string positional_text(const WebRecord& record);
// `version`: "1.0", "1.1" or "2", whose records have more columns.
std::string arc_text(const WebRecord& record, std::string_view version);
// What an ARC file begins with: `maker` says who has made it.
WebRecord arc_version_block(std::string_view version, std::string_view maker,
                            std::string_view date);

}  // namespace fonds::testing_archives
