// Objects of S3: where they are, and who asks for them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <fonds/error.hpp>

#include "io/remote/transfer.hpp"
#include "io/remote/url.hpp"

namespace fonds::remote {

// What requests are signed with.
struct S3Keys {
  std::string key, secret, token;  // key empty: they are not
};

// What the environment and the shared files of the AWS tools say.
struct S3Config {
  S3Keys keys;
  std::string region = "us-east-1";
  std::string endpoint;  // "http://127.0.0.1:7070", without a slash at the end; empty: AWS itself
  bool path_style = false;  // the bucket is the first step of the path instead of the host's
};

// The value of an environment variable; nothing if it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;
// The content of a file; nothing if it cannot be read.
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, AWS_DEFAULT_REGION,
// AWS_PROFILE, AWS_DEFAULT_PROFILE, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL,
// AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, and the two files. The
// environment goes before the files, but for a profile that it names. Errors: BadArgument for a
// profile that is in neither file, or an access key without its secret.
Result<S3Config> s3_config(const Environment& environment, const ReadFile& read_file);
Result<S3Config> s3_config();

Environment process_environment();
std::optional<std::string> read_whole_file(const std::string& path);

// The sections of an INI file: names without brackets, and what stands in them. Nested settings
// (indented lines) are left out.
using Sections =
    std::map<std::string, std::map<std::string, std::string, std::less<>>, std::less<>>;
Sections parse_ini(std::string_view text);

// Where an object (or, with an empty key, its bucket) is asked for: s3://bucket/key as http or
// https.
Url s3_location(const S3Config& config, const Url& url, std::string_view region);

}  // namespace fonds::remote
