// Archives of records and of events; web archives have a file of their own.
#include "campaign/rows.hpp"

#include <memory>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include <fonds/byte_source.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/clps_writing.hpp>
#include <fonds/formats/recordio.hpp>

#include "archives/beside.hpp"
#include "archives/stored.hpp"
#include "campaign/open_row.hpp"
#include "campaign/rows_web.hpp"
#include "codec/testing.hpp"
#include "format/recordio/writing/writer_test_support.hpp"
#include "io/temporary_directory.hpp"
#include "ops/archive_files.hpp"
#include "ops/convert.hpp"
#include "ops/make_index.hpp"

namespace fonds::campaign {
namespace {

// ---- RecordIO ----

struct RecordIoRow {
  std::string_view name;
  recordio::Layout layout = recordio::Layout::V2;
  std::vector<std::string> transformers = {};
  std::uint64_t block_bytes = 6000;
  std::optional<std::string> trailer = {};
  bool in_gzip = false;
};

Row recordio_row(const RecordIoRow& wanted) {
  recordio::WriterOptions options;
  options.layout = wanted.layout;
  options.transformers = wanted.transformers;
  options.max_block_bytes = wanted.block_bytes;
  std::vector<std::string> items;
  for (unsigned n = 0; n < 60; ++n) {
    const unsigned size = n % 7 == 0 ? 2500 : n % 5 == 0 ? 0 : 20 * n;
    items.push_back(fmt::format("item {} {}", n, testing_codec::sample_text(size, n + 1)));
  }
  Row row;
  row.name = wanted.name;
  row.bytes = recordio::written(items, std::move(options), wanted.trailer);
  row.format = "recordio";
  if (wanted.in_gzip) {
    row.bytes = testing_archives::stored_as_one(row.bytes, "gzip");
    row.region = Region::File;
    return row;
  }
  row.head = wanted.layout == recordio::Layout::V2;
  row.grid = row.head ? 32768 : 0;
  if (wanted.layout == recordio::Layout::LegacyPacked) {
    row.transformers = wanted.transformers;
  }
  if (wanted.layout != recordio::Layout::V2) {
    row.unknowable = Unknowable::Plain;
  }
  return row;
}

// ---- events ----

std::string events() {
  std::string text;
  for (unsigned n = 0; n < 120; ++n) {
    const std::string words = testing_codec::sample_text(10 + n % 40, n / 3 + 1);
    std::string word;
    for (const char c : words) {
      word += c == '\n' ? ' ' : c;
    }
    text += fmt::format("{{\"t\":{},\"level\":\"{}\",\"n\":{}", 1700000000000 + 1000 * n,
                        n % 4 == 0 ? "WARN" : "INFO", n);
    if (n % 3 == 0) {
      text += fmt::format(",\"service\":{{\"name\":\"s{}\",\"up\":{}}}", n % 7,
                          n % 2 == 0 ? "true" : "false");
    }
    if (n % 5 == 0) {
      text += fmt::format(",\"load\":{}.5,\"tags\":[\"a\",{},null]", n, n);
    }
    text += fmt::format(",\"msg\":\"request {} took {} ms: {}\"}}\n", n, n * 7 % 100, word);
  }
  return text;
}

Row clps_row(const std::string& name, clps::Version version, bool exact) {
  Row row;
  clps::WriterOptions options;
  options.version = version;
  options.exact = exact;
  options.timestamp_key = "t";
  options.min_table_size = 2000;  // several streams
  options.archive = [&row](clps::WrittenArchive&& archive) -> Status {
    TextSink sink;
    FONDS_CHECK(ops::write_single_file(archive, sink));
    row.bytes += sink.content;
    return Status();
  };
  auto writer = clps::ArchiveWriter::make(options);
  require(writer.has_value(), "clps::ArchiveWriter::make");
  require((*writer)->add(memory_of(events()), "log.jsonl").has_value(), "clps::ArchiveWriter::add");
  require((*writer)->finish().has_value(), "clps::ArchiveWriter::finish");
  row.name = name;
  row.format = "clp-s";
  row.region = Region::File;
  row.unknowable = Unknowable::Plain;
  row.repairs = false;
  return row;
}

Row kvir_row(const std::string& name, std::string_view layout, const std::string& codec) {
  const auto lines = open_archive(memory_of(events()), {.format = "lines"});
  require(lines.has_value(), "open_archive");
  const auto target = ops::parse_target(fmt::format("kv-ir/{}", layout));
  require(target.has_value(), "parse_target");
  TextSink sink;
  ops::ConvertOptions options;
  options.rewrite.write.compression = {codec};
  const auto report = ops::convert(std::span(&*lines, 1), *target, sink, options);
  require(report.has_value(), "convert" + (report ? "" : " (" + report.error().to_string() + ")"));
  Row row;
  row.name = name;
  row.bytes = std::move(sink.content);
  row.format = "kv-ir";
  row.region = Region::Behind;
  row.head = true;
  row.repairs = false;
  row.unknowable = Unknowable::Plain;
  return row;
}

// Several lines in each unit.
Row text_row(const std::string& name) {
  constexpr std::size_t kLines = 8;
  const std::string format = name.substr(0, name.find('/'));
  const std::string codec = name.substr(format.size() + 1);
  const std::string text = events();
  std::vector<std::string> units;
  std::size_t lines = 0;
  for (std::string_view rest = text; !rest.empty(); ++lines) {
    const std::size_t end = rest.find('\n') + 1;
    if (lines % kLines == 0) {
      units.emplace_back();
    }
    units.back() += rest.substr(0, end);
    rest.remove_prefix(end);
  }
  Row row;
  row.name = name;
  row.bytes = testing_archives::stored(units, {.codec = codec == "plain" ? "none" : codec});
  row.format = format;
  row.named = format == "lines";
  row.lines = codec == "plain";
  row.whole_lines = format == "lines" && codec != "plain";
  row.unknowable = codec == "plain" ? Unknowable::Plain : Unknowable::Nothing;
  row.repairs = false;
  return row;
}

// ---- companions ----

struct CompanionRow {
  const char* name;
  const char* type;
  const char* key;
  const char* archive = "gzip";  // a codec of web archives, or "recordio"
  bool blocks = false;           // ZipNum: the file of blocks is damaged
};

Row companion_row(const CompanionRow& wanted) {
  const bool web = wanted.archive != std::string_view("recordio");
  Row row;
  row.name = wanted.name;
  Beside& beside = row.beside.emplace();
  beside.key = wanted.key;
  beside.archive_name = web ? "a.warc.gz" : "a.rio";
  beside.archive =
      web ? web_archive("warc-1.1", wanted.archive, true) : recordio_row({.name = "v2"}).bytes;
  const testing_io::TemporaryDirectory directory;
  const std::string path = directory.path(beside.archive_name);
  testing_archives::write_file(path, beside.archive);
  const auto archive = open_archive(path);
  require(archive.has_value(), "open_archive");
  ops::IndexOptions options;
  options.spacing = wanted.type == std::string_view("gzidx") ? 32768 : 3000;
  options.id_field = wanted.type == std::string_view("checkpoint") ? "WARC-Record-ID" : "";
  options.block_lines = 4;
  const auto made = testing_archives::write_index_beside(*archive, path, wanted.type, options);
  require(made.has_value(), "make_index" + (made ? "" : " (" + made.error().to_string() + ")"));
  const std::string index = made->substr(made->rfind('/') + 1);
  const std::string blocks = beside.archive_name + std::string(ops::kZipNumBlocks);
  beside.name = wanted.blocks ? blocks : index;
  beside.opened = web ? index : "";
  if (wanted.type == std::string_view("zipnum")) {
    beside.other_name = wanted.blocks ? index : blocks;
    beside.other = testing_archives::read_file(directory.path(beside.other_name));
  }
  row.bytes = testing_archives::read_file(directory.path(beside.name));
  return row;
}

void add_companion_rows(std::vector<RowMaker>& all) {
  constexpr CompanionRow kRows[] = {
      {.name = "companion/cdxj", .type = "cdxj", .key = "uri"},
      {.name = "companion/cdx9", .type = "cdx9", .key = "uri"},
      {.name = "companion/cdx11", .type = "cdx11", .key = "uri"},
      {.name = "companion/zipnum", .type = "zipnum", .key = "uri"},
      {.name = "companion/zipnum-blocks", .type = "zipnum", .key = "uri", .blocks = true},
      {.name = "companion/checkpoint", .type = "checkpoint", .key = "id", .archive = "gzip-one"},
      {.name = "companion/gzidx", .type = "gzidx", .key = "id", .archive = "gzip-one"},
      {.name = "companion/offsets", .type = "offsets", .key = "index", .archive = "recordio"},
  };
  for (const CompanionRow& wanted : kRows) {
    all.push_back({wanted.name, [wanted] { return companion_row(wanted); }});
  }
}

}  // namespace

std::vector<RowMaker> row_makers() {
  std::vector<RowMaker> all;
  add_web_rows(all);
  using recordio::Layout;
  const std::vector<RecordIoRow> recordio = {
      {.name = "recordio/v2"},
      {.name = "recordio/v2-trailer", .trailer = "the trailer"},
      {.name = "recordio/v2-chunks", .block_bytes = 1U << 20U},
      {.name = "recordio/v2-zstd", .transformers = {"zstd"}},
      {.name = "recordio/v2-flate", .transformers = {"flate"}},
      {.name = "recordio/v2-gzip", .in_gzip = true},
      {.name = "recordio/legacy", .layout = Layout::LegacyPlain},
      {.name = "recordio/packed", .layout = Layout::LegacyPacked},
      {.name = "recordio/packed-zstd", .layout = Layout::LegacyPacked, .transformers = {"zstd"}},
      {.name = "recordio/packed-flate", .layout = Layout::LegacyPacked, .transformers = {"flate"}},
  };
  for (const RecordIoRow& wanted : recordio) {
    all.push_back({std::string(wanted.name), [wanted] { return recordio_row(wanted); }});
  }
  const auto add = [&all](std::string name, auto make) {
    all.push_back({name, [name, make] { return make(name); }});
  };
  add("clp-s/0.3.1", [](const std::string& n) { return clps_row(n, {0, 3, 1}, false); });
  add("clp-s/0.4.1", [](const std::string& n) { return clps_row(n, {0, 4, 1}, false); });
  add("clp-s/0.5.0", [](const std::string& n) { return clps_row(n, {0, 5, 0}, false); });
  add("clp-s/0.5.0-exact", [](const std::string& n) { return clps_row(n, {0, 5, 0}, true); });
  add("kv-ir/plain", [](const std::string& n) { return kvir_row(n, "four-byte", "none"); });
  add("kv-ir/gzip", [](const std::string& n) { return kvir_row(n, "four-byte", "gzip"); });
  add("kv-ir/zstd", [](const std::string& n) { return kvir_row(n, "eight-byte", "zstd"); });
  for (const char* const format : {"lines", "jsonl"}) {
    for (const char* const codec : {"plain", "gzip", "lz4", "zstd", "bzip2", "xz"}) {
      add(fmt::format("{}/{}", format, codec), text_row);
    }
  }
  add_companion_rows(all);
  return all;
}

}  // namespace fonds::campaign
