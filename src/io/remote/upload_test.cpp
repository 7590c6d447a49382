#include "io/remote/upload.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(UploadParts, OfEightGigabytesAreSmall) {
  EXPECT_EQ(part_size(1), 8 * kMiB);
  EXPECT_EQ(part_size(1000), 8 * kMiB);
  EXPECT_GT(part_size(1001), part_size(1000));
}

TEST(UploadParts, ReachTheLargestObject) {
  std::uint64_t all = 0;
  for (std::uint32_t number = 1; number <= kMostParts; ++number) {
    ASSERT_GE(part_size(number), 5 * kMiB);  // what S3 demands
    ASSERT_LE(part_size(number), 5 * 1024 * kMiB);
    all += part_size(number);
  }
  EXPECT_GE(all, 5 * 1024 * 1024 * kMiB);
}

TEST(ParseUploadId, IsThatOfTheReply) {
  const auto id = parse_upload_id(
      "<?xml version=\"1.0\"?><InitiateMultipartUploadResult xmlns=\"http://s3.amazonaws.com/doc/"
      "2006-03-01/\"><Bucket>b</Bucket><UploadId>a&amp;b</UploadId></"
      "InitiateMultipartUploadResult>");
  ASSERT_TRUE(id);
  EXPECT_EQ(*id, "a&b");
}

TEST(ParseUploadId, OtherRepliesAreCorrupt) {
  for (const char* xml :
       {"", "sorry", "<InitiateMultipartUploadResult/>",
        "<InitiateMultipartUploadResult><UploadId>cut", "<UploadId>x</UploadId>"}) {
    const auto id = parse_upload_id(xml);
    ASSERT_FALSE(id) << xml;
    EXPECT_EQ(id.error().code(), ErrorCode::Corrupt);
  }
}

TEST(EmitCompletion, NamesPartsInOrderAndEscapesTheirTags) {
  EXPECT_EQ(emit_completion({"\"a\"", "<&>"}),
            "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
            "<Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>"
            "<Part><PartNumber>2</PartNumber><ETag>&lt;&amp;&gt;</ETag></Part>"
            "</CompleteMultipartUpload>");
}

}  // namespace
}  // namespace fonds::remote
