#include "index/surt.hpp"

#include <ctime>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "test_paths.hpp"

namespace fonds::index {
namespace {

TEST(Surt, AgreesWithThePythonPackage) {
  std::ifstream file(FONDS_TEST_DATA "/index/surt-vectors.json");
  const auto vectors = nlohmann::json::parse(file).at("vectors");
  ASSERT_EQ(vectors.size(), 81U);
  for (const auto& vector : vectors) {
    const auto url = vector.at("url").get<std::string>();
    EXPECT_EQ(surt(url), vector.at("surt").get<std::string>()) << url;
  }
}

struct Case {
  const char* name;
  const char* url;
  const char* key;
};

class SurtOf : public testing::TestWithParam<Case> {};

TEST_P(SurtOf, IsTheKey) { EXPECT_EQ(surt(GetParam().url), GetParam().key); }

// What the package says of these was measured as well (tests/interop/test_cdx.py).
constexpr Case kCases[] = {
    {"BadPortIsItsOwnKey", "http://example.com:x/ a", "http://example.com:x/%20a"},
    {"PortAbove65535IsItsOwnKey", "http://a.com:65536/", "http://a.com:65536/"},
    {"BlanksAreTheirOwnKey", "  ", "%20%20"},
    {"FragmentAlone", "#a", "http:"},
    {"UserWithAt", "http://a@b@c.com/", "com,c)/"},
    {"HostBehindManySlashesKeepsItsPort", "http:///a.com:80/x", "com:80,a)/x"},
    {"SchemeWithoutHostKeepsItsCase", "URN:X:Y", "URN:x:y"},
    {"HostAndPortWithoutSchemeAreAScheme", "example.com:80/x", "example.com:80/x"},
    {"EscapesInEscapes", "http://a.com/%%34%31%252541", "com,a)/aa"},
    {"EscapeIsCompletedByAnother", "http://a.com/%2%35%34%31", "com,a)/a"},
    {"TwoDotsAtTheRootAndAgain", "http://a.com/../../b", "com,a)/b"},
    {"EmptyStepIsAStepBack", "http://a.com/a//../b", "com,a)/a/b"},
    {"NumberModulo32Bits", "http://4294967297/", "1,0,0,0)/"},
    {"PartOfAnAddressTooLarge", "http://256.1.1.1/", "1,1,1,256)/"},
    {"TwoParts", "http://10.1/", "1,0,0,10)/"},
    {"NineIsNotOctal", "http://010.9.1.1/", "1,1,9,010)/"},
    {"SessionBehindOthersLeavesItsAnd", "http://a.com/?b=1&sid=0123456789abcdef0123456789abcdef",
     "com,a)/?&b=1"},
    {"LastSessionOnly",
     "http://a.com/?sid=0123456789abcdef0123456789abcdef&sid=1123456789abcdef0123456789abcdef",
     "com,a)/?&sid=0123456789abcdef0123456789abcdef"},
    {"TwoGroupsOfAsp",
     "http://a.com/(S(abcdefghijklmnopqrstuvwx)F(abcdefghijklmnopqrstuvwx))/b.aspx",
     "com,a)/b.aspx"},
    {"AspWithoutAName", "http://a.com/(abcdefghijklmnopqrstuvwx)/.aspx",
     "com,a)/(abcdefghijklmnopqrstuvwx)/.aspx"},
    {"NamesSortBeforeLongerNames", "http://a.com/?a-b=1&a=1", "com,a)/?a=1&a-b=1"},
    {"SharpS",
     "http://stra\xc3\x9f"
     "e.de/",
     "de,strasse)/"},
    {"FullStopOfIdeographs",
     "http://\xe4\xbe\x8b\xe3\x81\x88\xe3\x80\x82\xe3\x83\x86\xe3\x82\xb9\xe3\x83\x88/",
     "xn--zckzah,xn--r8jz45g)/"},
    {"HostThatIsNoUtf8LosesTheOctets", "http://ex\xe4mple.com/", "com,exmple)/"},
    {"LabelTooLong",
     "http://\xc3\xa9.aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg/",
     "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg,%c3%a9)/"},
    {"OtherSchemesKeepTheirPorts", "ftp://a.com:80/", "com,a:80)/"},
    {"DnsKeepsWww", "dns://www.a.com/", "com,a,www)/"},
    {"NothingButDots", "http://.../x", "http:/x"},
};
INSTANTIATE_TEST_SUITE_P(All, SurtOf, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(Surt, HoldsNothingThatWouldBreakALine) {
  std::string all = "http://a.com/";
  for (int c = 0; c < 256; ++c) {
    all += static_cast<char>(c);
  }
  for (const std::string& url : {all, "filedesc:" + all, "http://a.com:b/" + all, "x:" + all}) {
    for (const char c : surt(url)) {
      EXPECT_GT(c, ' ');
      EXPECT_LT(c, '\x7f');
    }
  }
}

// Each of these took a time that grows with the square of its length in a plain reading of the
// rules.
TEST(Surt, IsQuickOnHostileUrls) {
  constexpr std::size_t kMany = 200000;
  const auto repeated = [](std::string_view text) {
    std::string all;
    while (all.size() < kMany * 5) {
      all += text;
    }
    return all;
  };
  const std::clock_t begin = std::clock();
  std::size_t total = surt("http://a.com/%" + repeated("25")).size();
  total += surt("http://a.com/" + repeated("(abcdefghijklmnopqrstuvwx)/") + "?.aspx").size();
  total += surt("http://a.com/" + repeated("(abcdefghijklmnopqrstuvwx)/") + "%3f.aspx").size();
  total += surt("http://a.com/?" + repeated("cfid=")).size();
  total += surt("http://a.com/?" + repeated("aspsessionid")).size();
  total += surt("http://a.com/" + repeated("../a/")).size();
  total += surt("http://" + repeated("\xc3\xa9")).size();
  total += surt(repeated("http://")).size();
  EXPECT_GT(total, kMany);
  EXPECT_LT((std::clock() - begin) / CLOCKS_PER_SEC, 10);  // of CPU
}

TEST(HostOfKey, IsTheHostAgain) {
  EXPECT_EQ(host_of_key("com,example)/a?b=)/"), "example.com");
  EXPECT_EQ(host_of_key("com,example:8080)/"), "example.com:8080");
  EXPECT_EQ(host_of_key("localhost:8080)/"), "localhost:8080");
  EXPECT_EQ(host_of_key("254,1,168,192)/info"), "192.168.1.254");
  EXPECT_EQ(host_of_key("2001:db8::1)/"), "2001:db8::1");
  EXPECT_EQ(host_of_key("urn:uuid:1"), "");
  EXPECT_EQ(host_of_key(""), "");
}

TEST(KeyRange, OfOneUrlHoldsItAlone) {
  const KeyRange range = key_range("http://example.com/a", KeyMatch::Exact);
  EXPECT_EQ(range.begin, "com,example)/a");
  EXPECT_EQ(range.end, "com,example)/a!");
  EXPECT_TRUE(range.contains("com,example)/a"));
  EXPECT_FALSE(range.contains("com,example)/a/b"));
}

TEST(KeyRange, OfAPrefixKeepsWhatKeysLeaveOut) {
  EXPECT_EQ(key_range("http://example.com/a", KeyMatch::Prefix).end, "com,example)/b");
  EXPECT_EQ(key_range("http://example.com/a/", KeyMatch::Prefix).begin, "com,example)/a/");
  EXPECT_EQ(key_range("http://example.com/a/", KeyMatch::Prefix).end, "com,example)/a0");
  EXPECT_EQ(key_range("http://example.com/a?", KeyMatch::Prefix).begin, "com,example)/a?");
  EXPECT_EQ(key_range("http://example.com/", KeyMatch::Prefix).begin, "com,example)/");
}

TEST(KeyRange, OfAHostLeavesOutThoseBelow) {
  const KeyRange range = key_range("http://example.com/any", KeyMatch::Host);
  EXPECT_TRUE(range.contains("com,example)/"));
  EXPECT_TRUE(range.contains("com,example)/zzz"));
  EXPECT_FALSE(range.contains("com,example,sub)/"));
  EXPECT_FALSE(range.contains("com,example2)/"));
}

TEST(KeyRange, OfADomainHoldsThoseBelow) {
  const KeyRange range = key_range("example.com", KeyMatch::Domain);
  EXPECT_TRUE(range.contains("com,example)/"));
  EXPECT_TRUE(range.contains("com,example,sub)/x"));
  EXPECT_FALSE(range.contains("com,example-2)/"));
  const KeyRange top = key_range("com", KeyMatch::Domain);
  EXPECT_EQ(top.begin, "com,");
  EXPECT_EQ(top.end, "com-");
}

}  // namespace
}  // namespace fonds::index
