#include "io/remote/s3_list.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <pugixml.hpp>

#include "base/bytes.hpp"
#include "io/remote/reply.hpp"
#include "io/remote/request.hpp"
#include "io/remote/session.hpp"

namespace fonds::remote {
namespace {

constexpr std::size_t kMostKeys = 10'000'000;
constexpr std::uint64_t kLargestPage = std::uint64_t{16} << 20;

// One page as text, after as many tries as it takes.
Result<std::string> fetch_page(Session& session, const Url& bucket, const std::string& query) {
  for (Tries tries(session);;) {
    FONDS_TRY(Request request, session.request(bucket, query));
    const auto reply = std::make_shared<Reply>(session, kLargestPage, Reply::Full::Stops);
    reply->start(std::move(request));
    FONDS_CHECK(reply->await_end());
    const Reply::Head* const head = reply->known_head();
    if (head != nullptr && session.learn_region(bucket, head->get("x-amz-bucket-region"))) {
      continue;
    }
    const bool good = head != nullptr && head->status == 200;
    const Outcome& outcome = reply->outcome();
    if (good && outcome.kind == Outcome::Kind::Done) {
      const std::vector<std::byte> bytes = reply->take_all();
      return std::string(as_text(bytes));
    }
    const bool spoken = head != nullptr && head->status != 200;
    FONDS_CHECK(tries.next(spoken ? failure_of(*head) : failure_of(outcome), shown(bucket),
                           "the list of objects"));
  }
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
  for (const pugi::xml_node entry : result.children("Contents")) {
    page.keys.push_back(percent_decoded(entry.child_value("Key")));
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
    FONDS_TRY(const std::string text, fetch_page(*session, bucket, query));
    auto page = parse_list(text);
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
