// Helpers of the decoders' tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/codec.hpp>

#include "io/testing.hpp"

namespace fonds::testing_codec {

inline std::shared_ptr<ByteSource> mapped(std::string_view bytes) {
  const ByteView view = as_bytes(bytes);
  return memory_source({view.begin(), view.end()});
}
inline std::shared_ptr<ByteSource> piped(std::string_view bytes, std::size_t step = 100) {
  const ByteView view = as_bytes(bytes);
  return std::make_shared<testing_io::Pipe>(std::vector<std::byte>(view.begin(), view.end()), step);
}

inline std::shared_ptr<ByteSource> at_positions(std::string_view bytes) {
  const ByteView view = as_bytes(bytes);
  return std::make_shared<testing_io::Unmapped>(std::vector<std::byte>(view.begin(), view.end()));
}

struct Decoded {
  std::vector<std::string> runs;            // the bytes between gaps, empty runs left out
  std::vector<std::uint64_t> units;         // every unit that a byte came from
  std::vector<std::string> codes;           // of all findings
  std::vector<std::uint64_t> code_offsets;  // and their places
  std::string error;                        // that ended it
  std::uint64_t stored = 0;                 // stored_position() at the end
  bool operator==(const Decoded&) const = default;
  std::string all() const {
    std::string text;
    for (const std::string& run : runs) {
      text += run;
    }
    return text;
  }
};

inline void take(Decoder& decoder, Decoded& result) {
  for (const Finding& finding : decoder.take_findings()) {
    result.codes.emplace_back(finding.code);
    result.code_offsets.push_back(finding.where.stored_offset.value_or(~std::uint64_t{0}));
  }
}

inline Decoded read_all(const Codec& codec, std::shared_ptr<ByteSource> source,
                        const DecodeOptions& options = {}, std::size_t step = 1000) {
  Decoded result;
  auto decoder = codec.decode(std::move(source), options);
  if (!decoder) {
    result.error = decoder.error().message();
    return result;
  }
  std::string run;
  while (true) {
    const auto shown = (*decoder)->peek(step);
    if (!shown) {
      result.error = shown.error().message();
      break;
    }
    if (!shown->empty()) {
      const std::uint64_t unit = (*decoder)->place().unit;
      if (result.units.empty() || result.units.back() != unit) {
        result.units.push_back(unit);
      }
      const std::size_t n = std::min((*decoder)->shown_of_unit(), shown->size());
      run += as_text(shown->first(n));
      (*decoder)->consume(n);
      continue;
    }
    if (!run.empty()) {
      result.runs.push_back(std::exchange(run, {}));
    }
    const auto more = (*decoder)->next_run();
    if (!more || !*more) {
      result.error = more ? "" : more.error().message();
      break;
    }
  }
  if (!run.empty()) {
    result.runs.push_back(run);
  }
  take(**decoder, result);
  result.stored = (*decoder)->stored_position();
  return result;
}

// A mapped file, which is no different when it is read at positions, as an object at a URL is.
inline Decoded read_file(const Codec& codec, std::string_view bytes,
                         const DecodeOptions& options = {}) {
  Decoded read = read_all(codec, mapped(bytes), options);
  EXPECT_EQ(read_all(codec, at_positions(bytes), options), read);
  return read;
}

inline bool starts_with_record(ByteView head) { return as_text(head).starts_with("WARC/"); }
inline DecodeOptions probing() { return {.probe = {.starts_record = starts_with_record}}; }

// Text that does not compress to almost nothing.
inline std::string sample_text(std::size_t size, std::uint64_t seed = 1) {
  std::string text;
  while (text.size() < size) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(seed >> 40);
    text += seed >> 63 != 0 ? " word " : " other\n";
  }
  text.resize(size);
  return text;
}

// Bytes that do not compress: codecs store them.
inline std::string noise(std::size_t size, std::uint64_t seed = 1) {
  std::string bytes;
  while (bytes.size() < size) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    bytes += static_cast<char>(seed >> 56U);
  }
  return bytes;
}

// What starts_with_record() knows; `n` tells one from the other.
inline std::string record(int n, std::size_t size = 3000) {
  return "WARC/1.0\r\nnumber " + std::to_string(n) + "\r\n" +
         sample_text(size, static_cast<std::uint64_t>(n));
}

}  // namespace fonds::testing_codec
