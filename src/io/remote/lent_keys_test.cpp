#include "io/remote/lent_keys.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

std::string keys_json(const std::string& key, const std::string& expires) {
  return R"({"Code":"Success","AccessKeyId":")" + key +
         R"(","SecretAccessKey":"S","Token":"T","Expiration":")" + expires + "\"}";
}

// What is on the machine: variables, and who answers at which URL.
struct Machine {
  std::map<std::string, std::string> variables;
  std::map<std::string, LentKeys::Answer> answers;  // by method and URL
  std::vector<Request> asked;

  LentKeys keys() {
    const auto find = [this](const std::string& name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    };
    return LentKeys(find, find, [this](Request request) {
      const auto found = answers.find(request.method + " " + request.url);
      asked.push_back(std::move(request));
      return found == answers.end() ? LentKeys::Answer() : found->second;
    });
  }
};

Machine container(const std::string& key, const std::string& expires) {
  return {.variables = {{"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/v2/x"}},
          .answers = {{"GET http://169.254.170.2/v2/x", {200, keys_json(key, expires)}}},
          .asked = {}};
}

Machine instance() {
  const std::string service = "http://169.254.169.254/latest/";
  const std::string role = "GET " + service + "meta-data/iam/security-credentials/";
  return {.variables = {},
          .answers = {{"PUT " + service + "api/token", {200, "SESSION"}},
                      {role, {200, "my role\n"}},
                      {role + "my%20role", {200, keys_json("I", "2020-01-01T00:00:00Z")}}},
          .asked = {}};
}

constexpr std::int64_t kBefore = 1577836800 - 3600;  // an hour before 2020

TEST(LentKeys, AContainerLendsThem) {
  Machine machine = container("K", "2020-01-01T00:00:00Z");
  machine.variables["AWS_CONTAINER_AUTHORIZATION_TOKEN"] = "Bearer x";
  LentKeys lent = machine.keys();
  const auto keys = lent.get(kBefore);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->key, "K");
  EXPECT_EQ(keys->secret, "S");
  EXPECT_EQ(keys->token, "T");
  EXPECT_EQ(machine.asked.front().headers, std::vector<std::string>{"Authorization: Bearer x"});
  EXPECT_TRUE(machine.asked.front().direct);
}

TEST(LentKeys, TheyAreAskedForAgainBeforeTheyExpire) {
  Machine machine = container("old", "2020-01-01T00:00:00Z");
  LentKeys lent = machine.keys();
  ASSERT_TRUE(lent.get(kBefore));
  machine.answers.begin()->second.body = keys_json("new", "2020-01-01T06:00:00Z");
  EXPECT_EQ(lent.get(kBefore + 3299)->key, "old");
  EXPECT_EQ(lent.get(kBefore + 3300)->key, "new");
  EXPECT_EQ(machine.asked.size(), 2U);
}

TEST(LentKeys, OnesThatStillLastGoOnWithoutAnAnswer) {
  Machine machine = container("old", "2020-01-01T00:00:00Z");
  LentKeys lent = machine.keys();
  ASSERT_TRUE(lent.get(kBefore));
  machine.answers.clear();
  EXPECT_EQ(lent.get(kBefore + 3599)->key, "old");
  const auto late = lent.get(kBefore + 3600);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message(),
            "the keys of the container cannot be fetched: there is no answer");
}

TEST(LentKeys, NoPasswordGoesToAnotherMachineInTheOpen) {
  for (const char* place :
       {"http://example.org/", "http://127.0.0.1@example.org/", "http://127.example.org/",
        "http://169.254.170.2.example.org/", "ftp://localhost/", "s3://localhost/"}) {
    Machine machine = {
        .variables = {{"AWS_CONTAINER_CREDENTIALS_FULL_URI", place}}, .answers = {}, .asked = {}};
    LentKeys lent = machine.keys();
    const auto keys = lent.get(0);
    ASSERT_FALSE(keys) << place;
    EXPECT_EQ(keys.error().code(), ErrorCode::BadArgument) << place;
    EXPECT_TRUE(machine.asked.empty()) << place;
  }
}

TEST(LentKeys, AnInstanceLendsThemForASession) {
  Machine machine = instance();
  LentKeys lent = machine.keys();
  const auto keys = lent.get(kBefore);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->key, "I");
  ASSERT_EQ(machine.asked.size(), 3U);
  EXPECT_EQ(machine.asked[2].headers,
            std::vector<std::string>{"X-aws-ec2-metadata-token: SESSION"});
}

TEST(LentKeys, WhereNobodyAnswersThereAreNoneAndOneQuestion) {
  Machine machine;
  LentKeys lent = machine.keys();
  ASSERT_TRUE(lent.get(0));
  const auto keys = lent.get(1);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->key, "");
  EXPECT_EQ(machine.asked.size(), 1U);
}

TEST(LentKeys, AnInstanceWithoutRoleLendsNone) {
  Machine machine = instance();
  machine.answers["GET http://169.254.169.254/latest/meta-data/iam/security-credentials/"] = {404,
                                                                                              ""};
  LentKeys lent = machine.keys();
  EXPECT_EQ(lent.get(0)->key, "");
}

TEST(LentKeys, TheInstanceIsNotAskedIfThatIsForbidden) {
  Machine machine = instance();
  machine.variables["AWS_EC2_METADATA_DISABLED"] = "True";
  LentKeys lent = machine.keys();
  EXPECT_EQ(lent.get(0)->key, "");
  EXPECT_TRUE(machine.asked.empty());
}

TEST(LentKeys, AnswersWithoutKeysAreErrors) {
  for (const char* body : {"", "{}", "[1]", "{\"AccessKeyId\":\"A\"}",
                           "{\"AccessKeyId\":\"A\\r\\nX: y\",\"SecretAccessKey\":\"S\"}"}) {
    Machine machine = container("K", "");
    machine.answers.begin()->second.body = body;
    LentKeys lent = machine.keys();
    const auto keys = lent.get(0);
    ASSERT_FALSE(keys) << body;
    EXPECT_EQ(keys.error().message(),
              "the keys of the container cannot be fetched: the answer holds none");
  }
}

}  // namespace
}  // namespace fonds::remote
