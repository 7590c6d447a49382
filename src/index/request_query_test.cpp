#include "index/request_query.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "index/request_query_detail.hpp"

namespace fonds::index {
namespace {

constexpr std::string_view kForm = "application/x-www-form-urlencoded";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kText = "text/plain;charset=UTF-8";

struct Case {
  const char* name;
  std::string_view type, body, query;
};
class RequestQuery : public testing::TestWithParam<Case> {};
TEST_P(RequestQuery, IsThatOfCdxjIndexer) {
  EXPECT_EQ(request_query(GetParam().type, GetParam().body), GetParam().query);
}

constexpr Case kCases[] = {
    {"Form", kForm, "A=1&B=%5B%5D&C=3", "A=1&B=[]&C=3"},
    {"FormBlank", kForm, "a=x+y%20z", "a=x y z"},
    {"FormUtf8", kForm, "a=%C3%A9\xc3\xa9", "a=\xc3\xa9\xc3\xa9"},
    {"FormEscapeThatIsNoUtf8", kForm, "a=%C3&b=%F0%9F", "a=\xef\xbf\xbd&b=\xef\xbf\xbd"},
    {"FormEscapesOfTwoRunsStayApart", kForm, "%C3\xc3\xa9%A9", "\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd"},
    {"FormThatIsNoUtf8", kForm, "a=\xff", "__wb_post_data=YT3/"},
    {"FormEmpty", kForm, "", ""},
    {"FormBadEscape", kForm, "%4&%zz%", "%4&%zz%"},
    {"Json", kJson, R"({"a": {"b": "x y&z"}, "c": [1, {"d": 2}], "b": 3})",
     "b=x+y%26z&c=1&d=2&b.2_=3"},
    {"JsonOrder", kJson, R"({"a": 1, "b": 2, "a": 3})", "a=3&b=2"},
    {"JsonRepeated", kJson, R"({"a": [1, 2, 3]})", "a=1&a.2_=2&a.3_=3"},
    {"JsonTakenName", kJson, R"({"x": {"a.2_": 0}, "a": [1, 2]})", "a.2_=2&a=1"},
    {"JsonWords", kJson, R"({"a": [true, false, null]})", "a=True&a.2_=False&a.3_=None"},
    {"JsonNumbers", kJson, R"({"a": 12345678901234567890123, "b": 1E22, "c": 1e2, "d": -0})",
     "a=12345678901234567890123&b=1e%2B22&c=100.0&d=0"},
    {"JsonWithoutNames", kJson, "[1, 2]", ""},
    {"JsonLines", kJson, "{\"a\": 1}\n{\"a\": 2}", "a=1&a.2_=2"},
    {"JsonLinesWithAnEmptyOne", kJson, "{\"a\": 1}\n{\"a\": 2}\n", ""},
    {"BadJson", kJson, "{\"a\": 1", ""},
    {"TextThatIsJson", kText, R"({"a": 1})", "a=1"},
    {"TextThatIsNot", kText, "hello", "__wb_post_data=aGVsbG8="},
    {"Multipart", "multipart/form-data; boundary=xyz",
     "--xyz\r\nContent-Disposition: form-data; name=\"a b\"\r\n\r\n1 2\r\n"
     "--xyz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n\r\n\xff\n\r\n--xyz--",
     "a+b=1+2&f=%FF%0A"},
    {"MultipartQuotedBoundary", "multipart/form-data; charset=\"a;b\"; boundary=\"x y\"",
     "--x y\nContent-Disposition: form-data; name=a\n\n1\n--x y--", "a=1"},
    {"MultipartWithoutBoundary", "multipart/form-data", "ab", "__wb_post_data=YWI="},
    {"MultipartWithoutParts", "multipart/form-data; boundary=x", "ab", "__wb_post_data=YWI="},
    {"MultipartCut", "multipart/form-data; boundary=x",
     "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1", "a=1"},
    {"OtherType", "application/x-amf", "\x01\x02", "__wb_post_data=AQI="},
    {"NoType", "", "", "__wb_post_data="},
};
INSTANTIATE_TEST_SUITE_P(All, RequestQuery, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(RequestQuery, IsCutAtCharacters) {
  std::string body;
  for (int i = 0; i < 5000; ++i) {
    body += "\xc3\xa9";
  }
  EXPECT_EQ(request_query(kForm, body), body.substr(0, 2 * kLongestQuery));
  EXPECT_EQ(request_query("", std::string(100000, 'x')).size(), kLongestQuery);
}

TEST(RequestQuery, DeepJsonIsNoJson) {
  const std::string deep = "{\"a\": " + std::string(100000, '[') + std::string(100000, ']') + "}";
  EXPECT_EQ(request_query(kJson, deep), "");
}

TEST(PythonNumber, LooksAsPythonShowsIt) {
  EXPECT_EQ(detail::python_number(1e16), "1e+16");
  EXPECT_EQ(detail::python_number(1e15), "1000000000000000.0");
  EXPECT_EQ(detail::python_number(0.0001), "0.0001");
  EXPECT_EQ(detail::python_number(0.00001), "1e-05");
  EXPECT_EQ(detail::python_number(-0.0), "-0.0");
  EXPECT_EQ(detail::python_number(5e-324), "5e-324");
}

TEST(MethodSuffix, JoinsWhatTheUrlHas) {
  EXPECT_EQ(method_suffix("http://a/", "POST", "a=b"), "?__wb_method=POST&a=b");
  EXPECT_EQ(method_suffix("http://a/?x&", "PUT", ""), "&__wb_method=PUT");
}

}  // namespace
}  // namespace fonds::index
