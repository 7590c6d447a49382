#include "ops/against.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include <fonds/bytes.hpp>
#include <fonds/formats/clps.hpp>

#include "base/text.hpp"
#include "codec/decoded_source.hpp"
#include "format/clps/writing/documents.hpp"
#include "format/clps/writing/json_walker.hpp"
#include "ops/event_source.hpp"
#include "ops/json_difference.hpp"

namespace fonds::ops {
namespace {

enum class Kind : std::uint8_t {
  Event,
  Deep,  // an object that a writer may have refused for its depth
  Other,
};

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

// {"_unparsed":"…"}
bool keeps_unparsed(std::string_view record) {
  query::JsonScanner scanner(record);
  return scanner.next() == query::JsonToken::BeginObject &&
         scanner.next() == query::JsonToken::Key && scanner.spelled() == "\"_unparsed\"" &&
         scanner.next() == query::JsonToken::String &&
         scanner.next() == query::JsonToken::EndObject;
}

// A document, or a stretch that is none.
struct InputText {
  std::string_view text;  // lives until the next one
  std::uint64_t offset = 0;
  Kind kind = Kind::Other;
};

class InputTexts {
 public:
  virtual ~InputTexts() = default;
  virtual Result<bool> next(InputText& out) = 0;
};

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

Result<std::shared_ptr<clps::Archive>> open_events(const Archive& archive,
                                                   const ReadOptions& read) {
  std::shared_ptr<ByteSource> source = archive.source;
  if (archive.codecs.size() > 1 || archive.codec().name() != "none") {
    FONDS_TRY(auto decoder, open_decoder(archive, decode_options(read)));
    source = std::make_shared<DecodedSource>(std::move(decoder), archive.source->name());
  }
  return clps::Archive::open(std::move(source), {.read = read});
}

// The bytes of an input.
class InputBytes {
 public:
  explicit InputBytes(std::unique_ptr<Decoder> decoder) : decoder_(std::move(decoder)) {}

  // Compares what comes next with `text` as far as both reach, and passes over what is equal: so
  // many octets. `over`: the input is.
  Result<std::size_t> match(std::string_view text, bool& over) {
    FONDS_TRY(const ByteView shown, decoder_->peek(1));
    over = shown.empty();
    has_more_ = !over;
    differs_ = false;
    if (over) {
      FONDS_TRY(const bool more, decoder_->next_run());
      over = !more;
      return 0;
    }
    const std::string_view there = as_text(shown).substr(0, text.size());
    const auto differs = std::mismatch(there.begin(), there.end(), text.begin());
    const auto same = static_cast<std::size_t>(differs.first - there.begin());
    decoder_->consume(same);
    offset_ += same;
    differs_ = differs.first != there.end();
    return same;
  }
  bool differs() const { return differs_; }
  bool has_more() const { return has_more_; }
  std::uint64_t offset() const { return offset_; }

 private:
  std::unique_ptr<Decoder> decoder_;
  std::uint64_t offset_ = 0;
  bool differs_ = false, has_more_ = false;
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

}  // namespace

struct Against::State {
  std::vector<std::string> paths;
  ReadOptions read;
  bool listed = false;
  std::size_t next_path = 0;
  std::string input;  // the one at hand
  std::unique_ptr<InputTexts> texts;
  std::unique_ptr<InputBytes> bytes;  // with archives that give back the original bytes
  bool by_bytes = false;
  AgainstReport report;

  Status list() {
    if (!std::exchange(listed, true)) {
      FONDS_TRY(paths, files_below(paths));
    }
    return {};
  }

  Result<std::unique_ptr<InputTexts>> open(const std::string& path) const {
    FONDS_TRY(EventSource opened, open_event_source(path));
    if (opened.is("kv-ir")) {
      FONDS_TRY(auto stream, StreamTexts::open(opened.archive(), read));
      return std::unique_ptr<InputTexts>(std::move(stream));
    }
    if (opened.format != nullptr && !opened.is("clp-s")) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("is {}, which holds no events", opened.format->name()));
    }
    if (opened.format != nullptr) {
      FONDS_TRY(auto archive, open_events(opened.archive(), read));
      FONDS_TRY(auto records, RecordTexts::open(std::move(archive), read.decode_threads));
      return std::unique_ptr<InputTexts>(std::move(records));
    }
    FONDS_TRY(auto decoder, clps::open_input(std::move(opened.source), read));
    return std::unique_ptr<InputTexts>(
        std::make_unique<TextInput>(std::make_unique<clps::DocumentReader>(
            std::move(decoder), path, clps::DocumentOptions{.read = read})));
  }

  // The next input as bytes; false: there is none.
  Result<bool> open_bytes() {
    if (next_path == paths.size()) {
      return false;
    }
    input = paths[next_path++];
    auto opened = open_event_source(input);
    if (opened && opened->format != nullptr) {
      return fail(ErrorCode::Unsupported,
                  "is an archive; one that keeps the original bytes is compared with texts",
                  {.source = input});
    }
    if (!opened) {
      return tl::unexpected(std::move(opened.error()).with({.source = input}));
    }
    auto decoder = clps::open_input(std::move(opened->source), read);
    if (!decoder) {
      return tl::unexpected(std::move(decoder.error()).with({.source = input}));
    }
    bytes = std::make_unique<InputBytes>(std::move(*decoder));
    return true;
  }

  // Compares text of an archive with what comes next of the inputs.
  Status compare_bytes(std::string_view text, const std::string& archive) {
    while (!text.empty() && !report.difference) {
      if (bytes == nullptr) {
        FONDS_TRY(const bool more, open_bytes());
        if (!more) {
          report.difference = {{}, 0, archive, 0, "the inputs end before this archive"};
          break;
        }
      }
      bool over = false;
      auto same = bytes->match(text, over);
      if (!same) {
        return tl::unexpected(std::move(same.error()).with({.source = input}));
      }
      text.remove_prefix(*same);
      if (over) {
        bytes.reset();
      } else if (bytes->differs()) {
        report.difference = {input, bytes->offset(), archive, 0, "the bytes differ from here on"};
      }
    }
    return {};
  }

  // All bytes of an archive.
  Status check_bytes(const Archive& archive, std::uint64_t records) {
    const std::string& name = archive.source->name();
    std::optional<Finding> damage;
    const EventSink sink = {.lines = [&](std::string_view text) -> Result<bool> {
                              FONDS_CHECK(compare_bytes(text, name));
                              return !report.difference;
                            },
                            .finding =
                                [&](const Finding& finding) {
                                  if (finding.severity == Severity::Error && !damage) {
                                    damage = finding;
                                  }
                                }};
    FONDS_CHECK(
        archive.format->write_events(archive, read, std::max(read.decode_threads, 1U), sink));
    if (damage && !report.difference) {
      report.difference = {{}, 0, name, 0, damage->message};
    }
    report.records += report.difference ? 0 : records;
    return {};
  }

  // Nothing more may come of the inputs.
  Status finish_bytes() {
    while (!report.difference) {
      if (bytes == nullptr) {
        FONDS_TRY(const bool more, open_bytes());
        if (!more) {
          return {};
        }
      }
      bool over = false;
      constexpr std::string_view kNothing = {};
      auto same = bytes->match(kNothing, over);
      if (!same) {
        return tl::unexpected(std::move(same.error()).with({.source = input}));
      }
      if (over) {
        bytes.reset();
      } else if (bytes->has_more()) {
        report.difference = {input, bytes->offset(), {}, 0, "the archives end before these bytes"};
      }
    }
    return {};
  }

  // The next document or stretch of all inputs; false: they are over.
  Result<bool> next(InputText& out) {
    while (true) {
      if (texts != nullptr) {
        auto more = texts->next(out);
        if (!more) {
          return tl::unexpected(std::move(more.error()).with({.source = input}));
        }
        if (*more) {
          return true;
        }
        texts.reset();
      }
      if (next_path == paths.size()) {
        return false;
      }
      input = paths[next_path++];
      auto opened = open(input);
      if (!opened) {
        return tl::unexpected(std::move(opened.error()).with({.source = input}));
      }
      texts = std::move(*opened);
    }
  }

  Status compare(std::string_view record, const std::string& archive, std::uint64_t number,
                 JsonDifference& comparer) {
    InputText text;
    while (true) {
      FONDS_TRY(const bool more, next(text));
      if (!more) {
        report.difference = {{}, 0, archive, number, "the inputs end before this record"};
        return {};
      }
      std::optional<std::string> how;
      if (text.kind != Kind::Other) {
        how = comparer.find(text.text, record);
      }
      if (text.kind == Kind::Event && how) {
        report.difference = {input, text.offset, archive, number, std::move(*how)};
        return {};
      }
      const bool same = text.kind != Kind::Other && !how;
      if (same || keeps_unparsed(record)) {
        ++report.records;
        report.unparsed += same ? 0 : 1;
        return {};
      }
      ++report.rejected;
    }
  }
};

Against::Against(std::vector<std::string> paths, ReadOptions read)
    : state_(std::make_unique<State>()) {
  state_->paths = std::move(paths);
  state_->read = std::move(read);
}

Against::~Against() = default;

Status Against::check(const Archive& archive) {
  State& state = *state_;
  FONDS_CHECK(state.list());
  if (state.report.difference) {
    return {};
  }
  FONDS_TRY(auto events, open_events(archive, state.read));
  if (events->tree().log_order() == clps::kNoNode && events->records() > 1) {
    return fail(ErrorCode::Unsupported,
                "does not know the order of its log, so its records cannot be compared with an "
                "input",
                {.source = archive.source->name()});
  }
  if (events->metadata().originals != nullptr && state.texts == nullptr) {
    state.by_bytes = true;
    return state.check_bytes(archive, events->records());
  }
  const auto nodes = events->tree().nodes();
  const bool loose = std::any_of(nodes.begin(), nodes.end(), [](const clps::Node& node) {
    return node.type == clps::NodeType::Float;
  });
  JsonDifference comparer(loose);
  FONDS_TRY(const auto records, RecordTexts::open(std::move(events), state.read.decode_threads));
  InputText record;
  for (std::uint64_t number = 0; !state.report.difference; ++number) {
    FONDS_TRY(const bool more, records->next(record));
    if (!more) {
      return {};
    }
    FONDS_CHECK(state.compare(record.text, archive.source->name(), number, comparer));
  }
  return {};
}

Result<AgainstReport> Against::finish() {
  State& state = *state_;
  FONDS_CHECK(state.list());
  if (state.by_bytes && state.texts == nullptr) {
    FONDS_CHECK(state.finish_bytes());
    return state.report;
  }
  InputText text;
  while (!state.report.difference) {
    FONDS_TRY(const bool more, state.next(text));
    if (!more) {
      break;
    }
    if (text.kind == Kind::Event) {
      state.report.difference = {
          state.input, text.offset, {}, 0, "the archives end before this document"};
    } else {
      ++state.report.rejected;
    }
  }
  return state.report;
}

}  // namespace fonds::ops
