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

#include "campaign/open_row.hpp"
#include "campaign/rows_web.hpp"
#include "campaign/sink.hpp"
#include "codec/testing.hpp"
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
  bool trailer = false;
};

Row recordio_row(const RecordIoRow& wanted) {
  StringSink sink;
  recordio::WriterOptions options;
  options.layout = wanted.layout;
  options.transformers = wanted.transformers;
  options.max_block_bytes = wanted.block_bytes;
  options.trailer = wanted.trailer;
  auto writer = recordio::Writer::create(sink, options);
  require(writer.has_value(), "recordio::Writer::create");
  for (unsigned n = 0; n < 60; ++n) {
    const std::string item =
        fmt::format("item {} ", n) + testing_codec::sample_text(n % 7 == 0   ? 2500
                                                                : n % 5 == 0 ? 0
                                                                             : 20 * n,
                                                                n + 1);
    require(writer->append(as_bytes(item)).has_value(), "recordio::Writer::append");
  }
  const std::string_view trailer = "the trailer";
  const Status done = wanted.trailer ? writer->finish(as_bytes(trailer)) : writer->finish();
  require(done.has_value(), "recordio::Writer::finish");
  Row row;
  row.name = wanted.name;
  row.bytes = std::move(sink.content);
  row.format = "recordio";
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
    StringSink sink;
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
  StringSink sink;
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

Row lines_row() {
  Row row;
  row.name = "lines/plain";
  row.bytes = events();
  row.format = "lines";
  row.named = true;
  row.lines = true;
  row.unknowable = Unknowable::Plain;
  row.repairs = false;
  return row;
}

// ---- companions ----

Row companion_row(const std::string& name, std::string_view type, const std::string& key) {
  Row row;
  row.name = name;
  row.key = key;
  row.archive =
      web_archive("warc-1.1", type == "cdxj" || type == "cdx11" ? "gzip" : "gzip-one", true);
  const auto archive = open_archive(memory_of(row.archive, kCompanionOf));
  require(archive.has_value(), "open_archive");
  StringSink sink;
  ops::IndexOptions options;
  options.spacing = type == "gzidx" ? 32768 : 3000;
  options.id_field = type == "checkpoint" ? "WARC-Record-ID" : "";
  const auto made = ops::make_index(*archive, type, sink, options);
  require(made.has_value(), "make_index" + (made ? "" : " (" + made.error().to_string() + ")"));
  row.bytes = std::move(sink.content);
  return row;
}

}  // namespace

std::vector<RowMaker> row_makers() {
  std::vector<RowMaker> all;
  add_web_rows(all);
  using recordio::Layout;
  const std::vector<RecordIoRow> recordio = {
      {.name = "recordio/v2"},
      {.name = "recordio/v2-trailer", .trailer = true},
      {.name = "recordio/v2-chunks", .block_bytes = 1U << 20U},
      {.name = "recordio/v2-zstd", .transformers = {"zstd"}},
      {.name = "recordio/v2-flate", .transformers = {"flate"}},
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
  add("clp-s/0.5.0", [](const std::string& n) { return clps_row(n, {0, 5, 0}, false); });
  add("clp-s/0.5.0-exact", [](const std::string& n) { return clps_row(n, {0, 5, 0}, true); });
  add("kv-ir/plain", [](const std::string& n) { return kvir_row(n, "four-byte", "none"); });
  add("kv-ir/zstd", [](const std::string& n) { return kvir_row(n, "eight-byte", "zstd"); });
  add("companion/cdxj", [](const std::string& n) { return companion_row(n, "cdxj", "uri"); });
  add("companion/cdx11", [](const std::string& n) { return companion_row(n, "cdx11", "uri"); });
  add("companion/checkpoint",
      [](const std::string& n) { return companion_row(n, "checkpoint", "id"); });
  add("companion/gzidx", [](const std::string& n) { return companion_row(n, "gzidx", "id"); });
  add("lines/plain", [](const std::string&) { return lines_row(); });
  return all;
}

}  // namespace fonds::campaign
