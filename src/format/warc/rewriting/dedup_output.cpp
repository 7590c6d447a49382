#include "format/warc/rewriting/dedup_output.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"
#include "format/warc/rewriting/stored_copy.hpp"
#include "format/warc/writing/writing.hpp"

namespace fonds::warc {
namespace {

constexpr std::size_t kSlice = std::size_t{1} << 20;

std::string_view usual_codec(const Archive& archive) {
  const std::string_view codec = archive.codec().name();
  return codec == "none" || codec == "zstd" || codec == "lz4" ? codec : "gzip";
}

bool same(const std::optional<ZstdDictionary>& a, const std::optional<ZstdDictionary>& b) {
  return a.has_value() == b.has_value() && (!a || std::equal(a->bytes().begin(), a->bytes().end(),
                                                             b->bytes().begin(), b->bytes().end()));
}

}  // namespace

Status SlicingSink::write(ByteView bytes) {
  while (!bytes.empty()) {
    const ByteView slice = bytes.first(std::min(bytes.size(), kSlice));
    FONDS_CHECK(sink_.write(slice));
    bytes = bytes.subspan(slice.size());
  }
  return {};
}

Result<std::unique_ptr<DedupOutput>> DedupOutput::create(const Archive& first, ByteSink& sink,
                                                         const WriteOptions& options) {
  WriteOptions write = options;
  if (write.compression.empty()) {
    write.compression = {std::string(usual_codec(first))};
  }
  FONDS_TRY(EncodeOptions encode, encode_options(write));
  if (encode.codec == "zstd" && !encode.dictionary) {
    FONDS_TRY(encode.dictionary, stored_dictionary(first));
  }
  // The head of the first archive is copied, with its dictionary.
  encode.continues = encode.codec == first.codec().name() && first.codecs.size() == 1 &&
                     first.source->random_access() && !options.dictionary;
  return std::unique_ptr<DedupOutput>(new DedupOutput(sink, std::move(encode)));
}

Status DedupOutput::begin(const Archive& archive, bool whole) {
  first_ = archive_ == nullptr;
  archive_ = &archive;
  can_copy_ = whole && archive.source->view().has_value() && archive.codecs.size() == 1 &&
              archive.codec().name() == encode_.codec && !encode_.one_unit;
  if (can_copy_ && encode_.codec == "zstd") {
    FONDS_TRY(const auto dictionary, stored_dictionary(archive));
    can_copy_ = same(dictionary, encode_.dictionary);
  }
  return {};
}

Status DedupOutput::put_head(std::optional<std::uint64_t> head) {
  if (!first_) {
    return {};
  }
  encode_.continues = encode_.continues && can_copy_ && head;
  FONDS_TRY(encoder_, make_encoder(sink_, encode_));
  return encode_.continues ? copy_stored(*archive_->source, {0, *head},
                                         [this](ByteView piece) { return sink_.write(piece); })
                           : Status();
}

bool DedupOutput::fits(ByteView stored) const {
  if (encode_.codec != "zstd") {
    // Plain records may follow gzip members.
    return encode_.codec == "none" || archive_->codec().probe(stored) > 0;
  }
  const std::uint32_t ours = encode_.dictionary ? encode_.dictionary->id() : 0;
  bool good = true;
  zstd::walk_frames(stored, [&](const zstd::FrameInfo& frame) {
    const bool whole = frame.state == zstd::FrameState::Complete &&
                       frame.kind != zstd::FrameKind::Unknown &&
                       frame.kind != zstd::FrameKind::Dictionary;
    good = good && whole &&
           (frame.kind != zstd::FrameKind::Zstd || frame.header.dictionary_id.value_or(0) == ours);
  });
  return good;
}

Result<bool> DedupOutput::copy(ByteRange stored, bool with_table) {
  if (!can_copy_) {
    return false;
  }
  const ByteView all = *archive_->source->view();
  if (stored.offset > all.size() || stored.length > all.size() - stored.offset) {
    return false;
  }
  ByteView bytes =
      all.subspan(static_cast<std::size_t>(stored.offset), static_cast<std::size_t>(stored.length));
  if (bytes.empty() || !fits(bytes)) {
    return false;
  }
  if (!with_table && encode_.codec == "zstd") {
    std::size_t end = bytes.size();
    zstd::walk_frames(bytes, [&](const zstd::FrameInfo& frame) {
      if (frame.magic == zstd::kSeekTableMagic) {
        end = static_cast<std::size_t>(frame.offset);
      }
    });
    bytes = bytes.first(end);
  }
  FONDS_CHECK(encoder_->begin_unit());
  FONDS_CHECK(encode_.codec == "none" ? encoder_->write(bytes) : encoder_->put_stored(bytes));
  FONDS_CHECK(encoder_->end_unit());
  archive_->source->forget(stored);
  return true;
}

}  // namespace fonds::warc
