#include "io/remote/s3.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"

namespace fonds::remote {
namespace {

// Names of buckets that are hosts: with others, and with dots under TLS, the path has to do.
bool is_host_label(std::string_view bucket) {
  return !bucket.empty() && bucket.front() != '-' && bucket.back() != '-' &&
         std::all_of(bucket.begin(), bucket.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

class Reading {
 public:
  Reading(const Environment& environment, const ReadFile& read_file)
      : environment_(environment), read_file_(read_file) {}

  Result<S3Config> config() {
    const std::optional<std::string> named = first_of({"AWS_PROFILE", "AWS_DEFAULT_PROFILE"});
    profile_ = named.value_or("default");
    FONDS_CHECK(read_files(named.has_value()));
    FONDS_CHECK(set_keys(named.has_value()));
    set_place();
    return std::move(config_);
  }

 private:
  std::optional<std::string> first_of(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      if (auto value = environment_(name); value && !value->empty()) {
        return value;
      }
    }
    return std::nullopt;
  }

  std::string path_of(const char* variable, std::string_view usual) const {
    return first_of({variable})
        .value_or(fmt::format("{}/.aws/{}", environment_("HOME").value_or(""), usual));
  }

  Status read_files(bool named) {
    const auto credentials = parse_ini(
        read_file_(path_of("AWS_SHARED_CREDENTIALS_FILE", "credentials")).value_or(std::string()));
    const auto config =
        parse_ini(read_file_(path_of("AWS_CONFIG_FILE", "config")).value_or(std::string()));
    bool found = false;
    const auto merge = [&](const Sections& from, const std::string& section) {
      if (const auto there = from.find(section); there != from.end()) {
        found = true;
        settings_.insert(there->second.begin(), there->second.end());
      }
    };
    merge(credentials, profile_);
    merge(config, profile_ == "default" ? profile_ : "profile " + profile_);
    if (named && !found) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("there is no profile {} in the AWS configuration", profile_));
    }
    return {};
  }

  std::string setting(std::string_view name) const {
    const auto found = settings_.find(name);
    return found == settings_.end() ? std::string() : found->second;
  }

  Status set_keys(bool named) {
    const auto key = environment_("AWS_ACCESS_KEY_ID").value_or(std::string());
    if (!key.empty() && !(named && !setting("aws_access_key_id").empty())) {
      config_.keys.key = key;
      config_.keys.secret = environment_("AWS_SECRET_ACCESS_KEY").value_or(std::string());
      config_.keys.token = environment_("AWS_SESSION_TOKEN").value_or(std::string());
    } else {
      config_.keys.key = setting("aws_access_key_id");
      config_.keys.secret = setting("aws_secret_access_key");
      config_.keys.token = setting("aws_session_token");
    }
    if (!config_.keys.key.empty() && config_.keys.secret.empty()) {
      return fail(ErrorCode::BadArgument, "an AWS access key is set, but not its secret");
    }
    return {};
  }

  void set_place() {
    const std::string told =
        first_of({"AWS_REGION", "AWS_DEFAULT_REGION"}).value_or(setting("region"));
    if (!told.empty()) {
      config_.region = told;
    }
    config_.endpoint =
        first_of({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"}).value_or(setting("endpoint_url"));
    while (config_.endpoint.ends_with('/')) {
      config_.endpoint.pop_back();
    }
    config_.path_style = !config_.endpoint.empty();
  }

  const Environment& environment_;
  const ReadFile& read_file_;
  std::string profile_;
  std::map<std::string, std::string, std::less<>> settings_;
  S3Config config_;
};

}  // namespace

Result<S3Config> s3_config(const Environment& environment, const ReadFile& read_file) {
  return Reading(environment, read_file).config();
}

Result<S3Config> s3_config() { return s3_config(process_environment(), read_whole_file); }

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::optional<std::string> read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Sections parse_ini(std::string_view text) {
  Sections sections;
  std::string section;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view raw = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = trim(raw);
    if (line.empty() || line.front() == '#' || line.front() == ';' || raw.front() == ' ' ||
        raw.front() == '\t') {
      continue;
    }
    if (line.front() == '[') {
      section = trim(line.substr(1, line.find(']') - 1));
      sections[section];
      continue;
    }
    if (const std::size_t equals = line.find('='); equals != std::string_view::npos) {
      sections[section].emplace(to_lower(trim(line.substr(0, equals))),
                                trim(line.substr(equals + 1)));
    }
  }
  return sections;
}

Url s3_location(const S3Config& config, const Url& url, std::string_view region) {
  Url location;
  const std::string key = percent_encoded(url.path, true);
  if (!config.endpoint.empty()) {
    const std::size_t scheme = config.endpoint.find("://");
    location.scheme = scheme == std::string::npos ? "https" : config.endpoint.substr(0, scheme);
    location.host =
        scheme == std::string::npos ? config.endpoint : config.endpoint.substr(scheme + 3);
  } else {
    location.scheme = "https";
    location.host = fmt::format("s3.{}.amazonaws.com", region);
  }
  if (config.path_style || !is_host_label(url.host)) {
    location.path = fmt::format("/{}{}", percent_encoded(url.host, false), key);
  } else {
    location.host = fmt::format("{}.{}", url.host, location.host);
    location.path = key;
  }
  return location;
}

}  // namespace fonds::remote
