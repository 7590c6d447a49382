#include "format/clps/searching/search_strings.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/core.h>

#include "base/error_copy.hpp"
#include "base/guarded.hpp"
#include "base/text.hpp"

namespace fonds::clps {
namespace {

constexpr std::uint64_t kFew = 4;  // variables that are looked for one by one

// What only ASCII letters of the same name fold to: all of ASCII but k and s, which K (U+212A) and
// ſ (U+017F) fold to as well.
bool folds_within_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80 && c != 'k' && c != 's';
}

std::string_view longest_run(std::string_view text, bool (*wanted)(char)) {
  std::string_view longest;
  for (std::size_t i = 0; i < text.size();) {
    if (!wanted(text[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && wanted(text[end])) {
      ++end;
    }
    if (end - i > longest.size()) {
      longest = text.substr(i, end - i);
    }
    i = end;
  }
  return longest;
}

// The entry that the octet at `at` of the buffer belongs to, or the first one behind it; `from` is
// one at or before it.
std::size_t entry_from(const Dictionary& dictionary, std::size_t from, std::size_t at) {
  const char* const begin = dictionary.buffer().data();
  const auto end_of = [&](std::size_t id) {
    const std::string_view entry = dictionary[id];
    return static_cast<std::size_t>(entry.data() - begin) + entry.size();
  };
  std::size_t step = 1;
  while (from + step < dictionary.size() && end_of(from + step - 1) <= at) {
    from += step;
    step *= 2;
  }
  std::size_t low = from;
  std::size_t high = std::min(from + step, dictionary.size());
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (end_of(middle) <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

Status take(BudgetShare& share, Budget& budget, std::uint64_t bytes) {
  share = BudgetShare(budget);
  if (!share.resize(bytes)) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("a search needs {} bytes for what it finds in a dictionary, more than "
                            "is left of the memory limit",
                            bytes));
  }
  return {};
}

}  // namespace

EntryFinder::EntryFinder(std::string piece, bool folded)
    : piece_(std::move(piece)), folded_(folded) {
  if (!folded_) {
    certain_ = true;
    if (!piece_.empty()) {
      finder_.emplace(piece_);
    }
    return;
  }
  const std::string_view run = longest_run(piece_, folds_within_ascii);
  certain_ = run.size() == piece_.size();
  if (!run.empty()) {
    finder_.emplace(std::string(run), true);
  }
}

void EntryFinder::for_each(const Dictionary& dictionary,
                           const std::function<void(std::size_t)>& use) const {
  const auto contains = [&](std::size_t id) {
    return certain_ || query::fold_case(dictionary[id]).find(piece_) != std::string::npos;
  };
  if (!finder_) {
    for (std::size_t id = 0; id < dictionary.size(); ++id) {
      if (piece_.empty() || contains(id)) {
        use(id);
      }
    }
    return;
  }
  const std::string_view buffer = dictionary.buffer();
  const std::size_t length = finder_->text().size();
  std::size_t id = 0;
  std::size_t at = 0;
  while (id < dictionary.size() && (at = finder_->find(buffer, at)) != ByteFinder::npos) {
    id = entry_from(dictionary, id, at);
    if (id == dictionary.size()) {
      return;
    }
    const std::string_view entry = dictionary[id];
    const auto begin = static_cast<std::size_t>(entry.data() - buffer.data());
    if (at < begin || at + length > begin + entry.size()) {
      ++at;  // it reaches into the length of an entry
      continue;
    }
    if (contains(id)) {
      use(id);
    }
    at = begin + entry.size();
    ++id;
  }
}

Generation generation_of(const Archive& archive) {
  return archive.header().version < Version{0, 4, 0} ? Generation::Old : Generation::New;
}

StringTest::StringTest(const query::Filter& filter, const query::ValueMatch& match,
                       const query::ParseOptions& options)
    : match_(&match), ignore_case_(options.ignore_case) {
  if (!filter.literal.pattern) {
    return;
  }
  // Folding leaves wildcards and escapes as they are. What Unicode folds is more than what ASCII
  // folds, so that of the original's case only what does not match is certain.
  atoms_ = PatternAtoms::of_pattern(ignore_case_ ? query::fold_case(*filter.literal.pattern)
                                                 : *filter.literal.pattern);
  machine_ = PatternMachine::make(atoms_, ignore_case_,
                                  !ignore_case_ || options.meaning == query::Meaning::Default);
}

template <typename Make>
Status StringTest::Once::run(Make&& make) {
  std::call_once(flag, [&] {
    if (auto status = guarded(make); !status) {
      error = std::move(status.error());
    }
    done.store(true, std::memory_order_release);
  });
  if (error) {
    return tl::unexpected<Error>(copy_of(*error));
  }
  return {};
}

bool StringTest::may_consist_of(const std::bitset<256>& octets) const {
  std::bitset<256> wanted = octets;
  if (ignore_case_) {
    for (std::size_t c = 0x80; c < octets.size(); ++c) {
      if (octets.test(c)) {
        return true;  // which may fold to anything
      }
    }
    for (char c = 'A'; c <= 'Z'; ++c) {
      const auto upper = static_cast<std::size_t>(c);
      const auto lower = static_cast<std::size_t>(to_lower(c));
      wanted.set(lower, octets.test(upper) || octets.test(lower));
    }
  }
  for (std::size_t i = 0; i < atoms_.octets.size(); ++i) {
    if (atoms_.any[i] == 0 && !wanted.test(static_cast<unsigned char>(atoms_.octets[i]))) {
      return false;
    }
  }
  return true;
}

Result<const VariableDecision*> StringTest::variables(const Archive& archive) const {
  FONDS_CHECK(variables_.run([&] { return decide_variables(archive); }));
  return &variable_decision_;
}

Status StringTest::begin_log_types(const Archive& archive) const {
  return begun_.run([&] { return decide_log_types(archive); });
}

Result<const LogTypeDecision*> StringTest::log_types(const Archive& archive) const {
  FONDS_CHECK(begin_log_types(archive));
  FONDS_CHECK(log_types_.run([&] { return end_log_types(archive); }));
  return &log_type_decision_;
}

Status StringTest::decide_variables(const Archive& archive) const {
  VariableDecision& decision = variable_decision_;
  FONDS_TRY(const Dictionary* const dictionary, archive.dictionary(Member::Variables));
  FONDS_CHECK(take(decision.share, archive.budget(), dictionary->size() / 8 + 64));
  decision.ids = BitSet(dictionary->size());
  const auto add = [&](std::size_t id) {
    if (decision.count++ == 0) {
      decision.first = id;
    }
    decision.ids.set(id);
  };
  if (!atoms_.exact || ignore_case_) {
    FONDS_TRY(const BitSet* const candidates, with_piece(archive));
    candidates->for_each([&](std::size_t id) {
      if (match_->text((*dictionary)[id])) {
        add(id);
      }
    });
    return {};
  }
  const std::string& wanted = atoms_.octets;
  for (std::size_t id = 0; id < dictionary->size(); ++id) {
    const std::string_view entry = (*dictionary)[id];
    if (entry.size() == wanted.size() &&
        std::memcmp(entry.data(), wanted.data(), wanted.size()) == 0) {
      add(id);
    }
  }
  return {};
}

Status StringTest::decide_log_types(const Archive& archive) const {
  LogTypeDecision& decision = log_type_decision_;
  FONDS_TRY(const Dictionary* const dictionary, archive.dictionary(Member::LogTypes));
  FONDS_CHECK(
      take(decision.share, archive.budget(), dictionary->size() * sizeof(LogTypeDecision::Entry)));
  decision.entries.resize(dictionary->size());
  const Generation generation = generation_of(archive);
  for (std::size_t id = 0; id < dictionary->size(); ++id) {
    bool malformed = false;
    LogType type = LogType::parse((*dictionary)[id], generation, malformed);
    LogTypeDecision::Entry& entry = decision.entries[id];
    entry.chance = chance(type);
    decision.in_piece = decision.in_piece || entry.chance == LogTypeChance::InPiece;
    if (entry.chance == LogTypeChance::None) {
      continue;
    }
    entry.variables = static_cast<std::uint32_t>(type.variables());
    if (entry.chance != LogTypeChance::All) {
      entry.parsed = static_cast<std::int32_t>(decision.types.size());
      decision.types.push_back(std::move(type));
    }
  }
  return {};
}

Result<const BitSet*> StringTest::with_piece(const Archive& archive) const {
  FONDS_CHECK(piece_.run([&] { return find_piece(archive); }));
  return &with_piece_;
}

Status StringTest::find_piece(const Archive& archive) const {
  FONDS_TRY(const Dictionary* const variables, archive.dictionary(Member::Variables));
  FONDS_CHECK(take(piece_share_, archive.budget(), variables->size() / 8 + 64));
  with_piece_ = BitSet(variables->size());
  EntryFinder(atoms_.longest, ignore_case_).for_each(*variables, [&](std::size_t id) {
    with_piece_.set(id);
  });
  return {};
}

Status StringTest::end_log_types(const Archive& archive) const {
  LogTypeDecision& decision = log_type_decision_;
  std::uint64_t bytes = decision.entries.size() * sizeof(LogTypeDecision::Entry);
  for (const LogType& type : decision.types) {
    bytes += sizeof(LogType) + type.text().size() + type.variables() * sizeof(Segment);
  }
  FONDS_CHECK(take(decision.share, archive.budget(), bytes));
  bool any = false;
  if (decision.in_piece) {
    FONDS_TRY(decision.with_piece, with_piece(archive));
    any = !decision.with_piece->none();
    if (decision.with_piece->count() <= kFew) {
      decision.with_piece->for_each([&](std::size_t id) { decision.few.push_back(id); });
    }
  }
  for (LogTypeDecision::Entry& entry : decision.entries) {
    if (entry.chance == LogTypeChance::InPiece && !any) {
      entry.chance = LogTypeChance::None;
    }
    decision.elsewhere = decision.elsewhere || (entry.chance != LogTypeChance::None &&
                                                entry.chance != LogTypeChance::InPiece);
    decision.none = decision.none && entry.chance == LogTypeChance::None;
    decision.variables = decision.variables || entry.chance == LogTypeChance::InPiece ||
                         (entry.chance == LogTypeChance::Some && entry.variables > 0);
  }
  return {};
}

bool append_cell(const TextParts& type, const Column& column, std::uint64_t first_variable,
                 const Dictionary& variables, Generation generation, std::string& out) {
  for (const Segment& segment : type.segments) {
    if (out.size() > variables.longest_text()) {
      return false;
    }
    out += type.literal(segment);
    const std::uint64_t word = column.variable(first_variable++);
    std::uint64_t id = word;
    switch (segment.placeholder) {
      case Placeholder::Integer:
        append_integer(static_cast<std::int64_t>(word), out);
        continue;
      case Placeholder::Float:
        if (!append_float(word, generation, out)) {
          return false;
        }
        continue;
      case Placeholder::IntegerOrDictionary: {
        const auto found = dictionary_id(static_cast<std::int64_t>(word));
        if (!found) {
          append_integer(static_cast<std::int64_t>(word), out);
          continue;
        }
        id = *found;
        break;
      }
      case Placeholder::Dictionary:
        break;
    }
    if (id >= variables.size()) {
      return false;
    }
    out += variables[static_cast<std::size_t>(id)];
  }
  out += type.tail;
  return true;
}

}  // namespace fonds::clps
