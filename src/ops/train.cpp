#include "ops/train.hpp"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include <fonds/buffer.hpp>

#include "format/common/judge.hpp"

namespace fonds::ops {
namespace {

Status check_level(int level) {
  const auto range = level_range("zstd");
  if (range && (level < range->lowest || level > range->highest)) {
    return fail(ErrorCode::BadArgument, fmt::format("level {} of zstd: {} to {} are possible",
                                                    level, range->lowest, range->highest));
  }
  return {};
}

Status check_size(std::size_t size) {
  if (size < zstd::kLeastDictionary || size > zstd::kMostDictionary) {
    return fail(ErrorCode::BadArgument,
                fmt::format("a dictionary of {} bytes: {} to {} are possible", size,
                            zstd::kLeastDictionary, zstd::kMostDictionary));
  }
  return {};
}

// Gathers samples out of archives.
class Gathering {
 public:
  Gathering(const TrainOptions& options, zstd::DictionarySampler& sampler)
      : options_(options), sampler_(sampler) {}

  Status read(const Archive& archive) {
    ReadOptions read = options_.rewrite.read;
    read.search_damaged = read.search_damaged || options_.rewrite.skip_damaged;
    FONDS_TRY(const auto reader, archive.format->open(archive, read));
    std::uint64_t told = 0;
    while (true) {
      FONDS_TRY(const Record* const record, reader->next());
      FONDS_CHECK(judge(archive, reader->take_loose_findings(), options_.rewrite));
      if (record == nullptr) {
        return {};
      }
      const bool wanted = sampler_.wants_next();
      sample_.clear();
      if (wanted) {
        add(record->raw_header());
        FONDS_CHECK(add_block(*reader));
      }
      FONDS_TRY(RecordEnd end, reader->finish());
      const bool damaged = any_damage(end.findings, options_.rewrite.strict);
      FONDS_CHECK(judge(archive, std::move(end.findings), options_.rewrite));
      if (wanted && !damaged) {
        add(as_bytes(end.closing));
        sampler_.add(sample_.view());
      } else {
        sampler_.pass();
      }
      if (options_.progress && reader->stored_position() > told + (std::uint64_t{1} << 20)) {
        told = reader->stored_position();
        options_.progress(archive, told);
      }
    }
  }

 private:
  void add(ByteView bytes) {
    sample_.append(bytes.first(std::min(bytes.size(), sampler_.most() - sample_.size())));
  }

  Status add_block(RecordReader& reader) {
    while (sample_.size() < sampler_.most()) {
      FONDS_TRY(const ByteView piece, reader.peek_block(1));
      if (piece.empty()) {
        return {};
      }
      add(piece);
      reader.consume_block(piece.size());
    }
    return {};
  }

  const TrainOptions& options_;
  zstd::DictionarySampler& sampler_;
  Buffer sample_;
};

}  // namespace

Result<Trained> train_on(zstd::DictionarySampler& sampler, std::size_t size, int level) {
  FONDS_CHECK(check_level(level));
  const std::uint64_t records = sampler.seen();
  const auto samples = sampler.take();
  FONDS_TRY(ZstdDictionary dictionary, zstd::train_dictionary(samples.training, size, level));
  FONDS_TRY(const zstd::DictionaryTrial trial,
            zstd::judge_dictionary(samples.held_out, dictionary, level, records));
  return Trained{std::move(dictionary), trial};
}

Result<Trained> train(std::span<const Archive> archives, const TrainOptions& options) {
  FONDS_CHECK(check_level(options.level));
  FONDS_CHECK(check_size(options.size));
  zstd::DictionarySampler sampler({.budget = options.sample});
  Gathering gathering(options, sampler);
  for (const Archive& archive : archives) {
    if (const Status status = gathering.read(archive); !status) {
      Location where = status.error().where();
      if (where.source.empty()) {
        where.source = archive.source->name();
      }
      return fail(status.error().code(), status.error().message(), std::move(where));
    }
  }
  auto trained = train_on(sampler, options.size, options.level);
  if (!trained && trained.error().code() == ErrorCode::BadArgument) {
    // Not the options are wrong, but what there is to learn from.
    return fail(ErrorCode::Unsupported, trained.error().message());
  }
  return trained;
}

}  // namespace fonds::ops
