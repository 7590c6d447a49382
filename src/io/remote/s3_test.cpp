#include "io/remote/s3.hpp"

#include <map>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

using Values = std::map<std::string, std::string>;

Result<S3Config> config_of(const Values& environment, const Values& files = {}) {
  const auto look = [](const Values& values) {
    return [&values](const std::string& name) -> std::optional<std::string> {
      const auto found = values.find(name);
      return found == values.end() ? std::nullopt : std::optional(found->second);
    };
  };
  return s3_config(look(environment), look(files));
}

constexpr const char* kCredentials =
    "[default]\naws_access_key_id = DK\naws_secret_access_key=DS\n# x\n"
    "[other]\naws_access_key_id=OK\naws_secret_access_key=O=S\naws_session_token = T\n";
constexpr const char* kConfig =
    "[default]\nregion = eu-west-1\n[profile other]\nREGION=ap-1\n"
    "s3 =\n  addressing_style = path\nendpoint_url = http://host:1/\n";

TEST(S3Config, NothingIsAnonymous) {
  const auto config = config_of({});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->keys.key, "");
  EXPECT_EQ(config->region, "us-east-1");
}

TEST(S3Config, EnvironmentGoesBeforeFiles) {
  const Values files = {{"/h/.aws/credentials", kCredentials}, {"/h/.aws/config", kConfig}};
  const auto from_files = config_of({{"HOME", "/h"}}, files);
  ASSERT_TRUE(from_files);
  EXPECT_EQ(from_files->keys.key, "DK");
  EXPECT_EQ(from_files->keys.secret, "DS");
  EXPECT_EQ(from_files->region, "eu-west-1");
  const auto told = config_of({{"HOME", "/h"},
                               {"AWS_ACCESS_KEY_ID", "EK"},
                               {"AWS_SECRET_ACCESS_KEY", "ES"},
                               {"AWS_REGION", "r"}},
                              files);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->keys.key, "EK");
  EXPECT_EQ(told->keys.secret, "ES");
  EXPECT_EQ(told->keys.token, "");
  EXPECT_EQ(told->region, "r");
}

TEST(S3Config, NamedProfileGoesBeforeKeysOfTheEnvironment) {
  const Values files = {{"/c", kCredentials}, {"/f", kConfig}};
  const auto config = config_of({{"AWS_SHARED_CREDENTIALS_FILE", "/c"},
                                 {"AWS_CONFIG_FILE", "/f"},
                                 {"AWS_PROFILE", "other"},
                                 {"AWS_ACCESS_KEY_ID", "EK"},
                                 {"AWS_SECRET_ACCESS_KEY", "ES"}},
                                files);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->keys.key, "OK");
  EXPECT_EQ(config->keys.secret, "O=S");
  EXPECT_EQ(config->keys.token, "T");
  EXPECT_EQ(config->region, "ap-1");
  EXPECT_EQ(config->endpoint, "http://host:1");
  EXPECT_TRUE(config->path_style);
}

TEST(S3Config, WhatIsNotThereIsSaid) {
  EXPECT_EQ(config_of({{"AWS_PROFILE", "no"}}).error().message(),
            "there is no profile no in the AWS configuration");
  EXPECT_EQ(config_of({{"AWS_ACCESS_KEY_ID", "K"}}).error().message(),
            "an AWS access key is set, but not its secret");
}

TEST(S3Location, HostOrPath) {
  S3Config config;
  const auto location = [&](const std::string& text) {
    return s3_location(config, *parse_url(text), "eu-1").text();
  };
  EXPECT_EQ(location("s3://commoncrawl/a b/c+d?e=1#f"),
            "https://commoncrawl.s3.eu-1.amazonaws.com/a%20b/c%2Bd%3Fe%3D1%23f");
  EXPECT_EQ(location("s3://a.b/k"), "https://s3.eu-1.amazonaws.com/a.b/k");
  config.endpoint = "http://127.0.0.1:7070";
  config.path_style = true;
  EXPECT_EQ(location("s3://bucket/k"), "http://127.0.0.1:7070/bucket/k");
}

}  // namespace
}  // namespace fonds::remote
