#include "format/recordio/rewriting/rewrite_input.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "format/common/progress.hpp"
#include "format/recordio/reading/record_reader.hpp"
#include "format/recordio/reading/transform.hpp"

namespace fonds::recordio {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;

bool entry_reads_alike(const std::string& a, const std::string& b) {
  const std::string_view name = split_transformer(a).name;
  return a == b || (name == split_transformer(b).name && (name == "flate" || name == "zstd"));
}

// Faults that say nothing about the bytes.
bool is_no_damage(const Fault& fault) {
  return fault.code == "unknown-transformer" || fault.code == "limit-exceeded";
}

}  // namespace

bool reads_alike(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::ranges::equal(a, b, [](const std::string& one, const std::string& other) {
    return entry_reads_alike(one, other);
  });
}

RewriteInput::RewriteInput(const Archive& archive, const RewriteOptions& options,
                           std::shared_ptr<ByteSource> source,
                           std::shared_ptr<DecodedSource> decoded)
    : archive_(archive),
      options_(options),
      decoded_(std::move(decoded)),
      source_(source),
      max_block_(reader_options(options.read).max_block),
      max_header_(reader_options(options.read).max_header),
      max_transformers_(reader_options(options.read).max_transformers),
      walk_(std::move(source), {.limits = {.max_block = max_block_}}),
      transformers_(options.read.transformers) {}

Result<std::unique_ptr<RewriteInput>> RewriteInput::open(const Archive& archive,
                                                         const RewriteOptions& options) {
  FONDS_TRY(auto decoded, decoded_source(archive, options.read));
  std::shared_ptr<ByteSource> source = archive.source;
  if (decoded) {
    source = decoded;
  }
  std::unique_ptr<RewriteInput> input(
      new RewriteInput(archive, options, std::move(source), std::move(decoded)));
  FONDS_CHECK(input->begin());
  return input;
}

Status RewriteInput::begin() {
  FONDS_TRY(const ByteView head, walk_.peek(kHead));
  empty_ = head.empty();
  if (empty_) {
    return {};
  }
  Window window(source_);
  if (!window.goes_back()) {
    window = Window(head);
  }
  FONDS_TRY(kind_, recognize_kind(window, max_block_));
  if (kind_ == Kind::None) {
    return fail(ErrorCode::Unsupported, "is no RecordIO: none of its blocks is there",
                {.source = name(), .stored_offset = 0});
  }
  walk_.set_legacy(legacy());
  begun_ = legacy();
  return legacy() ? Status() : meet_header();
}

// A header block may stand behind damage; it counts if no other block comes before it.
Status RewriteInput::meet_header() {
  while (!begun_) {
    FONDS_TRY(const Step met, step());
    if (met != Step::Header) {
      met_.insert(met_.begin(), {met, range_, fault_, walk_damage_});
    }
    if (met == Step::End) {
      break;
    }
  }
  return {};
}

Result<RewriteInput::Step> RewriteInput::next() {
  if (!met_.empty()) {
    Met met = std::move(met_.back());
    met_.pop_back();
    range_ = met.range;
    fault_ = std::move(met.fault);
    walk_damage_ = met.walk_damage;
    return met.step;
  }
  return empty_ ? Step::End : step();
}

Result<RewriteInput::Step> RewriteInput::step() {
  if (options_.read.stop.stop_requested()) {
    return fail(ErrorCode::Cancelled, "stopped");
  }
  tell_progress();
  fault_.reset();
  FONDS_TRY(const BlockWalk::Step step, walk_.next());
  walk_damage_ = step == BlockWalk::Step::Damage;
  switch (step) {
    case BlockWalk::Step::End:
      return Step::End;
    case BlockWalk::Step::Damage:
      range_ = walk_.damage();
      fault_ = walk_.fault();
      if (!begun_) {
        header_state_ = HeaderState::Damaged;
      }
      return Step::Lost;
    case BlockWalk::Step::Block:
      break;
  }
  range_ = walk_.block().stored;
  return walk_.block().kind == StoredBlock::Kind::Header ? take_header() : take_block();
}

void RewriteInput::tell_progress() {
  const std::uint64_t position = decoded_ ? decoded_->stored_position() : walk_.position();
  if (options_.progress && position - std::min(position, told_) >= kProgressStep) {
    told_ = position;
    options_.progress(position);
  }
}

void RewriteInput::lose_header() {
  begun_ = true;
  transformers_ = options_.read.transformers;
  guess_ = transformers_.empty();
}

Result<RewriteInput::Step> RewriteInput::take_header() {
  const bool first = !begun_;
  HeaderList list;
  fault_ = decoder_.parse_header(walk_.block(), {max_header_, max_transformers_}, list);
  if (first) {
    header_state_ = fault_ ? HeaderState::Damaged : HeaderState::Good;
    header_ = list;
  }
  if (fault_) {
    lose_header();
    return Step::Lost;
  }
  begun_ = true;
  transformers_ = std::move(list.transformers);
  guess_ = false;
  if (first) {
    FONDS_TRY(const ByteView stored, walk_.stored());
    header_block_.append(stored);
  }
  return Step::Header;
}

Result<RewriteInput::Step> RewriteInput::take_block() {
  const StoredBlock& block = walk_.block();
  if (!begun_) {
    lose_header();
  }
  fault_ = undo(block);
  // A block that nobody knows how to undo cannot be copied under a header that says it.
  if (fault_ && (guess_ || !is_no_damage(*fault_))) {
    return Step::Lost;
  }
  return block.kind == StoredBlock::Kind::Trailer ? Step::Trailer : Step::Block;
}

std::optional<Fault> RewriteInput::undo(const StoredBlock& block) {
  auto fault =
      decoder_.decode(block, {transformers_, guess_ && !legacy()}, max_block_, content_, items_);
  // Nobody knows what a block that could not be undone was made with but the header.
  block_transformers_ = fault ? transformers_ : decoder_.transformers();
  return fault;
}

std::vector<Finding> RewriteInput::take_source_findings() {
  return decoded_ ? decoded_->take_findings() : std::vector<Finding>();
}

}  // namespace fonds::recordio
