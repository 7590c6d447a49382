#include "base/uuid.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds {
namespace {

TEST(NamedUuid, GivesTheExampleOfTheStandard) {  // RFC 9562, A.4
  EXPECT_EQ(*named_uuid(kUuidNamespaceDns, "www.example.com"),
            "2ed6657d-e927-568b-95e1-2665a8aea6a2");
}

TEST(NamedUuid, GivesThePublishedValueInTheNameSpaceOfUrls) {
  EXPECT_EQ(*named_uuid(kUuidNamespaceUrl, "http://python.org/"),
            "4c565f0d-3f5a-5890-b41b-20cf47701c5e");
}

TEST(NamedUuid, RefusesANameSpaceThatIsNoUuid) {
  const auto uuid = named_uuid("6ba7b811-9dad-11d1-80b4-00c04fd430cg", "x");
  ASSERT_FALSE(uuid.has_value());
  EXPECT_EQ(uuid.error().code(), ErrorCode::BadArgument);
}

TEST(RandomUuid, HasTheFormOfVersion4) {
  const auto uuid = random_uuid();
  ASSERT_TRUE(uuid.has_value());
  EXPECT_THAT(*uuid, testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-"
                                           "[0-9a-f]{12}"));
}

TEST(RandomUuid, IsNotTheSameTwice) {
  const auto first = random_uuid();
  const auto second = random_uuid();
  ASSERT_TRUE(first.has_value() && second.has_value());
  EXPECT_NE(*first, *second);
}

}  // namespace
}  // namespace fonds
