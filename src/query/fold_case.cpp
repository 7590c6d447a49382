#include "query/fold_case.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
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

// From the first character on that is not ASCII: a folded one may have another length.
void fold_others(std::string& out, std::string_view text) {
  const auto first =
      std::find_if(text.begin(), text.end(), [](char c) { return utf8::octet(c) >= 0x80U; });
  std::size_t at = static_cast<std::size_t>(first - text.begin());
  out.resize(at);
  while (at < text.size()) {
    const std::size_t length = utf8::length_at(text, at);
    if (length == 0) {
      out += text[at++];
      continue;
    }
    utf8::append(out, fold(utf8::value_at(text, at, length)));
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
