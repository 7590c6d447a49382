#include "ops/against_inputs.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/record_index.hpp>

#include "base/text.hpp"
#include "codec/decoded_source.hpp"
#include "format/clps/writing/documents.hpp"
#include "format/clps/writing/json_walker.hpp"
#include "format/clps/writing/open_input.hpp"
#include "ops/event_source.hpp"
#include "ops/record_event.hpp"
#include "query/json_scanner.hpp"

namespace fonds::ops::against {
namespace {

Kind kind_of(std::string_view text) {
  query::JsonScanner scanner(text);
  query::JsonToken token = scanner.next();
  if (token != query::JsonToken::BeginObject || !is_utf8(text)) {
    return Kind::Other;
  }
  std::size_t depth = 0, deepest = 0;
  for (; token != query::JsonToken::End; token = scanner.next()) {
    switch (token) {
      case query::JsonToken::BeginObject:
      case query::JsonToken::BeginArray:
        deepest = std::max(deepest, ++depth);
        break;
      case query::JsonToken::EndObject:
      case query::JsonToken::EndArray:
        --depth;
        break;
      case query::JsonToken::Damaged:
        return Kind::Other;
      default:
        break;
    }
  }
  return deepest > clps::writing::kMostDepth ? Kind::Deep : Kind::Event;
}

class TextInput final : public InputTexts {
 public:
  explicit TextInput(std::unique_ptr<clps::DocumentReader> reader) : reader_(std::move(reader)) {}

  Result<bool> next(InputText& out) override {
    while (true) {
      if (cutter_ && cutter_->next(out.text)) {
        const auto at = static_cast<std::uint64_t>(out.text.data() - piece_.text().data());
        out.offset = piece_.offset() + at;
        out.kind = kind_of(out.text);
        return true;
      }
      cutter_.reset();
      FONDS_TRY(const bool more, reader_->next(piece_));
      if (!more) {
        return false;
      }
      if (!piece_.left_out()) {
        cutter_.emplace(piece_);
      } else if (piece_.left_out()->first) {
        out = {.text = {}, .offset = piece_.left_out()->offset};
        return true;
      }
    }
  }

 private:
  std::unique_ptr<clps::DocumentReader> reader_;
  clps::Piece piece_;
  std::optional<clps::DocumentCutter> cutter_;
};

// The records of an archive, one by one.
class RecordTexts final : public InputTexts {
 public:
  static Result<std::unique_ptr<RecordTexts>> open(std::shared_ptr<clps::Archive> archive,
                                                   unsigned threads) {
    std::unique_ptr<RecordTexts> texts(new RecordTexts);
    FONDS_TRY(texts->rebuilder_,
              clps::Rebuilder::open(std::move(archive), {.threads = std::max(threads, 1U)}));
    return texts;
  }

  Result<bool> next(InputText& out) override {
    while (batch_ == nullptr || line_ == batch_->lines.size()) {
      line_ = 0;
      FONDS_TRY(batch_, rebuilder_->next());
      if (batch_ == nullptr) {
        return false;
      }
    }
    const auto& line = batch_->lines[line_++];
    out = {.text = batch_->text.substr(line.begin, line.length),
           .offset = offset_,
           .kind = Kind::Event};
    offset_ += line.length + 1;
    return true;
  }

 private:
  RecordTexts() = default;
  std::unique_ptr<clps::Rebuilder> rebuilder_;
  const clps::Rebuilder::Batch* batch_ = nullptr;
  std::size_t line_ = 0;
  std::uint64_t offset_ = 0;  // in the text of all records
};

// The events of a KV-IR stream.
class StreamTexts final : public InputTexts {
 public:
  static Result<std::unique_ptr<StreamTexts>> open(Archive archive, const ReadOptions& read) {
    std::unique_ptr<StreamTexts> texts(new StreamTexts(std::move(archive)));
    FONDS_TRY(texts->reader_, texts->archive_.format->open(texts->archive_, read));
    return texts;
  }

  Result<bool> next(InputText& out) override {
    FONDS_TRY(const Record* const record, reader_->next());
    if (record == nullptr) {
      return false;
    }
    const auto length = static_cast<std::size_t>(record->length().value_or(0));
    FONDS_TRY(const ByteView text, reader_->peek_block(length));
    out = {.text = as_text(text), .offset = record->place.unit, .kind = Kind::Event};
    return true;
  }

 private:
  explicit StreamTexts(Archive archive) : archive_(std::move(archive)) {}
  Archive archive_;
  std::unique_ptr<RecordReader> reader_;
};

// Those of a text, whatever it is compressed with.
class TextBytes final : public InputBytes {
 public:
  explicit TextBytes(std::unique_ptr<Decoder> decoder) : decoder_(std::move(decoder)) {}

 private:
  Result<std::string_view> peek() override {
    while (true) {
      FONDS_TRY(const ByteView shown, decoder_->peek(1));
      if (!shown.empty()) {
        return as_text(shown);
      }
      FONDS_TRY(const bool more, decoder_->next_run());
      if (!more) {
        return std::string_view();
      }
    }
  }
  void consume(std::size_t n) override { decoder_->consume(n); }

  std::unique_ptr<Decoder> decoder_;
};

// Those of the events of a stream, each on a line.
class StreamBytes final : public InputBytes {
 public:
  explicit StreamBytes(std::unique_ptr<StreamTexts> texts) : texts_(std::move(texts)) {}

 private:
  Result<std::string_view> peek() override {
    if (at_ == line_.size()) {
      InputText event;
      FONDS_TRY(const bool more, texts_->next(event));
      line_ = more ? std::string(event.text) + '\n' : std::string();
      at_ = 0;
    }
    return std::string_view(line_).substr(at_);
  }
  void consume(std::size_t n) override { at_ += n; }

  std::unique_ptr<StreamTexts> texts_;
  std::string line_;
  std::size_t at_ = 0;
};

// The text at the key `archive` of an event; empty if it has none.
std::string archive_of(std::string_view record) {
  query::JsonScanner scanner(record);
  if (scanner.next() != query::JsonToken::BeginObject) {
    return {};
  }
  std::size_t depth = 1;
  bool here = false;
  for (query::JsonToken token = scanner.next();
       depth > 0 && token != query::JsonToken::End && token != query::JsonToken::Damaged;
       token = scanner.next()) {
    if (here && token == query::JsonToken::String) {
      std::string text;
      return std::string(query::unquoted_json(scanner.spelled(), text));
    }
    here = depth == 1 && token == query::JsonToken::Key && scanner.spelled() == "\"archive\"";
    depth = depth + (opens(token) ? 1 : 0) - (closes(token) ? 1 : 0);
  }
  return {};
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The events of a crawl's catalog. An archive may lie elsewhere now: the name in an event may have
// other directories.
class CrawlTexts final : public InputTexts {
 public:
  static Result<std::unique_ptr<CrawlTexts>> open(Archive archive, const ReadOptions& read) {
    std::unique_ptr<CrawlTexts> texts(new CrawlTexts(std::move(archive)));
    FONDS_TRY(texts->reader_, texts->archive_.format->open(texts->archive_, event_reading(read)));
    return texts;
  }

  void expect(std::string_view record) override {
    std::string stored = archive_of(record);
    const std::string& own = archive_.source->name();
    name_ = last_part(stored) == last_part(own) ? std::move(stored) : own;
  }

  Result<bool> next(InputText& out) override {
    FONDS_TRY(const Record* const record, reader_->next());
    if (record == nullptr) {
      return false;
    }
    FONDS_CHECK(events_.look(*reader_, *record));
    const std::uint64_t offset = record->place.unit;
    FONDS_TRY(const RecordEnd end, reader_->finish());
    event_.clear();
    events_.append(event_, name_, *record, end);
    text_ = event_.render(0);
    out = {.text = trim(text_), .offset = offset, .kind = Kind::Event};
    return true;
  }

 private:
  explicit CrawlTexts(Archive archive)
      : archive_(std::move(archive)), name_(archive_.source->name()), events_(*archive_.format) {}
  Archive archive_;
  std::string name_;
  RecordEvents events_;
  std::unique_ptr<RecordReader> reader_;
  Stretch event_;
  std::string text_;
};

}  // namespace

Result<std::shared_ptr<clps::Archive>> open_events(const Archive& archive,
                                                   const ReadOptions& read) {
  std::shared_ptr<ByteSource> source = archive.source;
  if (archive.codecs.size() > 1 || archive.codec().name() != "none") {
    FONDS_TRY(auto decoder, open_decoder(archive, decode_options(read)));
    source = std::make_shared<DecodedSource>(std::move(decoder), archive.source->name());
  }
  return clps::Archive::open(std::move(source), {.read = read});
}

Result<std::unique_ptr<InputTexts>> record_texts(std::shared_ptr<clps::Archive> archive,
                                                 unsigned threads) {
  FONDS_TRY(auto records, RecordTexts::open(std::move(archive), threads));
  return std::unique_ptr<InputTexts>(std::move(records));
}

Result<std::unique_ptr<InputTexts>> open_texts(const std::string& path, const ReadOptions& read) {
  FONDS_TRY(EventSource opened, open_event_source(path));
  if (opened.is("kv-ir")) {
    FONDS_TRY(auto stream, StreamTexts::open(opened.archive(), read));
    return std::unique_ptr<InputTexts>(std::move(stream));
  }
  if (opened.is_crawl()) {
    FONDS_TRY(auto crawl, CrawlTexts::open(opened.archive(), read));
    return std::unique_ptr<InputTexts>(std::move(crawl));
  }
  if (opened.is("clp-s")) {
    FONDS_TRY(auto archive, open_events(opened.archive(), read));
    return record_texts(std::move(archive), read.decode_threads);
  }
  if (opened.format != nullptr) {
    return fail(ErrorCode::Unsupported,
                fmt::format("is {}, which holds no events", opened.format->name()));
  }
  FONDS_TRY(auto decoder, clps::open_input(std::move(opened.source), read));
  return std::unique_ptr<InputTexts>(
      std::make_unique<TextInput>(std::make_unique<clps::DocumentReader>(
          std::move(decoder), path, clps::DocumentOptions{.read = read})));
}

Result<std::unique_ptr<InputBytes>> open_bytes_of(const std::string& path,
                                                  const ReadOptions& read) {
  FONDS_TRY(EventSource opened, open_event_source(path));
  if (opened.is("kv-ir")) {
    FONDS_TRY(auto stream, StreamTexts::open(opened.archive(), read));
    return std::unique_ptr<InputBytes>(std::make_unique<StreamBytes>(std::move(stream)));
  }
  if (opened.format != nullptr) {
    return fail(ErrorCode::Unsupported,
                "is an archive; one that keeps the original bytes is compared with texts");
  }
  FONDS_TRY(auto decoder, clps::open_input(std::move(opened.source), read));
  return std::unique_ptr<InputBytes>(std::make_unique<TextBytes>(std::move(decoder)));
}

}  // namespace fonds::ops::against
