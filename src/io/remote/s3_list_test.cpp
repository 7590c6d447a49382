#include "io/remote/s3_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

TEST(S3List, KeysAndWhereItGoesOn) {
  const auto page = parse_list(
      "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<IsTruncated>true</IsTruncated><Contents><Key>a%20b%2Fc</Key><Size>1</Size></Contents>"
      "<Contents><Key>&amp;</Key></Contents><NextContinuationToken>t&lt;=</NextContinuationToken>"
      "<CommonPrefixes><Prefix>d%2F</Prefix></CommonPrefixes></ListBucketResult>");
  ASSERT_TRUE(page);
  EXPECT_THAT(page->keys, testing::ElementsAre("a b/c", "&"));
  EXPECT_EQ(page->next, "t<=");
  EXPECT_EQ(parse_list("<ListBucketResult><NextContinuationToken>x</NextContinuationToken>"
                       "</ListBucketResult>")
                ->next,
            "");
}

TEST(S3List, WhatIsNoPage) {
  for (const char* text :
       {"", "{}", "<html></html>", "<ListBucketResult>",
        "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>"}) {
    EXPECT_FALSE(parse_list(text)) << text;
  }
}

}  // namespace
}  // namespace fonds::remote
