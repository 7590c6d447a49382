// Rows of clp-s archives, KV-IR streams, and text.
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/formats/clps_writing.hpp>

#include "archives/memory.hpp"
#include "archives/stored.hpp"
#include "conformance/rows.hpp"
#include "io/temporary_directory.hpp"
#include "ops/convert.hpp"

namespace fonds::laws {
using testing_archives::memory_of;
using testing_archives::stored_as_one;

namespace {

// Events of several kinds, written as all formats print them; `zeros` ends fractions, since
// archives before 0.4.1 print six digits of them.
std::vector<std::string> events(std::string_view zeros = "") {
  std::vector<std::string> all;
  for (int n = 0; n < 400; ++n) {
    const int level = n * 7 % 5;
    switch (n % 4) {
      case 0:
        all.push_back(fmt::format(
            R"({{"ts":{},"level":"{}","msg":"user u{} logged in from 10.0.{}.{}","ok":{}}})",
            1700000000000 + n * 1001, level == 0 ? "ERROR" : "INFO", n % 13, n % 200, level,
            n % 3 == 0));
        break;
      case 1:
        all.push_back(fmt::format(
            R"({{"ts":{},"msg":"request {} took {}.{:02} ms","status":{},"ctx":{{"id":{},"none":null}}}})",
            1700000000000 + n * 1001, n, n % 90, n % 100, n % 8 == 1 ? 404 : 200, -n));
        break;
      case 2:
        all.push_back(fmt::format(R"({{"ts":{},"text":"{}","tags":["a",{},[true,null]]}})",
                                  1700000000000 + n * 1001,
                                  n % 8 == 2 ? "Größe \\\"\\\\ \\n" : "nothing more", n % 6));
        break;
      default:
        all.push_back(fmt::format(R"({{"ts":{},"value":{}.5{},"big":{}}})",
                                  1700000000000 + n * 1001, n % 17 - 8, zeros,
                                  9007199254740993 + n));
    }
  }
  all.emplace_back("{}");
  return all;
}

std::string lines_of(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) {
    text += item + "\n";
  }
  return text;
}

Archive text_archive(const std::string& text, std::string_view format) {
  auto archive = open_archive(memory_of(text), {.format = format});
  require(archive.has_value(), "text is opened");
  return *archive;
}

// ---- clp-s ----

clps::WrittenArchive clps_archive(clps::Version version, const clps::WriterOptions& like) {
  clps::WriterOptions options = like;
  options.version = version;
  options.creator_id = "00000000-0000-4000-8000-000000000000";
  options.min_table_size = 4096;
  clps::WrittenArchive made;
  options.archive = [&made](clps::WrittenArchive&& archive) {
    made = std::move(archive);
    return Status();
  };
  const std::string text = lines_of(events());
  const auto writer = clps::ArchiveWriter::make(std::move(options));
  require(writer.has_value(), "a clp-s writer");
  require((*writer)->add(memory_of(text), "events.jsonl").has_value(), "clp-s takes events");
  require((*writer)->finish().has_value(), "clp-s is written");
  return made;
}

std::string as_one_file(const clps::WrittenArchive& archive) {
  std::string bytes = archive.head;
  for (const auto& member : archive.members) {
    bytes += as_text(member);
  }
  return bytes;
}

Row& add_clps(std::vector<Row>& all, std::string name, clps::Version version,
              const clps::WriterOptions& options) {
  Row& row = all.emplace_back();
  row.name = "clp-s/" + std::move(name);
  row.format = "clp-s";
  row.bytes = once<std::string>([=] { return as_one_file(clps_archive(version, options)); });
  row.blocks = [=] { return events(version < clps::Version{0, 4, 1} ? "00000" : ""); };
  return row;
}

// The same as a directory, which lives as long as the tests run.
void add_clps_directory(std::vector<Row>& all) {
  Row& row = all.emplace_back();
  row.name = "clp-s/0.5.0-directory";
  row.format = "clp-s";
  row.blocks = [] { return events(); };
  row.directory = [] {
    static const testing_io::TemporaryDirectory parent;
    const std::filesystem::path path = parent.path("archive");
    if (std::filesystem::create_directory(path)) {
      const clps::WrittenArchive archive = clps_archive({0, 5, 0}, {});
      std::ofstream(path / "header", std::ios::binary) << archive.head;
      for (std::size_t i = 0; i < clps::kMembers; ++i) {
        const std::string name(clps::to_string(static_cast<clps::Member>(i)).substr(1));
        std::ofstream(path / name, std::ios::binary) << as_text(archive.members[i]);
      }
    }
    return path;
  };
}

// ---- KV-IR ----

std::string kvir_of(const std::string& to) {
  const std::vector<Archive> archives = {text_archive(lines_of(events()), "lines")};
  const auto target = ops::parse_target(to);
  require(target.has_value(), to);
  TextSink sink;
  const auto report = ops::convert(archives, *target, sink, {});
  require(report.has_value(), "KV-IR is written");
  return std::move(sink.content);
}

void add_kvir(std::vector<Row>& all) {
  for (const char* const layout : {"four-byte", "eight-byte"}) {
    for (const char* const codec : {"none", "zstd", "gzip"}) {
      const std::string to = std::string("kv-ir/") + layout;
      Row& row = all.emplace_back();
      row.name = to + (std::string_view(codec) == "none" ? "" : std::string("-") + codec);
      row.format = "kv-ir";
      row.bytes = once<std::string>([=] { return stored_as_one(kvir_of(to), codec); });
      row.blocks = [] { return events(); };
      row.to = to;
      if (std::string_view(codec) != "none") {
        row.write.compression = {codec};
      }
    }
  }
}

// ---- JSON Lines ----

void add_lines(std::vector<Row>& all) {
  for (const char* const codec : {"none", "gzip", "zstd", "lz4", "bzip2", "xz"}) {
    Row& row = all.emplace_back();
    const bool plain = std::string_view(codec) == "none";
    row.name = std::string("jsonl-events/") + (plain ? "plain" : codec);
    row.format = "jsonl";
    row.bytes = once<std::string>([=] { return stored_as_one(lines_of(events()), codec); });
    row.blocks = [] { return events(); };
    row.to = plain ? "jsonl" : "";
  }
}

}  // namespace

std::vector<Row> event_rows() {
  std::vector<Row> all;
  for (const clps::Version version : clps::writable_versions()) {
    const std::string name = version.to_string();
    add_clps(all, name, version, {});
    add_clps(all, name + "-timestamp", version, {.timestamp_key = "ts"});
    add_clps(all, name + "-arrays", version, {.structurize_arrays = true});
    add_clps(all, name + "-no-order", version, {.log_order = false}).ordered = false;
  }
  add_clps(all, "0.5.0-exact", {0, 5, 0}, {.exact = true});
  add_clps(all, "0.5.0-no-search-data", {0, 5, 0}, {.search_data = false});
  add_clps_directory(all);
  add_kvir(all);
  add_lines(all);
  return all;
}

std::vector<Row> text_rows() {
  std::vector<std::string> items = {"", "one", "a \"quote\", a \\ and a \t", ""};
  for (int n = 0; n < 300; ++n) {
    items.push_back(fmt::format("line {} of the text", n * n));
  }
  std::string jsonl;
  for (const std::string& item : items) {
    std::string quoted;
    for (const char c : item) {
      quoted += c == '"' ? "\\\"" : c == '\\' ? "\\\\" : c == '\t' ? "\\t" : std::string(1, c);
    }
    jsonl += R"({"data":")" + quoted + "\"}\n";
  }
  std::vector<Row> all;
  for (const char* const codec : {"none", "gzip", "zstd", "lz4", "bzip2", "xz"}) {
    for (const bool json : {false, true}) {
      Row& row = all.emplace_back();
      row.format = json ? "jsonl" : "lines";
      row.name = row.format + "/" + (std::string_view(codec) == "none" ? "plain" : codec);
      row.bytes =
          once<std::string>([=] { return stored_as_one(json ? jsonl : lines_of(items), codec); });
      row.blocks = [=] { return items; };
      if (std::string_view(codec) == "none") {
        row.to = row.format;
      }
    }
  }
  return all;
}

}  // namespace fonds::laws
