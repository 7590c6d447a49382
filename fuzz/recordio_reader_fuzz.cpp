// RecordIO files of any bytes: no crash, no hang, bounded memory; and threads, parts, single items
// and other sources give what reading from front to end gives.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/byte_source.hpp>
#include <fonds/bytes.hpp>
#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/grammar.hpp"
#include "io/testing.hpp"

namespace {

using fonds::as_text;
using fonds::recordio::Location;
using fonds::recordio::Reader;
using fonds::recordio::ReaderOptions;

constexpr std::size_t kMostItems = 2000;
constexpr std::uint64_t kMemory = std::uint64_t{16} << 20;

void require(bool holds, const char* what) {
  if (!holds) {
    std::fprintf(stderr, "%s\n", what);
    std::abort();
  }
}

struct Item {
  Location at;
  std::string text;
  bool operator==(const Item&) const = default;
};
struct Outcome {
  std::vector<Item> items;
  std::vector<std::string> findings;
  bool failed = false;
  bool more = false;  // than kMostItems
  bool second_header = false;
  bool off_grid = false;  // blocks where only a search byte by byte finds them
};

// Chunks that were stored with a wrong CRC get the right one, so that mutations reach what lies
// behind it.
void mend_crcs(std::vector<std::byte>& bytes) {
  namespace recordio = fonds::recordio;
  for (std::size_t at = 0; at + recordio::kChunkSize <= bytes.size(); at += recordio::kChunkSize) {
    const fonds::ByteView chunk = fonds::ByteView(bytes).subspan(at, recordio::kChunkSize);
    const auto header = recordio::parse_chunk_header(chunk);
    if (header.magic == recordio::Magic::None || header.size > recordio::kChunkPayload) {
      continue;
    }
    const std::uint32_t crc = recordio::chunk_crc(chunk, header);
    for (unsigned i = 0; i < 4; ++i) {
      bytes[at + 8 + i] = static_cast<std::byte>(crc >> (8 * i) & 0xFF);
    }
  }
}

Outcome read(std::shared_ptr<fonds::ByteSource> source, ReaderOptions options) {
  Outcome outcome;
  options.on_finding = [&outcome](const fonds::Finding& finding) {
    outcome.findings.push_back(std::string(finding.code) + "@" +
                               std::to_string(finding.where.stored_offset.value_or(1)));
    outcome.second_header = outcome.second_header || finding.code == "second-header";
  };
  auto reader = Reader::open(std::move(source), options);
  if (!reader) {
    outcome.failed = true;
    return outcome;
  }
  while (true) {
    const auto there = reader->next();
    if (!there) {
      outcome.failed = true;
      return outcome;
    }
    if (!*there) {
      return outcome;
    }
    if (outcome.items.size() == kMostItems) {
      outcome.more = true;
      return outcome;
    }
    const bool v2 = reader->layout() == fonds::recordio::Layout::V2;
    outcome.off_grid =
        outcome.off_grid || (v2 && reader->location().block % fonds::recordio::kChunkSize != 0);
    outcome.items.push_back({reader->location(), std::string(as_text(reader->item()))});
  }
}

void check_single_items(const std::vector<std::byte>& bytes, ReaderOptions options,
                        const Outcome& whole) {
  options.on_finding = [](const fonds::Finding&) {};
  auto reader = Reader::open(fonds::memory_source(bytes), options);
  if (!reader) {
    return;
  }
  static_cast<void>(reader->trailer().has_value());
  static_cast<void>(reader->locate(whole.items.size() / 2).has_value());
  for (std::size_t i = 0; i < whole.items.size() && !whole.second_header; ++i) {
    const Item& item = whole.items[i * 7919 % whole.items.size()];
    const auto got = reader->get(item.at);
    require(got.has_value() && as_text(*got) == item.text, "get() is not what next() gave");
    static_cast<void>(reader->get({item.at.block, item.at.item * 3 + 1}).has_value());
    static_cast<void>(reader->get({item.at.block + i, item.at.item}).has_value());
  }
  for (std::uint64_t at = 0; at <= bytes.size(); at += fonds::recordio::kChunkSize) {
    static_cast<void>(reader->get({at, 0}).has_value());
    static_cast<void>(reader->get({at, at % 13}).has_value());
    static_cast<void>(reader->get({at, 0}).has_value());
  }
  if (!whole.items.empty() && !whole.second_header) {
    const Item& item = whole.items[whole.items.size() / 2];
    require(reader->seek(item.at).has_value(), "seek() refuses an item that next() gave");
    require(reader->next().value_or(false), "nothing behind seek()");
    require(as_text(reader->item()) == item.text, "seek() leads elsewhere");
  }
}

void check_parts(const std::vector<std::byte>& bytes, ReaderOptions options, unsigned parts,
                 const Outcome& whole) {
  std::vector<Item> items;
  for (unsigned part = 0; part < parts; ++part) {
    options.part = part;
    options.parts = parts;
    Outcome one = read(fonds::memory_source(bytes), options);
    if (one.failed || one.more) {
      return;
    }
    std::move(one.items.begin(), one.items.end(), std::back_inserter(items));
  }
  // Trailers end only their part, and blocks off the grid are looked for only where the grid ends.
  const bool trailer =
      std::any_of(whole.findings.begin(), whole.findings.end(),
                  [](const std::string& f) { return f.starts_with("data-behind"); });
  require(trailer || whole.off_grid || whole.second_header || items == whole.items,
          "the parts are not the whole");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  unsigned mode = 0;  // drawn from the bytes, so that every file is an input as it is
  for (std::size_t i = 0; i < size; ++i) {
    mode = (mode * 31 + data[i]) & 0xffffff;
  }
  mode ^= mode >> 9;
  const auto* const begin = reinterpret_cast<const std::byte*>(data);
  std::vector<std::byte> bytes(begin, begin + size);
  if ((mode & 3) != 0) {
    mend_crcs(bytes);
  }
  ReaderOptions options;
  options.memory_budget = (mode & 4) != 0 ? kMemory : 300000;
  options.max_item = (mode & 8) != 0 ? 5000 : kMemory;
  options.concatenated = (mode & 16) != 0;
  options.behind_trailer = (mode & 32) != 0;
  options.search_bytes = (mode & 64) != 0;
  const Outcome whole = read(fonds::memory_source(bytes), options);

  ReaderOptions several = options;
  several.threads = 2 + (mode >> 7 & 1);
  const Outcome threaded = read(fonds::memory_source(bytes), several);
  require(threaded.items == whole.items && (whole.more || threaded.findings == whole.findings),
          "threads give something else");

  const std::size_t step = (mode & 256) != 0 ? 977 : 1 << 20;
  const Outcome pipe = read(std::make_shared<fonds::testing_io::Pipe>(bytes, step),
                            (mode & 512) != 0 ? several : options);
  require(!whole.findings.empty() || pipe.items == whole.items, "the pipe gives something else");

  // In concatenated files each header counts for what follows it.
  if (!options.concatenated) {
    check_single_items(bytes, options, whole);
  }
  if (!whole.more && !whole.failed && !options.concatenated) {
    check_parts(bytes, options, 1 + (mode >> 10) % 9, whole);
  }
  static_cast<void>(
      fonds::recordio::find_append_point(fonds::memory_source(bytes), options).has_value());
  return 0;
}
