#include "format/common/http_message.hpp"

#include <string>
#include <string_view>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fonds::http {
namespace {

using testing::ElementsAre;
using testing::Field;

auto is_field(std::string_view name, std::string_view value) {
  return testing::AllOf(Field(&HeaderField::name, name), Field(&HeaderField::value, value));
}

// The block must outlive the head.
Head parsed(std::string_view block, Expect expect = Expect::Response, bool whole = true) {
  Head head;
  parse_head(as_bytes(block), expect, whole, head);
  return head;
}

TEST(ParseHead, ReadsAResponseHead) {
  const Head head = parsed("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nX: \r\n\r\nbody");
  EXPECT_EQ(head.kind, Head::Kind::Response);
  EXPECT_EQ(head.protocol, "HTTP/1.1");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.reason, "OK");
  EXPECT_EQ(head.length, 49U);
  EXPECT_TRUE(head.complete);
  EXPECT_FALSE(head.odd);
  EXPECT_THAT(head.fields, ElementsAre(is_field("Content-Type", "text/html"), is_field("X", "")));
}

TEST(ParseHead, ReadsARequestHead) {
  const Head head = parsed("POST /x?y HTTP/1.1\r\nHost: a.test\r\n\r\na=b", Expect::Request);
  EXPECT_EQ(head.kind, Head::Kind::Request);
  EXPECT_EQ(head.method, "POST");
  EXPECT_EQ(head.target, "/x?y");
  EXPECT_EQ(head.protocol, "HTTP/1.1");
  EXPECT_EQ(head.status, 0);
  EXPECT_FALSE(head.odd);
  EXPECT_THAT(head.fields, ElementsAre(is_field("Host", "a.test")));
}

struct FirstLine {
  const char* name;
  std::string_view line;
  Expect expect;
  Head::Kind kind;
  std::string_view protocol;
  int status;
  std::string_view rest;  // reason or target
  bool odd;
};

void PrintTo(const FirstLine& c, std::ostream* out) { *out << c.name; }

class ParseFirstLine : public testing::TestWithParam<FirstLine> {};

TEST_P(ParseFirstLine, GivesItsParts) {
  const std::string block = std::string(GetParam().line) + "\r\n\r\n";
  const Head head = parsed(block, GetParam().expect);
  EXPECT_EQ(head.kind, GetParam().kind);
  EXPECT_EQ(head.protocol, GetParam().protocol);
  EXPECT_EQ(head.status, GetParam().status);
  EXPECT_EQ(head.kind == Head::Kind::Request ? head.target : head.reason, GetParam().rest);
  EXPECT_EQ(head.odd, GetParam().odd);
  EXPECT_EQ(head.length, head.kind == Head::Kind::None ? 0 : block.size());
}

constexpr auto kResponse = Head::Kind::Response;
constexpr auto kRequest = Head::Kind::Request;
constexpr auto kNone = Head::Kind::None;

const FirstLine kFirstLines[] = {
    {"NoReason", "HTTP/1.1 200", Expect::Response, kResponse, "HTTP/1.1", 200, "", false},
    {"Blanks", "HTTP/1.0  404  Not   Found", Expect::Response, kResponse, "HTTP/1.0", 404,
     "Not   Found", false},
    {"Http2", "HTTP/2 200 ", Expect::Response, kResponse, "HTTP/2", 200, "", false},
    {"NoVersion", "HTTP 200 Document follows", Expect::Response, kResponse, "HTTP", 200,
     "Document follows", false},
    {"Icy", "ICY 200 OK", Expect::Response, kResponse, "ICY", 200, "OK", true},
    {"SmallLetters", "http/1.1 200 OK", Expect::Response, kResponse, "http/1.1", 200, "OK", true},
    {"ReasonAtStatus", "HTTP/1.1 200OK", Expect::Response, kResponse, "HTTP/1.1", 200, "OK", true},
    {"NoStatus", "HTTP/1.1 OK", Expect::Response, kResponse, "HTTP/1.1", 0, "OK", true},
    {"FourDigits", "HTTP/1.1 2000", Expect::Response, kResponse, "HTTP/1.1", 0, "2000", true},
    {"StatusBelow100", "HTTP/1.1 099 x", Expect::Response, kResponse, "HTTP/1.1", 0, "099 x", true},
    {"TextWithHttp", "HTTP is a protocol", Expect::Response, kNone, "", 0, "", false},
    {"TextWithHttps", "HTTPS 200 OK x", Expect::Response, kResponse, "HTTPS", 200, "OK x", true},
    {"TextWithNumber", "Chapter 100 begins", Expect::Response, kNone, "", 0, "", false},
    {"Markup", "<html>", Expect::Response, kNone, "", 0, "", false},
    {"SshBanner", "SSH-2.0-OpenSSH_4.3", Expect::Response, kNone, "", 0, "", false},
    {"RequestForResponse", "GET / HTTP/1.1", Expect::Response, kNone, "", 0, "", false},
    {"ResponseForRequest", "HTTP/1.1 200 OK", Expect::Request, kNone, "", 0, "", false},
    {"NoRequestVersion", "FOO /x", Expect::Request, kRequest, "", 0, "/x", false},
    {"BlankInTarget", "GET /a b HTTP/1.1", Expect::Request, kRequest, "HTTP/1.1", 0, "/a b", true},
    {"NoTarget", "GET HTTP/1.1", Expect::Request, kRequest, "HTTP/1.1", 0, "", true},
    {"Star", "OPTIONS * HTTP/1.1", Expect::Request, kRequest, "HTTP/1.1", 0, "*", false},
    {"Authority", "CONNECT a.test:443 HTTP/1.1", Expect::Request, kRequest, "HTTP/1.1", 0,
     "a.test:443", false},
    {"TextForRequest", "Hello world", Expect::Request, kNone, "", 0, "", false},
    {"EitherResponse", "HTTP/1.1 301 Moved", Expect::Either, kResponse, "HTTP/1.1", 301, "Moved",
     false},
    {"EitherRequest", "GET / HTTP/1.0", Expect::Either, kRequest, "HTTP/1.0", 0, "/", false},
};

INSTANTIATE_TEST_SUITE_P(Lines, ParseFirstLine, testing::ValuesIn(kFirstLines),
                         [](const auto& test) { return std::string(test.param.name); });

struct HeadEnd {
  const char* name;
  std::string_view head;
  bool complete;
  bool odd;
};

void PrintTo(const HeadEnd& c, std::ostream* out) { *out << c.name; }

class FindHeadEnd : public testing::TestWithParam<HeadEnd> {};

TEST_P(FindHeadEnd, PayloadBeginsBehindTheFirstEmptyLine) {
  const std::string block =
      std::string(GetParam().head) + (GetParam().complete ? "pay: load\r\n\r\n" : "");
  const Head head = parsed(block);
  EXPECT_EQ(head.length, GetParam().head.size());
  EXPECT_EQ(head.complete, GetParam().complete);
  EXPECT_EQ(head.odd, GetParam().odd);
  EXPECT_EQ(head.status, 200);
  EXPECT_THAT(head.fields, ElementsAre(is_field("A", "b")));
}

const HeadEnd kHeadEnds[] = {
    {"CrLf", "HTTP/1.1 200 OK\r\nA: b\r\n\r\n", true, false},
    {"LfOnly", "HTTP/1.1 200 OK\nA: b\n\n", true, false},
    {"LfLfAfterCrLf", "HTTP/1.1 200 OK\r\nA: b\n\n", true, false},
    {"CrLfLf", "HTTP/1.1 200 OK\r\nA: b\r\n\n", true, false},
    {"CrCrLf", "HTTP/1.1 200 OK\r\r\nA: b\r\r\n\r\r\n", true, true},
    {"CrCrLfAtTheEnd", "HTTP/1.1 200 OK\r\nA: b\r\n\r\r\n", true, true},
    {"LeadingEmptyLines", "\r\n\n\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", true, true},
    {"StrayLinesBefore", "Server: x\r\nDate: y\r\nHTTP/1.1 200 OK\r\nA: b\r\n\r\n", true, true},
    {"DeletedBefore", "DELETED\nHTTP/1.1 200 OK\nA: b\n\n", true, true},
    {"NoEmptyLine", "HTTP/1.1 200 OK\r\nA: b\r\n", false, true},
    {"NoLineEnd", "HTTP/1.1 200 OK\r\nA: b", false, true},
    {"CutInTheEmptyLine", "HTTP/1.1 200 OK\r\nA: b\r\n\r", false, true},
};

INSTANTIATE_TEST_SUITE_P(Ends, FindHeadEnd, testing::ValuesIn(kHeadEnds),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(ParseHead, FiveEmptyLinesInFrontArePayload) {
  const Head head = parsed("\n\n\n\n\nHTTP/1.1 200 OK\n\n");
  EXPECT_EQ(head.kind, Head::Kind::None);
  EXPECT_EQ(head.length, 0U);
}

TEST(ParseHead, StrayLinesWithoutAStatusLineArePayload) {
  const Head head = parsed("Server: x\r\nDate: y\r\n\r\ntext");
  EXPECT_EQ(head.kind, Head::Kind::None);
  EXPECT_FALSE(head.odd);
}

TEST(ParseHead, EmptyBlockHasNoHead) {
  const Head head = parsed("");
  EXPECT_EQ(head.kind, Head::Kind::None);
  EXPECT_TRUE(head.complete);
}

TEST(ParseHead, BinaryBlockHasNoHead) {
  EXPECT_EQ(parsed(std::string(3000000, '\xff')).kind, Head::Kind::None);
  EXPECT_EQ(parsed(std::string(3000000, 'A')).kind, Head::Kind::None);
}

TEST(ParseHead, FoldedLinesAreJoinedByOneBlank) {
  const Head head =
      parsed("HTTP/1.1 200 OK\r\nX: one\r\n two\r\n\t three \r\n \r\nY:\r\n v\r\n\r\n");
  EXPECT_THAT(head.fields, ElementsAre(is_field("X", "one two three"), is_field("Y", "v")));
  EXPECT_TRUE(head.odd);
}

TEST(ParseHead, FoldedValuesSurviveAMove) {
  Head head = parsed("HTTP/1.1 200 OK\r\nX: a\r\n b\r\n\r\n");
  const Head moved = std::move(head);
  EXPECT_EQ(moved.get("x"), "a b");
}

TEST(ParseHead, ContinuationWithoutAFieldIsLeftOut) {
  const Head head = parsed("HTTP/1.1 200 OK\r\n lost\r\nno colon\r\n lost\r\nA: b\r\n\r\n");
  EXPECT_THAT(head.fields, ElementsAre(is_field("A", "b")));
  EXPECT_TRUE(head.odd);
}

TEST(ParseHead, BlanksBeforeTheColonAreStripped) {
  const Head head = parsed("HTTP/1.1 200 OK\r\nName : v\r\nTwo words:w\r\n: x\r\n\r\n");
  EXPECT_THAT(head.fields, ElementsAre(is_field("Name", "v"), is_field("Two words", "w")));
  EXPECT_TRUE(head.odd);
}

TEST(ParseHead, NumberOfFieldsIsLimited) {
  std::string block = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 30000; ++i) {
    block += "a:\n b\n";
  }
  block += "\n";
  const Head head = parsed(block);
  EXPECT_EQ(head.fields.size(), 20000U);
  EXPECT_EQ(head.length, block.size());
  EXPECT_TRUE(head.complete);
}

TEST(ParseHead, ReusedHeadForgetsTheOneBefore) {
  Head head;
  parse_head(as_bytes("ICY 404 x\r\nA: b\r\n c\r\n\r\n"), Expect::Response, true, head);
  parse_head(as_bytes("GET / HTTP/1.1\r\n\r\n"), Expect::Request, true, head);
  EXPECT_EQ(head.kind, Head::Kind::Request);
  EXPECT_EQ(head.status, 0);
  EXPECT_EQ(head.reason, "");
  EXPECT_TRUE(head.fields.empty());
  EXPECT_FALSE(head.odd);
}

class CutHead : public testing::TestWithParam<std::size_t> {};

TEST_P(CutHead, IsIncompleteUntilTheEmptyLineIsThere) {
  constexpr std::string_view kBlock = "X: y\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n";
  const Head head = parsed(kBlock.substr(0, GetParam()), Expect::Response, false);
  EXPECT_EQ(head.complete, GetParam() == kBlock.size());
  EXPECT_LE(head.length, GetParam());
}

INSTANTIATE_TEST_SUITE_P(AtEveryOctet, CutHead, testing::Range(std::size_t{0}, std::size_t{38}));

TEST(ParseHead, PrefixWithoutHttpIsCertainAtOnce) {
  const Head head = parsed("<ht", Expect::Response, false);
  EXPECT_EQ(head.kind, Head::Kind::None);
  EXPECT_TRUE(head.complete);
}

TEST(HeadFields, AreFoundInAnyLetterCase) {
  const Head head = parsed("HTTP/1.1 200 OK\r\nVary: a\r\nVARY: b\r\nEmpty:\r\n\r\n");
  EXPECT_EQ(head.get("vary"), "a");
  EXPECT_EQ(head.joined("Vary"), "a, b");
  EXPECT_TRUE(head.has("empty"));
  EXPECT_EQ(head.get("none"), "");
  EXPECT_FALSE(head.has("none"));
  EXPECT_EQ(head.joined("none"), "");
}

TEST(HeadFields, MediaTypeIsWithoutParametersAndInSmallLetters) {
  EXPECT_EQ(parsed("HTTP/1.1 200 OK\nContent-Type: Text/HTML ; charset=x\n\n").media_type(),
            "text/html");
  EXPECT_EQ(parsed("HTTP/1.1 200 OK\n\n").media_type(), "");
}

}  // namespace
}  // namespace fonds::http
