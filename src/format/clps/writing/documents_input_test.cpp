// Inputs that are compressed, damaged, endless or made to be slow.
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fonds/encoder.hpp>

#include "codec/encoder_testing.hpp"
#include "codec/testing.hpp"
#include "format/clps/writing/documents.hpp"
#include "format/clps/writing/documents_testing.hpp"
#include "format/clps/writing/open_input.hpp"
#include "io/testing.hpp"

namespace fonds::clps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_codec::mapped;
using testing_codec::piped;
using testing_documents::accounts_for_all;
using testing_documents::Documents;
using testing_documents::Found;
using testing_documents::read_all;
using testing_io::TextSink;

constexpr std::size_t kMega = std::size_t{1} << 20;

// Compressed as these units, one after the other.
std::string compressed(const std::string& codec, const std::vector<std::string>& units) {
  TextSink sink;
  EncodeOptions options;
  options.codec = codec;
  auto encoder = *make_encoder(sink, options);
  for (const std::string& unit : units) {
    EXPECT_TRUE(encoder->begin_unit(unit.size()).has_value());
    EXPECT_TRUE(encoder->write(as_bytes(unit)).has_value());
    EXPECT_TRUE(encoder->end_unit().has_value());
  }
  EXPECT_TRUE(encoder->finish().has_value());
  return sink.content;
}

std::string lines_of(std::size_t size, std::uint64_t seed = 1) {
  std::string text;
  while (text.size() < size) {
    text += "{\"n\":" + std::to_string(seed) + ",\"s\":\"";
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(seed) + "\"}\n";
  }
  return text;
}

class ClpsDocumentsCompressed : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Codecs, ClpsDocumentsCompressed,
                         testing::Values("none", "gzip", "zstd", "lz4"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(ClpsDocumentsCompressed, AreThoseOfThePlainInput) {
  const std::string text = lines_of(3 * kMega);
  const Documents plain = read_all(mapped(text), {});
  ASSERT_TRUE(accounts_for_all(text, plain));
  ASSERT_GT(plain.found.size(), 10000U);
  // A document may lie in two units.
  const std::string stored = compressed(
      GetParam(), {text.substr(0, kMega + 7), text.substr(kMega + 7, 5), text.substr(kMega + 12)});
  for (const std::string& input : {stored, compressed("gzip", {stored})}) {
    for (const auto& source : {mapped(input), piped(input, 977)}) {
      const Documents documents = read_all(source, {});
      EXPECT_FALSE(documents.error.has_value());
      EXPECT_TRUE(documents.found == plain.found);
      EXPECT_EQ(documents.pieces, plain.pieces);
    }
  }
}

TEST_P(ClpsDocumentsCompressed, AreGivenAsFarAsACutInputGoes) {
  const std::string text = lines_of(6 * kMega);
  const std::string stored = compressed(GetParam(), {text});
  const Documents documents = read_all(mapped(stored.substr(0, stored.size() * 3 / 4)), {});
  ASSERT_GT(documents.found.size(), 1000U);
  std::string all;
  for (const Found& found : documents.found) {
    all += found.text + "\n";
  }
  all.pop_back();
  EXPECT_TRUE(text.starts_with(all));
  EXPECT_EQ(documents.error.has_value(), GetParam() != std::string_view("none"));
  if (documents.error) {
    EXPECT_EQ(documents.error->code(), ErrorCode::Truncated);
    EXPECT_EQ(documents.error->where().source, "<memory>");
    EXPECT_THAT(std::string(documents.error->rule()), HasSubstr("truncated-"));
  }
}

TEST(ClpsDocumentReader, ErrorsStayAndComeAfterTheDocuments) {
  const std::string stored = compressed("gzip", {"{}\n{\"a\":1}\n{\"b\"", "{}"});
  auto reader = DocumentReader::open(mapped(stored.substr(0, stored.size() - 12)), {});
  Piece piece;
  EXPECT_TRUE(*(*reader)->next(piece));
  for (int again = 0; again < 2; ++again) {
    const auto more = (*reader)->next(piece);
    ASSERT_FALSE(more.has_value());
    EXPECT_EQ(more.error().code(), ErrorCode::Truncated);
    EXPECT_EQ(more.error().rule(), "truncated-member");
  }
}

TEST(ClpsDocumentReader, BehindDamageOnlyWhenAskedTo) {
  std::string stored = compressed("gzip", {"{\"a\":1}\n{\"b\":", "x", "2}\n{\"c\":3}\n"});
  const std::size_t second = stored.find("\x1f\x8b", 4);
  stored.replace(second + 10, 3, "\xff\xff\xff");
  const Documents stopped = read_all(mapped(stored), {});
  ASSERT_TRUE(stopped.error.has_value());
  EXPECT_EQ(stopped.error->code(), ErrorCode::Corrupt);
  EXPECT_EQ(stopped.error->where().stored_offset, second);
  ASSERT_EQ(stopped.found.size(), 2U);

  DocumentOptions options;
  options.read.search_damaged = true;
  auto reader = DocumentReader::open(mapped(stored), options);
  const Documents all = read_all(**reader);
  EXPECT_FALSE(all.error.has_value());
  ASSERT_EQ(all.found.size(), 4U);  // nothing goes over the gap
  EXPECT_EQ(all.found[1].text, "{\"b\":");
  EXPECT_EQ(all.found[2].text, "2}");
  EXPECT_EQ(all.found[3].text, "{\"c\":3}");
  const auto findings = (*reader)->take_findings();
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings[0].where.source, "<memory>");
  EXPECT_TRUE((*reader)->take_findings().empty());
}

// Gives `text`, then an error, or runs `then` at its end.
class EndingSource final : public ByteSource {
 public:
  EndingSource(std::string text, ErrorCode code) : text_(std::move(text)), code_(code) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override { return fail(ErrorCode::Unsupported, "no size"); }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "no places");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    if (at_ == text_.size()) {
      return fail(code_, "input/output error");
    }
    const std::size_t n = std::min(out.size(), text_.size() - at_);
    std::copy_n(as_bytes(text_).begin() + static_cast<std::ptrdiff_t>(at_), n, out.begin());
    at_ += n;
    return n;
  }

 private:
  std::string name_ = "pipe", text_;
  std::size_t at_ = 0;
  ErrorCode code_;
};

TEST(ClpsDocumentReader, ReadErrorComesAfterWhatWasRead) {
  const std::string text = lines_of(kMega);
  const auto source = std::make_shared<EndingSource>(text, ErrorCode::Io);
  const Documents documents = read_all(source, {});
  ASSERT_TRUE(documents.error.has_value());
  EXPECT_EQ(documents.error->code(), ErrorCode::Io);
  EXPECT_TRUE(accounts_for_all(text, documents));
}

TEST(ClpsDocumentReader, StopsAtOnce) {
  std::stop_source stop;
  DocumentOptions options;
  options.read.stop = stop.get_token();
  auto reader = DocumentReader::open(piped(lines_of(4 * kMega), 65536), options);
  Piece piece;
  EXPECT_TRUE(*(*reader)->next(piece));
  stop.request_stop();
  const auto more = (*reader)->next(piece);
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code(), ErrorCode::Cancelled);
}

TEST(ClpsDocumentReader, GoesOnWithADecoderThatWasLookedAt) {
  auto decoder = open_input(piped(compressed("zstd", {"{\"a\":1}{}"}), 3), {});
  ASSERT_TRUE(decoder.has_value());
  EXPECT_EQ(as_text(*(*decoder)->peek(4)).substr(0, 4), "{\"a\"");
  DocumentReader reader(std::move(*decoder), "input", {});
  EXPECT_EQ(read_all(reader).found.size(), 2U);
}

TEST(ClpsDocumentReader, GivesWhatIsTooLongInParts) {
  const std::string text = "{}\n{\"a\":\"" + std::string(240, 'x') + "\n{}\n";
  const auto reader =
      DocumentReader::open(mapped(text), {.piece_bytes = 64, .max_document_size = 100});
  std::vector<std::string> seen;
  Piece piece;
  while ((*reader)->next(piece).value_or(false)) {
    const auto& out = piece.left_out();
    seen.push_back(std::to_string(piece.offset()) + "+" + std::to_string(piece.text().size()) +
                   (!out         ? ""
                    : out->first ? " first"
                    : out->last  ? " last"
                                 : " part"));
    EXPECT_TRUE(!out || out->offset == 3);
    EXPECT_EQ(piece.text(), text.substr(piece.offset(), piece.text().size()));
  }
  EXPECT_THAT(
      seen, ElementsAre("0+2", "3+64 first", "67+64 part", "131+64 part", "195+54 last", "250+2"));
}

TEST(ClpsDocumentReader, DocumentOfTheLargestSizeIsGivenAndALongerOneIsLeftOut) {
  for (const std::string_view open : {"{\"a\":\"", "{\n\"a\":\""}) {
    const std::string largest = std::string(open) + std::string(98 - open.size(), 'x') + "\"}";
    const std::string longer = std::string(open) + std::string(99 - open.size(), 'x') + "\"}";
    const Documents documents = read_all(mapped(largest + "\n" + longer + "\n{}\n"),
                                         {.piece_bytes = 10, .max_document_size = 100});
    ASSERT_EQ(documents.found.size(), 3U);
    EXPECT_EQ(documents.found[0].text, largest);
    EXPECT_EQ(documents.found[1], (Found{101, longer, true}));
    EXPECT_EQ(documents.found[2].text, "{}");
  }
}

TEST(ClpsDocumentReader, PiecesAreNoLargerThanAskedFor) {
  std::string text = lines_of(3 * kMega);
  std::string one_line;
  for (std::size_t i = 0; i < 3 * kMega / 8; ++i) {
    one_line += "{\"a\":1} ";
  }
  for (const std::string& input : {text, one_line, "{\n}" + one_line}) {
    const Documents documents = read_all(mapped(input), {.piece_bytes = 100000});
    EXPECT_TRUE(accounts_for_all(input, documents));
    for (std::size_t i = 0; i + 1 < documents.pieces.size(); ++i) {
      EXPECT_LE(documents.pieces[i], 100000U);
      EXPECT_GT(documents.pieces[i], 99000U);
    }
  }
}

TEST(ClpsDocumentReader, PaddingLiesBehindEveryPiece) {
  for (const std::size_t size : {1U, 5U, 4000U, 200000U}) {
    const std::string text = "{\"a\":\"" + std::string(size, 'x') + "\"}";
    const auto reader = DocumentReader::open(mapped(text), {.piece_bytes = 1000});
    Piece piece;
    ASSERT_TRUE(*(*reader)->next(piece));
    std::size_t sum = 0;
    const char* const end = piece.text().data() + piece.text().size();
    for (std::size_t i = 0; i < Piece::kPadding; ++i) {
      sum += static_cast<unsigned char>(end[i]);  // a sanitizer looks here
    }
    EXPECT_EQ(sum, 0U);
    EXPECT_TRUE(piece.lines());
  }
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (; times > 0; --times) {
    all += text;
  }
  return all;
}

struct SlowCase {
  const char* name;
  std::string text;
  std::size_t least;  // candidates
};
class ClpsDocumentsOfHostileText : public testing::TestWithParam<SlowCase> {};
// Each would take hours if a place were looked at again and again.
INSTANTIATE_TEST_SUITE_P(
    Texts, ClpsDocumentsOfHostileText,
    testing::Values(
        SlowCase{"OpenBracketsBeforeAll",
                 "{}\n" + repeated("{\"a\":[\n", 5000) + repeated("{},\n", kMega), 2 * kMega},
        SlowCase{"OpenBracketsBeforeDocuments",
                 repeated("{\"a\":[\n", 5000) + repeated("{},\n", kMega), 2 * kMega},
        SlowCase{"NestedLines", "{}\n" + repeated("{\"a\":[\n", kMega), kMega},
        SlowCase{"ManyDocumentsBeforeGarbage", "{}\n" + repeated("{}", kMega / 2 - 10) + "x\n",
                 kMega / 4},
        SlowCase{"ManyDocumentsBeforeBlanks",
                 "{}\n" + repeated("{}", kMega / 4) + "x" + std::string(kMega / 3, ' ') + "\n",
                 kMega / 4},
        SlowCase{"ManyDocumentsOnALongLine", repeated("{}", 4 * kMega), 4 * kMega},
        SlowCase{"OnlyBlanks", std::string(8 * kMega, '\n') + "{}", 1},
        SlowCase{"DeepArray", std::string(kMega, '['), 1},
        SlowCase{"DeepObjects",
                 "{}\n" + repeated("{\"a\":", kMega) + "\n" + repeated("}", kMega) + "\n{}", 4},
        SlowCase{"LinesThatCloseLater", "{}\n" + repeated("{\n", kMega), kMega},
        SlowCase{"Quotes", "{}\n" + repeated("{\"a\n", kMega), kMega}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(ClpsDocumentsOfHostileText, AreFoundInTimeOfItsLength) {
  for (const auto& source : {mapped(GetParam().text), piped(GetParam().text, 65536)}) {
    const Documents documents = read_all(source, {});
    EXPECT_TRUE(accounts_for_all(GetParam().text, documents));
    EXPECT_GE(documents.found.size(), GetParam().least);
  }
}

}  // namespace
}  // namespace fonds::clps
