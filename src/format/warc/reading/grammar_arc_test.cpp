#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "format/warc/reading/grammar.hpp"
#include "format/warc/reading/grammar_test_support.hpp"

namespace fonds::warc {
namespace {

struct Seen {
  std::size_t at = 0;
  std::string type;
  std::uint64_t length = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << seen.at << " " << seen.type << " " << seen.length;
}

// What a reader does: line ends are passed over; where no record begins, the next place is
// searched.
std::vector<Seen> walk(const std::string& data) {
  std::vector<Seen> result;
  ArcContext arc;
  std::size_t at = 0;
  while ((at = data.find_first_not_of("\r\n", at)) != npos) {
    if (classify_start(as_bytes(std::string_view(data).substr(at))) == Start::None) {
      std::size_t incomplete = 0;
      at = find_record_start(as_bytes(data), at, false, true, true, incomplete);
      if (at == npos) {
        break;
      }
    }
    Parsed parsed;
    parse_into(parsed, data.substr(at), arc);
    const auto left = data.size() - at - parsed.header.length;
    const auto length = std::min<std::uint64_t>(parsed.header.block_length, left);
    result.push_back({at, std::string(parsed.header.type), length});
    at += parsed.header.length + static_cast<std::size_t>(length);
  }
  return result;
}

std::vector<Seen> expected_of(const nlohmann::json& list) {
  std::vector<Seen> result;
  for (const auto& record : list) {
    result.push_back({record.at(0).get<std::size_t>(), record.at(1).get<std::string>(),
                      record.at(2).get<std::uint64_t>()});
  }
  return result;
}

class OwnArcFile : public testing::TestWithParam<std::string> {};

TEST_P(OwnArcFile, GivesOffsetTypeAndLengthOfEveryRecord) {
  const auto expected = nlohmann::json::parse(read_fixture("own/expected.json"));
  EXPECT_EQ(walk(read_fixture("own/" + GetParam())),
            expected_of(expected.at("files").at(GetParam()).at("records_list")));
}

const auto kFileName = [](const auto& test) {
  auto name = test.param;
  for (char& c : name) {
    c = c == '-' || c == '.' ? '_' : c;
  }
  return name;
};

INSTANTIATE_TEST_SUITE_P(Files, OwnArcFile,
                         testing::Values("arc-concatenated.arc", "arc-control-in-url.arc",
                                         "arc-crlf.arc", "arc-dates.arc", "arc-empty-body.arc",
                                         "arc-filedesc-76.arc", "arc-filedesc-77-extra.arc",
                                         "arc-ipv6-hostname-ip.arc", "arc-leading-newlines.arc",
                                         "arc-length-minus1.arc", "arc-length-negative.arc",
                                         "arc-length-plus1.arc", "arc-mime-with-space.arc",
                                         "arc-no-filedesc.arc", "arc-space-in-url.arc",
                                         "arc-then-warc.warc", "arc-transposed.arc",
                                         "arc-truncated.arc", "arc-v1-1-xml.arc", "arc-v1.arc",
                                         "arc-v2-def-v1-records.arc", "arc-v2.arc"),
                         kFileName);

class ThirdPartyArcFile : public testing::TestWithParam<std::string> {};

// Of the version block only the place: peers count it in several ways.
TEST_P(ThirdPartyArcFile, GivesTheRecordsOfTheReferencePeer) {
  const auto manifest = nlohmann::json::parse(read_fixture("third-party.json"));
  const auto& files = manifest.contains("files") ? manifest.at("files") : manifest;
  auto expected = expected_of(files.at(GetParam()).at("records"));
  auto found = walk(read_fixture("third-party/" + GetParam()));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].at, expected[i].at);
    if (found[i].type == "response") {
      EXPECT_EQ(found[i].length, expected[i].length);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ThirdPartyArcFile,
                         testing::Values("warcio-example.arc", "warcio-example-space-in-url.arc",
                                         "warcio-bad.arc", "jwat-small_BNF.arc",
                                         "jwat-test-arc-1.0-dashed-fields.arc",
                                         "jwat-test-arc-1.0-invalid-fields.arc",
                                         "wac-IAH-20080430204825-00000-blackbook-truncated.arc"),
                         kFileName);

struct LineCase {
  std::string name;
  std::string line;
  std::string uri, ip, date_raw, content_type, payload_type;
  Codes expected;
};
void PrintTo(const LineCase& c, std::ostream* out) { *out << c.name; }
class UrlRecord : public testing::TestWithParam<LineCase> {};

TEST_P(UrlRecord, IsSplit) {
  ArcContext arc;
  arc.have_filedesc = true;
  Parsed parsed;
  parse_into(parsed, GetParam().line + "\n", arc);
  ASSERT_EQ(parsed.start, Start::ArcRecord);
  EXPECT_EQ(parsed.header.uri, GetParam().uri);
  EXPECT_EQ(parsed.header.ip, GetParam().ip);
  EXPECT_EQ(parsed.header.date_raw, GetParam().date_raw);
  EXPECT_EQ(parsed.header.content_type, GetParam().content_type);
  EXPECT_EQ(parsed.header.payload_type, GetParam().payload_type);
  EXPECT_EQ(codes(parsed.header), GetParam().expected);
}

constexpr const char* kHttp = "application/http;msgtype=response";

INSTANTIATE_TEST_SUITE_P(
    Lines, UrlRecord,
    testing::Values(
        LineCase{"Plain",
                 "http://a/ 192.0.2.1 20200102030406 text/html 54",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"CrAtTheEnd",
                 "http://a/ 192.0.2.1 20200102030406 text/html 54\r",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"BlanksInUrl",
                 "http://a/b c  d 192.0.2.1 20200102030406 text/html 54",
                 "http://a/b%20c%20%20d",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"AnchorInUrl",
                 "http://a/ 192.0.2.9 20190101000000 x 192.0.2.1 20200102030406 text/html 54",
                 "http://a/%20192.0.2.9%2020190101000000%20x",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"BlankInType",
                 "http://a/ 192.0.2.1 20200102030406 text/html; charset=x 54",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html; charset=x",
                 {}},
        LineCase{"EmptyType",
                 "http://a/ 192.0.2.1 20200102030406  54",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "",
                 {}},
        LineCase{"NoType",
                 "ftp://a/ 192.0.2.1 20200102030406 no-type 54",
                 "ftp://a/",
                 "192.0.2.1",
                 "20200102030406",
                 "",
                 "",
                 {}},
        LineCase{"Swapped",
                 "http://a/ 20200102030406 192.0.2.1 text/html 54",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {"arc-swapped-columns"}},
        LineCase{"UnknownAddress",
                 "http://a/ 0.0.0.0 20200102030406 text/html 54",
                 "http://a/",
                 "",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"Ipv6",
                 "http://a/ 2001:db8::1 20200102030406 text/html 54",
                 "http://a/",
                 "2001:db8::1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"HostName",
                 "http://a/ unknown 20200102030406 text/html; x 54",
                 "http://a/",
                 "unknown",
                 "20200102030406",
                 kHttp,
                 "text/html; x",
                 {}},
        LineCase{"HashForDate",
                 "http://a/ 192.0.2.1 a0d1fddd text/html 54",
                 "http://a/",
                 "192.0.2.1",
                 "a0d1fddd",
                 kHttp,
                 "text/html",
                 {"date-not-14-digits"}},
        LineCase{"DashForDate",
                 "http://a/ 192.0.2.1 - text/html 54",
                 "http://a/",
                 "192.0.2.1",
                 "-",
                 kHttp,
                 "text/html",
                 {}},
        LineCase{"Dns",
                 "dns:a 192.0.2.53 20200102030406 text/dns 46",
                 "dns:a",
                 "192.0.2.53",
                 "20200102030406",
                 "text/dns",
                 "text/dns",
                 {}},
        LineCase{"AlexaDat",
                 "http://a/ 192.0.2.1 20200102030406 alexa/dat 6",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 "alexa/dat",
                 "alexa/dat",
                 {}},
        LineCase{"NegativeLength",
                 "http://a/ 192.0.2.1 20200102030406 text/html -1",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {"bad-length"}},
        LineCase{"TextLength",
                 "http://a/ 192.0.2.1 20200102030406 text/html abc",
                 "http://a/",
                 "192.0.2.1",
                 "20200102030406",
                 kHttp,
                 "text/html",
                 {"bad-length"}}),
    [](const auto& test) { return test.param.name; });

std::vector<std::string> names_and_values(const Header& header) {
  std::vector<std::string> result;
  for (const auto& field : header.fields) {
    result.push_back(std::string(field.name) + "=" + std::string(field.value));
  }
  return result;
}

TEST(ParseArc, TenColumnsAreKept) {
  ArcContext arc{.major = 2, .minor = 0, .have_filedesc = true, .columns = 10};
  Parsed parsed;
  // A `-` before eight digits is no anchor here.
  parse_into(parsed, "http://a/ 192.0.2.1 20200102030407 text/html 302 - - 12345678 own.arc 54\n",
             arc);
  EXPECT_EQ(names_and_values(parsed.header),
            (std::vector<std::string>{"URL=http://a/", "IP-address=192.0.2.1",
                                      "Archive-date=20200102030407", "Content-type=text/html",
                                      "Result-code=302", "Checksum=-", "Location=-",
                                      "Offset=12345678", "Filename=own.arc", "Archive-length=54"}));
  EXPECT_EQ(parsed.header.arc_status, 302);
  EXPECT_EQ(parsed.header.filename, "own.arc");
  EXPECT_EQ(parsed.header.version, "ARC/2.0");
  EXPECT_TRUE(parsed.header.issues.empty());
}

TEST(ParseArc, FiveColumnsUnderTenAreReported) {
  ArcContext arc{.major = 1, .minor = 0, .have_filedesc = true, .columns = 10};
  Parsed parsed;
  parse_into(parsed, "http://a/ 192.0.2.1 20200102030406 text/html 54\n", arc);
  EXPECT_EQ(codes(parsed.header), Codes{"arc-v1-in-v2"});
  EXPECT_EQ(parsed.header.fields.size(), 5U);
}

TEST(ParseArc, MissingVersionBlockIsReportedOnce) {
  ArcContext arc;
  Parsed parsed;
  parse_into(parsed, "http://a/ 192.0.2.1 20200102030406 text/html 54\n", arc);
  EXPECT_EQ(codes(parsed.header), Codes{"arc-no-filedesc"});
  parse_into(parsed, "http://a/ 192.0.2.1 20200102030406 text/html 54\n", arc);
  EXPECT_TRUE(parsed.header.issues.empty());
}

TEST(ParseArc, VersionBlockSetsTheContext) {
  ArcContext arc;
  Parsed parsed;
  parse_into(parsed, read_fixture("own/arc-v2.arc"), arc);
  EXPECT_EQ(arc, (ArcContext{.major = 2, .minor = 0, .have_filedesc = true, .columns = 10}));
  EXPECT_EQ(parsed.header.type, "warcinfo");
  EXPECT_TRUE(parsed.header.arc_header);
  EXPECT_EQ(parsed.header.content_type, "text/plain");
  EXPECT_EQ(parsed.header.filename, "own.arc");
  EXPECT_EQ(parsed.header.block_length, 111U);
  EXPECT_EQ(parsed.header.version, "ARC/2.0");
}

TEST(ParseArc, VersionBlockWaitsForItsDefinition) {
  const auto data = read_fixture("own/arc-v1-1-xml.arc");
  const auto end = data.find("length\n") + 7;
  ArcContext arc;
  Parsed parsed;
  parse_into(parsed, data.substr(0, end - 1), arc, false);
  EXPECT_FALSE(parsed.done);
  EXPECT_EQ(arc, ArcContext{});
  parse_into(parsed, data.substr(0, end), arc, false);
  EXPECT_TRUE(parsed.done);
  EXPECT_EQ(parsed.header.version, "ARC/1.1");
}

TEST(ParseArc, BadLengthOfAVersionBlockStillCoversItsDefinition) {
  Parsed parsed;
  parse_into(parsed, read_fixture("third-party/warcio-bad.arc"));
  EXPECT_EQ(parsed.header.length_state, Header::LengthState::Bad);
  EXPECT_EQ(parsed.header.block_length, 72U);
  EXPECT_EQ(codes(parsed.header), Codes{"bad-length"});
}

struct NoRecord {
  std::string name, text;
};
void PrintTo(const NoRecord& c, std::ostream* out) { *out << c.name; }
class NoArcRecord : public testing::TestWithParam<NoRecord> {};

TEST_P(NoArcRecord, IsNone) { EXPECT_EQ(classify_start(as_bytes(GetParam().text)), Start::None); }

INSTANTIATE_TEST_SUITE_P(
    Lines, NoArcRecord,
    testing::Values(NoRecord{"Empty", ""}, NoRecord{"HttpHeader", "Content-Length: 12\n"},
                    NoRecord{"Sentence", "Note: there were about 12\n"},
                    NoRecord{"NoScheme", "a 192.0.2.1 20200102030406 text/html 54\n"},
                    NoRecord{"NoUrl", "192.0.2.1 20200102030406 text/html 54\n"},
                    NoRecord{"TextLengthWithoutPair",
                             "http://a/ x 20200102030406 text/html abc\n"}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace fonds::warc
