#include "io/remote/s3_error.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <pugixml.hpp>

#include "base/text.hpp"

namespace fonds::remote {
namespace {

constexpr std::array<std::string_view, 11> kPassing = {"BadDigest",
                                                       "ConditionalRequestConflict",
                                                       "IncompleteBody",
                                                       "InternalError",
                                                       "OperationAborted",
                                                       "RequestTimeout",
                                                       "ServiceUnavailable",
                                                       "SlowDown",
                                                       "ThrottlingException",
                                                       "TooManyRequests",
                                                       "XAmzContentSHA256Mismatch"};
constexpr std::size_t kLongestCode = 64, kLongestMessage = 240;  // octets

// Not in the middle of a character.
std::string_view cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) {
    return text;
  }
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) {
    --most;
  }
  return text.substr(0, most);
}

}  // namespace

bool S3Error::passes() const {
  return std::find(kPassing.begin(), kPassing.end(), code) != kPassing.end();
}

std::string S3Error::words() const {
  std::string_view said = trim(message);
  if (said.size() > kLongestMessage) {
    return escape_for_terminal(cut(code, kLongestCode)) + ": " +
           escape_for_terminal(cut(said, kLongestMessage)) + "…";
  }
  while (said.ends_with('.')) {
    said.remove_suffix(1);
  }
  std::string words = escape_for_terminal(cut(code, kLongestCode));
  return said.empty() ? words : words + ": " + escape_for_terminal(said);
}

std::optional<S3Error> parse_s3_error(std::string_view body) {
  body = trim(body);
  if (!body.starts_with('<') || body.size() > kLargestS3Error) {
    return std::nullopt;
  }
  pugi::xml_document document;
  if (!document.load_buffer(body.data(), body.size())) {
    return std::nullopt;
  }
  const pugi::xml_node error = document.child("Error");
  S3Error found = {.code = error.child_value("Code"), .message = error.child_value("Message")};
  return found.code.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace fonds::remote
