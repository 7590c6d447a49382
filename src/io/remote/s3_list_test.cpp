#include "io/remote/s3_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

TEST(S3List, KeysAndWhereItGoesOn) {
  const auto page = parse_list(
      "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
      "<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>"
      "<Contents><Key>a%20b%2Fc</Key><Size>1</Size></Contents>"
      "<Contents><Key>&amp;</Key></Contents><Contents><Key>d+e%2Bf</Key></"
      "Contents><NextContinuationToken>t&lt;=</NextContinuationToken>"
      "<CommonPrefixes><Prefix>d%2F</Prefix></CommonPrefixes></ListBucketResult>");
  ASSERT_TRUE(page);
  EXPECT_THAT(page->keys, testing::ElementsAre("a b/c", "&", "d e+f"));
  EXPECT_EQ(page->next, "t<=");
  EXPECT_EQ(parse_list("<ListBucketResult><NextContinuationToken>x</NextContinuationToken>"
                       "</ListBucketResult>")
                ->next,
            "");
}

TEST(S3List, KeysOfAServerThatDoesNotEncodeStayAsTheyAre) {
  const auto page =
      parse_list("<ListBucketResult><Contents><Key>100%25 a+b</Key></Contents></ListBucketResult>");
  ASSERT_TRUE(page);
  EXPECT_THAT(page->keys, testing::ElementsAre("100%25 a+b"));
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
