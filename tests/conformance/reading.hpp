// What the laws of reading share: records as lines of text, and sources of every kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fonds/byte_source.hpp>
#include <fonds/format.hpp>
#include <fonds/reader.hpp>

namespace fonds::conformance {

using Bytes = std::vector<std::byte>;

inline Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

// All archives below tests/data, sorted.
inline std::vector<std::string> all_archives() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(FONDS_TEST_DATA)) {
    const auto extension = entry.path().extension();
    if (entry.is_regular_file() && extension != ".json" && extension != ".md") {
      found.push_back(std::filesystem::relative(entry.path(), FONDS_TEST_DATA).string());
    }
  }
  std::ranges::sort(found);
  return found;
}

inline std::filesystem::path path_of(const std::string& name) {
  return std::filesystem::path(FONDS_TEST_DATA) / name;
}

// A name that GoogleTest allows.
inline std::string test_name(std::string name) {
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

// Bytes that come a few at a time and cannot be read twice, as from a pipe.
class DrippingSource final : public ByteSource {
 public:
  DrippingSource(Bytes bytes, std::size_t piece) : bytes_(std::move(bytes)), piece_(piece) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a pipe has no size");
  }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a pipe has no places");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    const auto n = std::min({piece_, out.size(), bytes_.size() - position_});
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(position_), n, out.begin());
    position_ += n;
    return n;
  }

 private:
  Bytes bytes_;
  std::size_t piece_;
  std::size_t position_ = 0;
  std::string name_ = "-";
};

inline std::uint64_t hash(ByteView bytes, std::uint64_t seed) {  // FNV-1a
  for (const auto byte : bytes) {
    seed = (seed ^ std::to_integer<std::uint64_t>(byte)) * 1099511628211U;
  }
  return seed;
}

// The record as one line: where, what, how long, and a hash of its block, which is read `step`
// bytes at a time.
inline Result<std::string> line_of(RecordReader& reader, const Record& record, std::size_t step) {
  auto line = fmt::format("{}+{} {} {} {}", record.place.unit, record.place.inner, record.format(),
                          record.kind(), record.id());
  std::uint64_t sum = 14695981039346656037U;
  while (true) {
    auto seen = reader.peek_block(step);
    if (!seen) {
      return tl::unexpected<Error>(std::move(seen.error()));
    }
    if (seen->empty()) {
      break;
    }
    const auto taken = std::min(step, seen->size());
    sum = hash(seen->first(taken), sum);
    reader.consume_block(taken);
  }
  auto end = reader.finish();
  if (!end) {
    return tl::unexpected<Error>(std::move(end.error()));
  }
  line += fmt::format(" {} {:x} {}", end->length.value_or(0), sum, end->trailing);
  for (const auto& finding : end->findings) {
    line += fmt::format(" {}", finding.code);
  }
  return line;
}

// All records, one line each; an error of the reader is the last line.
inline std::vector<std::string> lines_of(const Archive& archive, const ReadOptions& options = {},
                                         std::size_t step = 4096) {
  std::vector<std::string> lines;
  auto reader = archive.format->open(archive, options);
  if (!reader) {
    return {reader.error().message()};
  }
  while (true) {
    auto record = (*reader)->next();
    if (!record || *record == nullptr) {
      if (!record) {
        lines.push_back(record.error().message());
      }
      return lines;
    }
    auto line = line_of(**reader, **record, step);
    lines.push_back(line ? *line : line.error().message());
  }
}

}  // namespace fonds::conformance
