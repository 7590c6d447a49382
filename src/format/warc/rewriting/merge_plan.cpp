#include "format/warc/rewriting/merge_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/bytes.hpp"
#include "base/digest.hpp"
#include "codec/zstd/frame.hpp"
#include "format/warc/rewriting/merge_stored.hpp"

namespace fonds::warc {
namespace {

std::string codec_names(const Archive& archive) {
  std::string names;
  for (const Codec* const codec : archive.codecs) {
    names += fmt::format("{}{}", names.empty() ? "" : " of ", codec->name());
  }
  return names;
}

bool has_encoder(const Archive& archive) {
  const std::string_view name = archive.codec().name();
  return archive.codecs.size() == 1 &&
         (name == "none" || name == "gzip" || name == "zstd" || name == "lz4");
}

// The first bytes of an archive; fewer where it ends.
Result<Buffer> read_head(const Archive& archive, const MergeInput& input, std::size_t size) {
  Buffer head;
  if (input.tee != nullptr) {
    FONDS_CHECK(input.tee->prefetch(size));
    const ByteView kept = input.tee->from(0);
    head.append(kept.first(std::min(kept.size(), size)));
    return head;
  }
  const MutableByteView room = head.room(size).first(size);
  FONDS_TRY(const std::size_t n, archive.source->read_at(0, room));
  head.commit(n);
  return head;
}

Result<Buffer> read_dictionary_frame(const Archive& archive, const MergeInput& input) {
  FONDS_TRY(Buffer head, read_head(archive, input, zstd::kSkippableHeader));
  if (head.size() < zstd::kSkippableHeader ||
      load_le32(head.view()) != zstd::kDictionaryFrameMagic) {
    return Buffer();
  }
  const std::uint64_t size = load_le32(head.view().subspan(4));
  if (size > zstd::kCommonDictionary) {
    return fail(ErrorCode::LimitExceeded,
                fmt::format("the dictionary frame has {} bytes, {} can be merged", size,
                            zstd::kCommonDictionary),
                {.source = archive.source->name(), .stored_offset = 0});
  }
  return read_head(archive, input, zstd::kSkippableHeader + static_cast<std::size_t>(size));
}

Status note_dictionary(const Archive& archive, MergeInput& input) {
  FONDS_TRY(const Buffer frame, read_dictionary_frame(archive, input));
  if (frame.empty()) {
    return {};
  }
  const auto dictionary = ZstdDictionary::parse(frame.view());
  if (!dictionary) {
    return fail(ErrorCode::Corrupt, dictionary.error().message(),
                {.source = archive.source->name(), .stored_offset = 0});
  }
  Hasher hasher(DigestAlgorithm::Sha256);
  hasher.update(dictionary->bytes());
  const DigestValue digest = hasher.finish();
  input.dictionary = as_text(ByteView(digest.bytes).first(digest.size));
  input.head = frame.size();
  return {};
}

// The dictionary that governs the merged file, by its hash: that of the first archive. If that has
// none, the choice that leaves most stored bytes as they are; at a tie no dictionary.
std::string governing(const std::vector<MergeInput>& inputs) {
  const bool sizes_known =
      std::all_of(inputs.begin(), inputs.end(), [](const auto& input) { return input.size; });
  std::string best = inputs.front().dictionary;
  if (!best.empty() || !sizes_known) {
    return best;
  }
  std::map<std::string_view, std::uint64_t> kept;
  for (const MergeInput& input : inputs) {
    kept[input.dictionary] += *input.size;
  }
  for (const MergeInput& input : inputs) {
    if (kept[input.dictionary] > kept[best]) {
      best = input.dictionary;
    }
  }
  return best;
}

Status choose_dictionary(MergePlan& plan) {
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    FONDS_CHECK(note_dictionary(plan.archives[i], plan.inputs[i]));
  }
  const std::string chosen = governing(plan.inputs);
  for (std::size_t i = 0; i < plan.inputs.size(); ++i) {
    MergeInput& input = plan.inputs[i];
    input.recompress = input.dictionary != chosen;
    if (!input.recompress && !chosen.empty() && plan.dictionary_frame.empty()) {
      FONDS_TRY(plan.dictionary_frame, read_dictionary_frame(plan.archives[i], input));
      FONDS_TRY(plan.encode.dictionary, ZstdDictionary::parse(plan.dictionary_frame.view()));
    }
  }
  return {};
}

Status add_input(const Archive& archive, bool twice, MergePlan& plan) {
  MergeInput input;
  Archive opened = archive;
  if (archive.source->random_access()) {
    FONDS_TRY(input.size, archive.source->size());
    if (*input.size == 0) {
      return {};
    }
  } else if (twice) {
    return fail(ErrorCode::Unsupported,
                "comes from a pipe, and would have to be read twice; save it to a file first",
                {.source = archive.source->name()});
  } else {
    input.tee = std::make_shared<TeeSource>(archive.source);
    opened.source = input.tee;
    FONDS_CHECK(input.tee->prefetch(1));
    if (input.tee->end() == 0) {
      return {};
    }
  }
  if (!plan.archives.empty() && plan.archives.front().codecs != archive.codecs) {
    return fail(
        ErrorCode::BadArgument,
        fmt::format("is compressed as {}, {} as {}; fonds convert joins both", codec_names(archive),
                    plan.archives.front().source->name(), codec_names(plan.archives.front())),
        {.source = archive.source->name()});
  }
  plan.archives.push_back(std::move(opened));
  plan.inputs.push_back(std::move(input));
  return {};
}

}  // namespace

Result<MergePlan> plan_merge(std::span<const Archive> archives, const RewriteOptions& options) {
  MergePlan plan;
  const bool twice = options.skip_damaged || options.join_segments;
  for (const Archive& archive : archives) {
    FONDS_CHECK(add_input(archive, twice, plan));
  }
  if (plan.archives.empty()) {
    return plan;
  }
  plan.encodable = has_encoder(plan.archives.front());
  plan.raw = !plan.encodable || (plan.archives.size() == 1 && !twice);
  if (plan.encodable) {
    plan.encode.codec = plan.archives.front().codec().name();
    plan.encode.level = options.write.level;
    plan.encode.threads = options.write.threads;
    plan.encode.memory_budget = options.write.memory_budget / 2;
    plan.encode.continues = true;
  }
  if (!plan.raw && plan.encode.codec == "zstd") {
    FONDS_CHECK(choose_dictionary(plan));
  }
  return plan;
}

}  // namespace fonds::warc
