// Rows of WARC and ARC: every dialect in every codec.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>

#include "archives/memory.hpp"
#include "archives/stored.hpp"
#include "archives/web_text.hpp"
#include "conformance/rows.hpp"
#include "conformance/web_records.hpp"
#include "ops/convert.hpp"

namespace fonds::laws {
using testing_archives::memory_of;
using testing_archives::Storage;
using testing_archives::WebRecord;

namespace {

constexpr std::size_t kLarge = kSanitized ? std::size_t{300} << 10 : std::size_t{3} << 20;

// A dictionary that fits all rows.
std::string dictionary() {
  std::vector<std::string> records;
  for (const WebRecord& record : web_records(0)) {
    records.push_back(modern_text(record, "1.1"));
  }
  return testing_archives::dictionary_of(records);
}

// A way to store units.
struct Shape {
  std::string name;
  Storage storage;
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"plain", {.codec = "none"}},
      {"gzip", {.codec = "gzip"}},
      {"gzip-one-member", {.codec = "gzip", .one_unit = true}},
      {"lz4", {.codec = "lz4"}},
      {"lz4-one-frame", {.codec = "lz4", .one_unit = true}},
      {"zstd", {.codec = "zstd"}},
      {"zstd-dictionary", {.codec = "zstd", .dictionary = dictionary()}},
      {"zstd-size-prefix", {.codec = "zstd", .extension = "size-prefix"}},
      {"zstd-seek-table", {.codec = "zstd", .extension = "seek-table"}},
      {"bzip2", {.codec = "bzip2"}},
      {"xz", {.codec = "xz"}},
  };
  return all;
}

struct Dialect {
  std::string name;  // "warc-1.1"
  std::string to;    // empty: not written
  std::function<std::vector<std::string>(bool large)> units;
  std::function<std::vector<WebRecord>(bool large)> records;
};

// One record that is larger than the pieces in which all is read, where that is cheap.
bool holds_large(const Shape& shape) {
  return shape.storage.extension.empty() && shape.storage.has_encoder() &&
         shape.name != "lz4-one-frame";
}

std::vector<std::string> blocks_of(const std::vector<WebRecord>& records) {
  std::vector<std::string> blocks;
  std::ranges::transform(records, std::back_inserter(blocks), &WebRecord::block);
  return blocks;
}

Archive in_memory(const std::string& bytes) {
  auto archive = open_archive(memory_of(bytes));
  require(archive.has_value(), "an archive of a row is recognized");
  return *archive;
}

std::vector<std::string> units_of(const std::vector<WebRecord>& records,
                                  const std::function<std::string(const WebRecord&)>& text) {
  std::vector<std::string> units;
  std::ranges::transform(records, std::back_inserter(units), text);
  return units;
}

// Our own writer makes them of WARC 1.1; the records are cut apart as a reader sees them.
std::vector<std::string> positional_units(bool /*large*/) {
  std::string plain;
  for (const WebRecord& record : web_records(0)) {
    plain += modern_text(record, "1.1");
  }
  const std::vector<Archive> archives = {in_memory(plain)};
  const auto target = ops::parse_target("warc/00.11");
  require(target.has_value(), "warc/00.11");
  ops::ConvertOptions options;
  options.rewrite.write.describe = false;
  options.rewrite.write.original_header = false;
  TextSink sink;
  const auto report = ops::convert(archives, *target, sink, options);
  require(report.has_value(), "warc/00.11 is written");
  const Archive made = in_memory(sink.content);
  const auto reader = made.format->open(made, {});
  require(reader.has_value(), "warc/00.11 is read");
  std::vector<std::string> units;
  std::uint64_t begin = 0;
  while (true) {
    const auto record = (*reader)->next();
    require(record.has_value(), "warc/00.11 is read");
    const std::uint64_t end = *record == nullptr ? sink.content.size() : (*record)->place.unit;
    if (end > begin) {
      units.push_back(sink.content.substr(begin, end - begin));
    }
    if (*record == nullptr) {
      return units;
    }
    begin = end;
  }
}

std::vector<Dialect> dialects() {
  const auto records = [](bool large) { return web_records(large ? kLarge : 0); };
  const auto modern = [=](const char* version) {
    return [=](bool large) {
      return units_of(records(large),
                      [=](const WebRecord& record) { return modern_text(record, version); });
    };
  };
  const auto arc = [](bool /*large*/) { return arc_records(0); };
  return {
      {"warc-1.1", "warc/1.1", modern("1.1"), records},
      {"warc-1.0", "warc/1.0", modern("1.0"), records},
      {"warc-0.18", "warc/0.18", modern("0.18"), records},
      {"warc-0.17", "", modern("0.17"), records},
      {"warc-00.11", "warc/00.11", positional_units, records},
      {"arc", "arc/1.1",
       [=](bool large) {
         return units_of(arc(large), [](const WebRecord& r) { return arc_text(r, "1.0"); });
       },
       arc},
  };
}

WriteOptions write_like(const Storage& storage) {
  WriteOptions write;
  write.describe = false;
  write.original_header = false;
  write.one_unit = storage.one_unit;
  write.extension = storage.extension;
  if (storage.has_encoder() && storage.codec != "none") {
    write.compression = {storage.codec};
  }
  if (!storage.dictionary.empty()) {
    write.dictionary = storage.dictionary;
  }
  return write;
}

}  // namespace

std::vector<Row> web_rows() {
  std::vector<Row> all;
  for (const Dialect& dialect : dialects()) {
    for (const Shape& shape : shapes()) {
      Row& row = all.emplace_back();
      row.name = dialect.name + "/" + shape.name;
      const bool large = dialect.name == "warc-1.1" && holds_large(shape);
      row.bytes = once<std::string>(
          [=] { return testing_archives::stored(dialect.units(large), shape.storage); });
      row.blocks = [=] { return blocks_of(dialect.records(large)); };
      row.to = shape.storage.has_encoder() ? dialect.to : "";
      row.write = write_like(shape.storage);
      row.large = large;
    }
  }
  return all;
}

}  // namespace fonds::laws
