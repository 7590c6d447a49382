#include "format/lines/writing/writer.hpp"

#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "format/common/item_line.hpp"

namespace fonds::lines {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

class TextWriter : public RecordWriter {
 public:
  explicit TextWriter(ByteSink& sink) : sink_(sink) {}

  Status write(RecordReader& reader, const Record& record) final {
    if (!error_) {
      const Status status = put(reader, record);
      if (status) {
        ++written_;
        return {};
      }
      error_.emplace(status.error().code(), status.error().message(), status.error().where());
    }
    return fail(error_->code(), error_->message(), error_->where());
  }
  Status finish() final {
    return error_ ? Status(fail(error_->code(), error_->message(), error_->where())) : Status();
  }

 protected:
  virtual Status put(RecordReader& reader, const Record& record) = 0;

  ByteSink& sink_;
  std::uint64_t written_ = 0;  // records
  std::optional<Error> error_;
};

class LinesWriter final : public TextWriter {
 public:
  using TextWriter::TextWriter;

 private:
  Status put(RecordReader& reader, const Record& record) override {
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(kPiece));
      if (piece.empty()) {
        break;
      }
      if (std::memchr(piece.data(), '\n', piece.size()) != nullptr) {
        return fail(ErrorCode::BadArgument,
                    "has a line end inside and cannot be a line of text; --to jsonl keeps it",
                    {.stored_offset = record.place.unit, .ordinal = record.ordinal});
      }
      FONDS_CHECK(sink_.write(piece));
      reader.consume_block(piece.size());
    }
    return sink_.write(as_bytes("\n"));
  }
};

class JsonlWriter final : public TextWriter {
 public:
  JsonlWriter(ByteSink& sink, std::uint64_t most) : TextWriter(sink), most_(most) {}

 private:
  Status put(RecordReader& reader, const Record& record) override {
    if (record.is_json()) {
      return put_as_it_is(reader);
    }
    const ItemPlace place = item_place(record);
    line_.clear();
    FONDS_TRY(const ByteView first, reader.peek_block(kPiece));
    if (first.size() < kPiece) {
      emit_item_line(line_, place, first);
      reader.consume_block(first.size());
      return sink_.write(as_bytes(line_));
    }
    data_.clear();
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(kPiece));
      if (piece.empty()) {
        break;
      }
      if (piece.size() > most_ - data_.size()) {
        return fail(ErrorCode::LimitExceeded,
                    fmt::format("has more than {} bytes, which a line of JSON Lines is made from "
                                "at once; --memory raises the limit",
                                most_),
                    {.stored_offset = record.place.unit, .ordinal = record.ordinal});
      }
      data_ += as_text(piece);
      reader.consume_block(piece.size());
    }
    emit_item_line(line_, place, as_bytes(data_));
    return sink_.write(as_bytes(line_));
  }

  Status put_as_it_is(RecordReader& reader) {
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(kPiece));
      if (piece.empty()) {
        return sink_.write(as_bytes("\n"));
      }
      FONDS_CHECK(sink_.write(piece));
      reader.consume_block(piece.size());
    }
  }

  std::uint64_t most_;
  std::string data_, line_;
};

Status check(const WriteOptions& options, std::string_view name) {
  const auto none = [name](std::string_view what) {
    return fail(ErrorCode::BadArgument, fmt::format("{} has no {}", name, what));
  };
  if (!options.layout.empty()) {
    return none(fmt::format("layout '{}'", options.layout));
  }
  for (const std::string& compression : options.compression) {
    if (compression != "none") {
      return none(
          fmt::format("compression '{}' of its own; it can be compressed as a file", compression));
    }
  }
  if (options.block_bytes || options.block_items) {
    return none("blocks");
  }
  if (!options.header.empty()) {
    return none("header");
  }
  return options.trailer ? Status(none("trailer")) : Status();
}

class LinesWriting final : public FormatWriting {
 public:
  Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                               const WriteOptions& options) const override {
    FONDS_CHECK(check(options, "lines"));
    return std::unique_ptr<RecordWriter>(std::make_unique<LinesWriter>(sink));
  }
};

class JsonlWriting final : public FormatWriting {
 public:
  Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                               const WriteOptions& options) const override {
    FONDS_CHECK(check(options, "jsonl"));
    return std::unique_ptr<RecordWriter>(
        std::make_unique<JsonlWriter>(sink, options.memory_budget / 8));
  }
};

}  // namespace

const FormatWriting& lines_writing() {
  static const LinesWriting writing;
  return writing;
}
const FormatWriting& jsonl_writing() {
  static const JsonlWriting writing;
  return writing;
}

}  // namespace fonds::lines
