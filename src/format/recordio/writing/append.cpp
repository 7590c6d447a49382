// Where a writer can go on with an existing file.
#include <algorithm>
#include <string>
#include <utility>

#include <fonds/formats/recordio.hpp>

#include "format/recordio/reading/feed.hpp"
#include "format/recordio/reading/later_headers.hpp"
#include "format/recordio/reading/walk.hpp"

namespace fonds::recordio {

Result<AppendPoint> find_append_point(std::shared_ptr<ByteSource> source,
                                      const ReaderOptions& options) {
  if (!source->random_access()) {
    return fail(ErrorCode::Unsupported, "a pipe cannot be gone on with",
                {.source = source->name()});
  }
  FONDS_TRY(const auto feed, Feed::open(source, {.read = options}));
  FONDS_TRY(const bool something, feed->bytes_there());
  if (feed->kind() == Kind::None && something) {
    return fail(ErrorCode::Unsupported, "is no RecordIO: none of its blocks is there",
                {.source = source->name(), .stored_offset = 0});
  }
  FONDS_CHECK(feed->meet_header());
  AppendPoint point;
  point.header = feed->header().entries;
  point.transformers = feed->header().transformers;
  point.trailer_promised = feed->header().trailer;
  const bool legacy = feed->kind() == Kind::Legacy;
  BlockWalk walk(source,
                 {.legacy = legacy,
                  .limits = {.max_block = std::min(options.max_block, options.memory_budget / 2)}});
  LaterHeaders headers;
  bool damaged = false;
  Fault damage;
  std::uint64_t damage_at = 0;
  while (true) {
    FONDS_TRY(const BlockWalk::Step step, walk.next());
    if (step == BlockWalk::Step::End) {
      return point;
    }
    if (step == BlockWalk::Step::Damage) {
      damaged = true;
      damage = walk.fault();
      damage_at = walk.damage().offset;
      continue;
    }
    if (feed->transformation().guess) {
      return fail(ErrorCode::Corrupt,
                  "the header block is damaged or missing; repair the file first",
                  {.source = source->name(), .stored_offset = 0});
    }
    if (damaged || point.has_trailer) {
      // Damage at the very end is cut away; this was not.
      return damaged ? fail(ErrorCode::Corrupt, damage.message + "; repair the file first",
                            {.source = source->name(), .stored_offset = damage_at})
                     : fail(ErrorCode::Corrupt, "data behind the trailer; repair the file first",
                            {.source = source->name(), .stored_offset = point.offset});
    }
    const StoredBlock& block = walk.block();
    if (block.kind == StoredBlock::Kind::Header && block.stored.offset > 0) {
      if (!options.concatenated) {
        return fail(ErrorCode::Corrupt, "another header block; merge or repair the file first",
                    {.source = source->name(), .stored_offset = block.stored.offset});
      }
      FONDS_CHECK(headers.scan_up_to(source, block.stored.offset + 1, options));
      if (const auto* header = headers.before(block.stored.offset); header != nullptr) {
        point.header = header->list.entries;
        point.transformers = header->list.transformers;
        point.trailer_promised = header->list.trailer;
      }
    }
    point.has_trailer = block.kind == StoredBlock::Kind::Trailer;
    if (!point.has_trailer) {
      point.offset = block.stored.offset + block.stored.length;
    }
    if (legacy && block.stored.offset == 0) {
      point.layout =
          block.kind == StoredBlock::Kind::LegacyPlain ? Layout::LegacyPlain : Layout::LegacyPacked;
    }
  }
}

}  // namespace fonds::recordio
