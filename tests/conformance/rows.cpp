#include "conformance/rows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <bzlib.h>
#include <lzma.h>

#include <fonds/byte_sink.hpp>
#include <fonds/byte_source.hpp>
#include <fonds/encoder.hpp>
#include <fonds/format.hpp>

#include "conformance/sinks.hpp"

namespace fonds::laws {

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

const std::vector<Row>& made_rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> made;
    for (auto part : {web_rows(), recordio_rows(), event_rows(), text_rows()}) {
      std::ranges::move(part, std::back_inserter(made));
    }
    return made;
  }();
  return all;
}

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> together = made_rows();
    std::ranges::move(fixture_rows(), std::back_inserter(together));
    return together;
  }();
  return all;
}

Result<Archive> open(const Row& row) {
  return !row.directory ? open(row, row.bytes())
                        : open_archive(row.directory().string(), {.format = row.format});
}

Result<Archive> open(const Row& row, std::string_view bytes) {
  const ByteView view = as_bytes(bytes);
  return open(row, memory_source({view.begin(), view.end()}));
}

Result<Archive> open(const Row& row, std::shared_ptr<ByteSource> source) {
  return open_archive(std::move(source), {.format = row.format});
}

std::string test_name(std::string name) {
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    c = plain ? c : '_';
  }
  return name;
}

void require(bool good, std::string_view what) {
  if (!good) {
    throw std::runtime_error(std::string(what));
  }
}

namespace {

std::string bzip2_of(std::string_view bytes) {
  std::string out(bytes.size() + bytes.size() / 100 + 600, '\0');
  auto size = static_cast<unsigned>(out.size());
  require(BZ2_bzBuffToBuffCompress(out.data(), &size, const_cast<char*>(bytes.data()),
                                   static_cast<unsigned>(bytes.size()), 9, 0, 0) == BZ_OK,
          "bzip2");
  out.resize(size);
  return out;
}

std::string xz_of(std::string_view bytes) {
  std::string out(lzma_stream_buffer_bound(bytes.size()), '\0');
  std::size_t size = 0;
  require(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size(),
                                  reinterpret_cast<std::uint8_t*>(out.data()), &size,
                                  out.size()) == LZMA_OK,
          "xz");
  out.resize(size);
  return out;
}

}  // namespace

std::string wrapped(std::string_view codec, std::string_view bytes) {
  if (codec == "bzip2") {
    return bzip2_of(bytes);
  }
  if (codec == "xz") {
    return xz_of(bytes);
  }
  TextSink sink;
  const auto encoder = make_encoder(sink, {.codec = std::string(codec)});
  require(encoder && (*encoder)->begin_unit(bytes.size()) && (*encoder)->write(as_bytes(bytes)) &&
              (*encoder)->end_unit() && (*encoder)->finish(),
          codec);
  return std::move(sink.content);
}

}  // namespace fonds::laws
