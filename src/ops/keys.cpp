#include "ops/keys.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "ops/describe.hpp"

namespace fonds::ops {
namespace {

// Without the brackets and the urn:uuid: that some writers leave out.
std::string_view bare_id(std::string_view id) {
  id = trim(id);
  if (id.starts_with('<') && id.ends_with('>')) {
    id = id.substr(1, id.size() - 2);
  }
  return starts_with_ignoring_case(id, "urn:uuid:") ? id.substr(9) : id;
}

// "uri@TIME": the last @ followed by 4 to 17 digits.
void split_time(Key& key) {
  const std::size_t at = key.text.rfind('@');
  if (at == std::string::npos) {
    return;
  }
  const std::string_view digits = std::string_view(key.text).substr(at + 1);
  const bool all_digits = digits.size() >= 4 && digits.size() <= 17 &&
                          digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (all_digits) {
    if (auto time = parse_user_date(digits)) {
      key.time = time;
      key.text.resize(at);
    }
  }
}

std::uint64_t distance(const std::optional<Date>& date, const Date& wanted) {
  if (!date) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  const std::int64_t difference = date->seconds - wanted.seconds;
  return static_cast<std::uint64_t>(difference < 0 ? -difference : difference);
}

struct Candidate {
  std::size_t key;
  Found found;
  bool by_id;
  bool secondary;  // a request or metadata record of the URI
  std::uint64_t distance;
};

bool better(const Candidate& a, const Candidate& b) {
  return std::tuple(!a.by_id, a.secondary, a.distance, a.found.ordinal) <
         std::tuple(!b.by_id, b.secondary, b.distance, b.found.ordinal);
}

class KeyWorker final : public Worker {
 public:
  KeyWorker(const std::vector<Key>& keys, std::uint64_t last_index)
      : keys_(keys), last_index_(last_index) {}

  Result<bool> take(RecordReader& reader, Record& record, Stretch&) override {
    flat_.clear();
    record.describe(flat_, false);
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      compare(i, record);
    }
    FONDS_CHECK(reader.finish());
    return seen_++ < last_index_;
  }

  std::vector<Candidate> take_candidates() { return std::exchange(candidates_, {}); }

 private:
  void compare(std::size_t i, const Record& record) {
    const Key& key = keys_[i];
    const std::string_view uri = flat_.get("uri");
    const bool id_fits = (key.kind == Key::Kind::Id || key.kind == Key::Kind::Bare) &&
                         ((!record.id().empty() && bare_id(record.id()) == bare_id(key.text)) ||
                          (!key.text.empty() && flat_.get("trec_id") == key.text));
    const bool uri_fits = (key.kind == Key::Kind::Uri || key.kind == Key::Kind::Bare) &&
                          !uri.empty() && uri == key.text;
    const bool index_fits = key.kind == Key::Kind::Index && seen_ == key.number;
    if (!id_fits && !uri_fits && !index_fits) {
      return;
    }
    const bool secondary = record.kind() == "request" || record.kind() == "metadata";
    candidates_.push_back({i,
                           {record.place, index_fits ? key.number : record.ordinal},
                           id_fits,
                           uri_fits && !id_fits && secondary,
                           key.time ? distance(record.date(), *key.time) : 0});
  }

  const std::vector<Key>& keys_;
  std::uint64_t last_index_;
  std::uint64_t seen_ = 0;  // records; from the start of the archive where an index is looked for
  FlatAttributes flat_;
  std::vector<Candidate> candidates_;
};

std::uint64_t hash(std::string_view text) {
  return text.empty() ? 0 : std::max<std::uint64_t>(1, std::hash<std::string_view>{}(text));
}

ScanOptions skimming(const ScanOptions& options) {
  ScanOptions skim = options;
  skim.read.skim = !options.read.search_damaged;
  return skim;
}

// Whether the record that an index leads to begins just there.
bool is_there(const Archive& archive, const ReadOptions& options, Place place) {
  const auto reader = open_at(archive, options, place);
  if (!reader) {
    return false;
  }
  const auto record = (*reader)->next();
  return record && *record != nullptr && (*record)->place == place;
}

// Asks the index beside the archive for all records that are named by their number. False if it
// does not tell them all: then the archive must be read. An index that does not fit is passed over.
Result<bool> ask_index(const Archive& archive, const ScanOptions& options,
                       const std::vector<Key>& keys, std::vector<std::optional<Found>>& found) {
  std::vector<std::uint64_t> numbers;
  for (const Key& key : keys) {
    if (key.kind == Key::Kind::Index) {
      numbers.push_back(key.number);
    }
  }
  FONDS_TRY(const std::vector<Place> places, archive.format->locate(archive, numbers));
  const bool all =
      places.size() == numbers.size() && std::ranges::all_of(places, [&](const Place& place) {
        return is_there(archive, options.read, place);
      });
  for (std::size_t i = 0, n = 0; i < keys.size() && all; ++i) {
    if (keys[i].kind == Key::Kind::Index) {
      found[i] = Found{places[n++], keys[i].number};
    }
  }
  return all;
}

}  // namespace

Result<Key> parse_key(std::string_view text) {
  Key key;
  key.written = text;
  const auto wrong = [&](std::string_view what) {
    return fail(ErrorCode::BadArgument, fmt::format("key '{}': {}", text, what));
  };
  const std::size_t colon = text.find(':');
  const std::string_view kind = text.substr(0, colon);
  const std::string_view rest =
      colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (kind == "index" && colon != std::string_view::npos) {
    const auto number = parse_number(rest);
    if (!number) {
      return wrong("index: takes the 0-based number of a record");
    }
    key.kind = Key::Kind::Index;
    key.number = *number;
  } else if (kind == "offset" && colon != std::string_view::npos) {
    const std::size_t plus = rest.find('+');
    const auto number = parse_number(rest.substr(0, plus));
    const auto inner = plus == std::string_view::npos ? std::optional<std::uint64_t>(0)
                                                      : parse_number(rest.substr(plus + 1));
    if (!number || !inner) {
      return wrong("offset: takes a stored offset N, or N+M with M decoded bytes into its unit");
    }
    key.kind = Key::Kind::Offset;
    key.number = *number;
    key.inner = *inner;
  } else if (kind == "block" && colon != std::string_view::npos) {
    const std::size_t slash = rest.find('/');
    const auto number = parse_number(rest.substr(0, slash));
    const auto item =
        slash == std::string_view::npos ? std::nullopt : parse_number(rest.substr(slash + 1));
    if (!number || !item) {
      return wrong(
          "block: takes OFFSET/ITEM, the stored offset of a block and a 0-based item in it");
    }
    key.kind = Key::Kind::Block;
    key.number = *number;
    key.inner = *item;
  } else if (kind == "id" && colon != std::string_view::npos) {
    key.kind = Key::Kind::Id;
    key.text = rest;
  } else if (kind == "uri" && colon != std::string_view::npos) {
    key.kind = Key::Kind::Uri;
    key.text = rest;
    split_time(key);
  } else {
    key.text = text;
    split_time(key);
  }
  if (key.text.empty() && key.kind != Key::Kind::Index && key.kind != Key::Kind::Offset &&
      key.kind != Key::Kind::Block) {
    return wrong("nothing to look for");
  }
  return key;
}

Result<std::vector<std::optional<Found>>> find_records(const Archive& archive,
                                                       const ScanOptions& options,
                                                       const std::vector<Key>& keys) {
  std::vector<std::optional<Found>> found(keys.size());
  bool scan_needed = false;
  bool only_index = true;
  bool any_index = false;
  std::uint64_t last_index = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].kind == Key::Kind::Block && !archive.format->traits().item_blocks) {
      return fail(ErrorCode::Unsupported,
                  fmt::format("{} has no blocks of items for the key {}; offset:N names a record",
                              archive.format->name(), keys[i].written),
                  {.source = archive.source->name()});
    }
    if (keys[i].kind == Key::Kind::Offset || keys[i].kind == Key::Kind::Block) {
      found[i] = Found{{keys[i].number, keys[i].inner}, 0};
      continue;
    }
    scan_needed = true;
    any_index = any_index || keys[i].kind == Key::Kind::Index;
    only_index = only_index && keys[i].kind == Key::Kind::Index;
    last_index = std::max(last_index, keys[i].number);
  }
  if (!scan_needed) {
    return found;
  }
  if (only_index) {
    FONDS_TRY(const bool all, ask_index(archive, options, keys, found));
    if (all) {
      return found;
    }
  }
  std::vector<std::optional<Candidate>> best(keys.size());
  const auto sink = [&](Stretch&, Worker& worker, std::uint64_t first, bool) -> Status {
    for (Candidate& candidate : static_cast<KeyWorker&>(worker).take_candidates()) {
      if (keys[candidate.key].kind != Key::Kind::Index) {
        candidate.found.ordinal += first;
      }
      auto& holder = best[candidate.key];
      if (!holder || better(candidate, *holder)) {
        holder = candidate;
      }
    }
    return {};
  };
  ScanOptions scan_options = skimming(options);
  if (any_index) {
    scan_options.threads = 1;  // an index is counted from the start
  }
  if (!only_index) {
    last_index = std::numeric_limits<std::uint64_t>::max();
  }
  FONDS_CHECK(scan(
      archive, scan_options, [&] { return std::make_unique<KeyWorker>(keys, last_index); }, sink));
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (best[i]) {
      found[i] = best[i]->found;
    }
  }
  return found;
}

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

Result<std::unique_ptr<RecordReader>> open_at(const Archive& archive, const ReadOptions& options,
                                              Place place) {
  ReadOptions read = options;
  if (place.unit > 0) {
    ReadOptions first = options;
    first.skim = true;
    FONDS_TRY(const auto beginning, archive.format->open(archive, first));
    FONDS_CHECK(beginning->next());
    read.state = beginning->state();
  }
  read.start = place.unit;
  read.start_inner = place.inner;
  return archive.format->open(archive, read);
}

}  // namespace fonds::ops
