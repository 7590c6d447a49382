#include "format/kvir/writing/writing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/json_writer.hpp"
#include "format/kvir/reading/record_reader.hpp"
#include "format/kvir/reading/stream.hpp"
#include "format/kvir/writing/stream_writer.hpp"

namespace fonds::kvir {
namespace {

constexpr std::size_t kPiece = std::size_t{64} << 10;

// Members of the user's metadata: of a stream that is read, then those that were asked for.
using UserMetadata = std::vector<std::pair<std::string, std::string>>;

void set(UserMetadata& members, const std::string& key, std::string value) {
  const auto same = std::find_if(members.begin(), members.end(),
                                 [&key](const auto& member) { return member.first == key; });
  if (same != members.end()) {
    same->second = std::move(value);
  } else {
    members.emplace_back(key, std::move(value));
  }
}

std::string as_object(const UserMetadata& members) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  for (const auto& [key, value] : members) {
    json.text_key(key).value_follows();
    text += value;
  }
  json.end_object();
  return members.empty() ? std::string() : text;
}

// The JSON text of an entry's value.
Result<std::string> value_of(const WriteOptions::Entry& entry) {
  if (entry.type.empty() || entry.type == "string") {
    std::string text;
    JsonWriter(text).value(std::string_view(entry.value));
    return text;
  }
  const bool good = entry.type == "bool" ? entry.value == "true" || entry.value == "false"
                                         : !entry.value.empty() &&
                                               entry.value.find_first_not_of(
                                                   "0123456789", entry.value[0] == '-' ? 1 : 0) ==
                                                   std::string::npos &&
                                               entry.value != "-";
  if (!good) {
    return fail(ErrorCode::BadArgument,
                fmt::format("header entry {}: {} is no {}", entry.key, entry.value, entry.type));
  }
  return entry.value;
}

class KvirWriter final : public RecordWriter {
 public:
  KvirWriter(ByteSink& sink, StreamWriterOptions stream, UserMetadata given,
             const WriteOptions& options)
      : sink_(sink),
        options_(std::move(stream)),
        given_(std::move(given)),
        most_(options.memory_budget / 8),
        leave_out_(options.leave_out_damaged) {}

  Status write(RecordReader& reader, const Record& record) override {
    if (error_) {
      return again();
    }
    Status status = put(reader, record);
    if (!status) {
      error_.emplace(status.error().code(), status.error().message(), status.error().where());
    }
    return status;
  }
  void comes_from(const RecordOrigin& origin) override { archive_ = origin.archive; }
  Fate fate() const override { return fate_; }

  std::map<std::string, std::uint64_t, std::less<>> losses() const override {
    auto all = losses_;
    if (stream_ != nullptr) {
      for (const auto& [kind, n] : stream_->changes()) {
        all[kind] += n;
      }
    }
    return all;
  }

  Status finish() override {
    if (error_) {
      return again();
    }
    FONDS_CHECK(begin(nullptr));
    return stream_->finish();
  }

 private:
  tl::unexpected<Error> again() const {
    return fail(error_->code(), error_->message(), error_->where());
  }

  // The first record tells what metadata its stream had.
  Status begin(const Metadata* metadata) {
    if (stream_ != nullptr && archive_ == looked_at_) {
      return {};
    }
    UserMetadata members = metadata != nullptr ? metadata->user : UserMetadata();
    if (stream_ != nullptr) {
      if (metadata != nullptr && members != first_) {
        losses_["user metadata of further streams"] += members.size();
      }
      looked_at_ = archive_;
      return {};
    }
    first_ = members;
    looked_at_ = archive_;
    for (const auto& [key, value] : given_) {
      set(members, key, value);
    }
    options_.user_metadata = as_object(members);
    FONDS_TRY(stream_, StreamWriter::open(sink_, options_));
    return {};
  }

  Result<std::string_view> block_of(RecordReader& reader, const Record& record) {
    FONDS_TRY(const ByteView first, reader.peek_block(kPiece));
    if (record.is_json() && record.length() == first.size()) {
      return as_text(first);
    }
    block_.clear();
    while (true) {
      FONDS_TRY(const ByteView piece, reader.peek_block(kPiece));
      if (piece.empty()) {
        return block_;
      }
      if (piece.size() > most_ - block_.size()) {
        return fail(ErrorCode::LimitExceeded,
                    fmt::format("has more than {} bytes, which an event is made from at once; "
                                "--memory raises the limit",
                                most_),
                    {.stored_offset = record.place.unit, .ordinal = record.ordinal});
      }
      block_ += as_text(piece);
      reader.consume_block(piece.size());
    }
  }

  Status put(RecordReader& reader, const Record& record) {
    const auto* const event = dynamic_cast<const EventRecord*>(&record);
    FONDS_CHECK(begin(event != nullptr ? event->metadata : nullptr));
    FONDS_TRY(const std::string_view block, block_of(reader, record));
    const std::uint64_t before = stream_->change_count();
    Status status = stream_->add(block, event != nullptr ? event->generated : std::string_view());
    fate_ = stream_->change_count() == before ? Fate::Whole : Fate::Changed;
    if (status) {
      return {};
    }
    const ErrorCode code = status.error().code();
    if (code != ErrorCode::BadArgument && code != ErrorCode::LimitExceeded) {
      return status;
    }
    if (leave_out_) {
      fate_ = Fate::LeftOut;
      ++losses_["records that are no events: " + status.error().message()];
      return {};
    }
    return fail(code,
                fmt::format("{}, at octet {} of the record", status.error().message(),
                            status.error().where().decoded_offset.value_or(0)),
                {.stored_offset = record.place.unit, .ordinal = record.ordinal});
  }

  ByteSink& sink_;
  StreamWriterOptions options_;
  UserMetadata given_, first_;
  std::uint64_t most_;
  bool leave_out_;
  std::uint64_t archive_ = 0, looked_at_ = 0;  // numbers of archives
  std::unique_ptr<StreamWriter> stream_;
  std::string block_;
  Fate fate_ = Fate::Whole;
  std::map<std::string, std::uint64_t, std::less<>> losses_;
  std::optional<Error> error_;
};

Result<StreamWriterOptions> stream_options(const WriteOptions& options) {
  const auto none = [](std::string_view what) {
    return fail(ErrorCode::BadArgument, fmt::format("kv-ir has no {}", what));
  };
  if (!options.layout.empty() && options.layout != "four-byte" && options.layout != "eight-byte") {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("kv-ir has no layout '{}'; it has four-byte and eight-byte", options.layout));
  }
  if (options.block_bytes || options.block_items) {
    return none("blocks");
  }
  if (options.trailer) {
    return none("trailer");
  }
  if (options.dictionary) {
    return none("dictionary");
  }
  if (options.compression.size() > 1) {
    return none("stack of compressions");
  }
  StreamWriterOptions stream;
  stream.eight_byte = options.layout == "eight-byte";
  stream.codec = options.compression.empty() ? "zstd" : options.compression.front();
  stream.level = options.level;
  stream.memory_budget = options.memory_budget;
  stream.tree_bytes = std::min(stream.tree_bytes, options.memory_budget / 4);
  return stream;
}

class KvirWriting final : public FormatWriting {
 public:
  Result<std::unique_ptr<RecordWriter>> create(ByteSink& sink,
                                               const WriteOptions& options) const override {
    FONDS_TRY(StreamWriterOptions stream, stream_options(options));
    UserMetadata given;
    for (const WriteOptions::Entry& entry : options.header) {
      FONDS_TRY(std::string value, value_of(entry));
      set(given, entry.key, std::move(value));
    }
    return std::unique_ptr<RecordWriter>(
        std::make_unique<KvirWriter>(sink, std::move(stream), std::move(given), options));
  }
};

}  // namespace

const FormatWriting& kvir_writing() {
  static const KvirWriting writing;
  return writing;
}

}  // namespace fonds::kvir
