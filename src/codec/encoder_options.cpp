// Which codecs can be written, and with which options.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#include <fonds/encoder.hpp>
#include <fonds/error.hpp>

#include "codec/encoder_units.hpp"

namespace fonds {
namespace {

struct Maker {
  std::string_view codec;
  std::optional<LevelRange> levels;
  Result<std::unique_ptr<UnitCodec>> (*make)(const EncodeOptions&);
};
constexpr std::array<Maker, 4> kMakers = {{
    {"none", std::nullopt, none::make_unit_codec},
    {"gzip", LevelRange{0, 12, 6}, gzip::make_unit_codec},
    {"zstd", LevelRange{-7, 22, 3}, zstd::make_unit_codec},
    {"lz4", LevelRange{1, 12, 1}, lz4::make_unit_codec},
}};

const Maker* find_maker(std::string_view codec) {
  const auto* const found = std::ranges::find(kMakers, codec, &Maker::codec);
  return found == kMakers.end() ? nullptr : found;
}

// Options that would be passed over are refused.
Status check_options(const EncodeOptions& options) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorCode::BadArgument, fmt::format("{}: {}", options.codec, what));
  };
  if (options.one_unit && options.codec != "gzip" && options.codec != "lz4") {
    return refuse(options.codec == "zstd" ? "no frame may hold two records"
                                          : "plain bytes have no units to make one of");
  }
  if (options.skip_lengths && options.codec != "gzip") {
    return refuse("only gzip members have skip-lengths");
  }
  if (options.codec != "zstd" &&
      (options.dictionary || options.extension != EncodeOptions::Extension::None)) {
    return refuse("only zstd has dictionaries and extension frames");
  }
  if (options.raw_dictionary && !options.dictionary) {
    return refuse("there is no dictionary to store uncompressed");
  }
  return {};
}

}  // namespace

std::optional<LevelRange> level_range(std::string_view codec) {
  const Maker* const maker = find_maker(codec);
  return maker == nullptr ? std::nullopt : maker->levels;
}

Result<int> choose_level(const EncodeOptions& options) {
  const std::optional<LevelRange> range = level_range(options.codec);
  if (!range) {
    if (options.level) {
      return fail(ErrorCode::BadArgument, fmt::format("{}: there are no levels", options.codec));
    }
    return 0;
  }
  const int level = options.level.value_or(range->usual);
  if (level < range->lowest || level > range->highest) {
    return fail(ErrorCode::BadArgument,
                fmt::format("{}: level {}: there are {} to {}", options.codec, level, range->lowest,
                            range->highest));
  }
  return level;
}

Result<std::unique_ptr<UnitCodec>> make_unit_codec(const EncodeOptions& options) {
  const Maker* const maker = find_maker(options.codec);
  if (maker == nullptr) {
    return fail(ErrorCode::BadArgument,
                fmt::format("{}: no codec to write with; there are none, gzip, zstd and lz4",
                            options.codec));
  }
  FONDS_CHECK(check_options(options));
  return maker->make(options);
}

}  // namespace fonds
