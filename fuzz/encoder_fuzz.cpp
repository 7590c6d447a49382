// What an encoder writes, our decoder reads as the same bytes without a finding: all of it, each
// unit from its place on, and the units copied into another archive. The first eight bytes choose
// codec, options and where units and writes are cut; the rest is content.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fonds/byte_sink.hpp>
#include <fonds/codec.hpp>
#include <fonds/encoder.hpp>
#include <fonds/finding.hpp>

#include "codec/testing.hpp"
#include "encoder_options.hpp"
#include "require.hpp"

namespace {

using fonds::as_bytes;
using fonds::EncodeOptions;
using fonds::fuzz::require;

class TextSink final : public fonds::ByteSink {
 public:
  fonds::Status write(fonds::ByteView bytes) override {
    text += fonds::as_text(bytes);
    return {};
  }
  std::uint64_t position() const override { return text.size(); }
  std::string text;
};

std::string decoded(const std::string& stored, std::string_view codec, std::uint64_t start = 0) {
  const auto found = std::find_if(fonds::codecs().begin(), fonds::codecs().end(),
                                  [&](const auto* one) { return one->name() == codec; });
  const auto read = fonds::testing_codec::read_all(**found, fonds::testing_codec::mapped(stored),
                                                   {.start = start}, 50000);
  for (const std::string& code : read.codes) {
    require(fonds::find_rule(code)->severity == fonds::Severity::Note);
  }
  require(read.error.empty() && read.runs.size() <= 1);
  return read.all();
}

struct Unit {
  std::size_t from;  // in the content
  std::uint64_t offset = 0, length = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 8) {
    return 0;
  }
  const EncodeOptions options = fonds::fuzz::encode_options(data);
  std::string content;
  for (unsigned i = 0; i <= data[4] && content.size() < 300000; ++i) {
    content.append(reinterpret_cast<const char*>(data) + 8, size - 8);
  }
  TextSink sink, copy;
  const std::string before = options.continues ? "WARC/1.0\r\nbefore" : "";
  if (options.continues) {
    const auto first = *make_encoder(sink, {.codec = options.codec});
    require(first->begin_unit().has_value() && first->write(as_bytes(before)).has_value() &&
            first->end_unit().has_value() && first->finish().has_value());
  }
  const auto made = make_encoder(sink, options);
  require(made.has_value());
  fonds::Encoder* const encoder = made->get();
  std::vector<Unit> units;
  std::size_t told = 0;
  encoder->on_unit = [&](std::uint64_t unit, std::uint64_t offset, std::uint64_t length) {
    require(unit == told && unit <= units.size());
    units.resize(std::max<std::size_t>(units.size(), told + 1), {0});
    units[told].offset = offset;
    units[told++].length = length;
  };
  const std::size_t step = 1 + data[7] * std::size_t{data[7]};
  for (std::size_t at = 0, n = data[5]; at < content.size();
       at += n, n += std::size_t{256} * data[6]) {
    const std::string_view unit =
        std::string_view(content).substr(at, std::max(n, content.size() / 1000 + 1));
    n = unit.size();
    units.push_back({at});
    const bool promise = data[6] % 2 == 0;
    require(
        encoder->begin_unit(promise ? std::optional<std::uint64_t>(n) : std::nullopt).has_value());
    for (std::size_t k = 0; k < n; k += step) {
      require(encoder->write(as_bytes(unit.substr(k, step))).has_value());
    }
    require(encoder->end_unit().has_value());
  }
  require(encoder->finish().has_value());
  require(decoded(sink.text, options.codec) == before + content);
  require(content.empty() || told == (options.one_unit ? 1 : units.size()));
  const auto copier = *make_encoder(copy, {.codec = options.codec, .continues = true});
  for (std::size_t i = 0; i < told; ++i) {
    const Unit& unit = units[i];
    require(unit.length <= sink.text.size() && unit.offset <= sink.text.size() - unit.length);
    const auto stored = std::string_view(sink.text).substr(unit.offset, unit.length);
    if (i % 50 == 7) {
      require(decoded(sink.text, options.codec, unit.offset) == content.substr(unit.from));
    }
    if (!options.dictionary) {
      require(copier->begin_unit().has_value() && copier->put_stored(as_bytes(stored)).has_value());
      require(copier->end_unit().has_value());
    }
  }
  require(copier->finish().has_value());
  require(options.dictionary || decoded(copy.text, options.codec) == content);
  return 0;
}
