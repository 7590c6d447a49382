#include "io/remote/lent_keys.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <simdjson.h>

#include <fonds/date.hpp>

#include "base/text.hpp"
#include "io/remote/url.hpp"

namespace fonds::remote {
namespace {

constexpr std::int64_t kAhead = 300;  // s before they expire new ones are there
constexpr unsigned kTries = 3;
constexpr long kContainerMs = 5000, kInstanceMs = 1000;

// Whether nobody else listens to what is sent there in the open.
bool is_of_this_machine(std::string_view host) {
  constexpr std::array<std::string_view, 5> kHosts = {"localhost", "[::1]", "169.254.170.2",
                                                      "169.254.170.23", "[fd00:ec2::23]"};
  if (const std::size_t colon = host.rfind(':');
      colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  const bool number = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return (number && host.starts_with("127.")) ||
         std::find(kHosts.begin(), kHosts.end(), host) != kHosts.end();
}

std::string text_of(simdjson::dom::element object, std::string_view name) {
  std::string_view value;
  return object[name].get(value) == simdjson::SUCCESS ? std::string(value) : std::string();
}

std::string status_words(int status) {
  return status == 0 ? "there is no answer" : fmt::format("HTTP status {}", status);
}

Request request_to(std::string url, long total_ms) {
  Request request;
  request.url = std::move(url);
  request.direct = true;
  request.total_ms = total_ms;
  return request;
}

}  // namespace

LentKeys::LentKeys(Environment environment, ReadFile read_file, Send send)
    : environment_(std::move(environment)),
      read_file_(std::move(read_file)),
      send_(std::move(send)) {}

std::string LentKeys::variable(const char* name) const {
  return environment_(name).value_or(std::string());
}

Result<S3Keys> LentKeys::get(std::int64_t now) {
  const auto lasts = [&](std::int64_t ahead) {
    return lent_ && (!lent_->expires || now + ahead < *lent_->expires);
  };
  if (!lasts(kAhead)) {
    auto fetched = fetch();
    if (fetched) {
      lent_ = std::move(*fetched);
    } else if (!lasts(0)) {
      return tl::unexpected(std::move(fetched.error()));
    }
  }
  return lent_->keys;
}

Result<LentKeys::Lent> LentKeys::fetch() {
  if (const std::string path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI"); !path.empty()) {
    return from_container(
        (path.starts_with('/') ? "http://169.254.170.2" : "http://169.254.170.2/") + path);
  }
  if (const std::string place = variable("AWS_CONTAINER_CREDENTIALS_FULL_URI"); !place.empty()) {
    return from_container(place);
  }
  if (to_lower(variable("AWS_EC2_METADATA_DISABLED")) == "true") {
    return Lent();
  }
  return from_instance();
}

LentKeys::Answer LentKeys::ask(const Request& request) const {
  Answer answer;
  for (unsigned made = 0; made < kTries && (answer.status == 0 || answer.status >= 500); ++made) {
    answer = send_(request);
  }
  return answer;
}

Result<LentKeys::Lent> LentKeys::from_container(const std::string& place) {
  FONDS_TRY(const Url url, parse_url(place));
  if (url.scheme != "https" && (url.scheme != "http" || !is_of_this_machine(url.host))) {
    return fail(ErrorCode::BadArgument,
                "keys of a container are asked for by https, or on this machine; "
                "AWS_CONTAINER_CREDENTIALS_FULL_URI leads elsewhere");
  }
  Request request = request_to(url.text(), kContainerMs);
  std::string token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
  if (const std::string file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"); !file.empty()) {
    token = trim(read_file_(file).value_or(std::string()));
  }
  if (token.find_first_of("\r\n") != std::string::npos) {
    return fail(ErrorCode::BadArgument, "the authorization token of the container has line ends");
  }
  if (!token.empty()) {
    request.headers.push_back("Authorization: " + token);
  }
  const Answer answer = ask(request);
  auto lent = answer.status == 200 ? parse(answer.body) : std::nullopt;
  if (!lent) {
    return fail(ErrorCode::Io, fmt::format("the keys of the container cannot be fetched: {}",
                                           answer.status == 200 ? "the answer holds none"
                                                                : status_words(answer.status)));
  }
  return std::move(*lent);
}

Result<LentKeys::Lent> LentKeys::from_instance() {
  std::string service = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  if (service.empty()) {
    service = "http://169.254.169.254";
  }
  while (service.ends_with('/')) {
    service.pop_back();
  }
  Request session = request_to(service + "/latest/api/token", kInstanceMs);
  session.method = "PUT";
  session.headers = {"X-aws-ec2-metadata-token-ttl-seconds: 21600"};
  session.body = std::make_shared<const std::vector<std::byte>>();
  const Answer token = send_(session);  // once: most machines are no instances
  if (token.status != 200 || token.body.find_first_of("\r\n") != std::string::npos) {
    return Lent();
  }
  Request request =
      request_to(service + "/latest/meta-data/iam/security-credentials/", kInstanceMs);
  request.headers = {"X-aws-ec2-metadata-token: " + token.body};
  const Answer role = ask(request);
  if (role.status == 404) {
    return Lent();
  }
  Answer keys = role;
  if (role.status == 200) {
    request.url += percent_encoded(trim(role.body.substr(0, role.body.find('\n'))), false);
    keys = ask(request);
  }
  auto lent = keys.status == 200 ? parse(keys.body) : std::nullopt;
  if (!lent) {
    return fail(ErrorCode::Io, fmt::format("the keys of the instance cannot be fetched: {}",
                                           keys.status == 200 ? "the answer holds none"
                                                              : status_words(keys.status)));
  }
  return std::move(*lent);
}

std::optional<LentKeys::Lent> LentKeys::parse(std::string_view json) {
  simdjson::dom::parser parser;
  simdjson::dom::element object;
  if (parser.parse(json.data(), json.size()).get(object) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  Lent lent;
  lent.keys = {.key = text_of(object, "AccessKeyId"),
               .secret = text_of(object, "SecretAccessKey"),
               .token = text_of(object, "Token")};
  if (const auto date = parse_user_date(text_of(object, "Expiration"))) {
    lent.expires = date->seconds;
  }
  const auto spoiled = [](const std::string& text) {
    return text.find_first_of("\r\n") != std::string::npos;
  };
  const bool good = !lent.keys.key.empty() && !lent.keys.secret.empty() &&
                    !spoiled(lent.keys.key) && !spoiled(lent.keys.token);
  return good ? std::optional(std::move(lent)) : std::nullopt;
}

}  // namespace fonds::remote
