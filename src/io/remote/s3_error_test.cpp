#include "io/remote/s3_error.hpp"

#include <string>

#include <gtest/gtest.h>

namespace fonds::remote {
namespace {

std::string document(const std::string& code, const std::string& message) {
  return "<?xml version=\"1.0\"?>\n<Error><Code>" + code + "</Code><Message>" + message +
         "</Message><HostId>x</HostId></Error>";
}

TEST(S3Error, CodeAndMessageAreTold) {
  const auto error = parse_s3_error(document("NoSuchKey", "It is &lt;not&gt; there."));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->words(), "NoSuchKey: It is <not> there");
  EXPECT_FALSE(error->passes());
}

TEST(S3Error, BlanksInFrontKeptTheConnectionOpen) {
  const auto error = parse_s3_error("  \n\n " + document("InternalError", ""));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->words(), "InternalError");
  EXPECT_TRUE(error->passes());
}

TEST(S3Error, OtherBodiesAreNone) {
  EXPECT_FALSE(parse_s3_error(""));
  EXPECT_FALSE(parse_s3_error("sorry"));
  EXPECT_FALSE(parse_s3_error("<html><body>404</body></html>"));
  EXPECT_FALSE(parse_s3_error("<Error><Message>no code</Message></Error>"));
  EXPECT_FALSE(parse_s3_error("<Error><Code>Cut"));
  EXPECT_FALSE(parse_s3_error("<ListBucketResult><Code>x</Code></ListBucketResult>"));
}

TEST(S3Error, HostileWordsAreShortAndEscaped) {
  const S3Error built = {.code = "A\x1B[2J" + std::string(1000, 'c'),
                         .message = "\x07" + std::string(238, 'm') + "\xC3\xA9 and more"};
  EXPECT_EQ(built.words(),
            "A\\x1b[2J" + std::string(59, 'c') + ": \\x07" + std::string(238, 'm') + "…");
}

}  // namespace
}  // namespace fonds::remote
