// The container rules of WARC-Zstandard 1.0; docs/formats/warc-zstandard.md, "Conformance list".
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

#include "codec/zstd/extension.hpp"
#include "codec/zstd/frame.hpp"
#include "io/window.hpp"

namespace fonds::zstd {
namespace {

class FrameCheck {
 public:
  FrameCheck(Window& window, std::uint64_t max_dictionary,
             const std::function<void(Finding)>& report)
      : window_(window), max_dictionary_(max_dictionary), report_(report) {}

  void check(const FrameInfo& frame) {
    compare(std::exchange(promise_, std::nullopt), frame);
    if (frame.offset == 0 && frame.kind != FrameKind::Zstd && frame.kind != FrameKind::Dictionary) {
      find("zs-start", "the file starts with neither a zstd frame nor a dictionary", 0);
    }
    if (frame.state == FrameState::Truncated) {
      find(
          "zs-trunc",
          fmt::format("the frame asks for {} bytes, {} are there", frame.size_declared, frame.size),
          frame.offset);
    }
    switch (frame.kind) {
      case FrameKind::Unknown:
        unknown(frame);
        break;
      case FrameKind::Skippable:
        find("zn-ext", fmt::format("extension frame {:08x} of {} bytes", frame.magic, frame.size),
             frame.offset);
        note(read_size_prefix(frame));
        break;
      case FrameKind::Dictionary:
        dictionary(frame);
        break;
      case FrameKind::Zstd:
        zstd(frame);
        break;
    }
  }
  // Of reading the dictionary and size prefixes.
  Status take_status() { return std::move(status_); }

 private:
  // Of several errors the first one counts.
  void note(Status status) {
    if (status_) {
      status_ = std::move(status);
    }
  }

  void find(std::string_view code, std::string message, std::uint64_t stored_offset) {
    report_(make_finding(code, std::move(message), {.stored_offset = stored_offset}));
  }

  Status read_size_prefix(const FrameInfo& frame) {
    if (frame.size == kSizePrefixSize) {
      FONDS_TRY(const ByteView stored, window_.at(frame.offset, kSizePrefixSize));
      promise_ = parse_size_prefix(stored);
    }
    return {};
  }

  void compare(const std::optional<FrameSizes>& promise, const FrameInfo& frame) {
    if (!promise) {
      return;
    }
    const bool same = frame.kind == FrameKind::Zstd && frame.size == promise->stored &&
                      frame.header.content_size.value_or(promise->decoded) == promise->decoded;
    if (!same) {
      find("size-prefix",
           fmt::format("the size prefix tells of a frame of {} stored and {} decoded bytes, which "
                       "is not the one behind it",
                       promise->stored, promise->decoded),
           frame.offset - kSizePrefixSize);
    }
  }

  void unknown(const FrameInfo& frame) {
    if (is_legacy_magic(frame.magic)) {
      find("zf-standard", fmt::format("legacy zstd frame, magic {:08x}", frame.magic),
           frame.offset);
    } else if (frame.offset > 0) {
      find("zs-frames", fmt::format("{} bytes that belong to no frame", frame.size), frame.offset);
    }
  }

  void dictionary(const FrameInfo& frame) {
    if (frame.offset > 0) {
      find("zs-dict-pos", "dictionary frame behind the start of the file", frame.offset);
      return;
    }
    with_dictionary_ = true;
    if (frame.state == FrameState::Complete) {
      note(read_dictionary(frame));
    }
  }

  Status read_dictionary(const FrameInfo& frame) {
    const std::uint64_t size = frame.size - kSkippableHeader;
    const auto held = static_cast<std::size_t>(std::min(size, max_dictionary_));
    FONDS_TRY(const ByteView stored, window_.at(frame.offset + kSkippableHeader, held));
    dictionary_ = check_dictionary(stored.first(std::min(held, stored.size())), size, frame.offset,
                                   max_dictionary_, report_);
    return {};
  }

  void zstd(const FrameInfo& frame) {
    const FrameHeader& header = frame.header;
    if (header.size == 0) {
      return;  // cut short in its header
    }
    if (header.reserved_bit) {
      find("zf-standard", "the reserved bit of the frame header is set", frame.offset);
    }
    if (frame.state == FrameState::Illegal) {
      find("zf-standard", fmt::format("block {} has a type or a size that cannot be", frame.blocks),
           frame.offset);
    }
    if (!header.content_size) {
      find("zf-size", "the frame has no Frame_Content_Size", frame.offset);
    } else if (*header.content_size == 0) {
      find("zn-empty", "empty zstd frame", frame.offset);
    }
    if (!header.checksum) {
      find("zf-checksum", "the frame has no Content_Checksum", frame.offset);
    }
    if (header.window_size > kCommonWindow) {
      find("zl-window",
           fmt::format("the frame has a window of {} bytes; decoders need not support more than {}",
                       header.window_size, kCommonWindow),
           frame.offset);
    }
    dictionary_id(frame);
  }

  void dictionary_id(const FrameInfo& frame) {
    const auto id = frame.header.dictionary_id;
    if (!with_dictionary_) {
      if (id) {
        find("zf-nodict", fmt::format("the frame needs the dictionary {}, the file has none", *id),
             frame.offset);
      }
    } else if (!id) {
      find("zf-dictid", "the frame has no Dictionary_ID, the file has a dictionary", frame.offset);
    } else if (dictionary_.usable && *id != dictionary_.id) {
      find("zf-dictid-match",
           fmt::format("the frame needs the dictionary {}, the file has {}", *id, dictionary_.id),
           frame.offset);
    }
  }

  Window& window_;
  std::uint64_t max_dictionary_;
  const std::function<void(Finding)>& report_;
  Status status_;
  std::optional<FrameSizes> promise_;  // of a size prefix, for the frame behind it
  bool with_dictionary_ = false;
  DictionaryInfo dictionary_;
};

}  // namespace

Status check_frames(Window window, std::uint64_t max_dictionary,
                    const std::function<void(Finding)>& report) {
  FrameCheck check(window, max_dictionary, report);
  FONDS_CHECK(walk_frames(window, [&](const FrameInfo& frame) { check.check(frame); }));
  return check.take_status();
}

}  // namespace fonds::zstd
