#include "codec/zstd/dictionary.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define ZSTD_STATIC_LINKING_ONLY  // ZSTD_createDDict_advanced
#include <fmt/core.h>
#include <zstd.h>

#include "base/bytes.hpp"
#include "codec/zstd/frame.hpp"
#include "codec/zstd/frame_decoder.hpp"

namespace fonds::zstd {
namespace {

constexpr std::size_t kUnpackedAtOnce = std::size_t{128} << 10;

class Loader {
 public:
  Loader(std::uint64_t stored_offset, std::uint64_t max_dictionary,
         const std::function<void(Finding)>& report)
      : stored_offset_(stored_offset), max_dictionary_(max_dictionary), report_(report) {}

  // Behind load(): what a compressed dictionary decodes to.
  std::vector<std::byte> take_content() { return std::move(content_); }

  Dictionary load(ByteView user_data, std::uint64_t size) {
    if (size > kCommonDictionary) {
      find("zl-dict-stored",
           fmt::format("the stored dictionary has {} bytes; decoders need not read more than {}",
                       size, kCommonDictionary));
    }
    if (size > max_dictionary_) {
      result_.info.over_limit = true;
      return std::move(result_);
    }
    const std::uint32_t magic = user_data.size() < 4 ? 0 : load_le32(user_data);
    if (magic == kDictionaryMagic) {
      digest(user_data);
    } else if (magic == kFrameMagic || is_skippable_magic(magic)) {
      result_.info.compressed = true;
      unpack(user_data);
    } else {
      find("zd-form", "the dictionary frame holds neither a dictionary nor a zstd frame");
    }
    return std::move(result_);
  }

 private:
  void find(std::string_view code, std::string message) {
    if (quiet_) {
      return;
    }
    report_(make_finding(code, std::move(message), {.stored_offset = stored_offset_}));
  }

  void unpack(ByteView user_data) {
    std::size_t frames = 0;
    bool foreign = false;
    bool usable = true;
    walk_frames(user_data, [&](const FrameInfo& frame) {
      if (frame.kind != FrameKind::Zstd) {
        foreign = true;
        return;
      }
      quiet_ = ++frames > 1;  // one zd-one-frame says it all
      usable = usable && check_header(frame.header) &&
               unpack_frame(user_data.subspan(frame.offset, frame.size), frame);
    });
    quiet_ = false;
    if (frames != 1 || foreign) {
      find("zd-one-frame",
           fmt::format("the dictionary is stored in {} zstd frames{}, not in exactly one", frames,
                       foreign ? " and other bytes" : ""));
    }
    if (usable && frames > 0) {
      digest(content_);
    }
  }

  bool check_header(const FrameHeader& header) {
    if (header.window_size > kCommonWindow) {
      find("zl-window",
           fmt::format(
               "the dictionary's frame has a window of {} bytes; decoders need not support more "
               "than {}",
               header.window_size, kCommonWindow));
    }
    if (!header.content_size) {
      find("zd-size", "the dictionary's frame has no Frame_Content_Size");
    }
    if (!header.checksum) {
      find("zd-checksum", "the dictionary's frame has no Content_Checksum");
    }
    if (header.dictionary_id) {
      find("zd-nodict",
           fmt::format("the dictionary's frame asks for the dictionary {}", *header.dictionary_id));
      return false;
    }
    if (header.content_size && *header.content_size > kCommonDictionary) {
      too_large(*header.content_size);
    }
    if (header.content_size && *header.content_size > max_dictionary_) {
      result_.info.over_limit = true;
      return false;
    }
    return true;
  }

  void too_large(std::uint64_t size) {
    find("zl-dict-decoded",
         fmt::format("the dictionary has {} bytes or more; decoders need not support more than {}",
                     size, kCommonDictionary));
  }

  // Appends to content_, which never grows past max_dictionary_.
  bool unpack_frame(ByteView stored, const FrameInfo& frame) {
    if (!decoder_.ready()) {
      return false;
    }
    decoder_.start(frame.header);
    ByteView rest = stored.subspan(frame.header.size);
    const std::size_t begin = content_.size();
    auto state = FrameDecoder::State::More;
    while (state == FrameDecoder::State::More) {
      const std::size_t held = content_.size();
      content_.resize(held + kUnpackedAtOnce);
      const auto step = decoder_.step(rest, MutableByteView(content_).subspan(held));
      content_.resize(held + step.written);
      rest = rest.subspan(step.used);
      state = step.state;
      if (content_.size() > max_dictionary_) {
        if (!frame.header.content_size || *frame.header.content_size <= kCommonDictionary) {
          too_large(content_.size());
        }
        result_.info.over_limit = true;
        return false;
      }
      if (state == FrameDecoder::State::More && step.written == 0 && step.used == 0) {
        state = FrameDecoder::State::Corrupt;
      }
    }
    if (state == FrameDecoder::State::Corrupt) {
      find("zd-format",
           fmt::format("the compressed dictionary cannot be decoded behind its first {} bytes",
                       content_.size() - begin));
      return false;
    }
    // A wrong checksum or size does not keep the dictionary from being tried: the frames have
    // checksums of their own.
    if (state == FrameDecoder::State::BadChecksum) {
      find("zd-checksum", "the Content_Checksum of the dictionary's frame does not match");
    }
    if (frame.header.content_size && *frame.header.content_size != content_.size() - begin) {
      find("zd-size",
           fmt::format("the dictionary's frame decodes to {} bytes, its Frame_Content_Size says {}",
                       content_.size() - begin, *frame.header.content_size));
    }
    return true;
  }

  void digest(ByteView dictionary) {
    result_.info.decoded_size = dictionary.size();
    // RFC 8878, 5. Without the magic libzstd would take the bytes as content; fullDict refuses
    // that.
    ZSTD_DDict* digested = ZSTD_createDDict_advanced(
        dictionary.data(), dictionary.size(), ZSTD_dlm_byCopy, ZSTD_dct_fullDict, ZSTD_defaultCMem);
    result_.digested = std::shared_ptr<const ZSTD_DDict>(
        digested, [](const ZSTD_DDict* old) { ZSTD_freeDDict(const_cast<ZSTD_DDict*>(old)); });
    if (digested == nullptr) {
      find("zd-format", "the dictionary does not follow RFC 8878, section 5");
      return;
    }
    result_.info.usable = true;
    const std::uint32_t id = ZSTD_getDictID_fromDDict(digested);
    result_.info.id = id;
    if (id < kFirstFreeId || id > kLastFreeId) {
      auto finding = make_finding(
          "zd-id",
          fmt::format("the dictionary has the ID {}, free use begins at {} and ends at {}", id,
                      kFirstFreeId, kLastFreeId),
          {.stored_offset = stored_offset_});
      // No frame can name a dictionary with the ID 0; all others are matters of manners.
      finding.severity = id == 0 ? Severity::Error : Severity::Warning;
      report_(std::move(finding));
    }
  }

  std::uint64_t stored_offset_;
  std::uint64_t max_dictionary_;
  const std::function<void(Finding)>& report_;
  FrameDecoder decoder_;
  bool quiet_ = false;
  std::vector<std::byte> content_;
  Dictionary result_;
};

}  // namespace

Dictionary load_dictionary(ByteView user_data, std::uint64_t stored_offset,
                           std::uint64_t max_dictionary, const std::function<void(Finding)>& report,
                           std::vector<std::byte>* content) {
  Loader loader(stored_offset, max_dictionary, report);
  Dictionary dictionary = loader.load(user_data, user_data.size());
  if (content != nullptr) {
    *content = loader.take_content();
  }
  return dictionary;
}

DictionaryInfo check_dictionary(ByteView user_data, std::uint64_t size, std::uint64_t stored_offset,
                                std::uint64_t max_dictionary,
                                const std::function<void(Finding)>& report) {
  return Loader(stored_offset, max_dictionary, report).load(user_data, size).info;
}

}  // namespace fonds::zstd
