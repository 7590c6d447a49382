#include "ops/compare_align.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace fonds::ops {
namespace {

// So many entries of both sides wait before they are paired by less than an id.
constexpr std::size_t kFirstLook = 256;
constexpr std::uint64_t kOfMaps = 160;  // bytes of an entry's place in maps, about

bool same_id(const Entry& a, const Entry& b) {
  return a.id_key == b.id_key || (a.old_id_key != EntryKey{} && a.old_id_key == b.id_key) ||
         (b.old_id_key != EntryKey{} && b.old_id_key == a.id_key);
}

// Whether nothing speaks against it that these are one record.
bool same(const Entry& a, const Entry& b) {
  if (a.keeps_header_of(b)) {
    return true;
  }
  return a.has_id() && b.has_id() ? same_id(a, b) : a.content_key == b.content_key;
}

std::uint64_t weight(const Entry& entry) { return entry.memory() + kOfMaps; }

// Pairs entries of two short lists by a key, each at most once, the first ones first.
class ListPairs {
 public:
  ListPairs(const std::vector<Entry>& a, const std::vector<Entry>& b)
      : a_(a), b_(b), of_a_(a.size()), taken_b_(b.size()) {}

  using KeyOf = EntryKey Entry::*;
  template <typename Fits>
  void by(KeyOf key_of_a, KeyOf key_of_b, const Fits& fits) {
    std::set<std::pair<EntryKey, std::size_t>> index;
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (!taken_b_[j] && b_[j].*key_of_b != EntryKey{}) {
        index.emplace(b_[j].*key_of_b, j);
      }
    }
    for (std::size_t i = 0; i < a_.size(); ++i) {
      const auto found = of_a_[i] ? index.end() : index.lower_bound({a_[i].*key_of_a, 0});
      if (found != index.end() && found->first == a_[i].*key_of_a &&
          fits(a_[i], b_[found->second])) {
        take(i, found->second);
        index.erase(found);
      }
    }
  }

  // What has neither id nor URI is known by its place alone.
  void by_place() {
    const auto nameless = [](const Entry& entry) {
      return !entry.has_id() && entry.capture_key == EntryKey{};
    };
    std::vector<std::size_t> left_a, left_b;
    for (std::size_t i = 0; i < a_.size(); ++i) {
      if (!of_a_[i] && nameless(a_[i])) {
        left_a.push_back(i);
      }
    }
    for (std::size_t j = 0; j < b_.size(); ++j) {
      if (!taken_b_[j] && nameless(b_[j])) {
        left_b.push_back(j);
      }
    }
    for (std::size_t n = 0; left_a.size() == left_b.size() && n < left_a.size(); ++n) {
      take(left_a[n], left_b[n]);
    }
  }

  std::optional<std::size_t> of_a(std::size_t i) const { return of_a_[i]; }
  bool has_b(std::size_t j) const { return taken_b_[j]; }

 private:
  void take(std::size_t i, std::size_t j) {
    of_a_[i] = j;
    taken_b_[j] = true;
  }

  const std::vector<Entry>& a_;
  const std::vector<Entry>& b_;
  std::vector<std::optional<std::size_t>> of_a_;
  std::vector<bool> taken_b_;
};

}  // namespace

void Aligner::Keys::add(const Entry& entry, std::uint64_t number) {
  for (const EntryKey& key : {entry.id_key, entry.old_id_key}) {
    if (key != EntryKey{}) {
      ids.emplace(key, number);
    }
  }
  for (const EntryKey& key : {entry.octets_key, entry.origin_key}) {
    if (key != EntryKey{}) {
      octets.emplace(key, number);
    }
  }
  contents.emplace(entry.content_key, number);
}

void Aligner::Keys::remove(const Entry& entry, std::uint64_t number) {
  for (const EntryKey& key : {entry.id_key, entry.old_id_key}) {
    ids.erase({key, number});
  }
  for (const EntryKey& key : {entry.octets_key, entry.origin_key}) {
    octets.erase({key, number});
  }
  contents.erase({entry.content_key, number});
}

// The first one that is the wanted record.
template <typename EntryAt>
std::optional<std::uint64_t> Aligner::find(const Keys& keys, const Entry& wanted,
                                           const EntryAt& entry_at) {
  const auto look_up = [](const Index& index, const EntryKey& key) -> std::optional<std::uint64_t> {
    const auto found = index.lower_bound({key, 0});
    const bool there = key != EntryKey{} && found != index.end() && found->first == key;
    return there ? std::optional(found->second) : std::nullopt;
  };
  for (const EntryKey& key : {wanted.id_key, wanted.old_id_key}) {
    if (const auto number = look_up(keys.ids, key)) {
      return number;
    }
  }
  for (const EntryKey& key : {wanted.origin_key, wanted.octets_key}) {
    const auto number = look_up(keys.octets, key);
    if (number && wanted.keeps_header_of(entry_at(*number))) {
      return number;
    }
  }
  std::size_t looked = 0;
  for (auto it = keys.contents.lower_bound({wanted.content_key, 0});
       it != keys.contents.end() && it->first == wanted.content_key && ++looked <= kFirstLook;
       ++it) {
    if (!(wanted.has_id() && entry_at(it->second).has_id())) {
      return it->second;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Aligner::find_waiting(std::size_t side, const Entry& wanted) {
  Side& there = sides_[side];
  for (there.indexed = std::max(there.indexed, there.first); there.indexed < there.end();
       ++there.indexed) {
    there.keys.add(there.at(there.indexed), there.indexed);
  }
  return find(there.keys, wanted,
              [&](std::uint64_t number) -> const Entry& { return there.at(number); });
}

Result<bool> Aligner::pull_one(std::size_t side) {
  Side& here = sides_[side];
  if (here.ended) {
    return false;
  }
  FONDS_TRY(std::optional<Entry> entry, pull_(side));
  if (!entry) {
    here.ended = true;
    return false;
  }
  held_ += weight(*entry);
  here.waiting.push_back(std::move(*entry));
  return true;
}

Status Aligner::fill() {
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    if (sides_[side].waiting.empty()) {
      FONDS_CHECK(pull_one(side));
    }
  }
  return {};
}

Entry Aligner::pop(std::size_t side) {
  Side& here = sides_[side];
  Entry entry = std::move(here.waiting.front());
  here.waiting.pop_front();
  if (here.first < here.indexed) {
    here.keys.remove(entry, here.first);
  }
  ++here.first;
  held_ -= weight(entry);
  return entry;
}

Status Aligner::pair(std::size_t side, const Entry& entry, const Entry& other, bool in_order) {
  return side == 0 ? output_.pair(entry, other, in_order) : output_.pair(other, entry, in_order);
}

// Pairs an entry of `side` with what the other side has passed over.
Result<bool> Aligner::pair_with_stray(std::size_t side, const Entry& entry) {
  Side& other = sides_[1 - side];
  if (other.strays.empty()) {
    return false;
  }
  const auto number = find(other.stray_keys, entry, [&](std::uint64_t n) -> const Entry& {
    return other.strays.find(n)->second;
  });
  if (!number) {
    return false;
  }
  const Entry found = std::move(other.strays.extract(*number).mapped());
  other.stray_keys.remove(found, *number);
  held_ -= weight(found);
  FONDS_CHECK(pair(side, entry, found, false));
  return true;
}

Status Aligner::run() {
  while (true) {
    FONDS_CHECK(fill());
    std::array<std::deque<Entry>*, 2> waiting = {&sides_[0].waiting, &sides_[1].waiting};
    if (waiting[0]->empty() && waiting[1]->empty()) {
      break;
    }
    if (!waiting[0]->empty() && !waiting[1]->empty() &&
        same(waiting[0]->front(), waiting[1]->front())) {
      const Entry a = pop(0);
      const Entry b = pop(1);
      FONDS_CHECK(output_.pair(a, b, true));
      continue;
    }
    bool moved = false;
    for (std::size_t side = 0; side < 2 && !moved; ++side) {
      if (!waiting[side]->empty()) {
        FONDS_TRY(moved, pair_with_stray(side, waiting[side]->front()));
        if (moved) {
          pop(side);
        }
      }
    }
    if (!moved) {
      FONDS_CHECK(resync());
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    for (const auto& [number, entry] : sides_[side].strays) {
      FONDS_CHECK(output_.only(side, entry));
    }
  }
  return {};
}

// Settles what lies before an entry and its counterpart among those that wait, if it has one.
Result<bool> Aligner::meet(std::size_t side, std::uint64_t number) {
  const auto other = find_waiting(1 - side, sides_[side].at(number));
  if (!other) {
    return false;
  }
  FONDS_CHECK(side == 0 ? settle(number, *other) : settle(*other, number));
  return true;
}

// The first entries that wait are no pair: reads on to where both sides go together again.
Status Aligner::resync() {
  const std::size_t shorter = sides_[0].waiting.size() <= sides_[1].waiting.size() ? 0 : 1;
  for (std::uint64_t n = sides_[shorter].first; n < sides_[shorter].end(); ++n) {
    FONDS_TRY(const bool met, meet(shorter, n));
    if (met) {
      return {};
    }
  }
  std::size_t look = kFirstLook;
  while (true) {
    bool more = false;
    for (std::size_t side = 0; side < 2; ++side) {
      FONDS_TRY(const bool came, pull_one(side));
      more = more || came;
      if (came) {
        FONDS_TRY(const bool met, meet(side, sides_[side].end() - 1));
        if (met) {
          return {};
        }
      }
    }
    if (!more || held_ > memory_) {
      return settle(sides_[0].end(), sides_[1].end());
    }
    if (std::min(sides_[0].waiting.size(), sides_[1].waiting.size()) >= look) {
      look *= 2;
      if (const auto ends = agreement()) {
        return settle(ends->first, ends->second);
      }
    }
  }
}

// Whether at least half of what waits has the same content in the same order, though no id is the
// same: then the ids were made anew. The ends of what can be settled.
std::optional<std::pair<std::uint64_t, std::uint64_t>> Aligner::agreement() {
  const Side& a = sides_[0];
  const Side& b = sides_[1];
  std::uint64_t pairs = 0, end_a = a.first, end_b = b.first;
  for (std::uint64_t n = a.first; n < a.end(); ++n) {
    const EntryKey& key = a.at(n).content_key;
    const auto found = b.keys.contents.lower_bound({key, end_b});
    if (found != b.keys.contents.end() && found->first == key) {
      ++pairs;
      end_a = n + 1;
      end_b = found->second + 1;
    }
  }
  return 2 * pairs >= std::min(a.waiting.size(), b.waiting.size())
             ? std::optional(std::pair(end_a, end_b))
             : std::nullopt;
}

// Pairs what can be paired of the entries that wait before these, and passes over the others.
Status Aligner::settle(std::uint64_t end_a, std::uint64_t end_b) {
  std::array<std::vector<Entry>, 2> gap;
  const std::array<std::uint64_t, 2> ends = {end_a, end_b};
  for (std::size_t side = 0; side < 2; ++side) {
    while (sides_[side].first < ends[side]) {
      Entry entry = pop(side);
      FONDS_TRY(const bool moved, pair_with_stray(side, entry));
      if (!moved) {
        gap[side].push_back(std::move(entry));
      }
    }
  }
  ListPairs pairs(gap[0], gap[1]);
  const auto always = [](const Entry&, const Entry&) { return true; };
  pairs.by(&Entry::octets_key, &Entry::origin_key, always);
  pairs.by(&Entry::origin_key, &Entry::octets_key, always);
  pairs.by(&Entry::content_key, &Entry::content_key, always);
  pairs.by(&Entry::capture_key, &Entry::capture_key,
           [](const Entry& a, const Entry& b) { return !(a.has_id() && b.has_id()); });
  pairs.by_place();
  std::size_t last = 0;
  for (std::size_t i = 0; i < gap[0].size(); ++i) {
    if (const auto j = pairs.of_a(i)) {
      FONDS_CHECK(output_.pair(gap[0][i], gap[1][*j], *j >= last));
      last = std::max(last, *j);
    } else {
      FONDS_CHECK(stray(0, std::move(gap[0][i])));
    }
  }
  for (std::size_t j = 0; j < gap[1].size(); ++j) {
    if (!pairs.has_b(j)) {
      FONDS_CHECK(stray(1, std::move(gap[1][j])));
    }
  }
  return save_memory();
}

Status Aligner::stray(std::size_t side, Entry entry) {
  Side& here = sides_[side];
  const std::uint64_t number = entry.ordinal;
  held_ += weight(entry);
  here.stray_keys.add(entry, number);
  here.strays.emplace(number, std::move(entry));
  return {};
}

// First the headers of those passed over go, then they are given up, the oldest first.
Status Aligner::save_memory() {
  for (std::size_t side = 0; side < 2 && held_ > memory_ / 2; ++side) {
    Side& here = sides_[side];
    for (auto it = here.strays.lower_bound(here.bare_strays); it != here.strays.end(); ++it) {
      held_ -= it->second.header.size();
      it->second.header = {};
      here.bare_strays = it->first + 1;
    }
  }
  for (std::size_t side = 0; side < 2; ++side) {
    Side& here = sides_[side];
    while (held_ > memory_ / 2 && !here.strays.empty()) {
      const auto oldest = here.strays.begin();
      FONDS_CHECK(output_.only(side, oldest->second));
      here.stray_keys.remove(oldest->second, oldest->first);
      held_ -= weight(oldest->second);
      here.strays.erase(oldest);
    }
  }
  return {};
}

}  // namespace fonds::ops
