#include "format/kvir/reading/record_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error_copy.hpp"
#include "base/text.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/reading/tree.hpp"

namespace fonds::kvir {
namespace {

constexpr std::string_view kVariablesSchema = "com.yscope.clp.VariablesSchemaV2";
constexpr std::string_view kEncodingMethods = "com.yscope.clp.VariableEncodingMethodsV1";

StreamLimits limits_of(const ReadOptions& options) {
  StreamLimits limits;
  limits.event_bytes = std::min(limits.event_bytes, options.memory_budget / 4);
  limits.tree_bytes = std::min(limits.tree_bytes, options.memory_budget / 4);
  return limits;
}

}  // namespace

StreamReader::StreamReader(const Archive& archive, const ReadOptions& options)
    : source_(archive.source->name()),
      plain_(archive.codecs.size() == 1 && archive.codec().name() == "none"),
      options_(options) {}

Result<std::unique_ptr<StreamReader>> StreamReader::open(const Archive& archive,
                                                         const ReadOptions& options) {
  if (!options.input.empty()) {
    return fail(ErrorCode::Unsupported, "kv-ir streams do not tell what inputs they were made of",
                {.source = archive.source->name()});
  }
  std::unique_ptr<StreamReader> reader(new StreamReader(archive, options));
  FONDS_TRY(reader->decoder_, open_decoder(archive, decode_options(options)));
  auto stream = EventReader::open(*reader->decoder_, limits_of(options));
  if (!stream) {
    Location where = {.source = archive.source->name()};
    if (reader->plain_) {
      where.stored_offset = stream.error().where().decoded_offset;
    }
    return tl::unexpected(std::move(stream.error()).with(std::move(where)).as("kvir-stream"));
  }
  reader->stream_ = std::move(*stream);
  reader->user_.emplace(reader->stream_->user_tree());
  reader->generated_.emplace(reader->stream_->generated_tree());
  reader->record_.metadata = &reader->stream_->metadata();
  if (options.check_all) {
    reader->check_metadata();
  }
  return reader;
}

void StreamReader::tell(std::string_view code, std::string message, const Place& place,
                        std::optional<std::uint64_t> ordinal) {
  Finding finding =
      make_finding(code, std::move(message),
                   {.source = source_, .stored_offset = place.unit, .ordinal = ordinal});
  (ordinal ? findings_ : loose_).push_back(std::move(finding));
}

void StreamReader::check_metadata() {
  const Metadata& metadata = stream_->metadata();
  const auto expect = [this](std::string_view what, std::string_view found,
                             std::string_view expected) {
    if (found != expected) {
      tell("kvir-metadata", fmt::format("{} is '{}', not '{}'", what, found, expected), {});
    }
  };
  expect("VARIABLES_SCHEMA_ID", metadata.variables_schema, kVariablesSchema);
  expect("VARIABLE_ENCODING_METHODS_ID", metadata.encoding_methods, kEncodingMethods);
  for (const auto& [key, value] : metadata.user) {
    if (key.starts_with('_')) {
      tell("kvir-metadata",
           fmt::format("the user's metadata has the key '{}': such keys are the tools' own", key),
           {});
    }
  }
}

void StreamReader::check_event() {
  std::size_t side = 0;
  for (const Tree* const tree : {&stream_->generated_tree(), &stream_->user_tree()}) {
    for (std::size_t& id = checked_nodes_[side++]; id < tree->size(); ++id) {
      const std::string_view key = (*tree)[static_cast<NodeId>(id)].key;
      if (!is_utf8(key)) {
        tell("kvir-utf8", fmt::format("the key of node {} is not UTF-8", id), record_.place,
             ordinal_);
      }
    }
  }
  for (const auto pairs : {stream_->generated(), stream_->user()}) {
    for (const Pair& pair : pairs) {
      if (!is_utf8(pair.value.text)) {
        tell("kvir-utf8", fmt::format("the text of node {} is not UTF-8", pair.node), record_.place,
             ordinal_);
      }
    }
  }
}

tl::unexpected<Error> StreamReader::fail_again() const { return tl::unexpected(copy_of(*error_)); }

Result<Record*> StreamReader::next() {
  if (error_) {
    return fail_again();
  }
  auto record = advance();
  if (!record) {
    error_ = std::move(record.error());
    return fail_again();
  }
  return record;
}

Result<Record*> StreamReader::end_with(Error error) {
  Location where = {.source = source_};
  const std::uint64_t at = error.where().decoded_offset.value_or(stream_->offset());
  where.stored_offset = plain_ ? at : decoder_->place().unit;
  const bool truncated = error.code() == ErrorCode::Truncated;
  if (!truncated && error.code() != ErrorCode::Corrupt) {
    const bool limit = error.code() == ErrorCode::LimitExceeded;
    Error with = std::move(error).with(std::move(where));
    return tl::unexpected(limit ? std::move(with).as("limit-exceeded") : std::move(with));
  }
  loose_.push_back(make_finding(truncated ? "kvir-truncated" : "kvir-stream",
                                fmt::format("{}, at byte {} of the stream; {} events come before",
                                            error.message(), at, stream_->events()),
                                std::move(where)));
  over_ = true;
  end_ = decoder_->place();
  return nullptr;
}

// What stands behind the end mark.
Status StreamReader::look_behind() {
  FONDS_TRY(const ByteView behind, decoder_->peek(1));
  end_ = decoder_->place();
  if (!behind.empty()) {
    tell("kvir-extra-bytes", "bytes follow the mark that ends the stream", end_);
  }
  return {};
}

// Whether the current event is not asked for.
bool StreamReader::passes_over() const {
  const Place& place = stream_->place();
  if (place.unit < options_.start ||
      (place.unit == options_.start && place.inner < options_.start_inner)) {
    return true;
  }
  const std::uint64_t number = stream_->number();
  return options_.range && (number < options_.range->first || number >= options_.range->second);
}

// False: its text is too long; that is told.
bool StreamReader::render() {
  const auto most = static_cast<std::size_t>(options_.memory_budget / 4);
  json_.clear();
  json_.limit(most);
  const std::uint64_t lost = user_->append(stream_->user(), json_);
  generated_json_.clear();
  generated_json_.limit(most);
  if (!stream_->generated().empty()) {
    generated_->append(stream_->generated(), generated_json_);
  }
  if (json_.full() || generated_json_.full()) {
    tell("limit-exceeded",
         fmt::format("event {} has more than {} bytes as JSON; it is left out", stream_->number(),
                     most),
         stream_->place());
    return false;
  }
  if (lost > 0) {
    tell("kvir-float", fmt::format("{} numbers are infinite or none; they are null here", lost),
         stream_->place(), ordinal_);
  }
  return true;
}

Result<Record*> StreamReader::advance() {
  findings_.clear();
  while (!over_) {
    if (options_.stop.stop_requested()) {
      return fail(ErrorCode::Cancelled, "stopped", {.source = source_});
    }
    auto more = stream_->next();
    if (!more) {
      return end_with(std::move(more.error()));
    }
    if (!*more) {
      FONDS_CHECK(look_behind());
      break;
    }
    if (passes_over()) {
      continue;
    }
    record_.place = stream_->place();
    if (options_.stop_at && record_.place.unit >= *options_.stop_at) {
      end_ = record_.place;
      break;
    }
    if (!render()) {
      continue;
    }
    if (options_.check_all) {
      check_event();
    }
    record_.ordinal = ordinal_++;
    record_.json = json_.view();
    record_.generated = generated_json_.view();
    consumed_ = 0;
    return &record_;
  }
  over_ = true;
  return nullptr;
}

Result<ByteView> StreamReader::peek_block(std::size_t /*at_least*/) {
  return as_bytes(record_.json).subspan(std::min(consumed_, record_.json.size()));
}

Result<RecordEnd> StreamReader::finish() {
  RecordEnd end;
  end.length = record_.json.size();
  end.trailing = 1;
  end.closing = "\n";
  end.findings = std::exchange(findings_, {});
  return end;
}

std::vector<Finding> StreamReader::take_loose_findings() {
  std::vector<Finding> all = decoder_->take_findings();
  for (Finding& finding : all) {
    finding.where.source = source_;
  }
  for (Finding& finding : std::exchange(loose_, {})) {
    all.push_back(std::move(finding));
  }
  return all;
}

}  // namespace fonds::kvir
