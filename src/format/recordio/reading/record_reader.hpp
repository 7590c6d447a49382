// Items as records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fonds/buffer.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

#include "codec/decoded_source.hpp"
#include "format/recordio/reading/feed.hpp"

namespace fonds::recordio {

class ItemRecord final : public Record {
 public:
  std::string_view format() const override { return "recordio"; }
  std::string_view kind() const override { return "item"; }
  std::string_view id() const override { return {}; }
  std::optional<Date> date() const override { return std::nullopt; }
  std::span<const Field> fields() const override { return {}; }
  ByteView raw_header() const override { return {}; }
  std::optional<std::uint64_t> length() const override { return size; }
  void describe(AttributeSink& out, bool with_headers) const override;

  std::uint64_t size = 0;
};

class ItemReader final : public RecordReader {
 public:
  // `decoded` is the feed's source if the file was compressed as a whole, else nullptr.
  ItemReader(std::unique_ptr<Feed> feed, std::shared_ptr<DecodedSource> decoded,
             const ReadOptions& options)
      : feed_(std::move(feed)),
        decoded_(std::move(decoded)),
        memory_budget_(options.memory_budget),
        first_block_(options.start),
        first_item_(options.start_inner),
        stop_(options.stop) {}

  Result<Record*> next() override;
  Result<ByteView> peek_block(std::size_t at_least) override;
  void consume_block(std::size_t n) override { consumed_ += n; }
  Result<RecordEnd> finish() override;
  std::vector<Finding> take_loose_findings() override;
  Place end_place() const override { return {feed_->position(), 0}; }
  std::string state() const override { return feed_->state(); }
  std::uint64_t stored_position() const override {
    return decoded_ ? decoded_->stored_position() : feed_->position();
  }

 private:
  Status next_block();

  std::unique_ptr<Feed> feed_;
  std::shared_ptr<DecodedSource> decoded_;
  std::uint64_t memory_budget_;
  std::uint64_t first_block_, first_item_;  // where reading begins
  std::stop_token stop_;
  FedBlock* block_ = nullptr;
  ItemRecord record_;
  std::uint64_t ordinal_ = 0;
  std::uint64_t consumed_ = 0;
  bool over_ = false;
  std::optional<Error> error_;
  Buffer joined_;
};

// The decoded bytes of an archive that was compressed as a whole; nullptr if it was not. Errors:
// those of Codec::decode.
Result<std::shared_ptr<DecodedSource>> decoded_source(const Archive& archive,
                                                      const ReadOptions& options);

// The limits and choices that readers of records are given.
ReaderOptions reader_options(const ReadOptions& options);

}  // namespace fonds::recordio
