// Helpers of the decoders' tests.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fonds/codec.hpp>

namespace fonds::testing_codec {

// Gives its bytes a few at a time and never again.
class Pipe final : public ByteSource {
 public:
  Pipe(std::string bytes, std::size_t step) : bytes_(std::move(bytes)), step_(step) {}
  const std::string& name() const override { return name_; }
  bool random_access() const override { return false; }
  Result<std::uint64_t> size() override {
    return fail(ErrorCode::Unsupported, "a pipe has no size");
  }
  Result<std::size_t> read_at(std::uint64_t, MutableByteView) override {
    return fail(ErrorCode::Unsupported, "a pipe has no positions");
  }
  Result<std::size_t> read_next(MutableByteView out) override {
    const std::size_t n = std::min({out.size(), bytes_.size() - at_, step_});
    const ByteView bytes = as_bytes(bytes_).subspan(at_, n);
    std::copy(bytes.begin(), bytes.end(), out.begin());
    at_ += n;
    return n;
  }

 private:
  std::string bytes_;
  std::size_t step_;
  std::size_t at_ = 0;
  std::string name_ = "-";
};

inline std::shared_ptr<ByteSource> mapped(std::string_view bytes) {
  const ByteView view = as_bytes(bytes);
  return memory_source({view.begin(), view.end()});
}
inline std::shared_ptr<ByteSource> piped(std::string_view bytes, std::size_t step = 100) {
  return std::make_shared<Pipe>(std::string(bytes), step);
}

struct Decoded {
  std::vector<std::string> runs;            // the bytes between gaps, empty runs left out
  std::vector<std::uint64_t> units;         // every unit that a byte came from
  std::vector<std::string> codes;           // of all findings
  std::vector<std::uint64_t> code_offsets;  // and their places
  std::string error;                        // that ended it
  std::uint64_t stored = 0;                 // stored_position() at the end
  std::string all() const {
    std::string text;
    for (const std::string& run : runs) {
      text += run;
    }
    return text;
  }
};

inline void take(Decoder& decoder, Decoded& result) {
  for (const Finding& finding : decoder.take_findings()) {
    result.codes.emplace_back(finding.code);
    result.code_offsets.push_back(finding.where.stored_offset.value_or(~std::uint64_t{0}));
  }
}

inline Decoded read_all(const Codec& codec, std::shared_ptr<ByteSource> source,
                        const DecodeOptions& options = {}, std::size_t step = 1000) {
  Decoded result;
  auto decoder = codec.decode(std::move(source), options);
  if (!decoder) {
    result.error = decoder.error().message();
    return result;
  }
  std::string run;
  while (true) {
    const auto shown = (*decoder)->peek(step);
    if (!shown) {
      result.error = shown.error().message();
      break;
    }
    if (!shown->empty()) {
      const std::uint64_t unit = (*decoder)->place().unit;
      if (result.units.empty() || result.units.back() != unit) {
        result.units.push_back(unit);
      }
      const std::size_t n = std::min((*decoder)->shown_of_unit(), shown->size());
      run += as_text(shown->first(n));
      (*decoder)->consume(n);
      continue;
    }
    if (!run.empty()) {
      result.runs.push_back(std::exchange(run, {}));
    }
    const auto more = (*decoder)->next_run();
    if (!more || !*more) {
      result.error = more ? "" : more.error().message();
      break;
    }
  }
  if (!run.empty()) {
    result.runs.push_back(run);
  }
  take(**decoder, result);
  result.stored = (*decoder)->stored_position();
  return result;
}

inline bool starts_with_record(ByteView head) { return as_text(head).starts_with("WARC/"); }

// Text that does not compress to almost nothing.
inline std::string sample_text(std::size_t size, std::uint64_t seed = 1) {
  std::string text;
  while (text.size() < size) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    text += std::to_string(seed >> 40);
    text += seed >> 63 != 0 ? " word " : " other\n";
  }
  text.resize(size);
  return text;
}

}  // namespace fonds::testing_codec
