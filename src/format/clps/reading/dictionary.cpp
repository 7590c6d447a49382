// Dictionaries: entries in one piece of memory, and where each begins.
#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include <fonds/formats/clps.hpp>

#include "base/bytes.hpp"
#include "format/clps/reading/plain.hpp"

namespace fonds::clps {
namespace {

constexpr std::size_t kLengthSize = 8;
constexpr std::uint64_t kMaxEntry = std::uint64_t{256} << 20;
constexpr std::uint64_t kLongestText = std::uint64_t{512} << 20;

}  // namespace

Dictionary::Dictionary() = default;
Dictionary::~Dictionary() = default;
Dictionary::Dictionary(Dictionary&&) noexcept = default;
Dictionary& Dictionary::operator=(Dictionary&&) noexcept = default;

Result<Dictionary> Dictionary::read(ByteView stored, Member member, std::uint64_t max_window,
                                    Budget& budget, const std::function<void(Finding)>& finding) {
  Dictionary dictionary;
  dictionary.longest_text_ = static_cast<std::size_t>(std::min(kLongestText, budget.limit() / 2));
  const auto damaged = [&](std::string what, std::uint64_t at) {
    finding(make_finding("clps-dictionary",
                         fmt::format("{}: {}", to_string(member), std::move(what)),
                         {.stored_offset = at}));
  };
  if (stored.size() < kLengthSize) {
    if (!stored.empty()) {
      damaged(fmt::format("{} bytes are there, its number of entries takes 8", stored.size()), 0);
    }
    return dictionary;
  }
  const std::uint64_t count = load_le64(stored);
  // All that it can give is asked for at once: one that does not fit takes nothing from others.
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  Inflater inflater(stored.subspan(kLengthSize), kAll, max_window, budget);
  if (auto status = inflater.ensure(kAll); !status) {
    return fail(status.error().code(),
                fmt::format("{}: {}", to_string(member), status.error().message()));
  }
  if (const InflateDamage* const damage = inflater.damage()) {
    damaged(damage->what, kLengthSize + damage->at);
  }
  dictionary.plain_ = std::make_unique<PlainBytes>(inflater.take());
  PlainBytes& plain = *dictionary.plain_;
  plain.shrink();
  const ByteView bytes = plain.view();
  // Entries that are claimed but not there take no memory.
  const std::uint64_t most = std::min<std::uint64_t>(count, bytes.size() / kLengthSize);
  // Not in a vector: strings are looked up everywhere in here, and large pages make that cheaper.
  dictionary.places_ = std::make_unique<PlainBytes>();
  if (!dictionary.places_->reserve(static_cast<std::size_t>(most + 1) * sizeof(std::uint64_t),
                                   budget)) {
    return fail(
        ErrorCode::LimitExceeded,
        fmt::format("{}: its {} entries would exceed the memory limit", to_string(member), most));
  }
  auto* const offsets = reinterpret_cast<std::uint64_t*>(dictionary.places_->data());
  dictionary.offsets_ = offsets;
  dictionary.text_ = reinterpret_cast<const char*>(bytes.data());
  dictionary.text_size_ = bytes.size();
  offsets[0] = kLengthSize;
  std::uint64_t at = 0;
  for (std::uint64_t id = 0; id < most; ++id) {
    if (bytes.size() - at < kLengthSize) {
      break;
    }
    const std::uint64_t length = load_le64(bytes.subspan(static_cast<std::size_t>(at)));
    if (length > kMaxEntry || length > bytes.size() - at - kLengthSize) {
      damaged(fmt::format("entry {} claims {} bytes, {} follow", id, length,
                          bytes.size() - at - kLengthSize),
              kLengthSize);
      break;
    }
    at += kLengthSize + length;
    offsets[++dictionary.size_] = at + kLengthSize;
  }
  if (dictionary.size() < count) {
    damaged(fmt::format("it claims {} entries, {} are there", count, dictionary.size()), 0);
  } else if (at < bytes.size()) {
    finding(make_finding("clps-extra-bytes", fmt::format("{}: {} bytes follow its last entry",
                                                         to_string(member), bytes.size() - at)));
  }
  return dictionary;
}

std::optional<std::size_t> Dictionary::entry_at(std::size_t at, std::size_t length) const {
  const std::uint64_t* const next = std::upper_bound(offsets_, offsets_ + size_, at);
  if (next == offsets_) {
    return std::nullopt;
  }
  const auto id = static_cast<std::size_t>(next - offsets_) - 1;
  const std::uint64_t end = offsets_[id + 1] - kLengthSize;
  return at <= end && length <= end - at ? std::optional(id) : std::nullopt;
}

}  // namespace fonds::clps
