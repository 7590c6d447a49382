// Helpers of the encoders' tests.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <fonds/byte_sink.hpp>
#include <fonds/bytes.hpp>
#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "codec/testing.hpp"
#include "io/testing.hpp"

namespace fonds::testing_codec {

struct WrittenPlace {
  std::uint64_t unit, offset, length;
  friend bool operator==(const WrittenPlace&, const WrittenPlace&) = default;
};

struct Encoded {
  std::string stored, error;
  std::vector<WrittenPlace> places;
};

// `step`: the units come in pieces of so many bytes. `promise`: with their size.
struct HowToWrite {
  std::size_t step = ~std::size_t{0};
  bool promise = true;
  std::size_t room = ~std::size_t{0};
};

inline Status write_unit(Encoder& encoder, std::string_view unit, const HowToWrite& how = {}) {
  FONDS_CHECK(
      encoder.begin_unit(how.promise ? std::optional<std::uint64_t>(unit.size()) : std::nullopt));
  while (!unit.empty()) {
    FONDS_CHECK(encoder.write(as_bytes(unit.substr(0, how.step))));
    unit.remove_prefix(std::min(how.step, unit.size()));
  }
  return encoder.end_unit();
}

inline Encoded encode_units(const EncodeOptions& options, const std::vector<std::string>& units,
                            const HowToWrite& how = {}) {
  testing_io::TextSink sink(how.room);
  Encoded result;
  const Status status = [&]() -> Status {
    FONDS_TRY(const auto encoder, make_encoder(sink, options));
    encoder->on_unit = [&](std::uint64_t unit, std::uint64_t offset, std::uint64_t length) {
      result.places.push_back({unit, offset, length});
    };
    for (const std::string& unit : units) {
      FONDS_CHECK(write_unit(*encoder, unit, how));
    }
    return encoder->finish();
  }();
  result.stored = sink.content;
  result.error = status ? "" : status.error().message();
  return result;
}

inline std::string joined(const std::vector<std::string>& units) {
  std::string all;
  for (const std::string& unit : units) {
    all += unit;
  }
  return all;
}

// Records of many sizes, some alike.
inline std::vector<std::string> sample_units() {
  std::vector<std::string> units;
  for (int n = 0; n < 300; ++n) {
    units.push_back(record(n % 50, static_cast<std::size_t>(n * n % 9000)));
  }
  units.push_back(record(1000, 400000));
  units.push_back(record(1001, 1));
  return units;
}

}  // namespace fonds::testing_codec
