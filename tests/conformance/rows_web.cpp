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

#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "conformance/rows.hpp"
#include "conformance/sinks.hpp"
#include "conformance/web_records.hpp"
#include "ops/convert.hpp"
#include "ops/train.hpp"

namespace fonds::laws {
namespace {

constexpr std::size_t kLarge = kSanitized ? std::size_t{300} << 10 : std::size_t{3} << 20;

// A way to store units.
struct Shape {
  std::string name;
  std::string codec;  // of `convert` and the encoder; empty: what no encoder of ours writes
  bool one_unit = false;
  bool dictionary = false;
  std::string extension = {};
};
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {"plain", "none"},
      {"gzip", "gzip"},
      {"gzip-one-member", "gzip", true},
      {"lz4", "lz4"},
      {"lz4-one-frame", "lz4", true},
      {"zstd", "zstd"},
      {"zstd-dictionary", "zstd", false, true},
      {"zstd-size-prefix", "zstd", false, false, "size-prefix"},
      {"zstd-seek-table", "zstd", false, false, "seek-table"},
      {"bzip2", ""},
      {"xz", ""},
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
  return shape.extension.empty() && !shape.codec.empty() && shape.name != "lz4-one-frame";
}

std::vector<std::string> blocks_of(const std::vector<WebRecord>& records) {
  std::vector<std::string> blocks;
  std::ranges::transform(records, std::back_inserter(blocks), &WebRecord::block);
  return blocks;
}

Archive in_memory(const std::string& bytes) {
  const ByteView view = as_bytes(bytes);
  auto archive = open_archive(memory_source({view.begin(), view.end()}));
  require(archive.has_value(), "an archive of a row is recognized");
  return *archive;
}

std::string joined(const std::vector<std::string>& units) {
  std::string all;
  for (const std::string& unit : units) {
    all += unit;
  }
  return all;
}

// A dictionary that fits all rows.
const std::string& dictionary() {
  static const std::string bytes = [] {
    std::string plain;
    for (int n = 0; n < 20; ++n) {
      for (const WebRecord& record : web_records(0)) {
        plain += modern_text(record, "1.1");
      }
    }
    const std::vector<Archive> archives = {in_memory(plain)};
    const auto trained = ops::train(archives, {.size = 4096});
    require(trained.has_value(), "a dictionary is made");
    return std::string(as_text(trained->dictionary.bytes()));
  }();
  return bytes;
}

std::string stored(const std::vector<std::string>& units, const Shape& shape) {
  if (shape.codec.empty()) {
    return wrapped(shape.name, joined(units));
  }
  EncodeOptions options;
  options.codec = shape.codec;
  options.one_unit = shape.one_unit;
  options.extension = shape.extension.empty()            ? EncodeOptions::Extension::None
                      : shape.extension == "size-prefix" ? EncodeOptions::Extension::SizePrefix
                                                         : EncodeOptions::Extension::SeekTable;
  if (shape.dictionary) {
    auto parsed = ZstdDictionary::parse(as_bytes(dictionary()));
    require(parsed.has_value(), "the dictionary is one");
    options.dictionary = *parsed;
  }
  TextSink sink;
  const auto encoder = make_encoder(sink, options);
  require(encoder.has_value(), "encoder");
  for (const std::string& unit : units) {
    require((*encoder)->begin_unit(unit.size()) && (*encoder)->write(as_bytes(unit)) &&
                (*encoder)->end_unit(),
            "unit");
  }
  require((*encoder)->finish().has_value(), "finish");
  return std::move(sink.content);
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
      {"arc", "arc/1.1", [=](bool large) { return units_of(arc(large), arc_text); }, arc},
  };
}

WriteOptions write_like(const Shape& shape) {
  WriteOptions write;
  write.describe = false;
  write.original_header = false;
  write.one_unit = shape.one_unit;
  write.extension = shape.extension;
  if (!shape.codec.empty() && shape.codec != "none") {
    write.compression = {shape.codec};
  }
  if (shape.dictionary) {
    write.dictionary = dictionary();
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
      row.bytes = once<std::string>([=] { return stored(dialect.units(large), shape); });
      row.blocks = [=] { return blocks_of(dialect.records(large)); };
      row.to = shape.codec.empty() ? "" : dialect.to;
      row.write = write_like(shape);
    }
  }
  return all;
}

}  // namespace fonds::laws
