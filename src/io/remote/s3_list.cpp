#include "io/remote/s3_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pugixml.hpp>

#include "io/remote/exchange.hpp"
#include "io/remote/session.hpp"

namespace fonds::remote {
namespace {

constexpr std::size_t kMostKeys = 10'000'000;
constexpr std::uint64_t kLargestPage = std::uint64_t{16} << 20;

// As AWS encodes keys: a blank is "+", and a plus "%2B".
std::string form_decoded(std::string text) {
  std::replace(text.begin(), text.end(), '+', ' ');
  return percent_decoded(text);
}

}  // namespace

Result<ListPage> parse_list(std::string_view xml) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(xml.data(), xml.size());
  const pugi::xml_node result = document.child("ListBucketResult");
  if (!parsed || !result) {
    return fail(ErrorCode::Corrupt, "the list of objects is no ListBucketResult");
  }
  ListPage page;
  // Some servers do not know the parameter, and give keys as they are.
  const bool encoded = std::string_view(result.child_value("EncodingType")) == "url";
  for (const pugi::xml_node entry : result.children("Contents")) {
    std::string key = entry.child_value("Key");
    page.keys.push_back(encoded ? form_decoded(std::move(key)) : std::move(key));
  }
  if (std::string_view(result.child_value("IsTruncated")) == "true") {
    page.next = result.child_value("NextContinuationToken");
    if (page.next.empty()) {
      return fail(ErrorCode::Corrupt, "a cut list of objects does not say where it goes on");
    }
  }
  return page;
}

Result<std::vector<std::string>> list(const Url& url, bool deep) {
  FONDS_TRY(Session* const session, Session::get());
  Url bucket = url;
  bucket.path = "/";
  const std::string prefix = url.path.substr(1);
  std::vector<std::string> found;
  std::string token;
  do {
    // In alphabetical order, as a signature wants them.
    std::string query;
    if (!token.empty()) {
      query += fmt::format("continuation-token={}&", percent_encoded(token, false));
    }
    if (!deep) {
      query += "delimiter=%2F&";
    }
    query += fmt::format("encoding-type=url&list-type=2&prefix={}", percent_encoded(prefix, false));
    FONDS_TRY(
        const Answer answer,
        ask(*session,
            {.url = bucket, .query = query, .what = "the list of objects", .room = kLargestPage}));
    auto page = parse_list(answer.body);
    if (page && !page->next.empty() && page->next == token) {
      page = fail(ErrorCode::Corrupt, "the list of objects goes on where it came from");
    }
    if (!page) {
      return fail(page.error().code(), page.error().message(), {.source = shown(url)});
    }
    for (std::string& key : page->keys) {
      // An empty object that stands for a folder.
      if (!key.ends_with('/')) {
        found.push_back(fmt::format("{}/{}", url.origin(), key));
      }
    }
    if (found.size() > kMostKeys) {
      return fail(ErrorCode::LimitExceeded, fmt::format("more than {} objects", kMostKeys),
                  {.source = shown(url)});
    }
    token = std::move(page->next);
  } while (!token.empty());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace fonds::remote
