// Opening an archive: source, codec and format by their content.
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <fonds/format.hpp>

#include "codec/nested.hpp"
#include "format/format_names.hpp"
#include "format/round_trips.hpp"
#include "io/replayed_source.hpp"
#include "io/will_read.hpp"

namespace fonds {
namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
constexpr std::size_t kLongestPipeHead = std::size_t{2} << 20;  // a bzip2 block has up to 900 kB
constexpr std::size_t kMaxLayers = 2;
constexpr std::uint64_t kDamagedHead = std::uint64_t{16}
                                       << 20;  // how far a first whole unit is looked for
constexpr std::uint64_t kRunCost = std::uint64_t{4} << 10;  // of each run on the way there
// What shows that a unit that begins just there holds a record, where bytes have to be fetched.
constexpr std::size_t kUnitBehind = std::size_t{1} << 20;

// Reads on until `head` has `size` bytes or the source ends. False if nothing was added.
Result<bool> read_more(ByteSource& source, std::vector<std::byte>& head, std::size_t size) {
  const std::size_t had = head.size();
  std::size_t have = had;
  head.resize(size);
  while (have < size) {
    const MutableByteView room = MutableByteView(head).subspan(have);
    FONDS_TRY(const std::size_t n,
              source.random_access() ? source.read_at(have, room) : source.read_next(room));
    if (n == 0) {
      break;
    }
    have += n;
  }
  head.resize(have);
  return have > had;
}

// What the source decodes to at its beginning; empty where nothing does.
struct DecodedHead {
  std::vector<std::byte> bytes;
  bool whole = false;
};

constexpr int kGuess = 10;  // Format::probe

// The format that fits best, and better than `least`.
const Format* probe_format(const DecodedHead& head, int least = 0) {
  const Format* best = nullptr;
  int score = least;
  for (const Format* format : formats()) {
    if (format->traits().only_named) {
      continue;
    }
    if (const int fits = format->probe(head.bytes, head.whole); fits > score) {
      best = format;
      score = fits;
    }
  }
  return best;
}

// The format with this name; of several the one that fits best, or the last.
const Format* named_format(std::string_view name, const DecodedHead& head) {
  const Format* best = nullptr;
  int score = 0;
  for (const Format* format : formats()) {
    if (format->name() != name) {
      continue;
    }
    if (const int fits = format->probe(head.bytes, head.whole); best == nullptr || fits >= score) {
      best = format;
      score = fits;
    }
  }
  return best;
}

// Whether the bytes could not be had: then nobody knows what they are.
bool is_of_source(const Error& error) {
  return error.code() == ErrorCode::Io || error.code() == ErrorCode::Cancelled;
}

// Errors: Io, Cancelled; whatever else is wrong ends the head.
Result<DecodedHead> decode_head(const Archive& archive, const RecordProbe& probe) {
  DecodedHead head;
  auto decoder = open_decoder(archive, {.skim = true, .probe = probe});
  if (!decoder) {
    if (is_of_source(decoder.error())) {
      return tl::unexpected(std::move(decoder).error());
    }
    return head;
  }
  for (bool more = true; more;) {
    auto view = (*decoder)->peek(1);
    while (view && !view->empty() && head.bytes.size() < kHead) {
      const ByteView piece = view->first(std::min(view->size(), kHead - head.bytes.size()));
      head.bytes.insert(head.bytes.end(), piece.begin(), piece.end());
      if (probe.starts_record != nullptr && probe.starts_record(head.bytes)) {
        return head;  // nothing can be clearer
      }
      (*decoder)->consume(view->size());
      if (head.bytes.size() == kHead) {
        break;  // looking on might take a round trip
      }
      view = (*decoder)->peek(1);
    }
    if (!view && is_of_source(view.error())) {
      return tl::unexpected(std::move(view).error());
    }
    more = false;
    // Behind damage only while nothing has been recognized.
    if (head.bytes.size() < kHead && probe_format(head, kGuess) == nullptr) {
      auto next = (*decoder)->next_run();
      if (!next && is_of_source(next.error())) {
        return tl::unexpected(std::move(next).error());
      }
      more = next.value_or(false);
    }
  }
  head.whole = head.bytes.size() < kHead;
  return head;
}

// The format whose records can be found in bytes that begin with something else.
const Format& findable_format() {
  return **std::find_if(formats().begin(), formats().end(), [](const Format* format) {
    return format->record_probe().starts_record != nullptr;
  });
}

// The codec whose first unit that holds a record comes first, for a file whose beginning is
// damaged; nullptr if there is none. Errors: Io.
Result<const Codec*> search_codec(ByteSource& source, const RecordProbe& probe) {
  std::vector<std::byte> held;
  std::optional<ByteView> stored = source.view();
  if (!stored) {
    FONDS_CHECK(read_more(source, held, kDamagedHead + kUnitBehind));
    stored = held;
  }
  const Codec* found = nullptr;
  std::uint64_t nearest = std::min<std::uint64_t>(stored->size(), kDamagedHead);
  for (const Codec* codec : codecs()) {
    if (const std::uint64_t at = codec->find_unit(*stored, 0, nearest, probe); at < nearest) {
      nearest = at;
      found = codec;
    }
  }
  return found;
}

// The format of the first run that begins with one, other than findable_format(). Each run is asked
// alone: what a damaged unit decodes to may be nothing, and longer than a head. Null if there is
// none. Errors: those of reading.
Result<const Format*> search_runs(const Archive& archive) {
  FONDS_TRY(const auto decoder, open_decoder(archive, {}));
  for (std::uint64_t spent = 0; spent < kDamagedHead;) {
    FONDS_TRY(const ByteView shown, decoder->peek(kHead));
    const ByteView bytes = shown.first(std::min(shown.size(), kHead));
    const Format* const format = probe_format({{bytes.begin(), bytes.end()}, bytes.size() < kHead});
    if (format != nullptr && format != &findable_format()) {
      return format;
    }
    if (findable_format().record_probe().starts_record(bytes)) {
      break;
    }
    FONDS_TRY(const std::uint64_t passed, decoder->skip(kDamagedHead - spent));
    spent += passed + kRunCost;
    FONDS_TRY(const bool more, decoder->next_run());
    if (!more) {
      break;
    }
  }
  return nullptr;
}

// For bytes of which not even the beginning is a format: the one that units of the codec decode to
// which the beginning speaks for; unless `front_only`, else of the codec of the first unit. With
// that codec; null if nothing does. Errors: those of reading.
Result<const Format*> search_any_unit(Archive& archive, bool front_only) {
  std::vector<const Codec*> codecs = {&archive.codec()};
  if (!front_only) {
    FONDS_TRY(codecs.emplace_back(), search_codec(*archive.source, {}));
  }
  Archive tried = archive;
  for (const Codec* codec : codecs) {
    if (codec == nullptr || codec->name() == "none") {
      continue;
    }
    tried.codecs = {codec};
    FONDS_TRY(const Format* const format, search_runs(tried));
    if (format != nullptr) {
      archive.codecs = tried.codecs;
      return format;
    }
  }
  return nullptr;
}

// If the archive begins with no format, or seems to begin with plain bytes in front of a record:
// gives it the codec and the format that are found behind. Errors: those of reading.
Status look_behind_damage(Archive& archive, const DecodedHead& head) {
  const Format& findable = findable_format();
  const RecordProbe any_record = findable.record_probe();
  const Format* probed = probe_format(head, kGuess);
  const bool plain = archive.codec().name() == "none";
  // Frames store the beginning of a record as it is: what looks like plain records behind damage
  // may lie in one.
  const bool behind_damage = probed == &findable && plain && !any_record.starts_record(head.bytes);
  if (probed != nullptr && !behind_damage) {
    return {};
  }
  FONDS_TRY(const Codec* const codec, search_codec(*archive.source, any_record));
  if (probed == nullptr) {
    // A damaged unit can show what looks like a plain record; whole ones of its codec say more.
    const bool in_unit = codec != nullptr && codec->name() == "none";
    if (codec == nullptr || in_unit) {
      FONDS_TRY(archive.format, search_any_unit(archive, in_unit));
    }
    if (archive.format != nullptr || (!plain && probe_format(head) == &findable)) {
      return {};  // the latter: units of which nothing can be decoded
    }
  }
  if (codec != nullptr) {
    archive.codecs = {codec};
    archive.format = &findable;
  }
  return {};
}

}  // namespace

DecodeOptions decode_options(const ReadOptions& options) {
  DecodeOptions decode;
  decode.max_buffer = options.memory_budget / 3;
  decode.max_window_log =
      static_cast<unsigned>(std::bit_width(std::max<std::uint64_t>(options.max_window, 1024)) - 1);
  decode.max_whole_unit = static_cast<std::size_t>(std::clamp<std::uint64_t>(
      options.memory_budget / 8, std::uint64_t{64} << 10, std::uint64_t{16} << 20));
  decode.resume = options.resume;
  decode.seek = options.seek;
  decode.threads = options.decode_threads;
  decode.collect = options.collect;
  return decode;
}

Result<std::unique_ptr<Decoder>> open_decoder(const Archive& archive,
                                              const DecodeOptions& options) {
  FONDS_TRY(auto decoder, archive.codec().decode(archive.source, options));
  for (std::size_t layer = 1; layer < archive.codecs.size(); ++layer) {
    FONDS_TRY(decoder, decode_nested(std::move(decoder), archive.source->name(),
                                     *archive.codecs[layer], options));
  }
  return decoder;
}

Result<Archive> open_archive(std::string_view path, const OpenOptions& options) {
  FONDS_TRY(auto source, open_archive_source(path));
  return open_archive(std::move(source), options);
}

namespace {

// What an archive is by one of its records; nothing if that does not say it beyond doubt.
Result<std::optional<Archive>> recognize_at(const std::shared_ptr<ByteSource>& source,
                                            ByteRange range) {
  constexpr std::size_t kFirstLine = 256;
  will_read(*source, range);
  if (!source->random_access() || source->view()) {
    return std::nullopt;
  }
  std::vector<std::byte> head(
      static_cast<std::size_t>(std::min<std::uint64_t>(kHead, range.length)));
  FONDS_TRY(const std::size_t n, source->read_some_at(range.offset, head));
  head.resize(n);
  Archive archive;
  archive.source = source;
  archive.format = &findable_format();
  archive.codecs = {&probe_codec(head)};
  const auto decoder =
      open_decoder(archive, {.start = range.offset, .probe = archive.format->record_probe()});
  const auto decoded = decoder ? (*decoder)->peek(kFirstLine) : Result<ByteView>(ByteView());
  if (!decoded || !stands_alone(*archive.format, *decoded)) {
    return std::nullopt;
  }
  return archive;
}

}  // namespace

Result<Archive> open_archive_at(std::shared_ptr<ByteSource> source, const OpenOptions& options,
                                ByteRange first) {
  if (options.format.empty()) {
    FONDS_TRY(auto archive, recognize_at(source, first));
    if (archive) {
      return std::move(*archive);
    }
  }
  return open_archive(std::move(source), options);
}

Result<Archive> open_archive(std::shared_ptr<ByteSource> source, const OpenOptions& options) {
  std::vector<std::byte> stored_head;
  FONDS_CHECK(read_more(*source, stored_head, kHead));
  const std::string name = source->name();
  // A pipe is recognized on a copy of its first bytes: more of them where a block is long before it
  // gives anything.
  if (!source->random_access() && stored_head.empty()) {
    source = memory_source({}, name);  // an empty pipe is an empty file
  }
  const bool pipe = !source->random_access();
  Archive archive;
  archive.source = pipe ? memory_source(stored_head, name) : source;
  archive.codecs = {&probe_codec(stored_head)};
  const RecordProbe any_record = findable_format().record_probe();
  FONDS_TRY(DecodedHead head, decode_head(archive, any_record));
  while (pipe && head.bytes.empty() && archive.codec().name() != "none" &&
         stored_head.size() < kLongestPipeHead) {
    FONDS_TRY(const bool more, read_more(*source, stored_head, 2 * stored_head.size()));
    if (!more) {
      break;
    }
    archive.source = memory_source(stored_head, name);
    FONDS_TRY(head, decode_head(archive, any_record));
  }
  while (archive.codecs.size() < kMaxLayers && archive.codec().name() != "none") {
    const Codec& inner = probe_codec(head.bytes);
    if (inner.name() == "none") {
      break;
    }
    archive.codecs.push_back(&inner);
    FONDS_TRY(head, decode_head(archive, any_record));
  }
  if (options.format.empty()) {
    FONDS_CHECK(look_behind_damage(archive, head));
  }
  if (pipe) {
    archive.source = std::make_shared<ReplayedSource>(std::move(stored_head), std::move(source));
  }
  if (!options.format.empty()) {
    archive.format = named_format(options.format, head);
    if (archive.format == nullptr) {
      return fail(ErrorCode::BadArgument,
                  fmt::format("there is no format named {}, only {}", options.format,
                              format_names([](const Format&) { return true; })),
                  {.source = name});
    }
    return archive;
  }
  if (archive.format == nullptr) {
    archive.format = probe_format(head);
  }
  if (archive.format == nullptr) {
    return fail(ErrorCode::Unsupported,
                "is no archive that fonds knows: no record begins in its first 64 KiB; --format "
                "NAME reads it all the same",
                {.source = name, .stored_offset = 0});
  }
  return archive;
}

}  // namespace fonds
