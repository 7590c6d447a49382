// Events as records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/formats/clps.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

#include "format/clps/verifying/verify.hpp"

namespace fonds::clps {

class EventRecord final : public Record {
 public:
  std::string_view format() const override { return "clp-s"; }
  std::string_view kind() const override { return "event"; }
  std::string_view id() const override { return {}; }
  std::optional<Date> date() const override;
  std::span<const Field> fields() const override { return {}; }
  ByteView raw_header() const override { return {}; }
  std::optional<std::uint64_t> length() const override { return json.size(); }
  bool is_json() const override { return true; }
  void describe(AttributeSink& out, bool with_headers) const override;

  std::string_view json;
  std::optional<std::int64_t> time;  // ns since 1970
  std::string_view source;
  std::int32_t schema = 0;
};

// The inputs of an archive whose records can be told apart: without a log order those of several
// cannot.
const std::vector<InputRange>& known_inputs(const Archive& archive);

// Finds the input that a record came from.
class InputIndex {
 public:
  explicit InputIndex(const Archive& archive) : inputs_(&known_inputs(archive)) {}
  const InputRange* find(std::uint64_t log_index) const;

 private:
  const std::vector<InputRange>* inputs_;
};

// An opened archive for readers: what it finds wrong is kept until it is asked for.
struct OpenedArchive {
  std::shared_ptr<Archive> archive;
  std::shared_ptr<std::vector<Finding>> findings;  // guarded by the archive's own lock
};
// Errors: those of Archive::open.
Result<OpenedArchive> open_for_reading(const fonds::Archive& archive, const ReadOptions& options);

// What of the archive these options mean. Errors: NotFound if no input has the name.
Result<RebuildOptions> rebuild_options(const Archive& archive, const ReadOptions& options);

class EventReader final : public RecordReader {
 public:
  static Result<std::unique_ptr<EventReader>> open(OpenedArchive opened,
                                                   const ReadOptions& options);
  Result<Record*> next() override;
  Result<ByteView> peek_block(std::size_t at_least) override;
  void consume_block(std::size_t n) override { consumed_ += n; }
  Result<RecordEnd> finish() override;
  std::vector<Finding> take_loose_findings() override;
  Place end_place() const override { return end_; }
  std::string state() const override { return {}; }
  std::uint64_t stored_position() const override { return position_; }

 private:
  EventReader(OpenedArchive opened, const ReadOptions& options);
  Result<bool> next_line();
  tl::unexpected<Error> fail_again() const;
  // Tells the check of what was lost.
  void watch(std::span<const Finding> findings);

  OpenedArchive opened_;
  InputIndex inputs_;
  std::uint64_t start_, skip_;
  std::optional<std::uint64_t> stop_at_;
  std::string input_;
  std::shared_ptr<ArchiveCheck> check_;  // null: nothing but reading is asked for
  std::vector<std::uint64_t> before_;    // records in front of each table in its stream
  std::unique_ptr<Rebuilder> rebuilder_;
  const Rebuilder::Batch* batch_ = nullptr;
  std::size_t line_ = 0;
  double stored_per_record_ = 0;
  EventRecord record_;
  std::vector<Finding> loose_;
  std::uint64_t ordinal_ = 0, consumed_ = 0, position_ = 0, delivered_ = 0;
  Place end_;
  bool over_ = false;
  std::optional<Error> error_;
};

}  // namespace fonds::clps
