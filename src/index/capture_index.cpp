#include "index/capture_index.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include <fonds/format.hpp>
#include <fonds/record_index.hpp>

#include "index/companions.hpp"
#include "io/remote/url.hpp"

namespace fonds::index {
namespace {

using Verdict = RecordHint::Verdict;

constexpr std::size_t kMostCaptures = 10000;  // of one URL that are looked at

// Where each read is a round trip, some octets behind a record come along: stored plain, it ends
// only where the next one is seen to begin.
constexpr std::uint64_t kBehind = 4096;
constexpr std::uint64_t kLongest = std::uint64_t{1} << 40;  // that is believed

std::string base_name(const std::string& path) {
  if (remote::is_url(path)) {
    const auto url = remote::parse_url(path);
    return url ? remote::file_name(*url) : std::string();
  }
  return std::filesystem::path(path).filename().string();
}

// As a look-up without an index ranks them: the nearest in time, else the first in the file.
struct Ranked {
  std::uint64_t distance;
  Capture capture;
  bool operator<(const Ranked& other) const {
    return std::tuple(distance, capture.offset) < std::tuple(other.distance, other.capture.offset);
  }
};

std::uint64_t distance(const Capture& capture, const std::optional<Date>& wanted) {
  if (!wanted) {
    return 0;
  }
  const auto date = parse_user_date(capture.timestamp);
  if (!date) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return static_cast<std::uint64_t>(std::abs(date->seconds - wanted->seconds));
}

class CaptureIndex final : public RecordIndex, public TellsRange {
 public:
  CaptureIndex(std::string name, CaptureSearch search)
      : name_(std::move(name)), search_(std::move(search)) {}

  const std::string& name() const override { return name_; }

  Result<std::vector<RecordHint>> find(const Archive& archive, const Key& key) const override {
    FONDS_TRY(const std::vector<Ranked> captures, ranked(archive, key));
    std::vector<RecordHint> hints;
    // Requests and metadata about the URL count only where there is nothing else.
    for (const bool secondary_too : {false, true}) {
      for (const Ranked& one : captures) {
        const Place place{*one.capture.offset, one.capture.inner.value_or(0)};
        hints.push_back({place, nullptr, judge(one.capture, place, secondary_too)});
      }
    }
    return hints;
  }

  Result<ByteRange> range(const Archive& archive, const Key& key) const override {
    FONDS_TRY(const std::vector<Ranked> captures, ranked(archive, key));
    if (captures.empty() || captures.front().capture.length.value_or(0) == 0) {
      return ByteRange{};
    }
    const Capture& best = captures.front().capture;
    return ByteRange{*best.offset, std::min(*best.length, kLongest) + kBehind};
  }

 private:
  Result<std::vector<Ranked>> ranked(const Archive& archive, const Key& key) const {
    std::vector<Ranked> captures;
    if (key.kind != Key::Kind::Uri && key.kind != Key::Kind::Bare) {
      return captures;
    }
    const std::string file = base_name(archive.source->name());
    const auto keep = [&](const FoundCapture& found) -> Result<bool> {
      const Capture& capture = found.capture;
      if (capture.url == key.text && capture.offset && base_name(capture.filename) == file) {
        captures.push_back({distance(capture, key.time), capture});
      }
      return captures.size() < kMostCaptures;
    };
    FONDS_CHECK(search_.find({.url = key.text}, keep, [](const Finding&) {}));
    std::sort(captures.begin(), captures.end());
    return captures;
  }

  static std::function<Verdict(const Record*)> judge(const Capture& capture, const Place& place,
                                                     bool secondary_too) {
    return [capture, place, secondary_too](const Record* record) {
      if (record == nullptr || record->place != place || !leads_to(capture, *record)) {
        return Verdict::Wrong;
      }
      const bool secondary = record->kind() == "request" || record->kind() == "metadata";
      return secondary && !secondary_too ? Verdict::Next : Verdict::Here;
    };
  }

  std::string name_;
  CaptureSearch search_;
};

}  // namespace

std::shared_ptr<const RecordIndex> capture_index(std::string name, CaptureSearch search) {
  return std::make_shared<CaptureIndex>(std::move(name), std::move(search));
}

}  // namespace fonds::index
