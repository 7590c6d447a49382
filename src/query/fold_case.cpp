#include "query/fold_case.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>

#include <fonds/query.hpp>

#include "base/utf8.hpp"

namespace fonds::query {
namespace {

// Characters that fold alike: every `stride`th from `first` to `last`.
struct FoldRun {
  char32_t first;
  char32_t last;
  std::uint32_t stride;
  std::int32_t distance;
};

constexpr FoldRun kFoldRuns[] = {
#include "query/fold_table.inc"
};

char32_t fold(char32_t c) {
  const auto* const run = std::lower_bound(std::begin(kFoldRuns), std::end(kFoldRuns), c,
                                           [](const FoldRun& r, char32_t v) { return r.last < v; });
  if (run == std::end(kFoldRuns) || c < run->first || (c - run->first) % run->stride != 0) {
    return c;
  }
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + run->distance);
}

// The next octet from `at` on that is not ASCII, or the end.
std::size_t find_other(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  for (; at + sizeof kHighBits <= text.size(); at += sizeof kHighBits) {
    std::uint64_t octets = 0;
    std::memcpy(&octets, text.data() + at, sizeof octets);
    if ((octets & kHighBits) != 0) {
      break;
    }
  }
  while (at < text.size() && utf8::octet(text[at]) < 0x80U) {
    ++at;
  }
  return at;
}

// Folds what is not ASCII from `at` on, where a folded character has another length.
void fold_anew(std::string& out, std::string_view text, std::size_t at) {
  const std::string rest = out.substr(at);  // with its ASCII letters folded
  const std::size_t begin = at;
  out.resize(at);
  while (at < text.size()) {
    const std::size_t other = find_other(text, at);
    out.append(rest, at - begin, other - at);
    at = other;
    if (at == text.size()) {
      return;
    }
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      out += text[at++];
      continue;
    }
    utf8::append(out, fold(utf8::value_at(text, at, length)));
    at += length;
  }
}

// Folds what is not ASCII in `out`, the text with its ASCII letters folded.
void fold_others(std::string& out, std::string_view text) {
  std::string character;
  for (std::size_t at = find_other(text, 0); at < text.size(); at = find_other(text, at)) {
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      ++at;
      continue;
    }
    character.clear();
    utf8::append(character, fold(utf8::value_at(text, at, length)));
    if (character.size() != length) {
      return fold_anew(out, text, at);
    }
    out.replace(at, length, character);
    at += length;
  }
}

}  // namespace

void fold_into(std::string& out, std::string_view text, Folding folding) {
  out.assign(text);
  if (folding == Folding::None) {
    return;
  }
  unsigned seen = 0;
  for (char& c : out) {
    seen |= utf8::octet(c);
    c = static_cast<char>(c + (utf8::octet(c) - 'A' < 26U ? 'a' - 'A' : 0));
  }
  if (seen >= 0x80U && folding == Folding::Simple) {
    fold_others(out, text);
  }
}

std::string fold_case(std::string_view text) {
  std::string out;
  fold_into(out, text, Folding::Simple);
  return out;
}

}  // namespace fonds::query
