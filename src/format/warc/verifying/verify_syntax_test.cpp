#include "format/warc/verifying/verify_syntax.hpp"

#include <string>

#include <gtest/gtest.h>

namespace fonds::warc::verify {
namespace {

using namespace std::string_view_literals;

TEST(IsUri, WantsASchemeAndTheCharactersOfRfc3986) {
  for (const auto text : {"http://a.example/"sv, "urn:uuid:1"sv, "dns:a"sv,
                          "http://[::1]:80/?a#b"sv, "x+y-1.z:a%4F"sv, "mailto:a@b"sv}) {
    EXPECT_TRUE(is_uri(text)) << text;
  }
  for (const auto text :
       {""sv, ":"sv, "a:"sv, "1a:b"sv, "a.example"sv, "a:b c"sv, "a:b|"sv, "a:\xc3\xa4"sv, "a:%"sv,
        "a:%4"sv, "a:%g0"sv, "a:b#c#d"sv, "a:[b]"sv, "http://a/[b]"sv, "http://[::1/"sv,
        "http://]::1["sv, "<a:b>"sv, "a:b\0"sv}) {
    EXPECT_FALSE(is_uri(text)) << text;
  }
}

TEST(IsIpAddress, KnowsBothFamilies) {
  for (const auto text :
       {"0.0.0.0"sv, "192.0.2.255"sv, "::"sv, "2001:DB8::1"sv, "::ffff:192.0.2.1"sv}) {
    EXPECT_TRUE(is_ip_address(text)) << text;
  }
  for (const auto text : {""sv, "-"sv, "192.0.2"sv, "192.0.2.256"sv, "192.0.2.1:80"sv, "[::1]"sv,
                          "1::2::3"sv, "a.example"sv, "192.0.2.1\0"sv, "fe80::1%eth0"sv}) {
    EXPECT_FALSE(is_ip_address(text)) << text;
  }
  EXPECT_FALSE(is_ip_address(std::string(10000, '1')));
}

TEST(IsMediaType, HasParametersWithBlanksAroundTheSemicolon) {
  for (const auto text : {"text/plain"sv, "application/http; msgtype=response"sv,
                          "a/b ;c=\"d;\\\"e\""sv, "image/svg+xml;a=b ; c=d"sv}) {
    EXPECT_TRUE(is_media_type(text)) << text;
  }
  for (const auto text : {""sv, "text"sv, "text/"sv, "/plain"sv, "text/plain;"sv, "text/plain; a"sv,
                          "text/plain;a="sv, "text/plain;a=\"b"sv, "text/plain, text/html"sv,
                          "text/plain;a=\"b\\"sv, "text /plain"sv}) {
    EXPECT_FALSE(is_media_type(text)) << text;
  }
}

TEST(MediaParameter, IsFoundInAnyLetterCase) {
  EXPECT_EQ(media_parameter("a/b; x=1; MsgType=\"request\"", "msgtype"), "request");
  EXPECT_EQ(media_parameter("a/b;msgtype=response", "msgtype"), "response");
  EXPECT_EQ(media_parameter("a/b;msgtypes=response", "msgtype"), "");
  EXPECT_EQ(media_parameter("msgtype", "msgtype"), "");
}

TEST(BadLineOfFields, IsTheFirstThatIsNoField) {
  EXPECT_EQ(bad_line_of_fields("a: b\r\n c\r\nd:\r\n\r\n"), "");
  EXPECT_EQ(bad_line_of_fields("a: b\nc: d"), "");
  EXPECT_EQ(bad_line_of_fields(""), "");
  EXPECT_EQ(bad_line_of_fields("a: b\r\nno field\r\nc d\r\n"), "no field");
  EXPECT_EQ(bad_line_of_fields(" a: b\r\n"), " a: b");
  EXPECT_EQ(bad_line_of_fields("a b: c"), "a b: c");
  EXPECT_EQ(bad_line_of_fields(": c"), ": c");
}

}  // namespace
}  // namespace fonds::warc::verify
