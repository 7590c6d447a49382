#include "format/recordio/writing/writing.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include <fonds/buffer.hpp>
#include <fonds/bytes.hpp>
#include <fonds/format.hpp>
#include <fonds/formats/recordio.hpp>
#include <fonds/reader.hpp>
#include <fonds/record.hpp>

#include "format/recordio/rewriting/offsets_index.hpp"
#include "format/recordio/rewriting/rewrite.hpp"
#include "format/recordio/writing/writer_detail.hpp"

namespace fonds::recordio {

namespace {

// Blocks up to this size are asked for at once.
constexpr std::size_t kItemPiece = std::size_t{256} << 10;

template <typename Integer>
Result<Value> parse_integer(const WriteOptions::Entry& entry) {
  Integer value = 0;
  const char* const end = entry.value.data() + entry.value.size();
  const auto [stopped, error] = std::from_chars(entry.value.data(), end, value);
  if (error != std::errc() || stopped != end) {
    return fail(ErrorCode::BadArgument,
                fmt::format("header entry {}: {} is no {}", entry.key, entry.value, entry.type));
  }
  return Value(value);
}

Result<Value> parse_value(const WriteOptions::Entry& entry) {
  if (entry.type.empty() || entry.type == "string") {
    return Value(entry.value);
  }
  if (entry.type == "int64") {
    return parse_integer<std::int64_t>(entry);
  }
  if (entry.type == "uint64") {
    return parse_integer<std::uint64_t>(entry);
  }
  if (entry.type != "bool") {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("header entry {}: unknown type {}; known are string, int64, uint64, bool",
                    entry.key, entry.type));
  }
  if (entry.value != "true" && entry.value != "false") {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("header entry {}: {} is no bool; true and false are", entry.key, entry.value));
  }
  return Value(entry.value == "true");
}

// The transformer entries of a list of compressions.
Result<std::vector<std::string>> parse_compression(const WriteOptions& options) {
  std::vector<std::string> transformers;
  bool level_taken = false;
  for (const std::string& compression : options.compression) {
    if (compression == "none") {
      if (options.compression.size() > 1) {
        return fail(ErrorCode::BadArgument, "compression none together with another");
      }
      break;
    }
    if (options.level && (compression == "flate" || compression == "zstd")) {
      transformers.push_back(fmt::format("{} {}", compression, *options.level));
      level_taken = true;
    } else {
      transformers.push_back(compression);
    }
  }
  if (options.level && !level_taken) {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("level {} without a compression that takes it: flate or zstd", *options.level));
  }
  return transformers;
}

// Makes each record's block an item.
class ItemWriter final : public RecordWriter {
 public:
  ItemWriter(Writer writer, const WriteOptions& options)
      : writer_(std::move(writer)),
        trailer_(options.trailer),
        // The item, its place in a block, and that block's transformed and stored form.
        most_(options.memory_budget / 4) {}

  Status write(RecordReader& reader, const Record& record) override {
    if (failure_) {
      return tl::unexpected(Error(failure_->code(), failure_->message(), failure_->where()));
    }
    Status status = guarded([&] { return take(reader, record); });
    if (!status) {
      const Error& error = status.error();
      failure_.emplace(error.code(), error.message(), error.where());
    }
    return status;
  }

  Status finish() override {
    if (trailer_) {
      return writer_.finish(as_bytes(*trailer_));
    }
    return writer_.finish();
  }

 private:
  Status take(RecordReader& reader, const Record& record) {
    pieces_.clear();
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(kItemPiece));
      if (piece.size() > most_ - pieces_.size()) {
        return fail(
            ErrorCode::LimitExceeded,
            fmt::format("item of more than {} bytes, a quarter of the memory budget", most_));
      }
      const bool last = piece.size() < kItemPiece;
      if (pieces_.empty() && (last || record.length() == piece.size())) {
        FONDS_CHECK(writer_.append(piece));
        reader.consume_block(piece.size());
        return {};
      }
      pieces_.append(piece);
      reader.consume_block(piece.size());
      if (last) {
        return writer_.append(pieces_.view());
      }
    }
  }

  Writer writer_;
  std::optional<std::string> trailer_;
  std::uint64_t most_;
  Buffer pieces_;
  std::optional<Error> failure_;
};

}  // namespace

Result<WriterOptions> writer_options(const WriteOptions& options) {
  WriterOptions made;
  if (options.layout == "legacy") {
    made.layout = Layout::LegacyPlain;
  } else if (options.layout == "packed") {
    made.layout = Layout::LegacyPacked;
    made.max_block_bytes = 0;
  } else if (!options.layout.empty()) {
    return fail(ErrorCode::BadArgument,
                fmt::format("unknown layout {}; known are legacy and packed", options.layout));
  }
  FONDS_TRY(made.transformers, parse_compression(options));
  for (const WriteOptions::Entry& entry : options.header) {
    FONDS_TRY(Value value, parse_value(entry));
    made.header.push_back({entry.key, std::move(value)});
  }
  made.max_block_bytes = options.block_bytes.value_or(made.max_block_bytes);
  made.max_items = options.block_items.value_or(made.max_items);
  made.trailer = options.trailer.has_value();
  made.threads = options.threads;
  made.memory_budget = options.memory_budget;
  return made;
}

Result<std::unique_ptr<RecordWriter>> RecordIoWriting::create(ByteSink& sink,
                                                              const WriteOptions& options) const {
  FONDS_TRY(WriterOptions made, writer_options(options));
  FONDS_TRY(Writer writer, Writer::create(sink, std::move(made)));
  return std::unique_ptr<RecordWriter>(std::make_unique<ItemWriter>(std::move(writer), options));
}

Result<RewriteReport> RecordIoWriting::merge(std::span<const Archive> archives, ByteSink& sink,
                                             const RewriteOptions& options) const {
  return guarded([&] { return merge_files(archives, sink, options); });
}

Result<RewriteReport> RecordIoWriting::split(const Archive& archive, const NextPart& next_part,
                                             const SplitOptions& options) const {
  return guarded([&] { return split_file(archive, next_part, options); });
}

Result<RewriteReport> RecordIoWriting::repair(const Archive& archive, ByteSink& sink,
                                              const RewriteOptions& options) const {
  return guarded([&] { return repair_file(archive, sink, options); });
}

Result<std::uint64_t> RecordIoWriting::index(const Archive& archive, std::string_view type,
                                             ByteSink& sink, const RewriteOptions& options) const {
  if (index_ending(type).empty()) {
    return fail(ErrorCode::Unsupported, fmt::format("RecordIO has no index of type {}", type),
                {.source = archive.source->name()});
  }
  return guarded([&] { return write_offsets_index(archive, sink, options); });
}

std::string_view RecordIoWriting::index_ending(std::string_view type) const {
  return type.empty() || type == "offsets" ? kOffsetsEnding : std::string_view();
}

}  // namespace fonds::recordio
