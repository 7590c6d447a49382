// Laws of writing records: what was written is read, there and back, at once or bit by bit.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/format.hpp>
#include <fonds/making.hpp>

#include "archives/memory.hpp"
#include "conformance/laws.hpp"
#include "conformance/reading.hpp"
#include "conformance/rows.hpp"
#include "conformance/sites.hpp"
#include "ops/convert.hpp"

namespace fonds::laws {
namespace {

Result<std::string> converted(const Archive& archive, std::string_view to, const ReadOptions& read,
                              const WriteOptions& write) {
  FONDS_TRY(const ops::Target target, ops::parse_target(to));
  TextSink sink;
  ops::ConvertOptions options;
  options.rewrite.read = read;
  options.rewrite.write = write;
  const std::vector<Archive> archives = {archive};
  FONDS_CHECK(ops::convert(archives, target, sink, options));
  return std::move(sink.content);
}

// Records written like those of the row are the same, header and block, and verify.
std::string written_is_read(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  const auto bytes = converted(*archive, row.to, row.read, row.write);
  if (!bytes) {
    return bytes.error().to_string();
  }
  const auto again = in_memory(row, *bytes);
  if (!again) {
    return again.error().to_string();
  }
  std::string complaint =
      difference("written", contents(*again, row.read), contents(*archive, row.read));
  if (complaint.empty()) {
    ops::ScanOptions scan;
    scan.read = row.read;
    const auto errors = errors_of(verified(*again, scan));
    complaint = errors.empty() ? "" : errors.front();
  }
  return complaint;
}

// ---- there and back ----

struct Way {
  std::string rows;  // the beginning of their names
  std::string there, back;
  std::string format;  // of what is between, where it has to be said
};
const std::vector<Way>& ways() {
  static const std::vector<Way> all = {
      {"warc-1.1/", "warc/00.11", "warc/1.1", ""},
      {"warc-1.1/", "warc/1.0", "warc/1.1", ""},
      {"warc-1.0/", "warc/00.11", "warc/1.0", ""},
      {"warc-1.0/", "warc/1.1", "warc/1.0", ""},
      {"warc-0.18/", "warc/1.1", "warc/0.18", ""},
      {"warc-00.11/", "warc/1.1", "warc/00.11", ""},
      {"arc/", "warc/1.1", "arc/1.1", ""},
      {"recordio/", "recordio", "recordio/packed", "recordio"},
      {"recordio/", "recordio/legacy", "recordio", "recordio"},
      {"recordio/", "jsonl", "recordio", "jsonl"},
      {"kv-ir/", "kv-ir/eight-byte", "kv-ir/four-byte", "kv-ir"},
      {"clp-s/0", "kv-ir", "kv-ir", "kv-ir"},
      {"lines/", "recordio", "lines", "recordio"},
      {"lines/", "jsonl", "lines", "jsonl"},
      {"jsonl/", "recordio", "jsonl", "recordio"},
      {"jsonl-events/", "kv-ir", "jsonl", "kv-ir"},
  };
  return all;
}

std::string format_of(std::string_view target) {
  const std::string name(target.substr(0, target.find('/')));
  return name == "arc" || name == "warc" ? "" : name;
}

std::string back_again(const Row& row, Opened& archive, const Way& way) {
  const auto there = converted(*archive, way.there, row.read, {});
  if (!there) {
    return there.error().to_string();
  }
  Row between;
  between.format = way.format;
  const auto middle = in_memory(between, *there);
  if (!middle) {
    return middle.error().to_string();
  }
  const auto back = converted(*middle, way.back, {}, {});
  if (!back) {
    return back.error().to_string();
  }
  Row last;
  last.format = format_of(way.back);
  const auto end = in_memory(last, *back);
  return end ? difference("records", contents(*end), contents(*archive, row.read))
             : end.error().to_string();
}

std::string there_and_back(const Row& row) {
  auto archive = open(row);
  if (!archive) {
    return archive.error().to_string();
  }
  for (const Way& way : ways()) {
    if (row.name.starts_with(way.rows)) {
      if (const std::string complaint = back_again(row, archive, way); !complaint.empty()) {
        return fmt::format("by {} to {}: {}", way.there, way.back, complaint);
      }
    }
  }
  return {};
}

// ---- adding ----

class TextContent final : public ItemContent {
 public:
  explicit TextContent(std::string text) : text_(std::move(text)) {}
  const std::string& name() const override { return name_; }
  std::uint64_t length() const override { return text_.size(); }
  Status read(const std::function<Status(ByteView)>& out) override { return out(as_bytes(text_)); }

 private:
  std::string text_;
  std::string name_ = "item";
};

Status add_items(ItemMaker& maker, int from, int to) {
  for (int n = from; n < to; ++n) {
    TextContent content(
        fmt::format("item {} {}", n, std::string(static_cast<std::size_t>(n) * 90, 'x')));
    NewItem item;
    item.uri = fmt::format("http://example.com/item/{}", n);
    item.content_type = "text/plain";
    item.date = parse_user_date("2024-02-03T04:05:06Z");
    FONDS_CHECK(maker.add(item, content));
  }
  return maker.finish();
}

Result<std::string> made_of_items(const Row& row, int count) {
  FONDS_TRY(const ops::Target target, ops::parse_target(row.to));
  MakeOptions options;
  options.rewrite.write = row.write;
  options.rewrite.write.layout = target.layout;
  TextSink sink;
  if (target.format->writing() == nullptr) {
    return fail(ErrorCode::Unsupported, "the format is not written");
  }
  FONDS_TRY(const auto maker, target.format->writing()->make_items(sink, options));
  FONDS_CHECK(add_items(*maker, 0, count));
  return std::move(sink.content);
}

Result<std::string> added_to(const Row& row, const std::string& bytes, int from, int to) {
  auto archive = open(row, bytes);
  if (!archive) {
    return fail(archive.error().code(), archive.error().message(), archive.error().where());
  }
  TextSink sink;
  FONDS_TRY(const auto maker, archive->format->writing()->append_items(*archive, sink, {}));
  FONDS_CHECK(add_items(*maker, from, to));
  return std::move(sink.content);
}

std::string append_is_write(const Row& row) {
  const auto whole = made_of_items(row, 9);
  const auto part = made_of_items(row, 4);
  if (!whole || !part) {
    return whole ? part.error().to_string() : whole.error().to_string();
  }
  const auto more = added_to(row, *part, 4, 9);
  if (!more) {
    return more.error().to_string();
  }
  const auto at_once = in_memory(row, *whole), appended = in_memory(row, *more);
  if (!at_once || !appended) {
    return "what was written is no archive";
  }
  return difference("record", blocks_but_descriptions(contents(*appended)),
                    blocks_but_descriptions(contents(*at_once)));
}

bool is_written(const Row& row) { return !row.to.empty(); }

bool has_way(const Row& row) {
  return row.blocks && std::ranges::any_of(
                           ways(), [&](const Way& way) { return row.name.starts_with(way.rows); });
}

bool is_added_to(const Row& row) {
  return is_written(row) && !row.to.starts_with("arc") &&
         (row.format.empty() || row.format == "recordio");
}

}  // namespace

std::vector<Law> writing_laws() {
  return {
      {.name = "WrittenIsRead",
       .title = "written = read back",
       .meaning = "Records written in the archive's own format and codec are the same, and verify.",
       .of_damaged = false,
       .is_about = is_written,
       .about = "what fonds writes",
       .complaint = written_is_read},
      {.name = "ThereAndBack",
       .title = "convert there and back is lossless",
       .meaning = "Headers and blocks are the same after a conversion and the way back.",
       .of_damaged = false,
       .is_about = has_way,
       .about = "made archives of formats with a way back",
       .complaint = there_and_back},
      {.name = "AppendIsWrite",
       .title = "append = write at once",
       .meaning = "Items added to an archive give the records that writing all at once gives.",
       .of_damaged = false,
       .is_about = is_added_to,
       .about = "what fonds adds to: WARC, RecordIO",
       .complaint = append_is_write},
  };
}

}  // namespace fonds::laws
