#include "ops/create.hpp"

#include <string_view>

#include <gtest/gtest.h>

namespace fonds::ops {
namespace {

struct NameCase {
  std::string_view name, gives;
};

class MediaTypeOfName : public testing::TestWithParam<NameCase> {};
TEST_P(MediaTypeOfName, GoesByTheEnding) {
  EXPECT_EQ(media_type_of_name(GetParam().name), GetParam().gives);
}
INSTANTIATE_TEST_SUITE_P(
    Names, MediaTypeOfName,
    testing::Values(NameCase{"a.html", "text/html"}, NameCase{"a/b.PNG", "image/png"},
                    NameCase{"a.tar.gz", "application/gzip"}, NameCase{"a.zst", "application/zstd"},
                    NameCase{"a.atom", "application/atom+xml"}, NameCase{"a", ""}, NameCase{"", ""},
                    NameCase{"a.", ""}, NameCase{"html", ""}, NameCase{"a.html/b", ""},
                    NameCase{".html", "text/html"}, NameCase{"a.zzz", ""}));

class TargetOfName : public testing::TestWithParam<NameCase> {};
TEST_P(TargetOfName, GoesByTheEnding) {
  EXPECT_EQ(target_of_name(GetParam().name), GetParam().gives);
}
INSTANTIATE_TEST_SUITE_P(Names, TargetOfName,
                         testing::Values(NameCase{"a.warc", "warc/1.1"},
                                         NameCase{"a.warc.gz", "warc/1.1"},
                                         NameCase{"a.arc", "arc/1.1"},
                                         NameCase{"a.arc.gz", "arc/1.1"},
                                         NameCase{"a.rio", "recordio"}, NameCase{"-", "warc/1.1"},
                                         NameCase{"a", "warc/1.1"}, NameCase{"", "warc/1.1"}));

class PercentEncodedPath : public testing::TestWithParam<NameCase> {};
TEST_P(PercentEncodedPath, HoldsOnlyWhatPathsMay) {
  EXPECT_EQ(percent_encoded_path(GetParam().name), GetParam().gives);
}
INSTANTIATE_TEST_SUITE_P(
    Paths, PercentEncodedPath,
    testing::Values(NameCase{"/a/b-c_d.e~f", "/a/b-c_d.e~f"}, NameCase{"a b", "a%20b"},
                    NameCase{"50%", "50%25"}, NameCase{"q?a#b", "q%3Fa%23b"},
                    NameCase{"\xc3\xa9\n\x7f\xff", "%C3%A9%0A%7F%FF"},
                    NameCase{"[x]<y>\"\\^`{|}", "%5Bx%5D%3Cy%3E%22%5C%5E%60%7B%7C%7D"}));

}  // namespace
}  // namespace fonds::ops
