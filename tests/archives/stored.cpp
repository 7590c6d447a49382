#include "archives/stored.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <lzma.h>
#include <zdict.h>

#include <fonds/encoder.hpp>

#include "archives/memory.hpp"

namespace fonds::testing_archives {
namespace {

std::string joined(const std::vector<std::string>& units) {
  std::string all;
  for (const std::string& unit : units) {
    all += unit;
  }
  return all;
}

std::string as_bzip2(std::string plain) {
  std::string out(plain.size() + plain.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  require(BZ2_bzBuffToBuffCompress(out.data(), &size, plain.data(),
                                   static_cast<unsigned>(plain.size()), 1, 0, 0) == BZ_OK,
          "bzip2");
  out.resize(size);
  return out;
}

std::string as_xz(const std::string& plain) {
  std::string out(lzma_stream_buffer_bound(plain.size()), '\0');
  std::size_t size = 0;
  require(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(),
                                  reinterpret_cast<std::uint8_t*>(out.data()), &size,
                                  out.size()) == LZMA_OK,
          "xz");
  out.resize(size);
  return out;
}

EncodeOptions encoding(const Storage& storage) {
  EncodeOptions options;
  options.codec = storage.codec;
  options.one_unit = storage.one_unit;
  options.extension = storage.extension.empty()            ? EncodeOptions::Extension::None
                      : storage.extension == "size-prefix" ? EncodeOptions::Extension::SizePrefix
                                                           : EncodeOptions::Extension::SeekTable;
  if (!storage.dictionary.empty()) {
    auto parsed = ZstdDictionary::parse(as_bytes(storage.dictionary));
    require(parsed.has_value(), "ZstdDictionary::parse");
    options.dictionary = *parsed;
  }
  return options;
}

}  // namespace

std::string stored(const std::vector<std::string>& units, const Storage& storage) {
  if (!storage.has_encoder()) {
    return storage.codec == "xz" ? as_xz(joined(units)) : as_bzip2(joined(units));
  }
  TextSink sink;
  const auto encoder = make_encoder(sink, encoding(storage));
  require(encoder.has_value(), "make_encoder");
  for (const std::string& unit : units) {
    require((*encoder)->begin_unit(unit.size()) && (*encoder)->write(as_bytes(unit)) &&
                (*encoder)->end_unit(),
            "writing a unit");
  }
  require((*encoder)->finish().has_value(), "Encoder::finish");
  return std::move(sink.content);
}

std::string stored_as_one(std::string_view bytes, std::string_view codec) {
  return stored({std::string(bytes)}, {.codec = std::string(codec)});
}

std::string dictionary_of(const std::vector<std::string>& records) {
  constexpr std::size_t kSamples = 200, kLargestSample = 400, kLargestDictionary = 2000;
  std::string samples;
  std::vector<std::size_t> sizes;
  for (std::size_t n = 0; n < kSamples; ++n) {
    const std::string& record = records[n % records.size()];
    sizes.push_back(std::min(record.size(), kLargestSample));
    samples += record.substr(0, sizes.back());
  }
  std::string bytes(kLargestDictionary, '\0');
  const std::size_t size = ZDICT_trainFromBuffer(bytes.data(), bytes.size(), samples.data(),
                                                 sizes.data(), static_cast<unsigned>(sizes.size()));
  require(ZDICT_isError(size) == 0, "ZDICT_trainFromBuffer");
  bytes.resize(size);
  return bytes;
}

}  // namespace fonds::testing_archives
