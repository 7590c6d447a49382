#include "format/clps/writing/bracket_scanner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "base/bytes.hpp"

namespace fonds::clps {
namespace {

enum class Kind : std::uint8_t { Scalar, Blank, Open, Close, Quote, Comma, Colon };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  for (const unsigned char c : {' ', '\t', '\r', '\n'}) {
    kinds[c] = Kind::Blank;
  }
  for (const unsigned char c : {'{', '['}) {
    kinds[c] = Kind::Open;
  }
  for (const unsigned char c : {'}', ']'}) {
    kinds[c] = Kind::Close;
  }
  kinds['"'] = Kind::Quote;
  kinds[','] = Kind::Comma;
  kinds[':'] = Kind::Colon;
  return kinds;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

constexpr std::uint64_t kOnes = 0x0101010101010101U;
// The highest bit of each octet of `word` that is `c`, from the low end up to the first such octet;
// above it bits may be wrong.
std::uint64_t equal(std::uint64_t word, char c) {
  const std::uint64_t zero = word ^ (kOnes * static_cast<unsigned char>(c));
  return (zero - kOnes) & ~zero & (kOnes << 7);
}

// The first octet that means something in a string.
const char* find_special(const char* at, const char* end) {
  while (end - at >= 8) {
    const std::uint64_t word = load_le64({reinterpret_cast<const std::byte*>(at), 8});
    const std::uint64_t special = equal(word, '"') | equal(word, '\\') | equal(word, '\n');
    if (special != 0) {
      return at + std::countr_zero(special) / 8;
    }
    at += 8;
  }
  while (at < end && *at != '"' && *at != '\\' && *at != '\n') {
    ++at;
  }
  return at;
}

}  // namespace

void BracketScanner::start(std::uint64_t offset) {
  first_ = position_ = offset;
  open_.clear();
  expect_ = Expect::Value;
  in_string_ = escaped_ = false;
}

// Goes on in a string; stops behind it, at a line feed in it, or at `end`.
const char* BracketScanner::string(const char* at, const char* end) {
  if (escaped_ && at < end) {
    // A line feed is none the less one behind a backslash.
    at += *at == '\n' ? 0 : 1;
    escaped_ = false;
  }
  while (true) {
    at = find_special(at, end);
    if (at == end || *at == '\n') {
      return at;
    }
    if (*at++ == '"') {
      in_string_ = false;
      value_ends();
      return at;
    }
    if (at == end) {
      escaped_ = true;
      return at;
    }
    at += *at == '\n' ? 0 : 1;
  }
}

bool BracketScanner::open(std::uint64_t offset, bool object) {
  if (expect_ != Expect::Value || open_.size() >= kMaxDepth) {
    return false;
  }
  open_.push_back(2 * offset + (object ? 1 : 0));
  expect_ = object ? Expect::Key : Expect::Value;
  return true;
}

bool BracketScanner::close(bool object) {
  if (open_.empty() || (open_.back() % 2 != 0) != object) {
    return false;
  }
  open_.pop_back();
  expect_ = Expect::After;
  return true;
}

BracketScanner::State BracketScanner::scan(const char* begin, const char* end) {
  const std::uint64_t from = position_;
  const auto stop = [&](State state, const char* at) {
    position_ = from + static_cast<std::uint64_t>(at - begin);
    return state;
  };
  const char* at = begin;
  if (in_string_) {
    at = string(at, end);
    if (at < end && in_string_) {
      return stop(State::Broken, at);
    }
  }
  while (at < end) {
    switch (kind_of(*at)) {
      case Kind::Blank:
        break;
      case Kind::Scalar:
        if (expect_ == Expect::Key || expect_ == Expect::Value) {
          value_ends();
        }
        break;
      case Kind::Comma:
        expect_ = !open_.empty() && open_.back() % 2 != 0 ? Expect::Key : Expect::Value;
        break;
      case Kind::Colon:
        expect_ = Expect::Value;
        break;
      case Kind::Open:
        if (!open(from + static_cast<std::uint64_t>(at - begin), *at == '{')) {
          return stop(State::Broken, at);
        }
        break;
      case Kind::Close:
        if (!close(*at == '}')) {
          return stop(State::Broken, at);
        }
        if (open_.empty()) {
          return stop(State::Complete, at + 1);
        }
        break;
      case Kind::Quote:
        if (expect_ == Expect::Colon || expect_ == Expect::After) {
          return stop(State::Broken, at);
        }
        in_string_ = true;
        at = string(at + 1, end);
        if (at < end && in_string_) {
          return stop(State::Broken, at);
        }
        continue;
    }
    ++at;
  }
  return stop(State::Open, at);
}

std::vector<std::uint64_t> BracketScanner::open_brackets() const {
  std::vector<std::uint64_t> offsets(open_.size());
  std::ranges::transform(open_, offsets.begin(), [](std::uint64_t entry) { return entry / 2; });
  return offsets;
}

}  // namespace fonds::clps
