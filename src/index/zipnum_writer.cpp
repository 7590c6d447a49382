#include "index/zipnum_writer.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>
#include <libdeflate.h>

#include <fonds/bytes.hpp>

#include "base/digest.hpp"
#include "base/json_writer.hpp"
#include "index/line_file.hpp"

namespace fonds::index {
namespace {

constexpr int kLevel = 6;
constexpr std::size_t kLargestText = std::size_t{16} << 20;
constexpr std::size_t kLongestKept = 2 * kLargestText;  // readers take blocks of 64 MiB

// The first two columns.
std::string_view key_and_timestamp(std::string_view line) {
  const std::size_t blank = line.find(' ');
  return blank == std::string_view::npos ? line : line.substr(0, line.find(' ', blank + 1));
}

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const {
    libdeflate_free_compressor(compressor);
  }
};

}  // namespace

struct ZipNumWriter::Compressor {
  Result<ByteView> compress(std::string_view text) {
    if (state == nullptr) {
      state.reset(libdeflate_alloc_compressor(kLevel));
      if (state == nullptr) {
        return fail(ErrorCode::LimitExceeded, "there is no memory for compressing");
      }
    }
    stored.resize(
        std::max(stored.size(), libdeflate_gzip_compress_bound(state.get(), text.size())));
    const std::size_t n = libdeflate_gzip_compress(state.get(), text.data(), text.size(),
                                                   stored.data(), stored.size());
    if (n == 0) {
      return fail(ErrorCode::Internal, "a block does not fit its bound");
    }
    return ByteView(stored).first(n);
  }
  std::unique_ptr<libdeflate_compressor, FreeCompressor> state;
  std::vector<std::byte> stored;
};

ZipNumWriter::ZipNumWriter(ByteSink& blocks, ByteSink& secondary, ZipNumOptions options)
    : blocks_(blocks),
      secondary_(secondary),
      options_(std::move(options)),
      compressor_(std::make_unique<Compressor>()) {
  options_.block_lines = std::max<std::size_t>(options_.block_lines, 1);
}
ZipNumWriter::~ZipNumWriter() = default;

Status ZipNumWriter::add(std::string_view line) {
  if (line.size() > kLongestKept) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("a line of {} bytes is too long for a block", line.size()));
  }
  if (lines_ > 0 && text_.size() + line.size() >= kLargestText) {
    FONDS_CHECK(end_block());
  }
  text_ += line;
  text_ += '\n';
  if (is_header_line(line)) {
    return {};
  }
  if (lines_++ == 0) {
    first_ = key_and_timestamp(line);
  }
  return lines_ == options_.block_lines ? end_block() : Status();
}

Status ZipNumWriter::begin_secondary() {
  if (std::exchange(begun_, true) || options_.classic) {
    return {};
  }
  std::string line = R"(!meta 0 {"format": "cdxj-gzip-1.0", "filename": )";
  JsonWriter(line).value(options_.file);
  return secondary_.write(as_bytes(line += "}\n"));
}

Status ZipNumWriter::end_block() {
  FONDS_CHECK(begin_secondary());
  FONDS_TRY(const ByteView stored, compressor_->compress(text_));
  const std::uint64_t offset = blocks_.position();
  std::string line = std::move(first_);
  if (options_.classic) {
    line += fmt::format("\t{}\t{}\t{}\t{}\n", options_.file, offset, stored.size(),
                        blocks_written_ + 1);
  } else {
    line += fmt::format(" {{\"offset\": {}, \"length\": {}", offset, stored.size());
    if (options_.digests) {
      Hasher hasher(DigestAlgorithm::Sha256);
      hasher.update(stored);
      const DigestValue digest = hasher.finish();
      line += fmt::format(", \"digest\": \"sha256:{}\"",
                          to_hex(ByteView(digest.bytes).first(digest.size)));
    }
    line += "}\n";
  }
  FONDS_CHECK(blocks_.write(stored));
  FONDS_CHECK(secondary_.write(as_bytes(line)));
  ++blocks_written_;
  first_.clear();
  text_.clear();
  lines_ = 0;
  return {};
}

Status ZipNumWriter::finish() {
  FONDS_CHECK(begin_secondary());
  return lines_ > 0 ? end_block() : Status();
}

}  // namespace fonds::index
