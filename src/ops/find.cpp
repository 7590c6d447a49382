#include "ops/find.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/text.hpp"
#include "format/round_trips.hpp"
#include "index/companions.hpp"
#include "index/held_record.hpp"
#include "io/bounded_source.hpp"
#include "io/will_read.hpp"
#include "ops/describe.hpp"

namespace fonds::ops {
namespace {

bool fits_id(const Key& key, const Record& record, const FlatAttributes& attributes) {
  return (key.kind == Key::Kind::Id || key.kind == Key::Kind::Bare) &&
         ((!record.id().empty() && bare_id(record.id()) == bare_id(key.text)) ||
          (!key.text.empty() && attributes.get("trec_id") == key.text));
}

bool fits_uri(const Key& key, const FlatAttributes& attributes) {
  const std::string_view uri = attributes.get("uri");
  return (key.kind == Key::Kind::Uri || key.kind == Key::Kind::Bare) && !uri.empty() &&
         uri == key.text;
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
    const bool id_fits = fits_id(key, record, flat_);
    const bool uri_fits = fits_uri(key, flat_);
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

std::string_view bare_id(std::string_view id) {
  id = trim(id);
  if (id.starts_with('<') && id.ends_with('>')) {
    id = id.substr(1, id.size() - 2);
  }
  return starts_with_ignoring_case(id, "urn:uuid:") ? id.substr(9) : id;
}

ScanOptions skimming(const ScanOptions& options) {
  ScanOptions skim = options;
  skim.read.skim = !options.read.search_damaged;
  return skim;
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
  scan_options.stops_early = true;
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

Result<std::unique_ptr<RecordReader>> open_at(const Archive& archive, const ReadOptions& options,
                                              Place place) {
  return Opener(archive).at(options, place);
}

bool Opener::stands_alone(const ReadOptions& options, Place place) const {
  constexpr std::size_t kFirstLine = 256;
  if (archive_.source->view() || options.resume) {
    return false;
  }
  DecodeOptions decode = decode_options(options);
  decode.probe = archive_.format->record_probe();
  decode.start = place.unit;
  const auto decoder = open_decoder(archive_, decode);
  if (!decoder || (*decoder)->skip(place.inner).value_or(0) != place.inner) {
    return false;
  }
  const auto head = (*decoder)->peek(kFirstLine);
  return head && fonds::stands_alone(*archive_.format, *head);
}

Result<std::unique_ptr<RecordReader>> Opener::at(const ReadOptions& options, Place place) {
  ReadOptions read = options;
  if (place.unit > 0 && (state_ || !stands_alone(options, place))) {
    FONDS_TRY(read.state, state(options));
  }
  read.start = place.unit;
  read.start_inner = place.inner;
  return archive_.format->open(archive_, read);
}

Result<std::optional<OpenRecord>> Opener::record(const ReadOptions& options, Place place) {
  OpenRecord opened;
  FONDS_TRY(opened.reader, at(options, place));
  FONDS_TRY(opened.record, opened.reader->next());
  if (opened.record != nullptr && opened.record->place == place) {
    return opened;
  }
  if (place.inner == 0) {
    return std::nullopt;
  }
  // Nothing is passed over behind a gap in the unit; there records are met by reading on.
  FONDS_TRY(opened.reader, at(options, {.unit = place.unit}));
  do {
    FONDS_TRY(opened.record, opened.reader->next());
  } while (opened.record != nullptr && opened.record->place.unit == place.unit &&
           opened.record->place.inner < place.inner);
  return opened.record != nullptr && opened.record->place == place
             ? std::optional(std::move(opened))
             : std::nullopt;
}

Result<OpenRecord> Opener::record_again(const ReadOptions& options, Place place) {
  FONDS_TRY(auto there, record(options, place));
  if (!there) {
    return fail(ErrorCode::Corrupt, "a record is not found again where it was read",
                {.source = archive_.source->name(), .stored_offset = place.unit});
  }
  return std::move(*there);
}

Result<std::string> Opener::state(const ReadOptions& options) {
  if (!state_) {
    ReadOptions first = options;
    first.skim = true;
    first.resume = nullptr;
    FONDS_TRY(const auto beginning, archive_.format->open(archive_, first));
    FONDS_CHECK(beginning->next());
    state_ = beginning->state();
  }
  return *state_;
}

Result<std::optional<RecordFinder::Opened>> RecordFinder::find(std::size_t i) {
  const Key& key = keys_[i];
  const bool addressed = key.kind == Key::Kind::Offset || key.kind == Key::Kind::Block;
  if (options_.companions != nullptr && !places_) {
    FONDS_TRY(auto found, by_companions(key));
    if (found) {
      return found;
    }
  }
  if (addressed) {
    FONDS_TRY(const auto place, find_records(archive_, options_, {key}));
    return by_place(*place.front(), true);
  }
  if (!places_) {
    FONDS_TRY(places_, find_records(archive_, options_, keys_));
  }
  const auto& place = (*places_)[i];
  return place ? by_place(*place, false) : std::optional<Opened>();
}

// The archive up to the end of the unit at a place; nothing if that unit is too long to be decoded
// at once, or is not good.
std::optional<Archive> RecordFinder::up_to_unit(Place place) const {
  DecodeOptions decode = decode_options(options_.read);
  decode.probe = archive_.format->record_probe();
  decode.start = place.unit;
  const auto decoder = open_decoder(archive_, decode);
  if (!decoder || !(*decoder)->peek(1) || (*decoder)->stored_position() <= place.unit) {
    return std::nullopt;
  }
  Archive unit = archive_;
  unit.source = std::make_shared<BoundedSource>(archive_.source, (*decoder)->stored_position());
  const auto again = open_decoder(unit, decode);
  const bool whole = again && (*again)->skip(std::uint64_t{1} << 62) && !(*again)->has_findings();
  return whole ? std::optional(unit) : std::nullopt;
}

std::optional<OpenRecord> RecordFinder::alone(Place place) {
  constexpr std::uint64_t kMostHeld = std::uint64_t{64} << 20;
  if (archive_.source->view() || archive_.codec().name() == "none") {
    return std::nullopt;  // where nothing is saved by it
  }
  const auto up_to = up_to_unit(place);
  if (!up_to) {
    return std::nullopt;
  }
  const Archive& unit = units_.emplace_back(*up_to);
  auto reader = Opener(unit).at(options_.read, place);
  auto record = reader ? (*reader)->next() : nullptr;
  if (!record || *record == nullptr || (*record)->place != place) {
    return std::nullopt;
  }
  // What goes on in another unit is read in the usual way.
  const auto length = (*record)->length();
  if (!length || *length > std::min(kMostHeld, options_.read.memory_budget / 8)) {
    return std::nullopt;
  }
  const auto block = (*reader)->peek_block(static_cast<std::size_t>(*length));
  if (!block || block->size() < *length) {
    return std::nullopt;
  }
  return OpenRecord{std::move(*reader), *record};
}

Result<std::optional<RecordFinder::Opened>> RecordFinder::by_place(const Found& found, bool exact) {
  Opened opened;
  opened.ordinal = found.ordinal;
  if (auto here = alone(found.place)) {
    opened.open = std::move(*here);
    return opened;
  }
  FONDS_TRY(auto there, opener_.record(options_.read, found.place));
  if (there) {
    opened.open = std::move(*there);
    return opened;
  }
  if (!exact) {
    return std::optional<Opened>();
  }
  FONDS_TRY(const auto reader, opener_.at(options_.read, found.place));
  FONDS_TRY(const Record* const record, reader->next());
  if (record != nullptr) {
    finding_(make_finding(
        "not-a-record-offset",
        fmt::format("no record begins here; the next one is at {}", record->place.unit),
        {.source = archive_.source->name(), .stored_offset = found.place.unit}));
  }
  return std::optional<Opened>();
}

Result<std::optional<RecordFinder::Opened>> RecordFinder::by_companions(const Key& key) {
  for (const auto& index : options_.companions->records) {
    if (std::find(dropped_.begin(), dropped_.end(), index.get()) != dropped_.end()) {
      continue;
    }
    const auto hints = index->find(archive_, key);
    if (!hints) {
      drop(*index, hints.error().message());
      continue;
    }
    if (!hints->empty()) {
      expect(*index, key);
    }
    auto verdict = RecordHint::Verdict::NotHere;
    for (const RecordHint& hint : *hints) {
      Opened opened;
      FONDS_TRY(verdict, follow(hint, key, opened));
      if (verdict == RecordHint::Verdict::Here) {
        return opened;
      }
      if (verdict != RecordHint::Verdict::Next) {
        break;
      }
    }
    if (verdict != RecordHint::Verdict::NotHere) {
      drop(*index, "leads elsewhere");
    }
  }
  return std::optional<Opened>();
}

Result<RecordHint::Verdict> RecordFinder::follow(const RecordHint& hint, const Key& key,
                                                 Opened& opened) {
  using Verdict = RecordHint::Verdict;
  auto verdict = Verdict::GoOn;
  if (auto here =
          hint.resume == nullptr && hint.place.unit > 0 ? alone(hint.place) : std::nullopt) {
    opened.open = std::move(*here);
    verdict = hint.judge(opened.open.record);
  } else {
    ReadOptions read = options_.read;
    read.resume = hint.resume;
    auto reader = opener_.at(read, hint.place);
    if (!reader) {
      return Verdict::Next;
    }
    opened.open = {std::move(*reader), nullptr};
  }
  while (verdict == Verdict::GoOn) {
    const auto next = opened.open.reader->next();
    if (!next && next.error().code() == ErrorCode::Cancelled) {
      return fail(ErrorCode::Cancelled, next.error().message());
    }
    opened.open.record = next.value_or(nullptr);
    verdict = hint.judge(opened.open.record);
    if (opened.open.record == nullptr) {
      break;
    }
  }
  if (verdict != Verdict::Here) {
    return verdict == Verdict::GoOn ? Verdict::Next : verdict;
  }
  FlatAttributes attributes({"uri", "trec_id"});
  opened.open.record->describe(attributes, false);
  const bool addressed = key.kind == Key::Kind::Offset || key.kind == Key::Kind::Block;
  if (!addressed && !fits_id(key, *opened.open.record, attributes) && !fits_uri(key, attributes)) {
    return Verdict::Wrong;
  }
  if (hint.resume != nullptr) {
    FONDS_TRY(const bool fit, index::digests_fit(archive_, opened.open));
    return fit ? Verdict::Here : Verdict::Next;
  }
  return Verdict::Here;
}

// Tells a source where each read is a round trip what the index says of the record.
void RecordFinder::expect(const RecordIndex& index, const Key& key) const {
  const auto* const tells = dynamic_cast<const index::TellsRange*>(&index);
  if (tells != nullptr && !archive_.source->view()) {
    will_read(*archive_.source, tells->range(archive_, key).value_or(ByteRange{}));
  }
}

std::optional<ByteRange> first_range(const Archive& archive, const Companions& companions,
                                     std::span<const Key> keys) {
  constexpr std::uint64_t kUnknown = std::uint64_t{64} << 10;  // bytes of a record
  for (const Key& key : keys) {
    if (key.kind == Key::Kind::Offset && key.number > 0) {
      return ByteRange{key.number, kUnknown};
    }
    for (const auto& index : companions.records) {
      const auto* const tells = dynamic_cast<const index::TellsRange*>(index.get());
      const auto range =
          tells == nullptr ? ByteRange{} : tells->range(archive, key).value_or(ByteRange{});
      if (range.offset > 0 && range.length > 0) {
        return range;
      }
    }
  }
  return std::nullopt;
}

void RecordFinder::drop(const RecordIndex& index, std::string why) {
  dropped_.push_back(&index);
  finding_(make_finding("companion-stale",
                        fmt::format("the companion {} {}; it is not used", index.name(), why),
                        {.source = archive_.source->name()}));
}

}  // namespace fonds::ops
