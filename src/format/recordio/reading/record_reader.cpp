#include "format/recordio/reading/record_reader.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

namespace fonds::recordio {

ReaderOptions reader_options(const ReadOptions& options) {
  ReaderOptions read;
  read.memory_budget = options.memory_budget;
  read.max_block = options.memory_budget / 2;  // the default budget gives the default limit
  read.max_header = std::min(read.max_header, options.memory_budget / 2);
  read.max_trailer = options.memory_budget / 2;
  read.concatenated = options.concatenated;
  read.transformers = options.transformers;
  read.behind_trailer = options.search_damaged;
  return read;
}

Result<std::shared_ptr<DecodedSource>> decoded_source(const Archive& archive,
                                                      const ReadOptions& options) {
  if (archive.codec().name() == "none") {
    return std::shared_ptr<DecodedSource>();
  }
  FONDS_TRY(auto decoder, open_decoder(archive, decode_options(options)));
  return std::make_shared<DecodedSource>(std::move(decoder), archive.source->name());
}

void ItemRecord::describe(AttributeSink& out, bool /*with_headers*/) const {
  out.number("block", place.unit);
  out.number("item", place.inner);
}

Status ItemReader::next_block() {
  FONDS_TRY(block_, feed_->next());
  over_ = block_ == nullptr;
  // A damaged first block was passed over: the item was in it.
  if (!over_ && first_item_ > 0 && block_->stored.stored.offset == first_block_) {
    block_->items.go_to(first_item_ - 1);
  }
  first_item_ = 0;
  return {};
}

Result<Record*> ItemReader::next() {
  if (error_) {
    return fail(error_->code(), error_->message(), error_->where());
  }
  if (stop_.stop_requested()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  while (!over_) {
    if (block_ != nullptr && block_->items.next()) {
      record_.ordinal = ordinal_++;
      record_.place = {block_->stored.stored.offset, block_->items.number()};
      record_.size = block_->items.size();
      consumed_ = 0;
      return &record_;
    }
    if (const auto status = next_block(); !status) {
      error_.emplace(status.error().code(), status.error().message(), status.error().where());
      return fail(error_->code(), error_->message(), error_->where());
    }
  }
  return nullptr;
}

Result<ByteView> ItemReader::peek_block(std::size_t at_least) {
  Items& items = block_->items;
  ByteView piece = items.piece(consumed_);
  const std::uint64_t wanted = std::min<std::uint64_t>(at_least, items.size() - consumed_);
  if (piece.size() >= wanted) {
    return piece;
  }
  if (wanted > memory_budget_ / 2) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("{} bytes of an item would have to be held, the limit is {}", wanted,
                            memory_budget_ / 2),
                {.stored_offset = record_.place.unit, .ordinal = record_.ordinal});
  }
  joined_.clear();
  while (joined_.size() < wanted) {
    piece = items.piece(consumed_ + joined_.size());
    joined_.append(piece);
  }
  return joined_.view();
}

Result<RecordEnd> ItemReader::finish() {
  RecordEnd end;
  end.length = record_.size;
  if (block_->items.count() == 1) {
    end.stored_length = block_->stored.stored.length;
  }
  return end;
}

std::vector<Finding> ItemReader::take_loose_findings() {
  std::vector<Finding> found = feed_->take_findings();
  if (decoded_) {
    for (Finding& finding : decoded_->take_findings()) {
      found.push_back(std::move(finding));
    }
  }
  return found;
}

}  // namespace fonds::recordio
