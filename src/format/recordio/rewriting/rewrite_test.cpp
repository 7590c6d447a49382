// Repair.
#include "format/recordio/rewriting/rewrite.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "format/recordio/rewriting/rewrite_output.hpp"
#include "format/recordio/rewriting/rewrite_test_support.hpp"
#include "io/testing.hpp"

namespace fonds::recordio {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const nlohmann::json& expected() {
  static const nlohmann::json all = nlohmann::json::parse(read_recordio_fixture("expected.json"));
  return all;
}

std::vector<std::string> names(bool (*wanted)(const nlohmann::json& entry)) {
  std::vector<std::string> found;
  for (const auto& [name, entry] : expected().items()) {
    if (wanted(entry)) {
      found.push_back(name);
    }
  }
  return found;
}

std::string test_name(const testing::TestParamInfo<std::string>& instance) {
  std::string name = instance.param;
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

std::string sha256(const std::vector<std::string>& items) {
  Hasher hasher(DigestAlgorithm::Sha256);
  for (const std::string& item : items) {
    hasher.update(as_bytes(item));
  }
  const DigestValue digest = hasher.finish();
  return to_hex(ByteView(digest.bytes).first(digest.size));
}

// "xor N": every byte XOR N, as a fixture has it.
class XorTransformer final : public Transformer {
 public:
  explicit XorTransformer(int key) : key_(static_cast<std::byte>(key)) {}
  Status apply(ByteView in, Buffer& out) override {
    out.clear();
    std::ranges::for_each(in, [&](std::byte b) { out.push_back(b ^ key_); });
    return {};
  }
  Status undo(ByteView in, std::uint64_t /*most*/, Buffer& out) override { return apply(in, out); }

 private:
  std::byte key_;
};

class RepairFixtures : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    register_transformer("xor", [](std::string_view argument) {
      return Result<std::unique_ptr<Transformer>>(
          std::make_unique<XorTransformer>(std::stoi(std::string(argument))));
    });
  }
};

using GoodFixtures = RepairFixtures;

TEST_P(GoodFixtures, ComeOutAsTheyWentIn) {
  const std::string stored = read_recordio_fixture(GetParam());

  const Rewritten result = repaired(stored);

  EXPECT_TRUE(result.bytes == stored);
  EXPECT_THAT(result.report.lost, IsEmpty());
  EXPECT_THAT(result.codes, IsEmpty());
  EXPECT_EQ(result.report.records_kept, expected()[GetParam()]["records"]["count"]);
}

INSTANTIATE_TEST_SUITE_P(Repair, GoodFixtures,
                         testing::ValuesIn(names([](const nlohmann::json& entry) {
                           // Of the two that are left out see below.
                           return entry["valid"] == true &&
                                  !entry.contains("body_blocks_anywhere") &&
                                  entry.dump().find("announced trailer missing") ==
                                      std::string::npos;
                         })),
                         test_name);

RewriteOptions whole_blocks() {
  RewriteOptions options;
  options.whole_blocks = true;
  return options;
}

using DamagedFixtures = RepairFixtures;

TEST_P(DamagedFixtures, BecomeGoodWithAllWholeBlocks) {
  const nlohmann::json& recoverable = expected()[GetParam()]["recoverable"];

  const Rewritten result = repaired(read_recordio_fixture(GetParam()), whole_blocks());

  const Contents found = contents_of(result.bytes);
  EXPECT_EQ(found.errors, 0U);
  EXPECT_EQ(found.items.size(), recoverable["count"]);
  EXPECT_EQ(sha256(found.items), recoverable["sha256_concat"]);
  EXPECT_EQ(result.report.records_kept, recoverable["count"]);
}

TEST_P(DamagedFixtures, NameEveryLostRange) {
  std::vector<std::pair<std::uint64_t, std::string>> ranges;
  for (const auto& range : expected()[GetParam()].value("damage", nlohmann::json::array())) {
    ranges.emplace_back(range[0], std::to_string(range[1].get<std::uint64_t>()) + " bytes");
  }

  const Rewritten result = repaired(read_recordio_fixture(GetParam()));

  ASSERT_EQ(result.report.lost.size(), ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(result.report.lost[i].where.stored_offset, ranges[i].first);
    EXPECT_THAT(result.report.lost[i].message, testing::HasSubstr(ranges[i].second));
  }
}

TEST_P(DamagedFixtures, AreRepairedOnceForAll) {
  const Rewritten once = repaired(read_recordio_fixture(GetParam()));

  const Rewritten twice = repaired(once.bytes);

  EXPECT_TRUE(once.bytes == twice.bytes);
  EXPECT_THAT(twice.report.lost, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Repair, DamagedFixtures,
                         testing::ValuesIn(names([](const nlohmann::json& entry) {
                           return entry["valid"] == false &&
                                  entry["why"] != "unknown transformer seal";
                         })),
                         test_name);

TEST(Repair, CopiesBlocksOfATransformerThatNobodyKnows) {
  const std::string stored = read_recordio_fixture("v2-transformer-unknown.rio");

  const Rewritten result = repaired(stored);

  EXPECT_TRUE(result.bytes == stored);
  EXPECT_EQ(result.report.blocks_kept, 2U);
  EXPECT_THAT(result.codes, ElementsAre("unknown-transformer"));
}

TEST(Repair, NoLongerPromisesATrailerThatIsMissing) {
  const std::string stored = read_recordio_fixture("v2-trailer-missing.rio");

  const Rewritten result = repaired(stored);

  EXPECT_THAT(result.codes, ElementsAre("trailer-missing"));
  EXPECT_FALSE(parse_v2(result.bytes).promises_trailer);
  EXPECT_EQ(contents_of(result.bytes).items, contents_of(stored).items);
  EXPECT_THAT(contents_of(result.bytes).codes, IsEmpty());
}

TEST(Repair, KeepsBlocksBehindTheTrailerAndPutsItLast) {
  const std::string stored = read_recordio_fixture("v2-behind-trailer.rio");

  const Rewritten result = repaired(stored);

  EXPECT_EQ(parse_v2(result.bytes).items().size(), 6U);
  EXPECT_TRUE(parse_v2(result.bytes).trailer.has_value());
  EXPECT_THAT(result.codes, ElementsAre("trailer-stale"));
}

TEST(Repair, OfTwoTrailersKeepsTheLast) {
  const std::string one = [] {
    MemorySink sink;
    Writer writer = writer_to(sink, {.trailer = true});
    append_all(writer, {"a"});
    require(writer.finish(as_bytes("first trailer")).has_value(), "finish");
    return sink.content;
  }();
  const std::string other = [] {
    MemorySink sink;
    Writer writer = writer_to(sink, {.transformers = {"zstd"}, .trailer = true});
    append_all(writer, {"b"});
    require(writer.finish(as_bytes("second trailer")).has_value(), "finish");
    return sink.content;
  }();

  const Rewritten result = repaired(one + other);

  const ParsedFile file = parse_v2(result.bytes);
  EXPECT_THAT(file.items(), ElementsAre("a", "b"));
  EXPECT_EQ(file.trailer, "second trailer");
  EXPECT_THAT(file.transformers, IsEmpty());
  EXPECT_THAT(result.codes, ElementsAre("second-header", "trailer-dropped", "trailer-stale"));
}

TEST(Repair, MakesABodyBlockOfATrailerWithSeveralItems) {
  const std::string good = written({"a", "b", "c", "d"}, {.max_items = 2});
  std::string hit = good;
  hit.replace(kChunkSize, kMagicSize, magic_bytes(Magic::Trailer));

  const Rewritten result = repaired(hit);

  EXPECT_TRUE(result.bytes == good);
  EXPECT_THAT(result.codes, ElementsAre("trailer-items"));
}

TEST(Repair, KeepsATrailerThatNobodyPromised) {
  std::string stored = written({"a"});
  stored += read_recordio_fixture("v2-empty-trailer.rio").substr(kChunkSize);

  EXPECT_TRUE(repaired(stored).bytes == stored);
}

// ---- header ----

const std::vector<HeaderEntry>& two_entries() {
  static const std::vector<HeaderEntry> entries = {{"source", std::string("x")},
                                                   {"n", std::uint64_t{7}}};
  return entries;
}

class LostHeader : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(LostHeader, IsMadeAnewFromWhatTheBlocksAre) {
  const std::vector<std::string> items = random_items(5, 200);
  const std::string stored = written(
      items, {.header = two_entries(), .transformers = GetParam(), .max_block_bytes = 50000});

  const Rewritten result = repaired(stored.substr(kChunkSize));

  const ParsedFile file = parse_v2(result.bytes);
  EXPECT_EQ(file.transformers, GetParam());
  EXPECT_TRUE(file.items() == items);
  EXPECT_TRUE(result.bytes.substr(kChunkSize) == stored.substr(kChunkSize));
  EXPECT_THAT(result.codes, ElementsAre("no-header-block"));
}

INSTANTIATE_TEST_SUITE_P(Repair, LostHeader,
                         testing::Values(std::vector<std::string>{},
                                         std::vector<std::string>{"zstd"},
                                         std::vector<std::string>{"flate"}));

TEST(RepairHeader, OfBlocksOfSeveralKindsNamesNoTransformer) {
  const std::string plain = written({"a", "b"});
  const std::string zstd = written({"c", "d"}, {.transformers = {"zstd"}});

  const Rewritten result = repaired(zstd.substr(kChunkSize) + plain.substr(kChunkSize));

  EXPECT_THAT(parse_v2(result.bytes).transformers, IsEmpty());
  EXPECT_THAT(parse_v2(result.bytes).items(), ElementsAre("c", "d", "a", "b"));
}

TEST(RepairHeader, TakesTheTransformersThatAreGiven) {
  const std::vector<std::string> stack = {"flate 1", "zstd 3"};
  const std::string stored = written({"a", "b"}, {.transformers = stack});

  const Rewritten result = repaired(stored.substr(kChunkSize), {.read = {.transformers = stack}});

  EXPECT_EQ(parse_v2(result.bytes).transformers, stack);
  EXPECT_THAT(parse_v2(result.bytes).items(), ElementsAre("a", "b"));
}

TEST(RepairHeader, BehindGarbageIsKept) {
  const std::string stored =
      written({"a", "b"}, {.header = two_entries(), .transformers = {"zstd"}});

  const Rewritten result = repaired(std::string(kChunkSize, 'x') + stored);

  EXPECT_TRUE(result.bytes == stored);
  EXPECT_THAT(lost_codes(result.report), ElementsAre("chunk-magic"));
}

TEST(RepairHeader, ThatWritersCannotMakeIsKept) {
  // Readers pass over the level; the entries stand in an order that no writer uses.
  const Buffer header =
      header_block({{"source", std::string("x")}, {"transformer", std::string("flate no")}});
  const std::string body = written({"a", "b"}, {.transformers = {"flate"}}).substr(kChunkSize);
  const std::string stored = std::string(as_text(header.view())) + body;

  EXPECT_TRUE(repaired(stored).bytes == stored);
  const std::string more = written({"c"}, {.transformers = {"zstd"}});
  EXPECT_THAT(contents_of(repaired(stored + more).bytes).items, ElementsAre("a", "b", "c"));
}

// ---- single items ----

struct SalvageCase {
  const char* name;
  std::size_t flip;  // the chunk of the block, or past its end
  std::size_t cut;   // chunks that are left, 0: all
  std::vector<std::string> saved;
};
std::vector<std::string> large_items() {
  return {std::string(40000, 'a'), "b", std::string(60000, 'c'), "", std::string(20000, 'd')};
}
class Salvage : public testing::TestWithParam<SalvageCase> {};

TEST_P(Salvage, SavesTheItemsThatLieInGoodChunks) {
  const SalvageCase& with = GetParam();
  std::string stored =
      written({"before"}) + written(large_items()).substr(kChunkSize);  // four chunks from 65536 on
  stored += with.cut == 0 ? written({"behind"}).substr(kChunkSize) : std::string();
  if (with.flip < 4) {
    stored[2 * kChunkSize + with.flip * kChunkSize + 100] ^= 1;
  }
  if (with.cut > 0) {
    stored.resize(2 * kChunkSize + with.cut * kChunkSize + 50);
  }

  const Rewritten result = repaired(stored);

  std::vector<std::string> all = {"before"};
  all.insert(all.end(), with.saved.begin(), with.saved.end());
  if (with.cut == 0) {
    all.emplace_back("behind");
  }
  EXPECT_TRUE(parse_v2(result.bytes).items() == all);
  EXPECT_EQ(result.report.lost.size(), 1U);
  EXPECT_EQ(result.report.records_kept, all.size());
}

const std::string kA(40000, 'a'), kC(60000, 'c'), kD(20000, 'd');
INSTANTIATE_TEST_SUITE_P(Repair, Salvage,
                         testing::Values(SalvageCase{"FirstChunk", 0, 0, {}},
                                         SalvageCase{"SecondChunk", 1, 0, {"", kD}},
                                         SalvageCase{"ThirdChunk", 2, 0, {kA, "b", "", kD}},
                                         SalvageCase{"LastChunk", 3, 0, {kA, "b", ""}},
                                         SalvageCase{"CutBehindThirdChunk", 9, 3, {kA, "b", ""}},
                                         SalvageCase{"CutBehindSecondChunk", 9, 2, {kA, "b", ""}},
                                         SalvageCase{"CutBehindFirstChunk", 9, 1, {""}}),
                         [](const auto& instance) { return instance.param.name; });

TEST(SalvageWholeBlocks, SavesNone) {
  std::string stored = written(large_items());
  stored[3 * kChunkSize + 100] ^= 1;

  const Rewritten result = repaired(stored, whole_blocks());

  EXPECT_THAT(parse_v2(result.bytes).items(), IsEmpty());
  EXPECT_EQ(result.report.records_lost, 5U);
}

TEST(SalvageTransformed, SavesNone) {
  std::mt19937_64 random(1);
  std::string stored = written({random_bytes(random, 200000)}, {.transformers = {"zstd"}});
  ASSERT_GT(stored.size(), 4 * kChunkSize);
  stored[3 * kChunkSize + 100] ^= 1;

  EXPECT_THAT(parse_v2(repaired(stored).bytes).items(), IsEmpty());
}

// ---- other sources ----

TEST(RepairPipe, GivesTheSame) {
  const std::string stored = read_recordio_fixture("v2-corrupt-two.rio");
  const ByteView view = as_bytes(stored);
  const auto archive = open_archive(
      std::make_shared<testing_io::Pipe>(std::vector<std::byte>(view.begin(), view.end()), 10000));
  ASSERT_TRUE(archive);
  MemorySink sink;

  const auto report = archive->format->writing()->repair(*archive, sink, {});

  ASSERT_TRUE(report);
  EXPECT_TRUE(sink.content == repaired(stored).bytes);
}

TEST(RepairEmpty, StaysEmpty) { EXPECT_EQ(repaired("").bytes, ""); }

TEST(RepairSink, ItsErrorIsHandedOn) {
  const Archive archive = archive_of(read_recordio_fixture("v2-manyblocks.rio"));
  MemorySink sink(100000);

  const auto report = archive.format->writing()->repair(archive, sink, {});

  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::Io);
}

}  // namespace
}  // namespace fonds::recordio
