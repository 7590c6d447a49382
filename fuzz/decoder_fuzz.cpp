// Decoders must survive any bytes, mapped and through a pipe, however they are read. The first byte
// chooses the codec, the second the options.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <fonds/codec.hpp>

#include "codec/bzip2/codec.hpp"
#include "codec/gzip/codec.hpp"
#include "codec/lz4/codec.hpp"
#include "codec/xz/codec.hpp"
#include "codec/zstd/codec.hpp"
#include "codec/zstd/frame.hpp"
#include "io/testing.hpp"

namespace {

constexpr std::uint64_t kMaxOutput = std::uint64_t{64} << 20;

bool starts_record(fonds::ByteView head) { return fonds::as_text(head).starts_with("WARC/"); }

class Choices {
 public:
  explicit Choices(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next(std::uint64_t below) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33) % below;
  }

 private:
  std::uint64_t state_;
};

void read_all(const fonds::Codec& codec, std::shared_ptr<fonds::ByteSource> source,
              std::uint8_t mode) {
  fonds::DecodeOptions options;
  options.skim = (mode & 1) != 0;
  options.salvage = (mode & 2) != 0;
  options.max_buffer = std::uint64_t{8} << 20;
  options.max_whole_unit = (mode & 4) != 0 ? 1000 : std::size_t{4} << 20;
  options.max_window_log = 24;
  if ((mode & 8) != 0) {
    options.probe.starts_record = starts_record;
  }
  auto decoder = codec.decode(std::move(source), options);
  if (!decoder) {
    return;
  }
  Choices choices(mode);
  std::uint64_t output = 0;
  while (output < kMaxOutput) {
    const auto shown = (*decoder)->peek(1 + choices.next(choices.next(4) == 0 ? 100000 : 600));
    if (!shown) {
      return;
    }
    if (shown->empty()) {
      const auto more = (*decoder)->next_run();
      if (!more || !*more) {
        break;
      }
      continue;
    }
    const auto place = (*decoder)->place();
    switch (choices.next(5)) {
      case 0: {
        const auto stepped = (*decoder)->skip(choices.next(200000));
        if (!stepped) {
          return;
        }
        output += *stepped;
        break;
      }
      case 1: {
        const auto done = (*decoder)->skim_unit(place.inner + choices.next(2000));
        if (!done) {
          return;
        }
        break;
      }
      default: {
        const std::size_t n = static_cast<std::size_t>(choices.next(shown->size() + 1));
        (*decoder)->consume(n);
        output += n;
        break;
      }
    }
    (void)(*decoder)->stored_position();
    (void)(*decoder)->take_findings();
    output += 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) {
    return 0;
  }
  const std::array<const fonds::Codec*, 5> codecs = {
      &fonds::gzip::gzip_codec(), &fonds::zstd::zstd_codec(), &fonds::lz4::lz4_codec(),
      &fonds::bzip2::bzip2_codec(), &fonds::xz::xz_codec()};
  const fonds::Codec& codec = *codecs[data[0] % codecs.size()];
  const auto mode = data[1];
  const auto* begin = reinterpret_cast<const std::byte*>(data + 2);
  const std::vector<std::byte> stored(begin, begin + (size - 2));
  read_all(codec, fonds::memory_source(stored), mode);
  read_all(codec, std::make_shared<fonds::testing_io::Pipe>(stored, 4096), mode);
  const fonds::RecordProbe probe = {.starts_record = starts_record};
  const std::uint64_t found = codec.find_unit(stored, 0, stored.size(), probe);
  if (found > stored.size()) {
    std::abort();
  }
  if (codec.name() == "zstd") {
    static_cast<void>(fonds::zstd::check_frames(fonds::Window(stored), std::uint64_t{1} << 20,
                                                [](const fonds::Finding&) {}));
  }
  return 0;
}
