#include "format/clps/writing/documents.hpp"

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/testing.hpp"
#include "format/clps/writing/documents_testing.hpp"

namespace fonds::clps {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing_codec::mapped;
using testing_codec::piped;
using testing_documents::accounts_for_all;
using testing_documents::Documents;
using testing_documents::Found;
using testing_documents::read_all;
using testing_documents::SlowDocuments;

std::vector<std::string> texts(const Documents& documents) {
  std::vector<std::string> all;
  for (const Found& found : documents.found) {
    all.push_back((found.left_out ? "left out: " : "") + found.text);
  }
  return all;
}
std::vector<std::string> documents_of(std::string_view text, const DocumentOptions& options = {}) {
  const Documents documents = read_all(mapped(text), options);
  EXPECT_FALSE(documents.error.has_value());
  EXPECT_TRUE(accounts_for_all(text, documents)) << text;
  return texts(documents);
}

struct CutCase {
  const char* name;
  std::string_view text;
  std::vector<std::string> documents;
};

class ClpsDocumentsCut : public testing::TestWithParam<CutCase> {};
INSTANTIATE_TEST_SUITE_P(
    Texts, ClpsDocumentsCut,
    testing::Values(
        CutCase{"Empty", "", {}}, CutCase{"Blank", " \r\n\t\n", {}},
        CutCase{"OnlyAMark", "\xEF\xBB\xBF", {}},
        CutCase{"Lines", "{\"a\":1}\n{\"a\":2}\n", {"{\"a\":1}", "{\"a\":2}"}},
        CutCase{"LastLineWithoutLineFeed", "{}\n{ }", {"{}", "{ }"}},
        CutCase{"BlanksAroundLines", "\n {} \r\n\r\n\t{}\t\n", {"{}", "{}"}},
        CutCase{"MarkBeforeLines", "\xEF\xBB\xBF{}\n{}", {"{}", "{}"}},
        CutCase{"SeveralOnALine",
                "{\"a\":\"} {\"}{\"b\":{}} {}\n{}",
                {"{\"a\":\"} {\"}", "{\"b\":{}}", "{}", "{}"}},
        CutCase{"BadLine", "{}\nx { }\n[1]\n{}", {"{}", "x { }", "[1]", "{}"}},
        CutCase{
            "LineCutInAString", "{}\n{\"a\":\"b\n{\"c\":1}\n", {"{}", "{\"a\":\"b", "{\"c\":1}"}},
        CutCase{"LineCutBehindABackslash", "{}\n{\"a\":\"b\\\n{}\n", {"{}", "{\"a\":\"b\\", "{}"}},
        CutCase{"LineCutBehindAColon",
                "{}\n{\"a\":\n{\"c\":1}\n{}\n",
                {"{}", "{\"a\":", "{\"c\":1}", "{}"}},
        CutCase{
            "LineCutBehindAComma", "{}\n{\"a\":1,\n{\"c\":1}\n", {"{}", "{\"a\":1,", "{\"c\":1}"}},
        CutCase{"LineCutInAnArray", "{}\n{\"a\":[1\n{\"c\":1}\n", {"{}", "{\"a\":[1", "{\"c\":1}"}},
        CutCase{"DocumentOverLinesAmongLines",
                "{}\n{\"a\":\n [1,\n {}]\n}\n{}",
                {"{}", "{\"a\":\n [1,\n {}]\n}", "{}"}},
        CutCase{"RestOfALine",
                "{}\n{\"a\":\n1} {\"b\":2} x\n{}",
                {"{}", "{\"a\":\n1}", "{\"b\":2}", "x", "{}"}},
        CutCase{"LinesOfAnArray",
                "{}\n{\"a\":1},\n{\"a\":2},",
                {"{}", "{\"a\":1}", ",", "{\"a\":2}", ","}},
        CutCase{"StrayClosingBracket", "{}\n{\"a\":1]\n}\n", {"{}", "{\"a\":1]", "}"}},
        CutCase{"TruncatedLastLine", "{}\n{\"a\":1,\"b", {"{}", "{\"a\":1,\"b"}},
        CutCase{"Pretty", "{\n \"a\": \"}\\\"\"\n}\n{\n}\n", {"{\n \"a\": \"}\\\"\"\n}", "{\n}"}},
        CutCase{"Concatenated",
                "{\"a\":\n1}{\"b\":2}[\n]{}",
                {"{\"a\":\n1}", "{\"b\":2}", "[\n]", "{}"}},
        CutCase{"TruncatedPretty", "{\n \"a\": 1\n}\n{\n \"a\"", {"{\n \"a\": 1\n}", "{\n \"a\""}},
        CutCase{"BrokenPretty",
                "{\n \"a\": 1\n]\n}\n{\n \"a\": 2\n}\n",
                {"{\n \"a\": 1\n]\n}", "{\n \"a\": 2\n}"}},
        CutCase{"GarbageBehindPretty", "{\n}\nx {} \n\n{}\n", {"{\n}", "x {}", "{}"}},
        CutCase{"LinesInABrokenArray",
                "[\n{\"a\":1},\n{\"a\":2},\n",
                {"[", "{\"a\":1}", ",", "{\"a\":2}", ","}},
        CutCase{"OnlyScalars", "1\n2\n", {"1", "2"}},
        CutCase{"NulOctets",
                std::string_view("{\"a\":1}\0\n\0{}\n{}", 15),
                {"{\"a\":1}", std::string(1, '\0'), std::string("\0{}", 3), "{}"}}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ClpsDocumentsCut, IntoTheseCandidates) {
  EXPECT_EQ(documents_of(GetParam().text), GetParam().documents);
}

TEST_P(ClpsDocumentsCut, InPiecesOfAnySizeAndForAnyReads) {
  for (const std::size_t piece_bytes : {1, 3, 7, 64}) {
    const DocumentOptions options{.piece_bytes = piece_bytes};
    EXPECT_EQ(documents_of(GetParam().text, options), GetParam().documents) << piece_bytes;
    const Documents piece = read_all(piped(GetParam().text, piece_bytes), options);
    EXPECT_EQ(texts(piece), GetParam().documents);
  }
}

// A text of parts that are likely to matter.
std::string random_text(std::mt19937_64& random) {
  static constexpr std::string_view kParts[] = {
      "{",  "}",    "[", "]",          "\"",        "\\",    ",",  ":",        "\n",   "\n{",
      " ",  "\r\n", "1", "\"a\":",     "{\"a\":1}", "{}",    "}{", "} {",      "null", "\"x y\"",
      "\n", "{}\n", "x", "{\"a\":[\n", "]}\n",      "{},\n", "\t", "\"k\":{\n"};
  std::string text = random() % 8 == 0 ? "\xEF\xBB\xBF" : "";
  text += random() % 3 == 0 ? "" : random() % 2 == 0 ? "{}\n" : "{\n}\n";
  for (std::size_t i = random() % 40; i > 0; --i) {
    text += kParts[random() % std::size(kParts)];
  }
  return text;
}

TEST(ClpsDocuments, AreThoseOfASlowReaderForAnyOptionsAndReads) {
  std::mt19937_64 random(8);
  for (int round = 0; round < 20000; ++round) {
    const std::string text = random_text(random);
    DocumentOptions options;
    options.max_document_size = 1 + random() % (random() % 2 == 0 ? 12 : 200);
    options.long_line = 1 + random() % 60;
    const std::vector<Found> expected = SlowDocuments(text, options).all();
    options.piece_bytes = 1 + random() % (random() % 2 == 0 ? 12 : 200);
    const Documents whole = read_all(mapped(text), options);
    const Documents pipe = read_all(piped(text, 1 + random() % 9), options);
    ASSERT_TRUE(accounts_for_all(text, whole)) << text;
    ASSERT_TRUE(whole.found == expected)
        << text << "\n"
        << testing::PrintToString(texts(whole)) << "\n max " << options.max_document_size
        << " long " << options.long_line << " piece " << options.piece_bytes << " expected "
        << testing::PrintToString(texts({expected, {}, {}, 0, false}));
    ASSERT_TRUE(pipe.found == expected) << text;
    ASSERT_EQ(pipe.pieces, whole.pieces) << text;
  }
}

}  // namespace
}  // namespace fonds::clps
