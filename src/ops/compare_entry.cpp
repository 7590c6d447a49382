#include "ops/compare_entry.hpp"

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <utility>

#include "base/text.hpp"
#include "ops/packed_text.hpp"

namespace fonds::ops {
namespace {

// Octets of a warcinfo's block in which is looked for what was converted.
constexpr std::size_t kInfoBlock = 4096;
constexpr std::string_view kConverted = "description: converted from ";

// Attributes as pairs of flat names ("segment.number") and texts.
class Collected final : public AttributeSink {
 public:
  void text(std::string_view name, std::string_view value) override {
    if (in_list_) {
      list_ += list_.empty() ? "" : " ";
      list_ += value;
    } else {
      add(name, value);
    }
  }
  void number(std::string_view name, std::uint64_t value) override {
    text(name, std::to_string(value));
  }
  void begin_object(std::string_view name) override { object_ = std::string(name) + "."; }
  void end_object() override { object_.clear(); }
  void begin_list(std::string_view name) override {
    in_list_ = true;
    list_name_ = name;
    list_.clear();
  }
  void end_list() override {
    in_list_ = false;
    add(list_name_, list_);
  }
  std::string_view get(std::string_view name) const {
    const auto found = std::ranges::find(pairs, name, &std::pair<std::string, std::string>::first);
    return found == pairs.end() ? std::string_view() : std::string_view(found->second);
  }

  std::vector<std::pair<std::string, std::string>> pairs;

 private:
  void add(std::string_view name, std::string_view value) {
    pairs.emplace_back(object_ + std::string(name), value);
  }
  std::string object_, list_, list_name_;
  bool in_list_ = false;
};

template <typename Pairs, typename Name, typename Value>
void put_pairs(std::string& out, const Pairs& pairs, const Name& name, const Value& value) {
  put_number(out, pairs.size());
  for (const auto& pair : pairs) {
    put_text(out, name(pair));
    put_text(out, value(pair));
  }
}

std::string_view field_value(const Record& record, std::string_view name) {
  for (const Field& field : record.fields()) {
    if (equals_ignoring_case(field.name, name)) {
      return field.value;
    }
  }
  return {};
}

// An ARC tells only the scheme; whether the block is a response is seen by its first line. Its
// version block stands in a metadata record elsewhere.
std::string_view type_of(const Record& record, const Collected& attributes) {
  if (record.format() == "arc") {
    if (record.kind() == "warcinfo") {
      return "metadata";
    }
    if (record.kind() == "response" && attributes.get("http.status").empty()) {
      return "resource";
    }
  }
  return record.kind();
}

// What WARC-Original-Header keeps: the dialect, a blank, and octets in Base64.
std::optional<std::string> original_header(const Record& record) {
  const std::string_view kept = field_value(record, "WARC-Original-Header");
  const std::size_t blank = kept.find(' ');
  return blank == kept.npos ? std::nullopt : from_base64(trim(kept.substr(blank + 1)));
}

}  // namespace

EntryKey EntryMaker::key_of(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) {
    put_text(text, part);
  }
  hasher_.update(as_bytes(text));
  const DigestValue digest = hasher_.finish();
  EntryKey key;
  std::copy_n(digest.bytes.begin(), key.size(), key.begin());
  return key;
}

void EntryMaker::describe(const Record& record, Entry& entry) {
  Collected attributes;
  record.describe(attributes, false);
  entry.kind = record.kind();
  entry.id = record.id();
  entry.uri = attributes.get("uri");
  if (!options_.names) {
    entry.content_key = key_of({"item"});
    return;
  }
  const std::string_view date = attributes.get("date");
  if (!entry.id.empty()) {
    entry.id_key = key_of({"id", entry.id});
  }
  if (const std::string_view old = without_brackets(field_value(record, "WARC-Original-ID"));
      !old.empty()) {
    entry.old_id_key = key_of({"id", old});
  }
  if (!entry.uri.empty()) {
    entry.capture_key =
        key_of({"capture", type_of(record, attributes), entry.uri, date.substr(0, 19)});
  }
  // These are completed when the block is read.
  entry.octets_key = key_of({as_text(record.raw_header())});
  if (const auto kept = original_header(record)) {
    entry.origin_key = key_of({*kept});
  }
  entry.content_key =
      key_of({entry.uri, entry.uri.empty() ? std::string_view() : date.substr(0, 19)});
  if (!options_.headers) {
    return;
  }
  std::string& out = entry.header;
  hasher_.update(record.raw_header());
  const DigestValue raw = hasher_.finish();
  put_text(out, record.format());
  put_text(out, attributes.get("version"));
  put_text(out, as_text(ByteView(raw.bytes).first(raw.size)));
  put_number(out, attributes.get("http.status").empty() ? 0 : 1);
  put_pairs(
      out, attributes.pairs, [](const auto& p) { return std::string_view(p.first); },
      [](const auto& p) { return std::string_view(p.second); });
  put_pairs(
      out, record.fields(), [](const Field& f) { return f.name; },
      [](const Field& f) { return f.value; });
}

Status EntryMaker::read_block(RecordReader& reader, const Record& record, Entry& entry) {
  if (record.kind() == "warcinfo") {
    FONDS_TRY(const ByteView shown, reader.peek_block(kInfoBlock));
    const std::string_view info = as_text(shown.first(std::min(shown.size(), kInfoBlock)));
    entry.added = info.starts_with("software: fonds") && info.find(kConverted) != info.npos;
  }
  Hasher block(DigestAlgorithm::Sha256);
  while (true) {
    FONDS_TRY(const ByteView piece, reader.peek_block(1));
    if (piece.empty()) {
      break;
    }
    block.update(piece);
    reader.consume_block(piece.size());
  }
  const DigestValue digest = block.finish();
  std::copy_n(digest.bytes.begin(), entry.digest.size(), entry.digest.begin());
  for (EntryKey* const key : {&entry.content_key, &entry.octets_key, &entry.origin_key}) {
    if (*key != EntryKey{}) {
      *key = key_of({as_text(*key), as_text(entry.digest)});
    }
  }
  return {};
}

Status EntryMaker::take(RecordReader& reader, const Record& record, std::string& out,
                        std::vector<Finding>& findings) {
  Entry entry;
  entry.place = record.place;
  describe(record, entry);
  FONDS_CHECK(read_block(reader, record, entry));
  FONDS_TRY(RecordEnd end, reader.finish());
  entry.length = end.length;
  for (Finding& finding : end.findings) {
    if (finding.severity == Severity::Error) {
      entry.damaged = true;
      entry.damage += entry.damage.empty() ? "" : ",";
      entry.damage += finding.code;
    }
    findings.push_back(std::move(finding));
  }
  put_number(out, entry.place.unit);
  put_number(out, entry.place.inner);
  put_number(out, entry.length ? 1 : 0);
  put_number(out, entry.length.value_or(0));
  put_number(out, (entry.damaged ? 1U : 0U) | (entry.added ? 2U : 0U));
  put_bytes(out, entry.digest);
  put_bytes(out, entry.id_key);
  put_bytes(out, entry.old_id_key);
  put_bytes(out, entry.content_key);
  put_bytes(out, entry.capture_key);
  put_bytes(out, entry.octets_key);
  put_bytes(out, entry.origin_key);
  for (const std::string& text : {entry.kind, entry.id, entry.uri, entry.damage, entry.header}) {
    put_text(out, text);
  }
  return {};
}

Entry read_entry(std::string_view& text) {
  Entry entry;
  entry.place.unit = take_number(text);
  entry.place.inner = take_number(text);
  const bool known = take_number(text) != 0;
  const std::uint64_t length = take_number(text);
  entry.length = known ? std::optional(length) : std::nullopt;
  const std::uint64_t flags = take_number(text);
  entry.damaged = (flags & 1) != 0;
  entry.added = (flags & 2) != 0;
  take_bytes(text, entry.digest);
  take_bytes(text, entry.id_key);
  take_bytes(text, entry.old_id_key);
  take_bytes(text, entry.content_key);
  take_bytes(text, entry.capture_key);
  take_bytes(text, entry.octets_key);
  take_bytes(text, entry.origin_key);
  for (std::string* part : {&entry.kind, &entry.id, &entry.uri, &entry.damage, &entry.header}) {
    *part = take_text(text);
  }
  return entry;
}

}  // namespace fonds::ops
