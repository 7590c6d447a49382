#include "ops/against.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fonds/formats/clps.hpp>

#include "ops/against_inputs.hpp"
#include "ops/event_source.hpp"
#include "ops/json_difference.hpp"
#include "query/json_scanner.hpp"

namespace fonds::ops {
namespace {

using namespace against;  // NOLINT(google-build-using-namespace)

// {"_unparsed":"…"}
bool keeps_unparsed(std::string_view record) {
  query::JsonScanner scanner(record);
  return scanner.next() == query::JsonToken::BeginObject &&
         scanner.next() == query::JsonToken::Key && scanner.spelled() == "\"_unparsed\"" &&
         scanner.next() == query::JsonToken::String &&
         scanner.next() == query::JsonToken::EndObject;
}

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

  // The next input as bytes; false: there is none.
  Result<bool> open_bytes() {
    if (next_path == paths.size()) {
      return false;
    }
    input = paths[next_path++];
    auto opened = open_bytes_of(input, read);
    if (!opened) {
      return tl::unexpected(std::move(opened.error()).with({.source = input}));
    }
    bytes = std::move(*opened);
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

  // The next document or stretch of all inputs, to be compared with `record`; false: they are over.
  Result<bool> next(InputText& out, std::string_view record) {
    while (true) {
      if (texts != nullptr) {
        texts->expect(record);
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
      auto opened = open_texts(input, read);
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
      FONDS_TRY(const bool more, next(text, record));
      if (!more) {
        report.difference = {{}, 0, archive, number, "the inputs end before this record"};
        return {};
      }
      std::optional<std::string> how;
      if (text.kind != Kind::Other) {
        FONDS_TRY(how, comparer.find(text.text, record));
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
  JsonDifference comparer(loose, state.read.memory_budget / 4);
  FONDS_TRY(const auto records, record_texts(std::move(events), state.read.decode_threads));
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
    FONDS_TRY(const bool more, state.next(text, {}));
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
