// All that a reader can see of a decoder, so that two of them can be compared.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>
#include <fonds/finding.hpp>

#include "codec/gzip/codec.hpp"
#include "codec/testing.hpp"

namespace fonds::fuzz {

// What a reader sees; gaps are marked.
struct Seen {
  std::string text;
  std::vector<std::string> findings;
  std::uint64_t stored = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

inline void expect_same(const Seen& a, const Seen& b) {
  if (a == b) {
    return;
  }
  const auto differ = std::mismatch(a.text.begin(), a.text.end(), b.text.begin(), b.text.end());
  std::fprintf(stderr, "they differ from byte %td on\n", differ.first - a.text.begin());
  for (const Seen* seen : {&a, &b}) {
    std::fprintf(stderr, "%zu bytes, stored to %llu\n", seen->text.size(),
                 static_cast<unsigned long long>(seen->stored));
    for (const std::string& finding : seen->findings) {
      std::fprintf(stderr, "  %s\n", finding.c_str());
    }
  }
  std::abort();
}

// As a mapped gzip file, in steps of many sizes.
inline Seen read(const std::string& stored, const DecodeOptions& options) {
  auto opened = gzip::gzip_codec().decode(testing_codec::mapped(stored), options);
  Seen seen;
  if (!opened) {
    seen.text = opened.error().to_string();
    return seen;
  }
  const auto decoder = std::move(*opened);
  for (std::size_t wanted = 1;; wanted = wanted * 7 % 65521) {
    const auto shown = decoder->peek(wanted);
    if (shown && !shown->empty()) {
      const std::size_t n = std::min(shown->size(), wanted);
      seen.text += as_text(shown->first(n));
      decoder->consume(n);
      continue;
    }
    seen.text += shown ? "|" : shown.error().to_string();
    if (!shown || !decoder->next_run().value_or(false)) {
      break;
    }
  }
  for (const Finding& finding : decoder->take_findings()) {
    seen.findings.push_back(std::string(finding.code) + finding.message + describe(finding.where));
  }
  seen.stored = decoder->stored_position();
  return seen;
}

}  // namespace fonds::fuzz
