#include "ops/originals.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "base/text.hpp"
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
    if (record.kind() != "request") {
      flat_.clear();
      record.describe(flat_, false);
      entries.push_back({hash(bare_id(record.id())),
                         hash(flat_.get("uri")),
                         hash(flat_.get("payload_digest")),
                         record.date() ? record.date()->seconds : 0,
                         {record.place, record.ordinal},
                         record.kind() != "metadata",
                         record.kind() == "revisit"});
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
      if (entry.revisit) {
        originals.revisits_.try_emplace(entry.id, entry.found);
        continue;
      }
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

std::optional<Found> Originals::find(const Original& revisit, By by) const {
  const auto entries_of = [](const auto& index,
                             std::uint64_t key) -> const std::vector<std::size_t>* {
    const auto found = index.find(key);
    return key == 0 || found == index.end() ? nullptr : &found->second;
  };
  if (by == By::Id) {
    const auto* among = entries_of(by_id_, hash(bare_id(revisit.id)));
    return among == nullptr ? std::nullopt : std::optional(entries_[among->front()].found);
  }
  if (by == By::Capture) {
    const auto date = parse_warc_date(revisit.date).value;
    const auto* among = entries_of(by_uri_, hash(revisit.uri));
    if (among == nullptr || !date) {
      return std::nullopt;
    }
    const auto at = std::find_if(among->begin(), among->end(), [&](std::size_t i) {
      return entries_[i].primary && entries_[i].seconds == date->seconds;
    });
    return at == among->end() ? std::nullopt : std::optional(entries_[*at].found);
  }
  const auto* among = entries_of(by_uri_, hash(revisit.own_uri));
  const Entry* entry = among == nullptr ? nullptr : newest(*among, revisit);
  return entry == nullptr ? std::nullopt : std::optional(entry->found);
}

std::optional<Found> Originals::find_revisit(std::string_view id) const {
  const auto found = revisits_.find(hash(bare_id(id)));
  return id.empty() || found == revisits_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> patched_reference(const Record& record) {
  if (record.kind() != "revisit") {
    return std::nullopt;
  }
  FlatAttributes flat;
  record.describe(flat, false);
  bool patch = flat.get("profile") == "urn:x-warc-00.11:revisit:patch";
  for (const Field& field : record.fields()) {
    patch = patch ||
            (flat.get("version") == "warc/00.11" && equals_ignoring_case(field.name, "revisit") &&
             to_lower(trim(field.value)).ends_with("patch"));
  }
  if (!patch) {
    return std::nullopt;
  }
  const auto reference = flat.get("refers_to");
  return std::string(reference.empty() ? flat.get("refers_to_uri") : reference);
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
