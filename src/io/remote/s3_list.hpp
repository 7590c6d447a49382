// What lies in a bucket.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <fonds/error.hpp>

#include "io/remote/url.hpp"

namespace fonds::remote {

// A page of a list (ListObjectsV2 with `encoding-type=url`).
struct ListPage {
  std::vector<std::string> keys;
  std::string next;  // token of the next page; empty: this is the last one
};
// Errors: Corrupt for what is no such page.
Result<ListPage> parse_list(std::string_view xml);

// The keys that begin with the URL's path, sorted by their octets, each as a URL; `deep`: also
// those with a slash behind it. Errors: as for reading; LimitExceeded for more than ten million.
Result<std::vector<std::string>> list(const Url& url, bool deep);

}  // namespace fonds::remote
