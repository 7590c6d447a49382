// Laws that every RecordIO archive keeps, in all three layouts, good or damaged.
#include <algorithm>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <fonds/format.hpp>
#include <fonds/formats/recordio.hpp>

#include "conformance/recordio_archives.hpp"
#include "conformance/recordio_given.hpp"
#include "format/lines/testing.hpp"
#include "io/temporary_directory.hpp"
#include "ops/cat.hpp"
#include "ops/convert.hpp"
#include "ops/find.hpp"
#include "ops/list.hpp"
#include "ops/make_index.hpp"
#include "ops/rewrite.hpp"
#include "ops/verify.hpp"

namespace fonds::recordio::laws {
namespace {

using testing::IsEmpty;
using testing_io::TemporaryDirectory;

// ---- exceptions, by name ----

// Archives that a law does not hold for, each with the reason.
using Exceptions = std::map<std::string_view, std::string_view>;

// Their items are written again, but not their bytes.
const Exceptions& not_the_same_bytes() {
  static const Exceptions exceptions = {
      {"legacy-packed-slack.grail-rpk", "bytes behind the last item are not written"},
      {"v2-behind-trailer.rio", "reading ends at the trailer"},
      {"v2-corrupt-padding.rio", "no writer pads so"},
      {"v2-flag-set.rio", "no writer sets a flag"},
      {"zero-length.rio", "a file without bytes has no layout to write"}};
  return exceptions;
}
// Repair keeps errors that are no damage.
const Exceptions& unreadable_after_repair() {
  static const Exceptions exceptions = {
      {"v2-transformer-unknown.rio", "blocks of an unknown transformer are copied unchecked"}};
  return exceptions;
}

template <typename Tested>
std::string name_of(const testing::TestParamInfo<Tested>& tested) {
  std::string name = tested.param.name;
  std::ranges::replace_if(name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
}

// Where damage leaves no way to tell an item of a stored file from one of the archive.
const Exceptions& mistaken() {
  static const Exceptions exceptions = {
      {"V2NestedSmallBytesPutIn2", "a stored file's block lies in the chunk that was hit"}};
  return exceptions;
}

// ---- good archives ----

class GoodRecordIo : public testing::TestWithParam<Specimen> {
 protected:
  void SetUp() override {
    register_xor();
    bytes_ = GetParam().bytes();
  }
  const std::string& bytes() const { return bytes_; }
  const std::string& name() const { return GetParam().name; }

 private:
  std::string bytes_;
};

INSTANTIATE_TEST_SUITE_P(Archives, GoodRecordIo, testing::ValuesIn(good_archives()),
                         [](const auto& tested) { return name_of(tested); });

TEST(RecordIoFixtures, AreAllInTheTable) {
  const auto expected = nlohmann::json::parse(read_recordio_fixture("expected.json"));
  std::vector<std::string> good, damaged;
  for (const auto& [name, entry] : expected.items()) {
    (entry["valid"] == true ? good : damaged).push_back(name);
  }
  const auto names = [](const std::vector<Specimen>& specimens) {
    std::vector<std::string> all;
    std::ranges::transform(specimens, std::back_inserter(all), &Specimen::name);
    return all;
  };
  EXPECT_EQ(names(good_fixtures()), good);
  EXPECT_EQ(names(damaged_fixtures()), damaged);
}

Layout layout_at(std::string_view bytes, std::uint64_t offset, Layout first) {
  if (first == Layout::V2) {
    return first;
  }
  const Magic magic = parse_legacy_header(as_bytes(bytes.substr(offset))).magic;
  return magic == Magic::LegacyPlain ? Layout::LegacyPlain : Layout::LegacyPacked;
}

// Options of a writer that gives the same file if it is flushed where blocks end.
WriterOptions options_like(Reader& reader, Layout layout, const Specimen& specimen) {
  WriterOptions options{.layout = layout};
  options.max_block_bytes = layout == Layout::V2 ? 0 : std::uint64_t{1} << 30;
  options.max_items = 1'000'000;
  if (layout == Layout::LegacyPacked) {
    options.transformers = specimen.packed_transformers;
  }
  for (const HeaderEntry& entry : reader.header()) {
    if (entry.key == kTransformerKey) {
      options.transformers.push_back(std::get<std::string>(entry.value));
    } else if (entry.key == kTrailerKey) {
      options.trailer = true;
    } else {
      options.header.push_back(entry);
    }
  }
  return options;
}

std::string written_again(const std::string& bytes, const Specimen& specimen) {
  Reader reader = opened(bytes, {.on_finding = [](const Finding&) {}});
  const auto trailer = reader.trailer();
  require(trailer.has_value(), "trailer");
  MemorySink sink;
  Layout layout = reader.layout();
  std::optional<Writer> writer = writer_to(sink, options_like(reader, layout, specimen));
  std::uint64_t block = 0;
  while (*reader.next()) {
    const std::uint64_t now = reader.location().block;
    if (now != std::exchange(block, now)) {
      require(writer->flush().has_value(), "flush");
    }
    if (const Layout here = layout_at(bytes, now, layout); here != layout) {
      require(writer->finish().has_value(), "finish");
      layout = here;
      writer = writer_to(sink, options_like(reader, layout, specimen));
    }
    require(writer->append(reader.item()).has_value(), "append");
  }
  const Status done = *trailer ? writer->finish(ByteView(**trailer)) : writer->finish();
  require(done.has_value(), "finish");
  return sink.content;
}

TEST_P(GoodRecordIo, IsReadAsItWasWritten) {
  const std::string again = written_again(bytes(), GetParam());

  EXPECT_EQ(items_of(again), items_of(bytes()));
  Reader reader = opened(again);
  const bool transformed =
      !GetParam().packed_transformers.empty() ||
      std::ranges::any_of(reader.header(), [](const auto& e) { return e.key == kTransformerKey; });
  if (!transformed) {
    EXPECT_EQ(again == bytes(), !not_the_same_bytes().contains(name()));
  }
}

std::vector<Key> keys_of(const std::vector<ReadItem>& items,
                         const std::function<std::string(const ReadItem&, std::size_t)>& key) {
  std::vector<Key> keys;
  for (std::size_t n = 0; n < items.size(); ++n) {
    auto parsed = parse_key(key(items[n], n));
    require(parsed.has_value(), "key");
    keys.push_back(std::move(*parsed));
  }
  return keys;
}

TEST_P(GoodRecordIo, OffsetsIndexLeadsToTheItemsThatReadingGives) {
  const TemporaryDirectory directory;
  const std::string path = directory.path(name());
  std::ofstream(path, std::ios::binary) << bytes();
  const auto archive = open_archive(path, {.format = "recordio"});
  ASSERT_TRUE(archive.has_value()) << archive.error().to_string();
  const std::vector<ReadItem> items = read_archive(*archive).items;
  const Given all = content(*archive, {});

  MemorySink index;
  const auto indexed = ops::make_index(*archive, "offsets", index, {});
  ASSERT_TRUE(indexed.has_value()) << indexed.error().to_string();
  EXPECT_EQ(*indexed, items.size());
  std::ofstream(archive->source->name() + std::string(ops::index_ending("offsets")),
                std::ios::binary)
      << index.content;
  std::vector<std::uint64_t> numbers;
  std::vector<Place> places;
  for (const ReadItem& item : items) {
    numbers.push_back(numbers.size());
    places.push_back({item.block, item.number});
  }
  const auto located = archive->format->locate(*archive, numbers);
  ASSERT_TRUE(located.has_value()) << located.error().to_string();
  EXPECT_TRUE(*located == places);
  if (!items.empty()) {
    const auto keys =
        keys_of(items, [](const ReadItem&, std::size_t n) { return fmt::format("index:{}", n); });
    EXPECT_EQ(content(*archive, {}, keys).text, all.text);
  }
}

TEST_P(GoodRecordIo, LocationsLeadToTheItemsThatReadingGives) {
  Reader reader = opened(bytes(), {.on_finding = [](const Finding&) {}});
  std::uint64_t n = 0;
  for (const ReadItem& item : read_archive(archive_of(bytes())).items) {
    SCOPED_TRACE(n);
    const auto got = reader.get({item.block, item.number});
    ASSERT_TRUE(got.has_value()) << got.error().to_string();
    EXPECT_TRUE(as_text(*got) == item.text);
    EXPECT_EQ(*reader.locate(n++), (Location{item.block, item.number}));
    ASSERT_TRUE(reader.seek({item.block, item.number}).has_value());
    ASSERT_TRUE(*reader.next());
    EXPECT_TRUE(as_text(reader.item()) == item.text);
  }
  EXPECT_EQ(reader.locate(n).error().code(), ErrorCode::NotFound);
}

// ---- conversions ----

struct Converted {
  std::string bytes;
  std::optional<ErrorCode> error;
};
Converted converted(const Archive& archive, const char* to) {
  Converted result;
  MemorySink sink;
  const std::vector<Archive> archives = {archive};
  const auto report = ops::convert(archives, *ops::parse_target(to), sink, {});
  if (!report) {
    result.error = report.error().code();
    return result;
  }
  result.bytes = sink.content;
  return result;
}

class ConvertedRecordIo : public testing::TestWithParam<std::tuple<Specimen, const char*>> {
 protected:
  void SetUp() override { register_xor(); }
};

INSTANTIATE_TEST_SUITE_P(Archives, ConvertedRecordIo,
                         testing::Combine(testing::ValuesIn(good_archives()),
                                          testing::Values("recordio", "recordio/legacy",
                                                          "recordio/packed", "jsonl", "lines")),
                         [](const auto& tested) {
                           std::string name =
                               std::get<0>(tested.param).name + "_" + std::get<1>(tested.param);
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == '.' || c == '/'; }, '_');
                           return name;
                         });

TEST_P(ConvertedRecordIo, HasTheSameItemsThereAndBack) {
  const auto& [specimen, to] = GetParam();
  const Archive archive = archive_of(specimen.bytes());
  const std::vector<std::string> items = read_archive(archive).texts();
  const auto lf = [](const std::string& item) { return item.find('\n') != std::string::npos; };

  const Converted there = converted(archive, to);

  if (std::string_view(to) == "lines" && std::ranges::any_of(items, lf)) {
    EXPECT_EQ(there.error, ErrorCode::BadArgument);
    return;
  }
  EXPECT_EQ(there.error, std::nullopt);
  Archive between;
  if (std::string_view(to) == "lines") {
    between = testing_lines::archive_of(lines::lines_format(), there.bytes);
  } else if (std::string_view(to) == "jsonl") {
    between = testing_lines::archive_of(lines::jsonl_format(), there.bytes);
  } else {
    between = archive_of(there.bytes);
    EXPECT_TRUE(read_archive(between).texts() == items);
  }
  for (const char* const back : {"recordio", "recordio/legacy", "recordio/packed"}) {
    const Converted here = converted(between, back);
    EXPECT_EQ(here.error, std::nullopt);
    EXPECT_TRUE(items_of(here.bytes) == items) << back;
    EXPECT_THAT(codes_but_notes(verified(here.bytes)), IsEmpty()) << back;
  }
}

TEST_P(GoodRecordIo, HeaderAndTrailerAreConvertedWithTheItems) {
  Reader before = opened(bytes(), {.on_finding = [](const Finding&) {}});
  const Converted v2 = converted(archive_of(bytes()), "recordio");

  Reader after = opened(v2.bytes);
  const auto entries = [](const Reader& reader) {
    std::vector<HeaderEntry> all(reader.header().begin(), reader.header().end());
    std::erase_if(all, [](const HeaderEntry& entry) {
      return entry.key == kTransformerKey || entry.key == kTrailerKey;
    });
    return all;
  };
  EXPECT_TRUE(entries(after) == entries(before));
  EXPECT_TRUE(*after.trailer() == *before.trailer());
}

// ---- all archives, good or damaged ----

class AnyRecordIo : public testing::TestWithParam<Specimen> {
 protected:
  void SetUp() override { register_xor(); }
};

constexpr std::uint64_t kSeeds = 2;  // of each kind of damage

std::vector<Specimen> damaged_archives() {
  std::vector<Specimen> all = damaged_fixtures();
  for (const Specimen& specimen : made_archives()) {
    for (const Damage damage : {Damage::Flip, Damage::Cut, Damage::BlockLost, Damage::BytesPutIn}) {
      for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
        Specimen& damaged = all.emplace_back();
        damaged.name = fmt::format("{}{}{}", specimen.name, damage_name(damage), seed);
        damaged.bytes = once([=] { return with_damage(specimen.bytes(), damage, seed); });
        if (specimen.name.starts_with("V2")) {
          damaged.before = specimen.bytes;
          damaged.off_grid = damage == Damage::BytesPutIn;
        }
      }
    }
  }
  return all;
}

// A pipe is searched on the grid only.
class PipedRecordIo : public AnyRecordIo {};
std::vector<Specimen> on_grid(std::vector<Specimen> archives) {
  std::erase_if(archives, [](const Specimen& specimen) { return specimen.off_grid; });
  return archives;
}

INSTANTIATE_TEST_SUITE_P(Good, AnyRecordIo, testing::ValuesIn(good_archives()),
                         [](const auto& tested) { return name_of(tested); });
INSTANTIATE_TEST_SUITE_P(Damaged, AnyRecordIo, testing::ValuesIn(damaged_archives()),
                         [](const auto& tested) { return name_of(tested); });

INSTANTIATE_TEST_SUITE_P(Good, PipedRecordIo, testing::ValuesIn(good_archives()),
                         [](const auto& tested) { return name_of(tested); });
INSTANTIATE_TEST_SUITE_P(Damaged, PipedRecordIo, testing::ValuesIn(on_grid(damaged_archives())),
                         [](const auto& tested) { return name_of(tested); });

TEST_P(AnyRecordIo, ThreadsGiveTheSameAsOne) {
  const Archive archive = archive_of(GetParam().bytes());
  const Given text = listed(archive, {}, false);
  const Given json = listed(archive, {}, true);
  const Given items = content(archive, {});
  const Given verdict = verified(archive);
  for (const auto& [threads, range] : {std::pair{2U, 20'000U}, {7U, 50'000U}}) {
    ops::ScanOptions scan;
    scan.threads = threads;
    scan.range = range;
    SCOPED_TRACE(threads);
    EXPECT_EQ(listed(archive, scan, false), text);
    EXPECT_EQ(listed(archive, scan, true), json);
    EXPECT_EQ(content(archive, scan), items);
    EXPECT_EQ(verified(archive, scan), verdict);
  }
}

TEST_P(AnyRecordIo, FileIsReadAsMemory) {
  const std::string bytes = GetParam().bytes();
  const TemporaryDirectory directory;
  const std::string path = directory.path("archive");
  std::ofstream(path, std::ios::binary) << bytes;
  const auto mapped = open_archive(path, {.format = "recordio"});
  ASSERT_TRUE(mapped.has_value()) << mapped.error().to_string();
  const Read memory = read_archive(archive_of(bytes));

  std::vector<Archive> archives = {*mapped};
  if (!GetParam().off_grid) {
    archives.push_back(archive_from(unmapped(bytes)));
  }
  for (const Archive& archive : archives) {
    const Read file = read_archive(archive);
    EXPECT_EQ(file.items, memory.items);
    EXPECT_EQ(file.findings, memory.findings);
    EXPECT_EQ(file.error, memory.error);
  }
}

TEST_P(PipedRecordIo, IsReadAsMemory) {
  const std::string bytes = GetParam().bytes();
  const Read memory = read_archive(archive_of(bytes));
  for (const std::size_t step : {7U, 4093U}) {
    const Read pipe = read_archive(archive_from(as_pipe(bytes, step)));
    EXPECT_EQ(pipe.items, memory.items) << "pieces of " << step;
    EXPECT_EQ(pipe.findings, memory.findings) << "pieces of " << step;
    EXPECT_EQ(pipe.error, memory.error) << "pieces of " << step;
  }
}

TEST_P(AnyRecordIo, IsRepairedToOneThatVerifies) {
  const std::string bytes = GetParam().bytes();
  const Read readable = read_recovered(archive_of(bytes));

  const auto repaired = repaired_bytes(bytes);

  if (!repaired) {
    EXPECT_THAT(readable.items, IsEmpty());
    return;
  }
  const Given verdict = verified(*repaired);
  EXPECT_EQ(verdict.error, "");
  EXPECT_EQ(errors_of(verdict).empty(), !unreadable_after_repair().contains(GetParam().name))
      << testing::PrintToString(verdict);
  EXPECT_TRUE(is_part(readable.texts(), items_of(*repaired)));
  EXPECT_TRUE(repaired_bytes(*repaired) == repaired);
}

// Bytes that were items of another file, stored in an item, are no items of this one.
TEST_P(AnyRecordIo, NoItemIsMadeUp) {
  const Archive archive = archive_of(GetParam().bytes());
  const auto repaired = repaired_bytes(GetParam().bytes());
  const std::vector<std::string> recovered = read_recovered(archive).texts();
  const std::vector<std::string> there =
      GetParam().before ? items_of(GetParam().before()) : recovered;

  const bool holds = !mistaken().contains(GetParam().name);
  EXPECT_EQ(is_part(read_archive(archive).texts(), there), holds);
  EXPECT_EQ(is_part(recovered, there), holds);
  if (GetParam().before && repaired) {
    EXPECT_EQ(is_part(items_of(*repaired), there), holds);
  }
}

TEST_P(AnyRecordIo, FindingsOfErrorsTellWhereTheyAre) {
  const std::string bytes = GetParam().bytes();
  const Archive archive = archive_of(bytes);
  std::vector<Finding> all = verified(archive).raw;
  std::ranges::move(listed(archive, {}, false).raw, std::back_inserter(all));
  std::ranges::move(content(archive, {}).raw, std::back_inserter(all));
  RewriteOptions options;
  options.on_finding = [&all](const Finding& finding) { all.push_back(finding); };
  MemorySink sink;
  if (const auto report = ops::repair(archive, sink, options); report) {
    all.insert(all.end(), report->lost.begin(), report->lost.end());
  }
  if (auto reader = Reader::open(in_memory(bytes), {.on_finding = options.on_finding}); reader) {
    while (reader->next().value_or(false)) {
    }
  }

  std::ranges::for_each(all, [](const Finding& finding) { expect_located(finding); });
}

TEST_P(AnyRecordIo, ErrorsTellWhereTheyAre) {
  const std::string bytes = GetParam().bytes();
  const std::vector<Archive> archives = {archive_of(bytes)};
  const auto next_part = [](MemorySink& sink) {
    return [&sink](const PartStart&) -> Result<Part> { return Part{&sink, {}}; };
  };
  MemorySink sink;
  expect_located(ops::merge(archives, sink, {}));
  expect_located(ops::split(archives[0], next_part(sink), {.size = 100'000}));
  expect_located(ops::make_index(archives[0], "offsets", sink, {}));
  expect_located(ops::convert(archives, *ops::parse_target("jsonl"), sink, {}));
  expect_located(find_append_point(in_memory(bytes)));
  auto strict = Reader::open(in_memory(bytes));
  expect_located(strict);
  auto reader = strict ? std::move(strict)
                       : Reader::open(in_memory(bytes), {.on_finding = [](const Finding&) {}});
  ASSERT_TRUE(reader.has_value() || reader.error().code() == ErrorCode::Unsupported);
  if (!reader) {
    return;
  }
  expect_located(reader->trailer());
  expect_located(reader->locate(1'000'000));
  for (std::uint64_t at = 0; at < bytes.size(); at += kChunkSize) {
    expect_located(reader->get({at, 0}));
    expect_located(reader->get({at, 100}));
  }
  auto more = reader->next();
  while (more && *more) {
    more = reader->next();
  }
  expect_located(more);
}

}  // namespace
}  // namespace fonds::recordio::laws
