#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/error_copy.hpp"
#include "format/recordio/reading/grammar.hpp"
#include "format/recordio/reading/transform.hpp"
#include "format/recordio/writing/writer_detail.hpp"

namespace fonds::recordio {

namespace {

constexpr std::uint64_t kDefaultItems = 16384;
constexpr std::uint64_t kMostItems = std::uint64_t{10} << 20;
constexpr std::uint64_t kPackedBytes = std::uint64_t{16} << 20;
// Plain records up to this size go to the sink in one piece.
constexpr std::size_t kSmallRecord = std::size_t{64} << 10;

// Whether the built-in transformers take their arguments, which only writing asks for.
Status check_levels(const std::vector<std::string>& transformers) {
  for (const std::string& entry : transformers) {
    const std::string_view name = split_transformer(entry).name;
    if (name == "flate" || name == "zstd") {
      FONDS_TRY(Stack one, Stack::make(std::span(&entry, 1)));
      Buffer scratch;
      FONDS_CHECK(one.apply({}, scratch));
    }
  }
  return {};
}

Status check_legacy(const WriterOptions& options) {
  if (!options.header.empty()) {
    return fail(ErrorCode::BadArgument, "the legacy layouts have no header entries");
  }
  if (options.trailer) {
    return fail(ErrorCode::BadArgument, "the legacy layouts have no trailer");
  }
  const std::size_t most = options.layout == Layout::LegacyPacked ? 1 : 0;
  if (options.transformers.size() > most) {
    return fail(ErrorCode::BadArgument,
                most == 0
                    ? "the legacy plain layout has no transformers"
                    : fmt::format("the legacy packed layout has at most one transformer, not {}",
                                  options.transformers.size()));
  }
  return {};
}

// The chunks of a header block.
Status make_header(const WriterOptions& options, Buffer& out) {
  std::vector<HeaderEntry> entries;
  entries.reserve(options.transformers.size() + options.header.size() + 1);
  for (const std::string& transformer : options.transformers) {
    entries.push_back({std::string(kTransformerKey), transformer});
  }
  if (options.trailer) {
    entries.push_back({std::string(kTrailerKey), true});
  }
  for (const HeaderEntry& entry : options.header) {
    if (entry.key == kTransformerKey || entry.key == kTrailerKey) {
      return fail(
          ErrorCode::BadArgument,
          fmt::format("the header key {} is reserved: it is made from the options", entry.key));
    }
    entries.push_back(entry);
  }
  emit_header_block(entries, out);
  return {};
}

}  // namespace

struct Writer::State {
  State(ByteSink& to, WriterOptions with, Stack stack)
      : sink(to),
        options(std::move(with)),
        encoder(options.layout, std::move(stack)),
        position(options.start),
        header_written(options.layout != Layout::V2 || options.skip_header),
        quick(options.layout != Layout::LegacyPlain && !options.stored_only) {
    max_items = options.max_items == 0 ? kDefaultItems : std::min(options.max_items, kMostItems);
    max_items += options.go_max_items && options.layout == Layout::V2 ? 1 : 0;
    max_bytes = options.max_block_bytes;
    if (max_bytes == 0) {
      max_bytes = options.layout == Layout::LegacyPacked
                      ? kPackedBytes
                      : std::numeric_limits<std::uint64_t>::max();
    }
    if (options.threads > 1 && encoder.transforms()) {
      pool.emplace(options.layout, options.transformers, options.threads, options.memory_budget,
                   static_cast<bool>(options.on_block));
    }
  }

  // What stands in the way of a further call.
  Status refusal() const {
    if (failure) {
      return tl::unexpected(copy_of(*failure));
    }
    return fail(ErrorCode::BadArgument, "the writer has finished");
  }
  // Runs `work` if nothing stands in the way; its error stays.
  template <typename Work>
  Status run(Work&& work) {
    if (!open) {
      return refusal();
    }
    Status status = guarded(work);
    if (!status) {
      open = quick = false;
      failure = copy_of(status.error());
    }
    return status;
  }

  // Most items: those that begin and close no block and need no new memory.
  bool append_quickly(ByteView item) noexcept {
    return quick && block.count() + 1 < max_items && item.size() < max_bytes - block.items_size() &&
           !(pool && pool->failed()) && block.append_in_place(item);
  }
  Status append(ByteView item);
  Status append_v2(ByteView item);
  Status append_packed(ByteView item);
  Status append_stored(ByteView stored);
  Status finish(std::optional<ByteView> trailer);

  Status write(ByteView stored);
  Status write_header();
  Status write_plain(ByteView header, ByteView payload);
  Status write_block(const BlockForm& stored, const ItemBlock& block);
  Status tell(WrittenBlock written, const ItemBlock& block, std::uint64_t transformed);
  Status close_block();
  Status write_done(bool all);
  Status write_job(const EncoderPool::Jobs::Done& done);
  Status flush() {
    FONDS_CHECK(close_block());
    return write_done(true);
  }

  ByteSink& sink;
  WriterOptions options;
  std::uint64_t max_items = 0, max_bytes = 0;
  ItemBlock block;  // in hand
  BlockEncoder encoder;
  std::optional<EncoderPool> pool;
  Buffer header_block, out;
  std::uint64_t position;
  bool header_written;
  bool quick;  // append() need only look at the block in hand
  bool trailer_written = false;
  bool open = true;
  std::optional<Error> failure;
  std::vector<ByteView> told_items;
  std::vector<ByteRange> told_ranges;
};

Result<Writer> Writer::create(ByteSink& sink, WriterOptions options) {
  std::unique_ptr<State> state;
  const Status status = guarded([&]() -> Status {
    Buffer header_block;
    if (options.layout == Layout::V2) {
      FONDS_CHECK(make_header(options, header_block));
    } else {
      FONDS_CHECK(check_legacy(options));
    }
    Stack stack;
    if (!options.stored_only) {
      FONDS_TRY(stack, Stack::make(options.transformers));
      FONDS_CHECK(check_levels(options.transformers));
    }
    state = std::make_unique<State>(sink, std::move(options), std::move(stack));
    state->header_block = std::move(header_block);
    return {};
  });
  if (!status) {
    const Error& error = status.error();
    // A reader may meet a transformer that nobody knows; a writer was told a wrong name.
    return fail(error.code() == ErrorCode::Unsupported ? ErrorCode::BadArgument : error.code(),
                error.message(), error.where());
  }
  return Writer(std::move(state));
}

Writer::Writer(std::unique_ptr<State> state) : state_(std::move(state)) {}
Writer::Writer(Writer&&) noexcept = default;
Writer& Writer::operator=(Writer&&) noexcept = default;
Writer::~Writer() = default;

Status Writer::append(ByteView item) {
  if (state_->append_quickly(item)) [[likely]] {
    return {};
  }
  return state_->append(item);
}
Status Writer::flush() {
  return state_->run([this] { return state_->flush(); });
}
Status Writer::append_stored(ByteView block) {
  return state_->run([&] { return state_->append_stored(block); });
}
Status Writer::finish(std::optional<ByteView> trailer) {
  return state_->run([&] { return state_->finish(trailer); });
}
std::uint64_t Writer::position() const {
  return state_->position + (state_->header_written ? 0 : state_->header_block.size());
}

// ---- items ----

Status Writer::State::append(ByteView item) {
  if (open && options.layout == Layout::LegacyPacked && item.size() > max_bytes) {
    return fail(
        ErrorCode::LimitExceeded,
        fmt::format("item of {} bytes: a packed block takes at most {}", item.size(), max_bytes));
  }
  return run([&]() -> Status {
    if (trailer_written || options.stored_only) {
      return fail(ErrorCode::BadArgument, trailer_written
                                              ? "an item behind the trailer"
                                              : "an item for a writer of stored blocks only");
    }
    switch (options.layout) {
      case Layout::V2:
        return append_v2(item);
      case Layout::LegacyPacked:
        return append_packed(item);
      case Layout::LegacyPlain:
        out.clear();
        emit_legacy_header(Magic::LegacyPlain, item.size(), out);
        return write_plain(out.view(), item);
    }
    return fail(ErrorCode::Internal, "unknown layout");
  });
}

Status Writer::State::append_v2(ByteView item) {
  block.append(item);
  if (block.count() >= max_items || block.items_size() >= max_bytes) {
    return close_block();
  }
  return pool && pool->failed() ? write_done(true) : Status();
}

Status Writer::State::append_packed(ByteView item) {
  if (block.count() >= max_items || item.size() > max_bytes - block.items_size()) {
    FONDS_CHECK(close_block());
  }
  block.append(item);
  return pool && pool->failed() ? write_done(true) : Status();
}

Status Writer::State::append_stored(ByteView stored) {
  FONDS_CHECK(flush());
  if (trailer_written) {
    return fail(ErrorCode::BadArgument, "a block behind the trailer");
  }
  if (options.layout != Layout::V2) {
    if (!is_legacy_record(stored)) {
      return fail(ErrorCode::BadArgument, "a stored block that is not one legacy record");
    }
    if (parse_magic(stored) == Magic::LegacyPlain) {
      return write_plain(stored.first(kLegacyHeaderSize), stored.subspan(kLegacyHeaderSize));
    }
  } else if (options.trailer && is_v2_block(stored, Magic::Trailer)) {
    FONDS_CHECK(write_header());
    trailer_written = true;
    quick = false;
    return write(stored);
  } else if (!is_v2_block(stored, Magic::Packed)) {
    return fail(ErrorCode::BadArgument, "a stored block that is not the chunks of one body block");
  }
  FONDS_CHECK(write_header());
  const std::uint64_t offset = position;
  FONDS_CHECK(write(stored));
  return options.on_block ? options.on_block({offset, stored.size(), {}, {}}) : Status();
}

Status Writer::State::finish(std::optional<ByteView> trailer) {
  if (trailer && (!options.trailer || trailer_written)) {
    return fail(ErrorCode::BadArgument, trailer_written
                                            ? "a second trailer"
                                            : "a trailer that the header does not promise");
  }
  if (trailer && options.stored_only) {
    return fail(ErrorCode::BadArgument, "a trailer for a writer of stored blocks only");
  }
  FONDS_CHECK(flush());
  FONDS_CHECK(write_header());
  if (trailer) {
    ItemBlock last;
    last.append(*trailer);
    FONDS_TRY(const BlockForm stored, encoder.encode(last, Magic::Trailer, out));
    FONDS_CHECK(write(stored.bytes));
  }
  open = quick = false;
  return {};
}

// ---- blocks ----

Status Writer::State::write(ByteView stored) {
  FONDS_CHECK(sink.write(stored));
  position += stored.size();
  return {};
}

Status Writer::State::write_header() {
  if (!header_written) {
    FONDS_CHECK(write(header_block.view()));
    header_written = true;
    header_block.release();
  }
  return {};
}

Status Writer::State::write_plain(ByteView header, ByteView payload) {
  const std::uint64_t offset = position;
  if (options.on_block) {
    FONDS_CHECK(write(header));
    FONDS_CHECK(
        options.on_block({offset, header.size() + payload.size(), std::span(&payload, 1), {}}));
    return write(payload);
  }
  if (header.data() == out.view().data() && payload.size() <= kSmallRecord) {
    out.append(payload);
    return write(out.view());
  }
  FONDS_CHECK(write(header));
  return write(payload);
}

Status Writer::State::write_block(const BlockForm& stored, const ItemBlock& items) {
  FONDS_CHECK(write_header());
  const std::uint64_t offset = position;
  FONDS_CHECK(write(stored.bytes));
  if (options.on_block) {
    FONDS_CHECK(tell({offset, stored.bytes.size(), {}, {}}, items, stored.transformed));
  }
  if (options.on_flushed && options.layout == Layout::LegacyPacked) {
    return options.on_flushed();
  }
  return {};
}

Status Writer::State::tell(WrittenBlock written, const ItemBlock& items,
                           std::uint64_t transformed) {
  const bool ranges = options.layout == Layout::LegacyPacked && !encoder.transforms();
  told_items.clear();
  told_ranges.clear();
  const ByteView bytes = items.items();
  std::size_t at = 0;
  for (const std::uint64_t size : items.sizes()) {
    told_items.push_back(bytes.subspan(at, static_cast<std::size_t>(size)));
    if (ranges) {
      told_ranges.push_back({at, size});
    }
    at += static_cast<std::size_t>(size);
  }
  if (options.layout == Layout::LegacyPacked && !ranges) {
    told_ranges.push_back({0, transformed});
  }
  written.items = told_items;
  written.in_items_area = told_ranges;
  return options.on_block(written);
}

Status Writer::State::close_block() {
  if (block.empty()) {
    return {};
  }
  if (!pool) {
    FONDS_TRY(const BlockForm stored, encoder.encode(block, Magic::Packed, out));
    FONDS_CHECK(write_block(stored, block));
    block.clear();
    return {};
  }
  while (pool->full(block)) {
    FONDS_CHECK(write_job(pool->front(true)));
  }
  FONDS_CHECK(pool->submit(block));
  return write_done(false);
}

// Writes the blocks that the workers have done, up to the first that is not; with `all` waits for
// them all.
Status Writer::State::write_done(bool all) {
  while (pool) {
    const EncoderPool::Jobs::Done done = pool->front(all);
    if (done.job == nullptr) {
      break;
    }
    FONDS_CHECK(write_job(done));
  }
  return {};
}

// Takes the oldest job from the pool.
Status Writer::State::write_job(const EncoderPool::Jobs::Done& done) {
  if (done.error != nullptr) {
    return tl::unexpected(copy_of(*done.error));
  }
  FONDS_CHECK(write_block({done.job->stored.view(), done.job->transformed}, done.job->block));
  pool->pop();
  return {};
}

}  // namespace fonds::recordio
