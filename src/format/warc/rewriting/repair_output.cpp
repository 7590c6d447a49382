#include "format/warc/rewriting/repair_output.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/core.h>

#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"
#include "format/warc/writing/writer.hpp"

namespace fonds::warc {
namespace {

// Lost ranges that are listed one by one; the bytes of all are counted.
constexpr std::size_t kMostListed = 100'000;

}  // namespace

Status RepairOutput::copy(std::uint64_t from, std::uint64_t to,
                          std::optional<std::uint64_t> last_unit) {
  if (from >= to) {
    return {};
  }
  FONDS_CHECK(close_encoder());
  if (copy_to_ != from) {
    FONDS_CHECK(settle());
    copy_from_ = from;
  } else if (copy_to_ - copy_from_ >= kPiece) {
    FONDS_CHECK(flush());
  }
  copy_to_ = to;
  last_unit_ = last_unit;
  return {};
}

Status RepairOutput::flush() {
  if (seen_ && copy_from_ < copy_to_) {
    seen_({copy_from_, copy_to_ - copy_from_}, Fate::Kept);
  }
  while (copy_from_ < copy_to_) {
    const std::uint64_t n = std::min<std::uint64_t>(kPiece, copy_to_ - copy_from_);
    FONDS_TRY(const ByteView bytes, stored_.at(copy_from_, static_cast<std::size_t>(n)));
    if (bytes.size() < n) {
      return fail(ErrorCode::Corrupt, "the file has become shorter while it was read",
                  {.source = archive_.source->name(), .stored_offset = copy_from_ + bytes.size()});
    }
    FONDS_CHECK(sink_.write(bytes.first(static_cast<std::size_t>(n))));
    copy_from_ += n;
    stored_.release(copy_from_);
  }
  return {};
}

Status RepairOutput::settle() {
  FONDS_TRY(const bool prefix, ends_with_size_prefix());
  copy_to_ -= prefix ? zstd::kSizePrefixSize : 0;
  FONDS_CHECK(flush());
  if (prefix) {
    changed("size prefixes of missing frames were left out");
    if (seen_) {
      seen_({copy_to_, zstd::kSizePrefixSize}, Fate::LeftOut);
    }
  }
  copy_from_ = copy_to_ = 0;
  last_unit_.reset();
  return {};
}

Result<bool> RepairOutput::ends_with_size_prefix() {
  if (!last_unit_ || copy_to_ - copy_from_ < zstd::kSizePrefixSize ||
      archive_.codec().name() != "zstd") {
    return false;
  }
  // What a frame holds may look like one.
  const std::uint64_t last = copy_to_ - zstd::kSizePrefixSize;
  std::uint64_t at = *last_unit_;
  while (at < last) {
    FONDS_TRY(const zstd::FrameInfo frame, zstd::scan_frame(stored_, at));
    if (frame.state != zstd::FrameState::Complete || frame.size == 0) {
      return false;
    }
    at += frame.size;
  }
  FONDS_TRY(const ByteView stored, stored_.at(last, zstd::kSizePrefixSize));
  return at == last && zstd::parse_size_prefix(stored).has_value();
}

Status RepairOutput::put_plain(std::string_view octets) {
  FONDS_CHECK(close_encoder());
  FONDS_CHECK(settle());
  return octets.empty() ? Status() : sink_.write(as_bytes(octets));
}

Result<Encoder*> RepairOutput::encoder() {
  FONDS_CHECK(settle());
  if (encoder_ != nullptr) {
    return encoder_.get();
  }
  const std::string_view codec = archive_.codec().name();
  if (!level_range(codec) && codec != "none") {
    return fail(ErrorCode::Unsupported,
                fmt::format("damage that would have to be compressed anew with {}, which is not "
                            "written; fonds convert --skip-damaged writes gzip",
                            codec),
                {.source = archive_.source->name()});
  }
  EncodeOptions encode;
  encode.codec = codec;
  encode.level = options_.write.level;
  encode.continues = true;
  encode.dictionary = dictionary_;
  encode.threads = options_.write.threads;
  encode.memory_budget = options_.write.memory_budget / 2;
  FONDS_TRY(encoder_, make_encoder(sink_, encode));
  return encoder_.get();
}

Status RepairOutput::begin_anew(std::optional<ZstdDictionary> dictionary, bool empty_unit) {
  EncodeOptions encode;
  encode.codec = archive_.codec().name();
  encode.dictionary = std::move(dictionary);
  FONDS_TRY(const auto encoder, make_encoder(sink_, encode));
  if (empty_unit) {
    FONDS_CHECK(encoder->begin_unit(0));
    FONDS_CHECK(encoder->end_unit());
  }
  return encoder->finish();
}

Status RepairOutput::close_encoder() {
  if (encoder_ == nullptr) {
    return {};
  }
  const auto done = std::exchange(encoder_, nullptr);
  return done->finish();
}

Status RepairOutput::account(std::uint64_t from, std::uint64_t to, Fate fate) {
  if (from < to && seen_) {
    FONDS_CHECK(settle());
    seen_({from, to - from}, fate);
  }
  return {};
}

void RepairOutput::lose(std::uint64_t from, std::uint64_t to, std::string_view code,
                        std::string_view message) {
  if (from >= to) {
    return;
  }
  report_.lost_bytes += to - from;
  list(from, to - from, std::nullopt, "lost-range",
       fmt::format("{} bytes are left out: {} [{}]", to - from, message, code));
}

void RepairOutput::lose_partly(std::uint64_t from, std::uint64_t to, std::string_view code,
                               std::string_view message) {
  report_.lost_bytes += to - from;
  list(from, to - from, std::nullopt, "lost-range",
       fmt::format("of {} bytes only what can be decoded is kept: {} [{}]", to - from, message,
                   code));
}

void RepairOutput::miss(std::uint64_t at, std::uint64_t ordinal, std::string_view code,
                        std::string message) {
  list(at, 0, ordinal, code, std::move(message));
}

void RepairOutput::list(std::uint64_t at, std::uint64_t length,
                        std::optional<std::uint64_t> ordinal, std::string_view code,
                        std::string message) {
  if (report_.lost.size() > kMostListed) {
    return;
  }
  if (report_.lost.size() == kMostListed) {
    code = "lost-range";
    message = "more is lost than is listed";
    length = 0;
    ordinal.reset();
  }
  report_.lost.push_back(
      make_finding(code, std::move(message),
                   {.source = archive_.source->name(), .stored_offset = at, .ordinal = ordinal}));
  report_.lost_ranges.push_back({at, length});
}

void RepairOutput::changed(std::string_view kind, std::uint64_t n) {
  if (n > 0) {
    report_.changes[std::string(kind)] += n;
  }
}

Status RepairOutput::finish() {
  FONDS_CHECK(close_encoder());
  return settle();
}

}  // namespace fonds::warc
