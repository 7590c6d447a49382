// The public reader.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/feed.hpp"
#include "format/recordio/reading/later_headers.hpp"
#include "format/recordio/reading/lookup.hpp"
#include "format/recordio/reading/trailer.hpp"
#include "format/recordio/reading/walk.hpp"

namespace fonds::recordio {
struct Reader::State {
  State(std::shared_ptr<ByteSource> from, ReaderOptions with)
      : source(std::move(from)), options(std::move(with)) {}

  std::shared_ptr<ByteSource> source;
  ReaderOptions options;
  std::unique_ptr<Feed> feed;
  Kind kind = Kind::None;
  std::vector<HeaderEntry> header;
  bool promised = false;
  Transformation transformation;
  FedBlock* block = nullptr;
  ByteView item;
  std::optional<Error> error;
  std::unique_ptr<Lookup> lookup;
  LaterHeaders headers;

  tl::unexpected<Error> again() const {
    return fail(error->code(), error->message(), error->where());
  }
  // Tells findings; the first that ends reading becomes the error.
  Status tell(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
      if (options.on_finding) {
        options.on_finding(finding);
      } else if (finding.severity == Severity::Error) {
        error.emplace(error_code(finding.code), finding.message, finding.where);
        return again();
      }
    }
    return {};
  }
  Status open_feed(const FeedOptions& with) {
    FONDS_TRY(feed, Feed::open(source, with));
    block = nullptr;
    return {};
  }
  Status go_to_part();
  Result<bool> next_block();
  // How the block at `offset` is transformed.
  Result<const Transformation*> governing(std::uint64_t offset) {
    // Where a later header is an error that ends reading, only the first counts.
    if ((options.concatenated || options.on_finding) && kind != Kind::Legacy) {
      FONDS_CHECK(headers.scan_up_to(source, offset, options));
    }
    const LaterHeaders::Header* const later = headers.before(offset);
    return later != nullptr ? &later->transformation : &transformation;
  }
  Lookup& lookups() {
    if (!lookup) {
      lookup = std::make_unique<Lookup>(source, kind == Kind::Legacy, options);
    }
    return *lookup;
  }
};

// A part reaches from the first block at or behind its first chunk to that of the next part.
Status Reader::State::go_to_part() {
  Window window(source);
  if (!window.goes_back() || kind == Kind::Legacy) {
    return fail(ErrorCode::Unsupported, "parts need a v2 file", {.source = source->name()});
  }
  const std::uint64_t first = feed->first_block();
  FONDS_TRY(const std::uint64_t size, window.size());
  const std::uint64_t chunks = size > first ? (size - first - 1) / kChunkSize + 1 : 0;
  __extension__ using Wide = unsigned __int128;
  const auto border = [&](std::uint64_t part) -> Result<std::uint64_t> {
    if (part == 0 || part >= options.parts) {
      return part == 0 ? std::min(first, size) : size;
    }
    const auto chunk = static_cast<std::uint64_t>(Wide{part} * chunks / options.parts);
    // The grid begins with the header block.
    return find_block(window, false, first + chunk * kChunkSize, size, 0, first);
  };
  FeedOptions with{.read = options};
  FONDS_TRY(with.start, border(options.part));
  FONDS_TRY(with.stop_at, border(options.part + 1));
  FONDS_TRY(const Transformation* const by, governing(with.start));
  with.state = feed->state_with(*by);
  if (options.part + 1 == options.parts) {
    with.stop_at.reset();
  }
  return open_feed(with);
}

Result<Reader> Reader::open(std::shared_ptr<ByteSource> source, ReaderOptions options) {
  if (options.parts == 0 || options.part >= options.parts) {
    return fail(ErrorCode::BadArgument,
                fmt::format("there is no part {} of {}", options.part, options.parts),
                {.source = source->name()});
  }
  auto state = std::make_unique<State>(std::move(source), std::move(options));
  FONDS_CHECK(state->open_feed({.read = state->options}));
  Feed& feed = *state->feed;
  state->kind = feed.kind();
  FONDS_TRY(const bool something, feed.bytes_there());
  if (feed.kind() == Kind::None && something) {
    return fail(ErrorCode::Unsupported, "is no RecordIO: none of its blocks is there",
                {.source = state->source->name(), .stored_offset = 0});
  }
  FONDS_CHECK(feed.meet_header());
  if (!state->options.on_finding) {
    FONDS_CHECK(state->tell(feed.header_findings()));
  }
  state->header = feed.header().entries;
  state->promised = feed.header().trailer;
  state->transformation = feed.transformation();
  if (state->options.parts > 1) {
    if (state->options.part == 0 && state->options.on_finding) {
      for (const Finding& finding : feed.header_findings()) {
        if (finding.where.stored_offset.value_or(0) < feed.first_block() ||
            finding.code == "no-header-block") {
          state->options.on_finding(finding);
        }
      }
    }
    FONDS_CHECK(state->go_to_part());
  }
  return Reader(std::move(state));
}

Result<Reader> Reader::open(std::string_view path, ReaderOptions options) {
  FONDS_TRY(auto source, open_source(path));
  return open(std::move(source), std::move(options));
}

Reader::Reader(std::unique_ptr<State> state) : state_(std::move(state)) {}
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;
Reader::~Reader() = default;

Layout Reader::layout() const {
  if (state_->kind != Kind::Legacy) {
    return Layout::V2;
  }
  return state_->feed->first_magic() == Magic::Packed ? Layout::LegacyPacked : Layout::LegacyPlain;
}

std::span<const HeaderEntry> Reader::header() const { return state_->header; }

Result<bool> Reader::State::next_block() {
  auto there = feed->next();
  if (!there) {
    error.emplace(there.error().code(), there.error().message(), there.error().where());
    return again();
  }
  block = nullptr;
  FONDS_CHECK(tell(feed->take_findings()));
  block = *there;
  return block != nullptr;
}

Result<bool> Reader::next() {
  State& state = *state_;
  if (state.error) {
    return state.again();
  }
  while (true) {
    if (state.block != nullptr && state.block->items.next()) {
      Items& items = state.block->items;
      if (items.size() <= state.options.max_item) {
        state.item = items.whole();
        return true;
      }
      FONDS_CHECK(state.tell({make_finding(
          "limit-exceeded",
          fmt::format("item {} of {} bytes, the limit is {}", items.number(), items.size(),
                      state.options.max_item),
          {.source = state.source->name(), .stored_offset = state.block->stored.stored.offset})}));
      continue;
    }
    FONDS_TRY(const bool more, state.next_block());
    if (!more) {
      return false;
    }
  }
}

ByteView Reader::item() const { return state_->item; }

Location Reader::location() const {
  return {state_->block->stored.stored.offset, state_->block->items.number()};
}

Result<ByteView> Reader::get(Location where) {
  FONDS_TRY(const Transformation* const transformation, state_->governing(where.block));
  return state_->lookups().get(where, *transformation);
}

Status Reader::seek(Location where) {
  FONDS_CHECK(get(where));
  State& state = *state_;
  FeedOptions with{.read = state.options};
  with.start = where.block;
  FONDS_TRY(const Transformation* const transformation, state.governing(where.block));
  with.state = state.feed->state_with(*transformation);
  FONDS_CHECK(state.open_feed(with));
  state.error.reset();
  FONDS_TRY(const bool there, state.next_block());
  if (!there || state.block->stored.stored.offset != where.block) {
    state.block = nullptr;
    return fail(ErrorCode::Corrupt, "the block is damaged",
                {.source = state.source->name(), .stored_offset = where.block});
  }
  if (where.item > 0) {
    state.block->items.go_to(where.item - 1);
  }
  return {};
}

Result<Location> Reader::locate(std::uint64_t number) {
  State& state = *state_;
  if (!state.source->random_access()) {
    return fail(ErrorCode::Unsupported, "items of a pipe have no numbers to go back to",
                {.source = state.source->name()});
  }
  ReaderOptions options = state.options;
  options.threads = 1;
  FONDS_TRY(const auto feed, Feed::open(state.source, {.read = options}));
  std::uint64_t before = 0;
  while (true) {
    FONDS_TRY(const FedBlock* const block, feed->next());
    FONDS_CHECK(state.options.on_finding ? Status() : state.tell(feed->take_findings()));
    if (block == nullptr) {
      return fail(ErrorCode::NotFound,
                  fmt::format("there is no item {}, the file has {}", number, before),
                  {.source = state.source->name()});
    }
    if (number - before < block->items.count()) {
      return Location{block->stored.stored.offset, number - before};
    }
    before += block->items.count();
  }
}

Result<std::optional<std::vector<std::byte>>> Reader::trailer() {
  if (state_->kind == Kind::Legacy) {
    return std::optional<std::vector<std::byte>>();
  }
  Buffer out;
  FONDS_TRY(const bool there, read_trailer(state_->source, state_->transformation, state_->promised,
                                           state_->options, out));
  if (!there) {
    return std::optional<std::vector<std::byte>>();
  }
  return std::optional(std::vector<std::byte>(out.view().begin(), out.view().end()));
}

}  // namespace fonds::recordio
