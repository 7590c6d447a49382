#include "io/remote/url.hpp"

#include <string>

#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

TEST(RemoteUrl, SchemesInAnyLetterCase) {
  for (const char* url : {"http://a/", "HTTPS://a", "s3://b/k"}) {
    EXPECT_TRUE(is_url(url)) << url;
  }
  for (const char* path : {"http:/a", "ftp://a/", "file", "./http://a", "", "://", "-"}) {
    EXPECT_FALSE(is_url(path)) << path;
  }
}

TEST(RemoteUrl, TakenApart) {
  const auto url = parse_url("HTTPS://me:p%40ss@Host:8080/a/b?x=1&y#part");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->scheme, "https");
  EXPECT_EQ(url->user_password, "me:p@ss");
  EXPECT_EQ(url->host, "Host:8080");
  EXPECT_EQ(url->path, "/a/b");
  EXPECT_EQ(url->query, "?x=1&y");
  EXPECT_EQ(url->text(), "https://Host:8080/a/b?x=1&y");
  EXPECT_EQ(parse_url("http://a")->text(), "http://a/");
  EXPECT_EQ(parse_url("http://a?q")->text(), "http://a/?q");
}

TEST(RemoteUrl, WhatIsNone) {
  for (const char* text :
       {"http://", "http:///a", "s3://", "http://a b/", "http://a/\n", "http://me:pw@/"}) {
    const auto url = parse_url(text);
    ASSERT_FALSE(url) << text;
    EXPECT_EQ(url.error().code(), ErrorCode::BadArgument);
    EXPECT_EQ(url.error().to_string().find("pw"), std::string::npos);
  }
}

TEST(RemoteUrl, SecretsAreNotShown) {
  EXPECT_EQ(shown(*parse_url("http://me:secret@a/x?X-Amz-Signature=abc&n=1&TOKEN=t&a")),
            "http://a/x?X-Amz-Signature=…&n=1&TOKEN=…&a");
  EXPECT_EQ(shown(*parse_url("http://a/x?s%69g=abc")), "http://a/x?s%69g=…");
}

TEST(RemoteUrl, PercentThereAndBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all += static_cast<char>(i);
  }
  EXPECT_EQ(percent_decoded(percent_encoded(all, false)), all);
  EXPECT_EQ(percent_encoded("a/b c", true), "a/b%20c");
  EXPECT_EQ(percent_decoded("100%, %4, %zz %41"), "100%, %4, %zz A");
}

TEST(Url, FilesBesideItAreNamedInItsDirectory) {
  const auto url = parse_url("http://u:p@a.example:81/x%20y/a%2Bb.warc.gz?sig=1");
  ASSERT_TRUE(url.has_value());
  EXPECT_EQ(file_name(*url), "a+b.warc.gz");
  EXPECT_EQ(beside(*url, "c d?.cdxj").text(), "http://a.example:81/x%20y/c%20d%3F.cdxj");
  const auto key = parse_url("s3://bucket/some/a b.warc.gz");
  ASSERT_TRUE(key.has_value());
  EXPECT_EQ(file_name(*key), "a b.warc.gz");
  EXPECT_EQ(beside(*key, "a b.cdxj").text(), "s3://bucket/some/a b.cdxj");
}

}  // namespace
}  // namespace fonds::remote
