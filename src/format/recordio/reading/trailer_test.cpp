// The trailer, found from the end.
#include "format/recordio/reading/trailer.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "format/recordio/reading/reader_test_support.hpp"

namespace fonds::recordio {
namespace {

constexpr std::uint64_t K = kChunkSize;

std::string trailer_of(std::string_view file, ReaderOptions options = {}) {
  options.on_finding = [](const Finding&) {};
  auto reader = Reader::open(in_memory(file), std::move(options));
  if (!reader) {
    return "cannot be opened";
  }
  const auto trailer = reader->trailer();
  if (!trailer) {
    return std::string("error: ") + std::to_string(static_cast<int>(trailer.error().code()));
  }
  return *trailer ? "is " + std::string(as_text(**trailer)) : "none";
}
std::string error_text(ErrorCode code) {
  return "error: " + std::to_string(static_cast<int>(code));
}

TEST(Trailer, IsTheItemOfTheLastBlock) {
  EXPECT_EQ(trailer_of(header({}, true) + body({"a"}) + trailer_block("hello")), "is hello");
  EXPECT_EQ(trailer_of(header({}, true) + trailer_block("")), "is ");
  EXPECT_EQ(trailer_of(header() + trailer_block("not announced")), "is not announced");
}

TEST(Trailer, OfSeveralChunks) {
  const std::string large(150000, 't');
  EXPECT_EQ(trailer_of(header({}, true) + body({"a"}) + trailer_block(large)), "is " + large);
}

TEST(Trailer, IsTransformedLikeBodies) {
  for (const std::vector<std::string>& transformers :
       {std::vector<std::string>{"zstd"}, {"flate"}, {"flate", "zstd"}}) {
    EXPECT_EQ(trailer_of(header(transformers, true) + body({"a"}, transformers) +
                         trailer_block("t", transformers)),
              "is t");
  }
}

TEST(Trailer, IsNoneWhereThereIsNone) {
  EXPECT_EQ(trailer_of(""), "none");
  EXPECT_EQ(trailer_of(header()), "none");
  EXPECT_EQ(trailer_of(header() + body({"a"})), "none");
  EXPECT_EQ(trailer_of(header({}, true) + body({"a"})), "none");
  EXPECT_EQ(trailer_of(plain_record("a")), "none");
}

TEST(Trailer, BytesBehindItDoNotHideIt) {
  EXPECT_EQ(trailer_of(header({}, true) + body({"a"}) + trailer_block("t") + "xyz"), "is t");
  EXPECT_EQ(trailer_of(header({}, true) + trailer_block("t") + body({"a"})), "is t");
  EXPECT_EQ(trailer_of(header({}, true) + trailer_block("t") + trailer_block("u") + body({"a"})),
            "is u");
}

TEST(Trailer, ThatIsDamagedIsCorrupt) {
  const std::string before = header({}, true) + body({"a"});
  std::string file = before + trailer_block(std::string(50000, 't'));
  file[2 * K + 100] ^= 1;
  EXPECT_EQ(trailer_of(file), error_text(ErrorCode::Corrupt));
  EXPECT_EQ(trailer_of(before + block_of(Magic::Trailer, "\x01\x7f")),
            error_text(ErrorCode::Corrupt));
  EXPECT_EQ(trailer_of(before + block_of(Magic::Trailer, varint(0))),
            error_text(ErrorCode::Corrupt));
}

// The last chunk claims to be one of more chunks than the file has.
TEST(Trailer, IndexThatLiesIsNoTrailer) {
  for (const std::uint32_t index : {2U, 5U, 0xFFFFFFFEU}) {
    const std::string file =
        header() + body({"a"}) + chunk(Magic::Trailer, content_of({"t"}), index + 1, index);
    const std::string seen = trailer_of(file);
    EXPECT_TRUE(seen == "none" || seen == error_text(ErrorCode::Corrupt)) << index << seen;
  }
}

TEST(Trailer, BombIsRefused) {
  const std::string file =
      header({"zstd"}, true) + trailer_block(std::string(std::size_t{16} << 20, '\0'), {"zstd"});
  EXPECT_EQ(trailer_of(file, {.max_trailer = 1 << 20}), error_text(ErrorCode::LimitExceeded));
  EXPECT_EQ(trailer_of(file).size(), 3 + (std::size_t{16} << 20));
}

// An item of a legacy file that is a v2 file.
TEST(Trailer, OfAFileInALegacyItemIsNotTheFiles) {
  EXPECT_EQ(trailer_of(plain_record(header({}, true) + trailer_block("nested"))), "none");
}

// Each is transformed as its own header says, and bodies lie between that and the first header.
TEST(Trailer, OfConcatenatedFilesIsTheLastOnes) {
  for (const std::string& of_first : {std::string(), body({"a", "b"}, {"flate"})}) {
    for (const std::string& of_second : {std::string(), body({"c"}, {"zstd"})}) {
      const std::string file = header({"flate"}, true) + of_first +
                               trailer_block("one", {"flate"}) + header({"zstd"}, true) +
                               of_second + trailer_block("two", {"zstd"});
      EXPECT_EQ(trailer_of(file, {.concatenated = true}), "is two");
    }
  }
}

TEST(Trailer, OfTheFixtures) {
  EXPECT_EQ(trailer_of(read_recordio_fixture("v2-empty-trailer.rio")), "is ");
  EXPECT_NE(trailer_of(read_recordio_fixture("v2-trailer-index.rio")), "none");
  EXPECT_EQ(trailer_of(read_recordio_fixture("v2-trailer-missing.rio")), "none");
}

}  // namespace
}  // namespace fonds::recordio
