#include "format/recordio/reading/feed.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/core.h>

#include "format/recordio/reading/decode_pool.hpp"

namespace fonds::recordio {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
constexpr std::uint64_t kKeepBehind = std::uint64_t{64} << 20;  // what threads may still decode

void put_text(std::string_view text, Buffer& out) {
  emit_varint(text.size(), out);
  out.append(as_bytes(text));
}

// Takes what put_text() wrote off the front of `from`; nothing if it is not there.
std::optional<std::string> get_text(ByteView& from) {
  const Varint size = parse_varint(from);
  if (size.state != Varint::State::Good || size.value > from.size() - size.length) {
    return std::nullopt;
  }
  std::string text(as_text(from.subspan(size.length, static_cast<std::size_t>(size.value))));
  from = from.subspan(size.length + static_cast<std::size_t>(size.value));
  return text;
}

}  // namespace

Feed::Feed(std::shared_ptr<ByteSource> source, const FeedOptions& options)
    : source_(source),
      options_(options),
      max_block_(std::min(options.read.max_block, options.read.memory_budget / 2)),
      walk_(source, {.start = options.start,
                     .stop_at = options.stop_at,
                     .search_bytes = options.read.search_bytes,
                     .keep_behind = options.read.threads > 1 ? kKeepBehind : 0,
                     .limits = {.max_block = max_block_}}),
      transformation_(std::make_shared<Transformation>(Transformation{options.read.transformers})),
      position_(options.start),
      end_(options.start) {}

Feed::~Feed() = default;

Result<std::unique_ptr<Feed>> Feed::open(std::shared_ptr<ByteSource> source,
                                         const FeedOptions& options) {
  std::unique_ptr<Feed> feed(new Feed(std::move(source), options));
  FONDS_CHECK(feed->begin());
  return feed;
}

Result<Kind> Feed::recognize() {
  Window window(source_);
  if (!window.goes_back()) {
    FONDS_TRY(const ByteView head, walk_.peek(kHead));
    window = Window(head);
  }
  FONDS_TRY(const ByteView magic, window.at(0, kMagicSize));
  first_magic_ = parse_magic(magic);
  return recognize_kind(window, max_block_);
}

Status Feed::begin() {
  if (options_.state.empty() || !set_state(options_.state)) {
    FONDS_TRY(kind_, recognize());
    begun_ = kind_ == Kind::Legacy;
  }
  walk_.set_legacy(kind_ == Kind::Legacy);
  if (!begun_ && options_.start > 0 && source_->random_access()) {
    // Blocks in the middle are understood by the header.
    FeedOptions first = options_;
    first.start = 0;
    first.stop_at.reset();
    first.read.threads = 1;
    FONDS_TRY(const auto beginning, Feed::open(source_, first));
    FONDS_CHECK(beginning->meet_header());
    set_state(beginning->state());
    header_ = beginning->header_;
    first_block_ = beginning->first_block_;
  }
  if (options_.read.threads > 1) {
    pool_ = std::make_unique<DecodePool>(options_.read.threads);
  }
  return {};
}

std::string Feed::state_with(const Transformation& transformation) const {
  Buffer state;
  put_text(kind_ == Kind::Legacy ? "legacy" : "v2", state);
  const unsigned flags = (transformation.guess ? 1U : 0U) | (header_.trailer ? 2U : 0U) |
                         (trailer_seen_ ? 4U : 0U) | (settled_ ? 8U : 0U);
  emit_varint(flags, state);
  for (const std::string& entry : transformation.entries) {
    put_text(entry, state);
  }
  return std::string(as_text(state.view()));
}

bool Feed::set_state(std::string_view state) {
  ByteView rest = as_bytes(state);
  const auto kind = get_text(rest);
  const Varint flags = parse_varint(rest);
  if (!kind || flags.state != Varint::State::Good) {
    return false;
  }
  rest = rest.subspan(flags.length);
  Transformation transformation;
  transformation.guess = (flags.value & 1) != 0;
  while (!rest.empty()) {
    auto entry = get_text(rest);
    if (!entry) {
      return false;
    }
    transformation.entries.push_back(std::move(*entry));
  }
  kind_ = *kind == "legacy" ? Kind::Legacy : Kind::V2;
  header_.trailer = (flags.value & 2) != 0;
  trailer_seen_ = (flags.value & 4) != 0;
  settled_ = (flags.value & 8) != 0;
  transformation_ = std::make_shared<Transformation>(std::move(transformation));
  begun_ = true;
  return true;
}

void Feed::report(std::string_view code, std::string message, std::uint64_t offset) {
  ahead_.push_back(
      make_finding(code, std::move(message), {.source = source_->name(), .stored_offset = offset}));
}

void Feed::report_damage(const Fault& fault, const ByteRange& stored) {
  report(fault.code, fmt::format("{}; {} bytes are left out", fault.message, stored.length),
         stored.offset);
}

void Feed::note_oddities(const StoredBlock& block) {
  if (block.flagged) {
    report("chunk-flag", "flag not zero", block.stored.offset);
  }
  if (block.not_full) {
    report("chunk-not-full", "chunk not full, and not the last of its block", block.stored.offset);
  }
}

// Nothing says how blocks are transformed, unless the caller does.
void Feed::lose_header() {
  begun_ = true;
  transformation_ = std::make_shared<Transformation>(
      Transformation{options_.read.transformers, options_.read.transformers.empty()});
}

// The header block of the file, or of another one that was put behind it.
void Feed::take_header(const StoredBlock& block) {
  const bool second = settled_;
  if (second && !options_.read.concatenated) {
    report("second-header", "magic: another header block, as where two files were put together",
           block.stored.offset);
  }
  if (!second) {
    first_block_ = walk_.position();
  }
  HeaderList list;
  if (const auto fault = decoder_.parse_header(
          block, {options_.read.max_header, options_.read.max_transformers}, list)) {
    report_damage(*fault, block.stored);
    if (!second) {
      header_.entries = std::move(list.entries);
    }
    lose_header();
    return;
  }
  begun_ = true;
  settled_ = true;
  if (list.surplus > 0) {
    report("header-surplus", fmt::format("bytes behind the header entries: {}", list.surplus),
           block.stored.offset);
  }
  if (list.overlong) {
    report("varint-overlong", "overlong varint in the header", block.stored.offset);
  }
  transformation_ = std::make_shared<Transformation>(Transformation{list.transformers});
  if (second) {
    header_.trailer = list.trailer;
    trailer_seen_ = false;
  } else {
    header_ = std::move(list);
  }
}

std::optional<Fault> Feed::decode_trailer(const StoredBlock& block, Items& items, Buffer& content) {
  const std::uint64_t most = std::min(options_.read.max_trailer, max_block_);
  if (block.stored.length > most) {
    return Fault{"limit-exceeded", fmt::format("trailer block of {} bytes, the limit is {}",
                                               block.stored.length, most)};
  }
  return decoder_.decode(block, *transformation_, most, content, items);
}

// True if reading goes on behind it.
Result<bool> Feed::take_trailer(const StoredBlock& block) {
  trailer_seen_ = true;
  if (!header_.trailer) {
    report("trailer-unannounced", "trailer not announced in the header", block.stored.offset);
  }
  Items items;
  Buffer content;
  if (const auto fault = decode_trailer(block, items, content)) {
    report_damage(*fault, block.stored);
  } else if (items.count() != 1) {
    report("trailer-items",
           fmt::format("trailer has {} items: a body block whose magic was hit looks like this",
                       items.count()),
           block.stored.offset);
  }
  FONDS_TRY(const ByteView next, walk_.peek(kMagicSize));
  if (options_.read.concatenated && parse_magic(next) == Magic::Header) {
    return true;  // the next file
  }
  if (next.empty()) {
    return false;
  }
  const bool counted = walk_.size() || !options_.read.behind_trailer;
  FONDS_TRY(const std::uint64_t left, counted ? walk_.bytes_left() : Result<std::uint64_t>(0));
  report("data-behind-trailer",
         counted ? fmt::format("data behind the trailer: {} bytes", left)
                 : std::string("data behind the trailer"),
         walk_.position());
  return options_.read.behind_trailer;
}

Status Feed::at_end() {
  over_ = true;
  end_ = walk_.position();
  FONDS_TRY(const bool nothing_left, walk_.at_end());
  // A reader of the last part that begins behind all blocks has not seen what the others have.
  const bool nothing_here = options_.start > 0 && walk_.position() == options_.start;
  if (nothing_left && header_.trailer && !trailer_seen_ && !nothing_here) {
    report("trailer-missing", "announced trailer missing", walk_.position());
  }
  return {};
}

// Walks to the next body block; false at the end.
Result<bool> Feed::step(FedBlock& block) {
  while (!over_) {
    FONDS_TRY(const BlockWalk::Step step, walk_.next());
    if (step == BlockWalk::Step::End) {
      FONDS_CHECK(at_end());
      break;
    }
    if (step == BlockWalk::Step::Damage) {
      report_damage(walk_.fault(), walk_.damage());
      if (!begun_) {
        lose_header();
        first_block_ = walk_.position();
      }
      continue;
    }
    const StoredBlock& stored = walk_.block();
    note_oddities(stored);
    if (stored.kind == StoredBlock::Kind::Header) {
      take_header(stored);
      continue;
    }
    if (!begun_) {
      report("no-header-block", "no header: the file begins with another block",
             stored.stored.offset);
      lose_header();
      first_block_ = stored.stored.offset;
    }
    if (stored.kind == StoredBlock::Kind::Trailer) {
      FONDS_TRY(const bool more, take_trailer(stored));
      if (!more) {
        over_ = true;
        end_ = walk_.size().value_or(walk_.position());
      }
      continue;
    }
    settled_ = true;
    block.stored = stored;
    block.transformation = transformation_;
    block.position = walk_.position();
    block.before = std::exchange(ahead_, {});
    return true;
  }
  return false;
}

Status Feed::meet_header() {
  // A long block behind the header is not read before it is asked for; of a pipe it comes anyway.
  if (source_->random_access() && !over_) {
    FONDS_TRY(const ByteView head, walk_.peek(kMagicSize));
    if (parse_magic(head) == Magic::Header) {
      FONDS_TRY(const BlockWalk::Step step, walk_.next());
      if (step == BlockWalk::Step::Block) {
        note_oddities(walk_.block());
        take_header(walk_.block());
        return {};
      }
      report_damage(walk_.fault(), walk_.damage());
      lose_header();
      first_block_ = walk_.position();
    }
  }
  auto block = std::make_unique<FedBlock>();
  FONDS_TRY(const bool there, step(*block));
  if (there) {
    met_ = std::move(block);
  }
  return {};
}

// Takes over what was found; true if the block is good.
bool Feed::settle(FedBlock& block) {
  findings_.insert(findings_.end(), std::make_move_iterator(block.before.begin()),
                   std::make_move_iterator(block.before.end()));
  block.before.clear();
  position_ = block.position;
  const auto add = [&](const Fault& fault, std::string message) {
    findings_.push_back(
        make_finding(fault.code, std::move(message),
                     {.source = source_->name(), .stored_offset = block.stored.stored.offset}));
  };
  if (block.fault) {
    add(*block.fault,
        fmt::format("{}; {} bytes are left out", block.fault->message, block.stored.stored.length));
    return false;
  }
  if (block.oddity) {
    add(*block.oddity, block.oddity->message);
  }
  return true;
}

Result<FedBlock*> Feed::next() {
  FONDS_TRY(FedBlock* const block, pool_ ? next_from_pool() : next_here());
  if (block == nullptr) {
    position_ = end_;
    findings_.insert(findings_.end(), std::make_move_iterator(ahead_.begin()),
                     std::make_move_iterator(ahead_.end()));
    ahead_.clear();
  }
  return block;
}

Result<FedBlock*> Feed::next_here() {
  if (!given_) {
    given_ = std::make_unique<FedBlock>();
  }
  while (true) {
    if (met_) {
      given_ = std::move(met_);
    } else {
      FONDS_TRY(const bool there, step(*given_));
      if (!there) {
        return nullptr;
      }
    }
    FedBlock& block = *given_;
    block.fault = decoder_.decode(block.stored, *block.transformation, max_block_, block.content,
                                  block.items);
    block.oddity = decoder_.oddity();
    if (settle(block)) {
      return &block;
    }
  }
}

// Several blocks at once share half of the memory; one that does not fit into its share is decoded
// alone, when its turn has come, with the other half.
Status Feed::fill_pool() {
  while (waiting_.size() < most_waiting()) {
    std::unique_ptr<FedBlock> block;
    if (met_) {
      block = std::move(met_);
    } else {
      if (free_.empty()) {
        free_.push_back(std::make_unique<FedBlock>());
      }
      const auto there = step(*free_.back());
      if (!there) {
        // The blocks before it are given first.
        over_ = true;
        ahead_error_.emplace(there.error().code(), there.error().message(), there.error().where());
      }
      if (!there.value_or(false)) {
        return {};
      }
      block = std::move(free_.back());
      free_.pop_back();
    }
    if (!walk_.mapped()) {
      block->copy.clear();
      for (const ByteView piece : block->stored.pieces) {
        block->copy.append(piece);
      }
      block->stored.pieces.assign(1, block->copy.view());
    }
    block->most = std::min(max_block_, pool_share());
    waiting_.push_back(std::move(block));
    pool_->add(*waiting_.back());
  }
  return {};
}

Result<FedBlock*> Feed::next_from_pool() {
  recycle();
  while (true) {
    FONDS_CHECK(fill_pool());
    if (waiting_.empty() && ahead_error_) {
      return fail(ahead_error_->code(), ahead_error_->message(), ahead_error_->where());
    }
    if (waiting_.empty()) {
      return nullptr;
    }
    given_ = std::move(waiting_.front());
    waiting_.pop_front();
    FedBlock& block = *given_;
    pool_->wait(block);
    if (block.fault && block.fault->code == "limit-exceeded" && block.most < max_block_) {
      block.fault = decoder_.decode(block.stored, *block.transformation, max_block_, block.content,
                                    block.items);
      block.oddity = decoder_.oddity();
    }
    if (settle(block)) {
      return &block;
    }
    recycle();
  }
}

// Keeps a block's memory for the next one, unless it is more than its share.
void Feed::recycle() {
  if (!given_) {
    return;
  }
  for (Buffer* buffer : {&given_->content, &given_->copy}) {
    if (buffer->capacity() > pool_share()) {
      buffer->release();
    }
  }
  free_.push_back(std::move(given_));
}

std::uint64_t Feed::pool_share() const {
  return options_.read.memory_budget / 2 / (most_waiting() + 1);
}
std::size_t Feed::most_waiting() const { return 2 * std::size_t{pool_->threads()} + 1; }

}  // namespace fonds::recordio
