#include "format/recordio/rewriting/rewrite_output.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {
namespace {

// Records side by side are written so many bytes at a time.
constexpr std::size_t kRecords = std::size_t{1} << 20;
constexpr std::uint64_t kMostItems = std::uint64_t{10} << 20;

// Transformers whose arguments mean nothing for writing still have a name.
std::vector<std::string> without_arguments(std::vector<std::string> entries) {
  for (std::string& entry : entries) {
    const std::string_view name = split_transformer(entry).name;
    if (name == "flate" || name == "zstd") {
      entry = std::string(name);
    }
  }
  return entries;
}

Fault cannot_make(std::string_view what) {
  return {"unknown-transformer",
          fmt::format("unknown transformer in the header of the new file, for which the {} would "
                      "have to be made anew",
                      what)};
}

}  // namespace

Buffer header_block(const std::vector<HeaderEntry>& entries) {
  Buffer block;
  emit_header_block(entries, block);
  return block;
}

Result<RewriteOutput> RewriteOutput::create(ByteSink& sink, const OutputPlan& plan,
                                            const WriteOptions& options, bool by_blocks) {
  RewriteOutput output(sink, plan, options.memory_budget / 4, by_blocks);
  output.start_ = sink.position();
  if (plan.legacy) {
    return output;
  }
  FONDS_CHECK(sink.write(plan.header.view()));
  WriterOptions with;
  with.transformers = plan.transformers;
  with.skip_header = true;
  with.trailer = true;  // if the header has none, nobody puts one
  with.start = plan.header.size();
  with.threads = options.threads;
  with.memory_budget = options.memory_budget;
  if (by_blocks) {
    with.max_items = kMostItems;
    with.max_block_bytes = std::max(with.max_block_bytes, options.memory_budget / 8);
  } else {
    with.max_items = options.block_items.value_or(with.max_items);
    with.max_block_bytes = options.block_bytes.value_or(with.max_block_bytes);
  }
  auto writer = Writer::create(sink, with);
  if (!writer) {
    with.transformers = without_arguments(std::move(with.transformers));
    writer = Writer::create(sink, with);
  }
  output.can_make_ = writer.has_value();
  if (!writer) {
    with.stored_only = true;
    writer = Writer::create(sink, with);
  }
  FONDS_TRY(output.writer_, std::move(writer));
  return output;
}

std::uint64_t RewriteOutput::position() const {
  return writer_ ? writer_->position() : sink_->position() - start_ + records_.size();
}

Result<std::optional<Fault>> RewriteOutput::put_block(RewriteInput& from) {
  if (plan_->legacy) {
    FONDS_CHECK(copy_record(from));
    return std::optional<Fault>();
  }
  if (!from.legacy() && reads_alike(from.transformers(), plan_->transformers)) {
    FONDS_TRY(const ByteView stored, from.stored());
    FONDS_CHECK(put_stored(stored, from.range().offset));
    return std::optional<Fault>();
  }
  if (from.unchecked()) {
    return std::optional(from.fault());
  }
  if (!can_make_) {
    return std::optional(cannot_make("block"));
  }
  return put_items(from.items());
}

Status RewriteOutput::put_stored(ByteView stored, std::uint64_t offset) {
  FONDS_CHECK(writer_->flush());
  moved_ = moved_ || writer_->position() != offset;
  return writer_->append_stored(stored);
}

Result<std::optional<Fault>> RewriteOutput::put_items(Items& items) {
  while (items.next()) {
    if (items.size() > max_item_) {
      return std::optional(
          Fault{"limit-exceeded", fmt::format("item {} of {} bytes cannot be held, the limit is {}",
                                              items.number(), items.size(), max_item_)});
    }
  }
  items.go_to(0);
  for (std::uint64_t left = items.count(); left > 0; --left) {
    FONDS_CHECK(put_item(items.whole()));
    items.next();
  }
  if (by_blocks_) {
    FONDS_CHECK(close_block());
  }
  return std::optional<Fault>();
}

Status RewriteOutput::put_item(ByteView item) {
  moved_ = true;
  return writer_->append(item);
}

Status RewriteOutput::close_block() { return writer_->flush(); }

Status RewriteOutput::copy_record(RewriteInput& from) {
  moved_ = moved_ || position() != from.range().offset;
  FONDS_TRY(const ByteView stored, from.stored());
  const bool beside = !records_.empty() && from.view() &&
                      records_.data() + records_.size() == stored.data() &&
                      records_.size() < kRecords;
  if (beside) {
    records_ = ByteView(records_.data(), records_.size() + stored.size());
    return {};
  }
  FONDS_CHECK(write_records());
  if (from.view()) {
    records_ = stored;
    return {};
  }
  return sink_->write(stored);
}

Status RewriteOutput::write_records() {
  const ByteView records = std::exchange(records_, {});
  return records.empty() ? Status() : sink_->write(records);
}

Result<std::optional<Fault>> RewriteOutput::take_trailer(RewriteInput& from) {
  Trailer taken;
  taken.range = from.range();
  taken.as_it_is = reads_alike(from.transformers(), plan_->transformers);
  if (taken.as_it_is) {
    FONDS_TRY(taken.view, from.stored());
    if (from.view()) {
      taken.mapped = from.archive().source;
    } else {
      taken.bytes.append(taken.view);
      taken.view = taken.bytes.view();
    }
  } else if (from.unchecked()) {
    return std::optional(from.fault());
  } else if (!can_make_ || !from.items().next()) {
    return std::optional(can_make_ ? Fault{"trailer-items", "trailer has 0 items"}
                                   : cannot_make("trailer"));
  } else {
    taken.bytes.append(from.items().whole());
    taken.view = taken.bytes.view();
  }
  trailer_ = std::move(taken);
  return std::optional<Fault>();
}

std::optional<ByteRange> RewriteOutput::trailer() const {
  return trailer_ ? std::optional(trailer_->range) : std::nullopt;
}

Status RewriteOutput::finish() {
  if (!writer_) {
    return write_records();
  }
  if (!trailer_) {
    return writer_->finish();
  }
  if (!trailer_->as_it_is) {
    return writer_->finish(trailer_->view);
  }
  FONDS_CHECK(writer_->append_stored(trailer_->view));
  return writer_->finish();
}

}  // namespace fonds::recordio
