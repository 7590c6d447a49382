#include "format/clps/format.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <fonds/formats/clps.hpp>

#include "format/clps/facts.hpp"
#include "format/clps/reading/directory.hpp"
#include "format/clps/reading/exact.hpp"
#include "format/clps/reading/record_reader.hpp"
#include "format/clps/reading/sections.hpp"
#include "format/clps/rewriting/rewrite.hpp"

namespace fonds::clps {
namespace {

// Hands what an opened archive has found to a callback.
void tell_all(const OpenedArchive& opened, const std::function<void(const Finding&)>& finding) {
  for (const Finding& found : std::exchange(*opened.findings, {})) {
    finding(found);
  }
}

EventInput event_input(const InputRange& range) {
  EventInput input;
  input.name = range.file_name;
  input.begin = range.begin;
  input.end = range.end;
  const auto properties = nlohmann::json::parse(range.properties, nullptr, false);
  if (properties.is_object()) {
    if (const auto run = properties.find("_archive_creator_id");
        run != properties.end() && run->is_string()) {
      input.run = run->get<std::string>();
    }
    if (const auto part = properties.find("_file_split_number");
        part != properties.end() && part->is_number_unsigned()) {
      input.part = part->get<std::uint64_t>();
    }
  }
  return input;
}

// Gives lines to a sink, telling it of the input of each.
class InputSplitter {
 public:
  InputSplitter(const Archive& archive, const ReadOptions& options, const EventSink& sink)
      : inputs_(known_inputs(archive)), options_(options), sink_(sink) {}

  // False: the sink has enough.
  Result<bool> give(const Rebuilder::Batch& batch) {
    if (!sink_.input && options_.input.empty()) {
      return sink_.lines(batch.text);
    }
    for (std::size_t i = 0; i < batch.lines.size();) {
      const std::size_t place = find(batch.lines[i].log_index);
      std::size_t end = i + 1;
      while (end < batch.lines.size() && find(batch.lines[end].log_index) == place) {
        ++end;
      }
      const bool named = options_.input.empty() ||
                         (place < inputs_.size() && inputs_[place].file_name == options_.input);
      if (named) {
        FONDS_CHECK(come_to(place));
        const std::size_t from = batch.lines[i].begin;
        const std::size_t to = batch.lines[end - 1].begin + batch.lines[end - 1].length + 1;
        FONDS_TRY(const bool more, sink_.lines(batch.text.substr(from, to - from)));
        if (!more) {
          return false;
        }
      }
      i = end;
    }
    return true;
  }

  // Tells of the inputs behind the last event.
  Status finish() {
    while (sink_.input && !options_.stored_order && next_ < inputs_.size()) {
      FONDS_CHECK(tell(next_++));
    }
    return {};
  }

 private:
  std::size_t find(std::uint64_t log_index) const {
    std::size_t place = current_;
    while (place < inputs_.size() && log_index >= inputs_[place].end) {
      ++place;
    }
    if (place < inputs_.size() && log_index >= inputs_[place].begin) {
      return place;
    }
    for (place = 0; place < inputs_.size(); ++place) {
      if (log_index >= inputs_[place].begin && log_index < inputs_[place].end) {
        return place;
      }
    }
    return inputs_.size();
  }

  Status come_to(std::size_t place) {
    if (!sink_.input || (begun_ && place == current_)) {
      return {};
    }
    if (place == inputs_.size()) {
      begun_ = true;
      current_ = place;
      return sink_.input(nullptr);
    }
    while (!options_.stored_order && next_ < place) {
      FONDS_CHECK(tell(next_++));  // without events
    }
    next_ = std::max(next_, place + 1);
    begun_ = true;
    current_ = place;
    return tell(place);
  }

  Status tell(std::size_t place) {
    const InputRange& range = inputs_[place];
    if (!options_.input.empty() && range.file_name != options_.input) {
      return {};
    }
    const EventInput input = event_input(range);
    return sink_.input(&input);
  }

  const std::vector<InputRange>& inputs_;
  const ReadOptions& options_;
  const EventSink& sink_;
  std::size_t current_ = 0, next_ = 0;
  bool begun_ = false;
};

// Gives the inputs as they were, byte for byte.
class OriginalWriter {
 public:
  OriginalWriter(const Archive& archive, const OriginalTexts& texts, const ReadOptions& options,
                 const EventSink& sink)
      : inputs_(archive.metadata().inputs), texts_(texts), options_(options), sink_(sink) {}

  // False: the sink has enough.
  Result<bool> give(const Rebuilder::Batch& batch) {
    for (const Rebuilder::Batch::Line& line : batch.lines) {
      FONDS_CHECK(come_to(line.log_index));
      if (begun_ == 0 || !wanted(inputs_[begun_ - 1])) {
        continue;
      }
      text_ += batch.text.substr(line.begin, line.length);
      // Every input has one text more than records: those in front of them.
      text_ += texts_.gap(line.log_index + begun_);
      if (text_.size() >= kEnough) {
        FONDS_TRY(const bool more, flush());
        if (!more) {
          return false;
        }
      }
    }
    return flush();
  }
  Status finish() {
    while (begun_ < inputs_.size()) {
      FONDS_CHECK(begin_next());
    }
    FONDS_TRY(const bool more, flush());
    static_cast<void>(more);
    return {};
  }

 private:
  static constexpr std::size_t kEnough = std::size_t{1} << 20;

  bool wanted(const InputRange& input) const {
    return options_.input.empty() || input.file_name == options_.input;
  }
  Result<bool> flush() {
    if (text_.empty()) {
      return true;
    }
    FONDS_TRY(const bool more, sink_.lines(text_));
    text_.clear();
    return more;
  }
  Status come_to(std::uint64_t log_index) {
    while (begun_ < inputs_.size() && (begun_ == 0 || log_index >= inputs_[begun_ - 1].end)) {
      FONDS_CHECK(begin_next());
    }
    return {};
  }
  Status begin_next() {
    FONDS_TRY(const bool more, flush());
    static_cast<void>(more);  // the next text tells again
    const InputRange& input = inputs_[begun_];
    if (wanted(input)) {
      if (sink_.input) {
        const EventInput told = event_input(input);
        FONDS_CHECK(sink_.input(&told));
      }
      text_ += texts_.gap(input.begin + begun_);
    }
    ++begun_;
    return {};
  }

  const std::vector<InputRange>& inputs_;
  const OriginalTexts& texts_;
  const ReadOptions& options_;
  const EventSink& sink_;
  std::size_t begun_ = 0;  // inputs
  std::string text_;
};

Result<std::unique_ptr<RecordReader>> open_reader(const fonds::Archive& archive,
                                                  const ReadOptions& options) {
  FONDS_TRY(auto opened, open_for_reading(archive, options));
  FONDS_TRY(auto reader, EventReader::open(std::move(opened), options));
  return std::unique_ptr<RecordReader>(std::move(reader));
}

class ClpsFormat final : public Format {
 public:
  std::string_view name() const override { return "clp-s"; }
  int probe(ByteView head, bool /*whole*/) const override { return starts_archive(head) ? 100 : 0; }
  RecordProbe record_probe() const override { return {}; }
  FormatTraits traits() const override {
    return {.search = true, .events = true, .file_ending = ".clps", .converts_to = "jsonl"};
  }
  std::span<const std::string_view> columns() const override {
    static constexpr std::array<std::string_view, 5> kColumns = {"index", "timestamp", "source",
                                                                 "schema", "length"};
    return kColumns;
  }

  const FormatWriting* writing() const override { return &clps_writing(); }

  Result<std::vector<std::string>> directory_files(
      std::span<const std::string> entries) const override {
    return clps::directory_files(entries);
  }

  std::uint64_t find_start(const fonds::Archive& /*archive*/, std::uint64_t /*from*/,
                           std::uint64_t to) const override {
    return to;  // its threads work inside the archive
  }

  Result<std::unique_ptr<RecordReader>> open(const fonds::Archive& archive,
                                             const ReadOptions& options) const override {
    auto reader = open_reader(archive, options);
    if (!reader && reader.error().code() == ErrorCode::LimitExceeded) {
      return tl::unexpected(std::move(reader.error()).as("limit-exceeded"));
    }
    return reader;
  }

  Status describe(const fonds::Archive& archive, const ReadOptions& options, const Totals* totals,
                  AttributeSink& out,
                  const std::function<void(const Finding&)>& finding) const override {
    if (!archive.source->random_access()) {
      return {};  // a pipe is read only once
    }
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options));
    if (totals == nullptr) {  // else they have been told
      tell_all(opened, finding);
    }
    return describe_archive(*opened.archive, totals != nullptr, out);
  }

  Result<SearchReport> search(const fonds::Archive& archive, const query::Query& query,
                              const SearchOptions& options, const SearchSink& sink) const override {
    std::vector<Finding> findings;  // until something is given, so that none is told twice
    bool given = false;
    SearchSink held = sink;
    held.finding = [&](const Finding& finding) { findings.push_back(finding); };
    const auto tell = [&] {
      for (const Finding& finding : std::exchange(findings, {})) {
        sink.finding(finding);
      }
    };
    held.lines = [&](std::string_view lines) {
      given = true;
      tell();
      return sink.lines(lines);
    };
    SearchOptions with = options;
    if (!archive.source->random_access()) {
      with.threads = 1;  // the streams of a pipe come once, one behind the other
    }
    while (true) {
      FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options.read));
      auto report = clps::search(opened.archive, query, with, held);
      tell_all(opened, held.finding);
      // Several threads hold several streams; one alone may get along with the memory.
      const bool again = !report && report.error().code() == ErrorCode::LimitExceeded && !given &&
                         with.threads > 1 && archive.source->random_access();
      if (!again) {
        tell();
        return report;
      }
      findings.clear();
      with.threads = 1;
    }
  }

  Result<std::vector<EventInput>> event_inputs(const fonds::Archive& archive,
                                               const ReadOptions& options) const override {
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options));
    std::vector<EventInput> inputs;
    for (const InputRange& range : known_inputs(*opened.archive)) {
      inputs.push_back(event_input(range));
    }
    return inputs;
  }

  Status event_fields(const fonds::Archive& archive, const ReadOptions& options,
                      const std::function<Status(const EventField&)>& out,
                      const std::function<void(const Finding&)>& finding) const override {
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options));
    tell_all(opened, finding);
    return list_fields(*opened.archive, out);
  }

  Status write_events(const fonds::Archive& archive, const ReadOptions& options, unsigned threads,
                      const EventSink& sink) const override {
    FONDS_TRY(const OpenedArchive opened, open_for_reading(archive, options));
    tell_all(opened, sink.finding);
    FONDS_TRY(RebuildOptions rebuild, rebuild_options(*opened.archive, options));
    rebuild.threads = threads;
    const bool as_log = !options.stored_order && !options.range && options.start == 0;
    if (as_log && !options.as_json && opened.archive->metadata().originals != nullptr) {
      auto originals = OriginalTexts::read(*opened.archive);
      if (originals) {
        OriginalWriter writer(*opened.archive, **originals, options, sink);
        rebuild.originals = std::move(*originals);
        return write(opened, std::move(rebuild), sink, writer);
      }
      if (originals.error().code() != ErrorCode::Corrupt) {
        return tl::unexpected(std::move(originals.error()));
      }
      sink.finding(make_finding("clps-originals",
                                originals.error().message() + "; the records are given as JSON",
                                originals.error().where()));
    }
    InputSplitter splitter(*opened.archive, options, sink);
    return write(opened, std::move(rebuild), sink, splitter);
  }

 private:
  template <typename Writer>
  static Status write(const OpenedArchive& opened, RebuildOptions rebuild, const EventSink& sink,
                      Writer& writer) {
    FONDS_TRY(const auto rebuilder, Rebuilder::open(opened.archive, std::move(rebuild)));
    while (true) {
      FONDS_TRY(const Rebuilder::Batch* const batch, rebuilder->next());
      tell_all(opened, sink.finding);
      if (batch == nullptr) {
        return writer.finish();
      }
      for (const Finding& found : batch->findings) {
        sink.finding(found);
      }
      FONDS_TRY(const bool more, writer.give(*batch));
      if (!more) {
        return {};
      }
    }
  }
};

}  // namespace

const Format& clps_format() {
  static const ClpsFormat format;
  return format;
}

}  // namespace fonds::clps
