// Events as records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

#include "format/kvir/reading/document.hpp"
#include "format/kvir/reading/stream.hpp"

namespace fonds::kvir {

class EventRecord final : public Record {
 public:
  std::string_view format() const override { return "kv-ir"; }
  std::string_view kind() const override { return "event"; }
  std::string_view id() const override { return {}; }
  std::optional<Date> date() const override { return std::nullopt; }
  std::span<const Field> fields() const override { return {}; }
  ByteView raw_header() const override { return {}; }
  std::optional<std::uint64_t> length() const override { return json.size(); }
  bool is_json() const override { return true; }
  void describe(AttributeSink& /*out*/, bool /*with_headers*/) const override {}

  std::string_view json;       // of the user keys
  std::string_view generated;  // of the auto-generated keys; empty if there are none
  const Metadata* metadata = nullptr;
};

// Damage ends the stream: nothing tells where the next event begins, so it is told as a finding
// behind the last event before it.
class StreamReader final : public RecordReader {
 public:
  // Errors: those of EventReader::open; Unsupported for ReadOptions::input.
  static Result<std::unique_ptr<StreamReader>> open(const Archive& archive,
                                                    const ReadOptions& options);

  Result<Record*> next() override;
  Result<ByteView> peek_block(std::size_t at_least) override;
  void consume_block(std::size_t n) override { consumed_ += n; }
  Result<RecordEnd> finish() override;
  std::vector<Finding> take_loose_findings() override;
  Place end_place() const override { return end_; }
  std::string state() const override { return {}; }
  std::uint64_t stored_position() const override { return decoder_->stored_position(); }

  const EventReader& stream() const { return *stream_; }

 private:
  StreamReader(const Archive& archive, const ReadOptions& options);
  Result<Record*> advance();
  Result<Record*> end_with(Error error);
  Status look_behind();
  bool passes_over() const;
  bool render();
  void check_metadata();
  void check_event();
  void tell(std::string_view code, std::string message, const Place& place,
            std::optional<std::uint64_t> ordinal = {});
  tl::unexpected<Error> fail_again() const;

  std::string source_;
  bool plain_;
  ReadOptions options_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<EventReader> stream_;
  std::optional<DocumentWriter> user_, generated_;
  clps::TextBuffer json_, generated_json_;
  EventRecord record_;
  std::vector<Finding> findings_, loose_;
  std::size_t checked_nodes_[2] = {0, 0};
  std::uint64_t ordinal_ = 0;
  std::size_t consumed_ = 0;
  Place end_;
  bool over_ = false;
  std::optional<Error> error_;
};

}  // namespace fonds::kvir
