#include "ops/originals.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "ops/describe.hpp"

namespace fonds::ops {
namespace {

std::uint64_t hash(std::string_view text) {
  return text.empty() ? 0 : std::max<std::uint64_t>(1, std::hash<std::string_view>{}(text));
}

}  // namespace

class OriginalWorker final : public Worker {
 public:
  Result<bool> take(RecordReader& reader, Record& record, Stretch&) override {
    if (record.kind() != "revisit" && record.kind() != "request") {
      flat_.clear();
      record.describe(flat_, false);
      entries.push_back({hash(bare_id(record.id())),
                         hash(flat_.get("uri")),
                         hash(flat_.get("payload_digest")),
                         record.date() ? record.date()->seconds : 0,
                         {record.place, record.ordinal},
                         record.kind() != "metadata"});
    }
    FONDS_CHECK(reader.finish());
    return true;
  }

  std::vector<Originals::Entry> entries;

 private:
  FlatAttributes flat_;
};

Result<Originals> Originals::of(const Archive& archive, const ScanOptions& options) {
  Originals originals;
  const auto sink = [&](Stretch&, Worker& worker, std::uint64_t first, bool) -> Status {
    for (Entry& entry : std::exchange(static_cast<OriginalWorker&>(worker).entries, {})) {
      entry.found.ordinal += first;
      const std::size_t at = originals.entries_.size();
      originals.entries_.push_back(entry);
      originals.by_id_[entry.id].push_back(at);
      originals.by_uri_[entry.uri].push_back(at);
    }
    return {};
  };
  FONDS_CHECK(
      scan(archive, skimming(options), [] { return std::make_unique<OriginalWorker>(); }, sink));
  return originals;
}

std::optional<Found> Originals::find(const Original& revisit) const {
  const auto entries_of = [](const auto& index,
                             std::uint64_t key) -> const std::vector<std::size_t>* {
    const auto found = index.find(key);
    return key == 0 || found == index.end() ? nullptr : &found->second;
  };
  if (const auto* among = entries_of(by_id_, hash(bare_id(revisit.id)))) {
    return entries_[among->front()].found;
  }
  const auto date = parse_warc_date(revisit.date).value;
  if (const auto* among = entries_of(by_uri_, hash(revisit.uri)); among != nullptr && date) {
    for (const std::size_t at : *among) {
      if (entries_[at].primary && entries_[at].seconds == date->seconds) {
        return entries_[at].found;
      }
    }
  }
  const auto* among = entries_of(by_uri_, hash(revisit.own_uri));
  const Entry* entry = among == nullptr ? nullptr : newest(*among, revisit);
  return entry == nullptr ? std::nullopt : std::optional(entry->found);
}

const Originals::Entry* Originals::newest(const std::vector<std::size_t>& among,
                                          const Original& revisit) const {
  const std::uint64_t digest = hash(revisit.payload_digest);
  const Entry* best = nullptr;
  for (const std::size_t at : among) {
    const Entry& entry = entries_[at];
    if (entry.primary && digest != 0 && entry.digest == digest &&
        entry.found.ordinal < revisit.ordinal) {
      best = &entry;
    }
  }
  return best;
}

}  // namespace fonds::ops
