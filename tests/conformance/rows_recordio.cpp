// Rows of RecordIO: its three layouts with each transformer.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/formats/recordio.hpp>

#include "archives/stored.hpp"
#include "conformance/rows.hpp"
#include "format/recordio/writing/writer_test_support.hpp"

namespace fonds::laws {
namespace {

using recordio::Layout;
using recordio::WriterOptions;
using recordio::written;
using testing_archives::stored_as_one;
using Items = std::vector<std::string>;

// Empty, small and larger than a chunk.
Items mixed_items() { return recordio::random_items(7, 40); }
Items text_items() {
  Items items = {"", "\r", "with a \"quote\", a \\ and a \t", "\xff\xfe no UTF-8"};
  for (int i = 0; i < 500; ++i) {
    items.push_back(fmt::format("line {} of the text items\r", i * i));
  }
  return items;
}

std::string made_v2(std::vector<std::string> transformers,
                    const std::optional<std::string>& trailer = std::nullopt) {
  WriterOptions options;
  options.transformers = std::move(transformers);
  options.max_block_bytes = 30000;
  options.header = {{"made by", std::string("a test")}, {"", std::int64_t{-1}}};
  return written(mixed_items(), std::move(options), trailer);
}

std::string made_legacy(Layout layout, std::vector<std::string> transformers = {}) {
  return written(
      mixed_items(),
      {.layout = layout, .transformers = std::move(transformers), .max_block_bytes = 50000});
}

std::string made_large_header() {
  WriterOptions options;
  options.header = {{"large", std::string(70000, 'h')}, {"large", true}, {"n", ~std::uint64_t{0}}};
  options.max_items = 3;
  return written(mixed_items(), std::move(options), "the trailer");
}

// Items that are RecordIO files themselves.
Items nested_items() {
  const std::string inner = made_v2({});
  return {"before", inner, made_legacy(Layout::LegacyPacked), inner, "behind"};
}
Items small_nested_items() { return {"before", written({"hello", "", "world"}, {})}; }

Items and_then(Items items, const Items& more) {
  items.insert(items.end(), more.begin(), more.end());
  return items;
}

struct Made {
  const char* name;
  std::function<std::string()> bytes;
  std::function<Items()> items;
  const char* to = "recordio";
  std::vector<std::string> compression = {};
};

std::vector<Made> archives() {
  return {
      {"v2", [] { return made_v2({}); }, mixed_items},
      {"v2-trailer", [] { return made_v2({}, "the trailer"); }, mixed_items},
      {"v2-large-trailer", [] { return made_v2({}, std::string(100000, 't')); }, mixed_items},
      {"v2-large-header", made_large_header, mixed_items},
      {"v2-one-block", [] { return written(mixed_items(), {}); }, mixed_items},
      {"v2-nested", [] { return written(nested_items(), {.max_block_bytes = 100000}); },
       nested_items},
      {"v2-nested-small", [] { return written(small_nested_items(), {.max_items = 1}); },
       small_nested_items},
      {"v2-text", [] { return written(text_items(), {.max_items = 7}); }, text_items},
      {"v2-flate", [] { return made_v2({"flate"}); }, mixed_items, "recordio", {"flate"}},
      {"v2-zstd", [] { return made_v2({"zstd 3"}, ""); }, mixed_items, "recordio", {"zstd"}},
      {"v2-stack",
       [] { return made_v2({"flate 1", "zstd 3"}, std::string(100000, 't')); },
       mixed_items,
       "recordio",
       {"flate", "zstd"}},
      {"v2-no-items", [] { return written({}, {}); }, [] { return Items(); }},
      {"v2-only-a-trailer",
       [] { return written({}, {.transformers = {"zstd"}}, "the trailer"); },
       [] { return Items(); },
       "recordio",
       {"zstd"}},
      {"v2-gzip", [] { return stored_as_one(made_v2({}), "gzip"); }, mixed_items, ""},
      {"legacy-plain", [] { return made_legacy(Layout::LegacyPlain); }, mixed_items,
       "recordio/legacy"},
      {"legacy-packed", [] { return made_legacy(Layout::LegacyPacked); }, mixed_items,
       "recordio/packed"},
      {"legacy-packed-flate",
       [] { return made_legacy(Layout::LegacyPacked, {"flate"}); },
       mixed_items,
       "recordio/packed",
       {"flate"}},
      {"legacy-packed-zstd",
       [] { return made_legacy(Layout::LegacyPacked, {"zstd"}); },
       mixed_items,
       "recordio/packed",
       {"zstd"}},
      {"legacy-mixed",
       [] {
         return made_legacy(Layout::LegacyPlain) + made_legacy(Layout::LegacyPacked) +
                written(text_items(), {.layout = Layout::LegacyPlain});
       },
       [] { return and_then(and_then(mixed_items(), mixed_items()), text_items()); }, ""},
  };
}

}  // namespace

std::vector<Row> recordio_rows() {
  std::vector<Row> all;
  for (Made& archive : archives()) {
    Row& row = all.emplace_back();
    row.name = std::string("recordio/") + archive.name;
    row.format = "recordio";
    row.bytes = once<std::string>(std::move(archive.bytes));
    row.blocks = archive.items;
    row.to = archive.to;
    row.write.compression = archive.compression;
  }
  return all;
}

}  // namespace fonds::laws
